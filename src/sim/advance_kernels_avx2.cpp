// The loop of advance() for x86 processors with AVX2 and FMA; built with those switched on for this file alone.
#include "sim/advance_kernels.h"

namespace yawara::advance_avx2 {
namespace {
#include "sim/advance_kernels.inl"
}  // namespace

extern const Advance kAdvance;
const Advance kAdvance = advance;

}  // namespace yawara::advance_avx2
