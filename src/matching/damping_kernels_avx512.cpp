// The loops of damping for x86 processors with AVX-512; built with it switched on for this file alone.
#include "matching/damping_kernels.h"

namespace yawara::matching {
namespace avx512 {
namespace {
#include "matching/damping_kernels.inl"
}  // namespace
}  // namespace avx512

extern const DampingKernels kDampingAvx512;
const DampingKernels kDampingAvx512 = avx512::table();

}  // namespace yawara::matching
