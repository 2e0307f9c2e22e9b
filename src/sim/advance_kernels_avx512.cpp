// The loop of advance() for x86 processors with AVX-512; built with it switched on for this file alone.
#include "sim/advance_kernels.h"

namespace yawara::advance_avx512 {
namespace {
#include "sim/advance_kernels.inl"
}  // namespace

extern const Advance kAdvance;
const Advance kAdvance = advance;

}  // namespace yawara::advance_avx512
