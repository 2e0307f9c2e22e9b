// Chooses the loop of advance() for the processor at hand, once.
#include "sim/advance_kernels.h"

#include "core/instruction_sets.h"

namespace yawara {

namespace advance_any {
extern const Advance kAdvance;
}
#ifdef YAWARA_AVX2
namespace advance_avx2 {
extern const Advance kAdvance;
}
namespace advance_avx512 {
extern const Advance kAdvance;
}
#endif

bool advance(Vec3* positions, Vec3* velocities, std::size_t count, const MomentumCorrection& correction, float h)
{
#ifdef YAWARA_AVX2
    static const std::size_t usable = usable_instruction_sets();
    static const Advance best = usable > 2   ? advance_avx512::kAdvance
                                : usable > 1 ? advance_avx2::kAdvance
                                             : advance_any::kAdvance;
#else
    static const Advance best = advance_any::kAdvance;
#endif
    return best(positions, velocities, count, correction, h);
}

}  // namespace yawara
