// The loops for x86 processors with AVX2 and FMA; built with those switched on for this file alone.
#include "fem/kernels.h"

namespace yawara::fem {
namespace avx2 {
#include "fem/kernels.inl"
}

extern const Kernels kKernelsAvx2;
const Kernels kKernelsAvx2{
    "avx2",
    {{avx2::forces<false, false>, avx2::forces<false, true>}, {avx2::forces<true, false>, avx2::forces<true, true>}},
    avx2::substitute};

}  // namespace yawara::fem
