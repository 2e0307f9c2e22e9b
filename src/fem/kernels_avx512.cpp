// The loops for x86 processors with AVX-512, a whole block at a time. Built with it switched on for
// this file alone.
#include <immintrin.h>

#include "fem/kernels.h"

namespace yawara::fem {
namespace avx512 {
#include "fem/kernels.inl"
}

extern const Kernels kKernelsAvx512;
const Kernels kKernelsAvx512 = avx512::table("avx512");

}  // namespace yawara::fem
