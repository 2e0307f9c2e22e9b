// The loops for x86 processors with AVX2 and FMA; built with those switched on for this file alone.
#include <immintrin.h>

#include "fem/implicit_kernels.h"
#include "fem/kernels.h"

namespace yawara::fem {
namespace avx2 {
#include "fem/kernels.inl"

#include "fem/implicit_kernels.inl"
}  // namespace avx2

extern const Kernels kKernelsAvx2;
extern const ImplicitKernels kImplicitAvx2;
const Kernels kKernelsAvx2 = avx2::table("avx2");
const ImplicitKernels kImplicitAvx2 = avx2::implicit_table();

}  // namespace yawara::fem
