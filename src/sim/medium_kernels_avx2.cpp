// The loops of a medium for x86 processors with AVX2 and FMA; built with those switched on for this file alone.
#include "sim/medium_kernels.h"

namespace yawara {
namespace medium_avx2 {
namespace {
#include "sim/medium_kernels.inl"
}  // namespace
}  // namespace medium_avx2

extern const MediumKernels kMediumAvx2;
const MediumKernels kMediumAvx2 = medium_avx2::table();

}  // namespace yawara
