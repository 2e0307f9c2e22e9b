// The loops of an active layer for x86 processors with AVX-512; built with it switched on for this file alone.
#include "active/layer_kernels.h"

namespace yawara::muscles {
namespace avx512 {
namespace {
#include "active/layer_kernels.inl"
}  // namespace
}  // namespace avx512

extern const LayerKernels kLayerAvx512;
const LayerKernels kLayerAvx512 = avx512::table();

}  // namespace yawara::muscles
