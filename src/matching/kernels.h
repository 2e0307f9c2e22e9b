// The inner loops of a matching pass, compiled for every processor, for AVX2 and for AVX-512; kernels() picks.
// Regions go through the rotation eight at a time, one in each lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "yawara/math.h"

namespace yawara::matching {

constexpr std::size_t kLanes = 8;

/// Floats of a particle's position as the kernels see it: three and a spare one.
constexpr std::size_t kPositionSize = 4;

/// Floats of what is constant about a particle in the sums: m x0, m y0, m z0 and m, where m is its mass shared among
/// its regions and x0 its rest position about the body's centre.
constexpr std::size_t kFactorSize = 4;

/// Where a region sends its rest shape: goal = F x0 + t. Four columns of four floats: F, then t.
constexpr std::size_t kTransformSize = 16;

/// Overlapping groups of particles as flat lists. Entries are multiplied by 16, which saves a shift in every access:
/// they count floats among transforms, and bytes among positions and factors. Lists are filled up to a multiple of
/// kStride with the place behind the last particle or region, where factors, masses and transforms are zero.
constexpr std::size_t kStride = 4;
struct ListView {
    const std::int32_t* region_offsets;  ///< regions + 1
    const std::int32_t* members;         ///< particles of region r: members[region_offsets[r]] ...
    const std::int32_t* holder_offsets;  ///< particles + 1
    const std::int32_t* holders;         ///< regions that hold particle i: holders[holder_offsets[i]] ...
    const std::int32_t* centers;         ///< a particle of each region, the origin of its sums
    const float* factors;                ///< kFactorSize per particle
    const float* rest;                   ///< 4 per particle: rest position about the body's centre, shared mass
    const float* holder_count;           ///< per particle
    const float* share;                  ///< one over that
};

/// Constants of eight regions, one in each lane.
struct alignas(32) RegionRest {
    float inverse_mass[kLanes];  ///< 1 / sum of the members' shared masses
    float middle[3][kLanes];     ///< rest centre of mass
};

/// Sums over eight regions: A_pq = sum m p q^T by columns, and the centre of mass now. As large as their transforms, in
/// whose place they may wait.
struct alignas(32) RegionMoments {
    float A[9][kLanes];
    float c[3][kLanes];
    float spare[4][kLanes];
};
static_assert(sizeof(RegionMoments) == kLanes * kTransformSize * sizeof(float));

/// Stretch of eight regions: xx, yy, zz, yz, xz, xy.
struct alignas(32) RegionStretch {
    float T[6][kLanes];
};

/// What some blocks of regions should be stretched to: T as given, or I + beta times the sum of weight * shape over
/// examples, or I. All begin with the first block.
struct WantedStretch {
    const RegionStretch* given = nullptr;
    const RegionStretch* shapes = nullptr;  ///< S - I
    const float* weights = nullptr;         ///< of eight regions
    std::size_t examples = 0;
    std::size_t shape_stride = 0, weight_stride = 0;  ///< from one example to the next
    std::size_t weight_step = 0;                      ///< from one block to the next; 0: all have those of the first
    float beta = 0;
};

/// Products of S - I with the rows of examples, the sum over their six entries: of every region, or summed over the
/// blocks.
struct RowProducts {
    const RegionStretch* rows;  ///< from the first block on
    std::size_t examples = 0;
    std::size_t row_stride = 0;  ///< from one example to the next
    float* each = nullptr;       ///< eight a block, from the first on; null: only sums
    std::size_t each_stride = 0;
    float* sums = nullptr;  ///< kSumLanes an example, added to; null: only each
};
constexpr std::size_t kSumLanes = 16;

/// Inverse of sum m q q^T of eight regions, in the order of RegionStretch; zero for a region that lies in a plane.
struct alignas(32) RegionTensor {
    float K[6][kLanes];
};

/// Rotations, eight at a time: unit quaternions as x[8], y[8], z[8], w[8]; the warm start of the next step.
constexpr std::size_t kRotationSize = 4 * kLanes;

struct RotateCount {
    int inverted = 0;  ///< det A_pq < 0
    int robust = 0;    ///< lanes that needed closest_rotation()
};

/// Faces of the hull of `examples` vertices and rest (number `examples`), by their base and up to three others, in the
/// order of the constants that Kernels::hull reads. A base other than rest comes before its faces with others.size 0.
/// Of a base: its squared length. Of a face: for each other vertex o the product of o - base and base (not if the base
/// is rest), then the upper triangle of the inverse of the Gram matrix of the others about the base; zeros for a face
/// without area.
template <class Then>
void for_each_face(int examples, const Then& then)
{
    for (int base = examples; base >= 0; --base) {
        if (base < examples) then(base, 0, nullptr);
        for (int j = 0; j < base; ++j) {
            const int one[1] = {j};
            then(base, 1, one);
            for (int k = j + 1; k < base; ++k) {
                const int two[2] = {j, k};
                then(base, 2, two);
            }
        }
        if (base == 3) {
            const int three[3] = {0, 1, 2};
            then(base, 3, three);
        }
    }
}
constexpr std::size_t hull_constants(int examples)
{
    return examples == 1 ? 2 : examples == 2 ? 9 : 32;
}

/// Whose rotation a region's shape is turned by.
enum class RotationSource {
    fit_stretched,  ///< that of A_pq T, warm started
    fit,            ///< that of the moments as they are: they hold the wanted shape already
    fit_linear      ///< that of the linear fit A_pq K, as in the paper
};

struct DisplacementSums {
    float push[4], turn[4];  ///< three and a spare one
};

struct BoxKernels;  // box_kernels.h

struct Kernels {
    const char* name;
    const BoxKernels& boxes;
    void (*moments)(const ListView& lists, const RegionRest* rest, const float* positions, std::size_t first_block,
                    std::size_t last_block, std::size_t regions, RegionMoments* out);
    /// Transforms of regions: R T q + c, R by `turning`, warm started from `rotations` and left there; K = null: no
    /// fit_linear. Moments begin with the first block.
    RotateCount (*rotate)(const RegionMoments* moments, const RegionRest* rest, const WantedStretch& stretch,
                          RotationSource turning, const RegionTensor* spread, std::size_t first_block,
                          std::size_t last_block, std::size_t regions, float* rotations, float* transforms);
    /// Stretch S of the linear fits A = A_pq K = R S, with the sign that keeps R a rotation, [Examples] 3.4. Moments
    /// and stretch begin with the first block. Returns how many needed closest_rotation(), which starts from
    /// `rotations`.
    int (*observe)(const RegionMoments* moments, const RegionTensor* spread, std::size_t first_block,
                   std::size_t last_block, std::size_t regions, const float* rotations, RegionStretch* stretch);
    /// The same, and nothing kept of it but its products.
    int (*observe_products)(const RegionMoments* moments, const RegionTensor* spread, std::size_t first_block,
                            std::size_t last_block, std::size_t regions, const float* rotations,
                            const RowProducts& products);
    /// sym(R^T A_pq) - A_qq + I with `rotations`: S - I weighed by A_qq, for rotations that are given.
    /// `inertia` is A_qq. Moments and stretch begin with the first block.
    void (*observe_turned)(const RegionMoments* moments, const RegionTensor* inertia, std::size_t first_block,
                           std::size_t last_block, const float* rotations, RegionStretch* stretch);
    void (*project)(const RegionStretch* stretch, std::size_t blocks, const RowProducts& products);
    /// What is wanted, as T.
    void (*blend)(const WantedStretch& stretch, std::size_t blocks, RegionStretch* out);
    /// Nearest point of the hull for each region of some blocks and up to three examples, by trying every face: in
    /// dots[k * stride + ...], out weights there. `faces`: for_each_face()'s constants, eight regions each.
    void (*hull)(int examples, const float* faces, std::size_t blocks, std::size_t stride, float* dots);
    /// displacement[i] = d = goal - x of the particles [first, last): the goal is the mean of their regions' transforms
    /// at their rest positions. The difference is formed before the mean, so that no rounding pushes a body along. Sums
    /// of m d and of m (x - x of the first) cross d, m as in lists.rest times the count of holders.
    void (*displacements)(const ListView& lists, const float* transforms, const float* positions, std::size_t first,
                          std::size_t last, Vec3* displacement, DisplacementSums& sums);
    /// 1/2 sum m |F x0 + t - x|^2 over the members of regions [first, last).
    double (*mismatch)(const ListView& lists, const float* transforms, const float* positions, std::size_t first,
                       std::size_t last);
};

const Kernels& kernels();

/// All that this build and this processor offer, the best last.
std::size_t available_kernels(const Kernels* (&out)[3]);

}  // namespace yawara::matching
