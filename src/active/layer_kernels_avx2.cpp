// The loops of an active layer for x86 processors with AVX2 and FMA; built with those switched on for this file alone.
#include "active/layer_kernels.h"

namespace yawara::muscles {
namespace avx2 {
namespace {
#include "active/layer_kernels.inl"
}  // namespace
}  // namespace avx2

extern const LayerKernels kLayerAvx2;
const LayerKernels kLayerAvx2 = avx2::table();

}  // namespace yawara::muscles
