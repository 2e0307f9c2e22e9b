// Chooses the loops of damping for the processor at hand, once.
#include "matching/damping_kernels.h"

#include "core/instruction_sets.h"

namespace yawara::matching {

extern const DampingKernels kDampingAny;
#ifdef YAWARA_AVX2
extern const DampingKernels kDampingAvx2, kDampingAvx512;
#endif

const DampingKernels& damping_kernels()
{
#ifdef YAWARA_AVX2
    static const std::size_t usable = usable_instruction_sets();
    return usable > 2 ? kDampingAvx512 : usable > 1 ? kDampingAvx2 : kDampingAny;
#else
    return kDampingAny;
#endif
}

}  // namespace yawara::matching
