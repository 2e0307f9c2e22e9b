// The loops of damping for x86 processors with AVX2 and FMA; built with those switched on for this file alone.
#include "matching/damping_kernels.h"

namespace yawara::matching {
namespace avx2 {
namespace {
#include "matching/damping_kernels.inl"
}  // namespace
}  // namespace avx2

extern const DampingKernels kDampingAvx2;
const DampingKernels kDampingAvx2 = avx2::table();

}  // namespace yawara::matching
