// Chooses the kernels for the processor at hand, once.
#include "matching/kernels.h"

#include "math/rotation.h"
#include "matching/robust_rotation.h"

namespace yawara::matching {

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
    static const Kernels& best = [] () -> const Kernels& {
        const Kernels* all[2];
        return *all[available_kernels(all) - 1];
    }();
    return best;
}

void robust_rotation(const float (&a)[9], float (&q)[4])
{
    const Mat3d A{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}};
    const Quat best = closest_rotation(A, {q[0], q[1], q[2], q[3]});
    q[0] = float(best.x), q[1] = float(best.y), q[2] = float(best.z), q[3] = float(best.w);
}

}  // namespace yawara::matching
