// Chooses the force loop for the processor at hand, once.
#include "fem/kernels.h"

namespace yawara::fem {

extern const Kernels kKernelsAny;
#ifdef YAWARA_AVX2
extern const Kernels kKernelsAvx2;
#endif

std::size_t available_kernels(const Kernels* (&out)[2])
{
    std::size_t count = 0;
    out[count++] = &kKernelsAny;
#ifdef YAWARA_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out[count++] = &kKernelsAvx2;
#endif
    return count;
}

const Kernels& kernels()
{
    static const Kernels& best = []() -> const Kernels& {
        const Kernels* all[2];
        return *all[available_kernels(all) - 1];
    }();
    return best;
}

}  // namespace yawara::fem
