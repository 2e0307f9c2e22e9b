// The loops of a medium for x86 processors with AVX-512; built with it switched on for this file alone.
#include "sim/medium_kernels.h"

namespace yawara {
namespace medium_avx512 {
namespace {
#include "sim/medium_kernels.inl"
}  // namespace
}  // namespace medium_avx512

extern const MediumKernels kMediumAvx512;
const MediumKernels kMediumAvx512 = medium_avx512::table();

}  // namespace yawara
