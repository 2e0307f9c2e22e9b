// The loops for x86 processors with AVX-512, a whole block at a time. Built with it switched on for
// this file alone.
#include <immintrin.h>

#include "fem/implicit_kernels.h"
#include "fem/kernels.h"

namespace yawara::fem {
namespace avx512 {
#include "fem/kernels.inl"

#include "fem/implicit_kernels.inl"
}  // namespace avx512

extern const Kernels kKernelsAvx512;
extern const ImplicitKernels kImplicitAvx512;
const Kernels kKernelsAvx512 = avx512::table("avx512");
const ImplicitKernels kImplicitAvx512 = avx512::implicit_table();

}  // namespace yawara::fem
