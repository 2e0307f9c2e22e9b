// One matching pass on a lattice with box sums. Three sweeps over planes, each over independent runs of them, so any
// number of threads gives the same bits: load; sum (a window of planes slides along z, then along x and y in the
// plane), rotate and spread along y and x; spread along z. What lies between two sweeps is small: three channels, which
// all width classes share, and six for each window. The work does not depend on the widths.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <span>
#include <vector>

#include "core/aligned.h"
#include "matching/box_classes.h"

namespace yawara::matching {

/// Scratch of one worker; the second line is for damping.
struct BoxScratch {
    AlignedVector<float> sliding, rows, columns, strip, lines;
    AlignedVector<float> plane, masked, sums, column, out;
};

/// What one body needs between the sweeps.
class BoxMemory {
public:
    explicit BoxMemory(const BoxClasses& classes);
    /// After a change of the classes; allocates only if more filters are needed than ever before.
    void fit(const BoxClasses& classes);

    struct Part {
        AlignedVector<float> field;  ///< shared mass times position: per plane three channels, see plane_channel()
        AlignedVector<float> sent;   ///< per plane and filter, six channels
        std::size_t sent_plane = 0;  ///< floats from one plane to the next
        std::vector<float> zeros;    ///< a stretch of rows, and classes of nobody
        std::vector<std::uint32_t> no_bits;
        /// Sums along x for the exceptions, per filter, see kInRow and kOutRow.
        std::vector<AlignedVector<float>> in_rows, out_rows;
        Vec3 origin;                  ///< positions are about this
        std::size_t first_plane = 0;  ///< among the planes of all parts

        float* plane(const BoxPart& part, int z);
        float* sent_from(const BoxPart& part, int z, std::size_t filter);
    };
    std::vector<Part> parts;
    std::vector<RotateCount> counts;  ///< per plane of all parts
    tbb::enumerable_thread_specific<BoxScratch> scratch;
};

/// The particles as placed (kPositionSize floats each), ready to be summed.
void load_planes(const BoxClasses& classes, const float* positions, BoxMemory& memory);

/// Sums: the moments of every block, for those who look at them before rotate_planes().
void find_moments(const BoxClasses& classes, BoxMemory& memory, RegionMoments* moments);

/// Sums, unless `shapes` has moments, rotations, and the spread within the planes.
RotateCount rotate_planes(const BoxClasses& classes, const BoxShapes& shapes, float* rotations, BoxMemory& memory);

/// The spread along z: displacements of all particles to their goals.
void spread_planes(const BoxClasses& classes, const float* positions, BoxMemory& memory, Vec3* displacements);

/// Young's modulus that one pass gives, times the step squared, in the direction where it is largest, without the ends
/// of the body there unless regions reach across; Pa s^2.
double box_modulus(const BoxClasses& classes, std::span<const double> masses, double volume);

/// 1/2 sum weight m |F x0 + t - x|^2 over all regions, kg m^2, in double: for reports, slow.
double box_mismatch(const BoxClasses& classes, const float* positions, const RegionStretch* stretch,
                    const float* rotations);

}  // namespace yawara::matching
