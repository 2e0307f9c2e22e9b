// The loops for x86 processors with AVX2 and FMA; built with those switched on for this file alone.
#include <immintrin.h>

#include "fem/kernels.h"

namespace yawara::fem {
namespace avx2 {
#include "fem/kernels.inl"
}

extern const Kernels kKernelsAvx2;
const Kernels kKernelsAvx2 = avx2::table("avx2");

}  // namespace yawara::fem
