// Chooses the force loop for the processor at hand, once.
#include "fem/kernels.h"

#include "core/instruction_sets.h"

namespace yawara::fem {

extern const Kernels kKernelsAny;
#ifdef YAWARA_AVX2
extern const Kernels kKernelsAvx2, kKernelsAvx512;
#endif

std::span<const Kernels* const> available_kernels()
{
    static const Kernels* const all[] = {&kKernelsAny,
#ifdef YAWARA_AVX2
                                         &kKernelsAvx2, &kKernelsAvx512
#endif
    };
    return {all, usable_instruction_sets()};
}

const Kernels& kernels()
{
    static const Kernels& best = *available_kernels().back();
    return best;
}

}  // namespace yawara::fem
