// The loops of an active layer for whatever processor the compiler was told to build for.
#include "active/layer_kernels.h"

namespace yawara::muscles {
namespace any_processor {
namespace {
#include "active/layer_kernels.inl"
}  // namespace
}  // namespace any_processor

extern const LayerKernels kLayerAny;
const LayerKernels kLayerAny = any_processor::table();

}  // namespace yawara::muscles
