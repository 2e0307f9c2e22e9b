// The inner loops of box sums on a lattice: sliding windows along one axis, eight lines side by side, three channels (a
// vector) at a time. No window is made by subtracting from a longer one, so nothing cancels, however large the lattice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "matching/kernels.h"

namespace yawara::matching {

/// Lines of eight or sixteen lanes: entry k of channel c is at data + c * channel + k * step.
struct Line {
    const float* data;
    std::size_t step, channel;
};
struct LineOut {
    float* data;
    std::size_t step, channel;
};

/// The classes of nodes along a line, as bits: those of the lanes in a row, `step` from entry to entry. Without bits:
/// all.
struct Chosen {
    const std::uint32_t* bits = nullptr;
    std::size_t step = 0;
    std::uint32_t set = 0;
};
/// Windows of 2 width + 1 entries along lines of n. Entries that are not chosen `in` count as zero; with a choice `out`
/// sums are added to what is there where chosen.
struct Window {
    int n, width;
    float* scratch;  ///< line_scratch(width) floats
    Chosen in{}, out{};
    bool sixteen = false;  ///< lanes, not eight
    /// Windows are wanted about entries skip_first ... n - skip_last; if negative, about places beyond the ends too.
    int skip_first = 0, skip_last = 0;
    int begin() const { return skip_first; }
    int end() const { return n - skip_last; }
};

/// Windows reach at most this far.
constexpr int kLargestReach = 30;
/// Rows of a lattice's planes are filled up to a multiple of this.
constexpr std::size_t kRowStep = 16;

/// Floats of scratch that a window of this width needs.
constexpr std::size_t line_scratch(int width)
{
    return (2 * std::size_t(width) + 1) * 6 * 2 * kLanes;
}

/// Constants of eight regions that are neighbours along x. Lanes without a particle have zero mass and weight.
struct alignas(32) BoxBlock {
    float inverse_mass[kLanes];  ///< 1 / sum of the members' shared masses; 0: no region here
    float offset[3][kLanes];     ///< rest centre of mass - rest position of the region's own particle
    float weight[kLanes];        ///< weight of the region times its alpha, beta_r alpha_r of [CVG] 10.1, 10.2
};

/// Column of blocks along y: sums in, what is to be spread out in their place; 12 channels of eight floats an entry.
struct BoxColumn {
    /// In: sum m x, then its first moments along x, y, z in cells. Out: weight * (goal of the region's own particle),
    /// then weight * F * cell along x, y, z.
    float* values;
    std::size_t step, channel;
    const BoxBlock* blocks;  ///< which follow each other
    std::size_t count;
    float cell;
};
/// What the regions of a column want, block by block; all may be null.
struct BoxShapes {
    const RegionStretch* stretch = nullptr;
    const RegionMoments* moments = nullptr;  ///< if they are known: the column need not hold sums
    const RegionTensor* spread = nullptr;    ///< with moments: turn by the linear fit A_pq K, as [Examples] did

    BoxShapes from(std::size_t block) const
    {
        return {stretch ? stretch + block : nullptr, moments ? moments + block : nullptr,
                spread ? spread + block : nullptr};
    }
};

/// A row of a plane of nodes: channels of values, and the classes of its nodes as bits, or null: all.
struct PlaneRow {
    const float* data;
    std::size_t channel;
    const std::uint32_t* bits = nullptr;
    std::uint32_t set = 0;
};
/// Channels of a row of sums; six of one that slides along z.
struct SlidingRow {
    float* data;
    std::size_t channel, n;  ///< n: a multiple of kRowStep
};

/// Blocks of eight values with the classes of their nodes.
struct MaskedBlocks {
    const std::uint32_t* bits;
    std::size_t bits_step;
    std::uint32_t set;
    std::size_t count, step, channels, channel;
};

/// Particles along x that lie in a box but not in the region: the first of them is dx, dy, dz away.
struct Run {
    std::uint32_t entry;  ///< of the first, among the sums along rows
    std::uint8_t length;
    std::int8_t dx, dy, dz;
};
/// Floats of an entry of the sums along rows that runs are taken from: entry x holds what lies before x. In: sum, and
/// sum times x about the row's middle. Out: sums of p - x F along x, and of F along x, y and z. Four floats each.
constexpr std::size_t kInRow = 8, kOutRow = 16;

/// Some nodes of a plane, with what lies in their boxes but not in their regions. Numbers of nodes are those of a part.
struct PlaneRuns {
    const std::uint32_t* nodes;  ///< which follow each other
    std::size_t count;
    const std::uint32_t* offsets;  ///< runs of a node: [offsets[node], offsets[node + 1])
    const Run* runs;
    const float* sums;          ///< along rows
    const std::uint32_t* bits;  ///< nodes in the set alone
    std::uint32_t set;
    std::size_t first_node;  ///< of row 0
    std::size_t row;         ///< nodes from one row to the next
    float middle;            ///< of a row
};

/// Windows along z. Of the planes given all have bits, or none.
struct PlaneKernels {
    /// A plane enters a window, `from` planes away from its middle.
    void (*enter)(const PlaneRow& plane, float from, const SlidingRow& sums);
    /// The window moves by one plane: `fresh` enters it, `old` leaves it.
    void (*slide)(const PlaneRow& fresh, const PlaneRow& old, int width, const SlidingRow& sums);
    /// A window of three planes at once; on the way back without v.
    void (*three)(const PlaneRow& before, const PlaneRow& here, const PlaneRow& after, const SlidingRow& sums);
};

struct BoxKernels {
    /// s_i = sum of in[j], |j - i| <= width
    void (*sum)(const Line& in, const Window& window, const LineOut& s);
    /// and m_i = sum of (j - i) in[j]
    void (*moment)(const Line& in, const Window& window, const LineOut& s, const LineOut& m);
    /// s_i = sum of p[j] - (j - i) f[j]: the way back
    void (*spread)(const Line& p, const Line& f, const Window& window, const LineOut& s);
    /// The same along rows that follow each other, of `row` values, a multiple of kRowStep. Three channels in, six out;
    /// six in, three out; three in, three out.
    void (*row_moment)(const PlaneRow& in, int width, std::size_t row, const SlidingRow& out);
    void (*row_spread)(const PlaneRow& in, int width, std::size_t row, const SlidingRow& out);
    void (*row_sum)(const PlaneRow& in, int width, std::size_t row, const SlidingRow& out);
    PlaneKernels planes;       ///< planes of values: sums s, and m = sum of (k - z) times the value
    PlaneKernels planes_back;  ///< planes of p and f: sums u = sum of p - (k - z) f, and v = sum of f
    /// Three channels are added where chosen.
    void (*add_chosen)(const PlaneRow& plane, const SlidingRow& sums);
    /// Entries 0 ... n of the sums along n nodes of a row; `middle` is that of the row, seen from the first of them.
    void (*sum_in_row)(const PlaneRow& values, std::size_t n, float middle, float* out);
    /// The same of what goes out; if it goes on, from entry 0 as it is.
    void (*sum_out_row)(const PlaneRow& values, std::size_t n, float middle, bool goes_on, float* out);
    /// Takes runs off the twelve sums of regions, which are in columns of sixteen nodes, `strip` floats from one to the
    /// next.
    void (*take_off_sums)(const PlaneRuns& runs, float* columns, std::size_t channel, std::size_t strip);
    /// Takes runs off the three sums of particles, row by row.
    void (*take_off_displacements)(const PlaneRuns& runs, float* sums, std::size_t channel);
    /// out = in where the class is in the set, else 0, for blocks of eight: `count` of them, `step` floats apart in
    /// `in` and `out`, `bits_step` apart in `bits`; `channels` channels of `channel` floats.
    void (*mask)(const MaskedBlocks& blocks, const float* in, float* out);
    /// out += in where the class is in the set.
    void (*add_masked)(const MaskedBlocks& blocks, const float* in, float* out);
    /// Mass times (position - origin) of n particles in a row of nodes, one channel an axis; ids below 0: nobody, zero.
    void (*load_row)(const float* positions, const std::int32_t* ids, const float* masses, Vec3 origin, std::size_t n,
                     float* out, std::size_t channel);
    /// displacements[id] = (sum - weight (position - origin)) share, for the particles of a row of nodes.
    void (*store_row)(const float* sums, std::size_t channel, const std::int32_t* ids, const float* positions,
                      const float* weights, const float* shares, Vec3 origin, std::size_t n, Vec3* displacements);
    /// A_pq and the centres of mass, about the origin of the positions; lanes without a region get the identity.
    void (*moments)(const BoxColumn& column, RegionMoments* out);
    /// Rotations of a column, warm started from `rotations`, and what its regions send out.
    RotateCount (*rotate)(const BoxColumn& column, const BoxShapes& shapes, float* rotations);
};

}  // namespace yawara::matching
