// Chooses the loops for the processor at hand, once.
#include "fem/kernels.h"

#include "core/instruction_sets.h"
#include "fem/implicit_kernels.h"

namespace yawara::fem {

extern const Kernels kKernelsAny;
extern const ImplicitKernels kImplicitAny;
#ifdef YAWARA_AVX2
extern const Kernels kKernelsAvx2, kKernelsAvx512;
extern const ImplicitKernels kImplicitAvx2, kImplicitAvx512;
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

const ImplicitKernels& implicit_kernels()
{
    static const ImplicitKernels* const all[] = {&kImplicitAny,
#ifdef YAWARA_AVX2
                                                 &kImplicitAvx2, &kImplicitAvx512
#endif
    };
    static const ImplicitKernels& best = *all[usable_instruction_sets() - 1];
    return best;
}

}  // namespace yawara::fem
