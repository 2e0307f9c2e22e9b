// Chooses the loops of active layers for the processor at hand, once.
#include "active/layer_kernels.h"

#include "core/instruction_sets.h"

namespace yawara::muscles {

extern const LayerKernels kLayerAny;
#ifdef YAWARA_AVX2
extern const LayerKernels kLayerAvx2, kLayerAvx512;
#endif

const LayerKernels& layer_kernels()
{
#ifdef YAWARA_AVX2
    static const std::size_t usable = usable_instruction_sets();
    return usable > 2 ? kLayerAvx512 : usable > 1 ? kLayerAvx2 : kLayerAny;
#else
    return kLayerAny;
#endif
}

}  // namespace yawara::muscles
