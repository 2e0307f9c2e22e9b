// The loop of advance() for whatever processor the compiler was told to build for.
#include "sim/advance_kernels.h"

namespace yawara::advance_any {
namespace {
#include "sim/advance_kernels.inl"
}  // namespace

extern const Advance kAdvance;
const Advance kAdvance = advance;

}  // namespace yawara::advance_any
