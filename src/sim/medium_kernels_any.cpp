// The loops of a medium for whatever processor the compiler was told to build for.
#include "sim/medium_kernels.h"

namespace yawara {
namespace medium_any {
namespace {
#include "sim/medium_kernels.inl"
}  // namespace
}  // namespace medium_any

extern const MediumKernels kMediumAny;
const MediumKernels kMediumAny = medium_any::table();

}  // namespace yawara
