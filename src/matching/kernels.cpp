// Chooses the kernels for the processor at hand, once.
#include "matching/kernels.h"

#include "core/instruction_sets.h"
#include "matching/robust_rotation.h"
#include "yawara/rotation.h"

namespace yawara::matching {

extern const Kernels kKernelsAny;
#ifdef YAWARA_AVX2
extern const Kernels kKernelsAvx2, kKernelsAvx512;
#endif

std::size_t available_kernels(const Kernels* (&out)[3])
{
    std::size_t count = 0;
    out[count++] = &kKernelsAny;
#ifdef YAWARA_AVX2
    const std::size_t usable = usable_instruction_sets();
    if (usable > 1) out[count++] = &kKernelsAvx2;
    if (usable > 2) out[count++] = &kKernelsAvx512;
#endif
    return count;
}

const Kernels& kernels()
{
    static const Kernels& best = []() -> const Kernels& {
        const Kernels* all[3];
        return *all[available_kernels(all) - 1];
    }();
    return best;
}

namespace {

Mat3d matrix(const float (&a)[9])
{
    return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}};
}

}  // namespace

void robust_rotation(const float (&a)[9], float (&q)[4])
{
    const Quat best = closest_rotation(matrix(a), {q[0], q[1], q[2], q[3]});
    q[0] = float(best.x), q[1] = float(best.y), q[2] = float(best.z), q[3] = float(best.w);
}

void robust_stretch(const float (&a)[9], const float (&q)[4], float (&stretch)[6])
{
    const Mat3d A = matrix(a), B = transpose(to_matrix(closest_rotation(A, {q[0], q[1], q[2], q[3]}))) * A;
    stretch[0] = float(B.c0.x), stretch[1] = float(B.c1.y), stretch[2] = float(B.c2.z);
    stretch[3] = float((B.c1.z + B.c2.y) / 2);
    stretch[4] = float((B.c0.z + B.c2.x) / 2);
    stretch[5] = float((B.c0.y + B.c1.x) / 2);
}

}  // namespace yawara::matching
