// One matching pass on a lattice with box sums. Three sweeps, each over independent slices, so any number of threads
// gives the same bits: planes (sum along x, then y), slabs (sum along z, rotate, spread along z), planes (spread along
// y, then x). The work does not depend on the widths.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <span>
#include <vector>

#include "core/aligned.h"
#include "matching/box_classes.h"

namespace yawara::matching {

/// Scratch of one worker.
struct BoxScratch {
    AlignedVector<float> plane, masked, sums, strip, column, out, lines;
};

/// What one body needs between the sweeps.
class BoxMemory {
public:
    explicit BoxMemory(const BoxClasses& classes);
    /// After a change of the classes; allocates only if more filters are needed than ever before.
    void fit(const BoxClasses& classes);

    /// Layout of a part: slab y holds, for every filter, nine channels of nz rows.
    struct Part {
        AlignedVector<float> slabs;
        std::size_t channel = 0, slab = 0;  ///< floats from one to the next
        /// Sums along x for the exceptions, per filter: entry x of a row holds what lies before x. In: 8 floats an
        /// entry (sum, sum times x); out: 16 (see BoxColumn, the first triple about x = 0).
        std::vector<AlignedVector<float>> in_rows, out_rows;
        Vec3 origin;                 ///< positions are about this
        std::size_t first_slab = 0;  ///< among the slabs of all parts
    };
    std::vector<Part> parts;
    std::vector<RotateCount> counts;  ///< per slab of all parts
    tbb::enumerable_thread_specific<BoxScratch> scratch;
};

/// Sums along x and y of the particles as placed (kPositionSize floats each).
void sum_planes(const BoxClasses& classes, const float* positions, BoxMemory& memory);

/// Sums along z, rotations, and the spread along z.
RotateCount rotate_slabs(const BoxClasses& classes, const RegionStretch* stretch, float* turns, BoxMemory& memory);

/// The spread along y and x: ways of all particles to their goals.
void spread_planes(const BoxClasses& classes, const float* positions, BoxMemory& memory, Vec3* ways);

/// Young's modulus that one pass gives, times the step squared, in the direction where it is largest; Pa s^2.
double box_modulus(const BoxClasses& classes, double volume);

/// 1/2 sum weight m |F x0 + t - x|^2 over all regions, kg m^2, in double: for reports, slow.
double box_mismatch(const BoxClasses& classes, const float* positions, const RegionStretch* stretch,
                    const float* turns);

}  // namespace yawara::matching
