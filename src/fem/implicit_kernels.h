// The loops of an implicit step, in double: tets in lanes, and a symmetric matrix of 3x3 blocks. Compiled with those of
// kernels.h, once for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace yawara::fem {

constexpr std::size_t kTetLanes = 8;

/// Numbers that a block of tets has, kTetLanes doubles each: gradients of the shape functions of corners 1 to 3 (9),
/// volume, barrier, elasticity (lambda and mu, or the upper triangle of 6x6 by rows) and viscosity likewise, if any.
constexpr std::size_t lane_constants(bool isotropic, bool viscous)
{
    return 11 + (isotropic ? 2u : 21u) * (viscous ? 2u : 1u);
}

/// Tets in lanes, as an implicit step of 1 / per_h seconds sees them. Strains are Green's with doubled shear, xx yy zz
/// xy xz yz. Lanes without a tet of their own have no volume.
struct LaneTets {
    struct Corners {
        std::int32_t node[4][kTetLanes];
    };
    const double* constants;  ///< lane_constants() times kTetLanes per block
    const Corners* corners;
    const double* start;      ///< 6 kTetLanes per block: strain at the start of the step; of viscous bodies
    const double* plastic;    ///< likewise: strain that has become the rest shape. Or null: none
    const double* positions;  ///< 3 per node
    double per_h;
    bool barrier;
};

/// J. viscous: what viscosity takes from the start of the step on.
struct ElementEnergy {
    double elastic = 0, viscous = 0;

    double all() const { return elastic + viscous; }
};

/// Of tets, over those at rest.
struct Volumes {
    double smallest = 1;
    int inverted = 0;
};

/// Rows of blocks, each by columns. Whatever lies behind the last number of an array of blocks can be read.
struct BlockRows {
    const std::int32_t *offsets, *columns;  ///< of the blocks of each row
    const double* blocks;                   ///< 9 each
};

/// A corner of an element that moves with the node of a row, by a weight.
struct CornerTerm {
    std::int32_t corner;  ///< among those of all elements: of tets, 4 tet + corner
    float weight;
};

/// How the blocks on and above the diagonal are sums over those of elements.
struct BlockTerm {
    std::int32_t block;  ///< among those of the elements; -1 - block: transposed
    float weight;
};
struct BlockSum {
    std::int32_t block, mirror;  ///< in BlockRows; mirror: the same one if on the diagonal
    std::int32_t first_term;     ///< the last is before that of the next sum
};

/// A = W D W^T in panels of up to kPanelRows rows, each of three unknowns. Of each panel: the inverse of its block of
/// D, then W of the rows it is coupled with, sixteen unknowns after sixteen; of all of these one column of kPanel
/// numbers after another.
constexpr std::size_t kPanel = 16, kPanelRows = 5;
struct PanelColumns {
    const std::int32_t *first, *offsets, *rows;  ///< of each panel: its first row, and where the coupled ones are
    const std::size_t* values;
    const float* numbers;
};

/// Numbers by columns.
struct Columns {
    const double* at;
    std::size_t stride, columns, rows;
};

/// Vectors of conjugate gradients, 3 per row.
struct ConjugateVectors {
    double *x, *residual, *preconditioned, *direction, *product;
    const double* inverse;  ///< 9 per row: of the blocks on the diagonal
    const double* arms;     ///< 3 per row, of rigid motions; or null: without these
};

/// Sums over rows: of residual times preconditioned, and force and moment of the residual.
struct ConjugateSums {
    double product = 0, force[3] = {}, moment[3] = {};
};

struct ImplicitKernels {
    // [isotropic][viscous], for blocks first to last of the tets.
    ElementEnergy (*energy[2][2])(const LaneTets& tets, std::size_t first, std::size_t last, Volumes& volumes);
    /// Derivatives by every corner, 12 a tet, and the second ones, 90 a tet: see implicit_tets.h.
    void (*differentiate[2][2])(const LaneTets& tets, std::size_t first, std::size_t last, double* gradients,
                                double* hessians);
    /// The first derivatives alone, and the energy.
    ElementEnergy (*slopes[2][2])(const LaneTets& tets, std::size_t first, std::size_t last, double* gradients);
    void (*strains)(const LaneTets& tets, std::size_t constants, std::size_t first, std::size_t last, double* strains);

    // For rows first to last.
    /// out = the product; returns the sum of v times it.
    double (*multiply)(const BlockRows& rows, std::size_t first, std::size_t last, const double* v, double* out);
    /// The product with the six rigid motions, seen by these: 6x6, added to.
    void (*multiply_rigid)(const BlockRows& rows, std::size_t first, std::size_t last, const double* arms, double* sum);
    /// out = sums, each of weighted vectors of 3, as the matrix is one of blocks; plus what out has.
    void (*sum_corners)(const std::int32_t* offsets, const CornerTerm* terms, std::size_t first, std::size_t last,
                        const double* corners, double* out);
    /// x += step direction, residual -= step product, and the residual preconditioned by the diagonal.
    ConjugateSums (*go)(const ConjugateVectors& vectors, std::size_t first, std::size_t last, double step);
    /// direction = preconditioned plus the rigid motion (translation, turn) plus keep times direction.
    void (*turn)(const ConjugateVectors& vectors, std::size_t first, std::size_t last, const double* motion,
                 double keep);
    /// The sums first to last, each plus a factor times what `diagonal` has for its block, on its diagonal.
    void (*assemble)(double* blocks, const BlockSum* sums, std::size_t first, std::size_t last, const BlockTerm* terms,
                     const double* elements, const double* diagonal, double factor);

    /// For panels first to last: v = D^-1 W^-1 v, and what that takes from the rows they are coupled with; then, from
    /// the last one on, v = W^-T v. scratch: as long as v, and kPanel behind it.
    void (*substitute)(const PanelColumns& panels, std::size_t first, std::size_t last, float* v, float* scratch);
    void (*substitute_back)(const PanelColumns& panels, std::size_t first, std::size_t last, float* v, float* scratch);
    /// Three columns, `stride` apart, of the product with weights: three of each column, `weight_stride` apart. Up to
    /// kTetLanes numbers behind the rows are read and written.
    void (*multiply_columns)(const Columns& a, const double* weights, std::size_t weight_stride, double* out,
                             std::size_t stride);
};

const ImplicitKernels& implicit_kernels();

}  // namespace yawara::fem
