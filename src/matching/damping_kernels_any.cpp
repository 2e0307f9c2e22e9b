// The loops of damping for whatever processor the compiler was told to build for.
#include "matching/damping_kernels.h"

namespace yawara::matching {
namespace any_processor {
namespace {
#include "matching/damping_kernels.inl"
}  // namespace
}  // namespace any_processor

extern const DampingKernels kDampingAny;
const DampingKernels kDampingAny = any_processor::table();

}  // namespace yawara::matching
