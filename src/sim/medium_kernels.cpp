// Chooses the loops of a medium for the processor at hand, once.
#include "sim/medium_kernels.h"

#include "core/instruction_sets.h"

namespace yawara {

extern const MediumKernels kMediumAny;
#ifdef YAWARA_AVX2
extern const MediumKernels kMediumAvx2, kMediumAvx512;
#endif

const MediumKernels& medium_kernels()
{
#ifdef YAWARA_AVX2
    static const std::size_t usable = usable_instruction_sets();
    return usable > 2 ? kMediumAvx512 : usable > 1 ? kMediumAvx2 : kMediumAny;
#else
    return kMediumAny;
#endif
}

}  // namespace yawara
