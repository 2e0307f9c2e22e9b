// The matrix of an implicit step: symmetric, of 3x3 blocks, a row for every node of a front that moves on its own.
// Summed in one order, whatever the number of threads; and conjugate gradients with it. fem/implicit.cpp comes here.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <span>
#include <vector>

#include "core/aligned.h"
#include "fem/front.h"
#include "fem/implicit_kernels.h"

namespace yawara::fem {

/// Second derivative of an element's energy by its corners: the upper triangle of its blocks by rows, for a tet
/// 00 01 02 03 11 12 13 22 23 33. Those of the elements follow one another.
constexpr int kTetBlocks = 10;
constexpr int upper_block(int a, int b, int corners = 4)  // a <= b
{
    return a * corners - a * (a - 1) / 2 + (b - a);
}

class BlockMatrix {
public:
    /// Fits the rows to a front: free nodes that are not held. Does nothing if it is the same front as before.
    /// Returns whether it did something.
    bool fit(const Front& front, std::span<const std::uint8_t> fixed);
    /// Room for fronts of that many nodes and tets.
    void reserve(std::size_t nodes, std::size_t tets);

    std::size_t rows() const { return row_nodes_.size(); }
    /// Row of a used node, or -1; and back.
    std::int32_t row_of(std::size_t node) const { return row_of_[node]; }
    std::int32_t node_of(std::size_t row) const { return row_nodes_[row]; }

    using Use = CornerTerm;
    std::span<const Use> uses(std::size_t row) const
    {
        return {uses_.data() + use_offsets_[row], std::size_t(use_offsets_[row + 1] - use_offsets_[row])};
    }

    /// out += what the corners of elements have, for the rows they move with.
    void add_corners(std::span<const Vec3d> corners, std::span<Vec3d> out) const;
    /// Sum over the blocks of the front's elements, plus the mass matrix times a factor.
    void assemble(std::span<const Mat3d> blocks, double mass_factor);
    /// Adds to the block of two rows; they have to meet in an element.
    void add(std::int32_t row, std::int32_t column, const Mat3d& block);
    /// After the last add, before solve: what the preconditioner needs. `positions`: of the used nodes.
    void finish(std::span<const Vec3d> positions);

    BlockRows block_rows() const;
    void multiply(std::span<const Vec3d> v, std::span<Vec3d> out) const;
    /// out = mass matrix times v; v of rows only: what is held does not take part.
    void multiply_mass(std::span<const Vec3d> v, std::span<Vec3d> out) const;

    struct Solved {
        int rounds = 0;
        double residual = 0;  ///< of the right-hand side, in the norm of the preconditioner
    };
    /// Conjugate gradients until the residual is a share of the right-hand side: the smaller one of
    /// `accuracy`, or the larger one if that share of the longest vector of x is less than `enough`. The preconditioner
    /// is the diagonal, and, unless three held nodes forbid them, rigid motions: a stiff body answers to these as if it
    /// had no stiffness, and without them the residual of its stiff parts would hide that it does not move yet.
    struct Accuracy {
        double smaller, larger, enough;
    };
    /// `from_zero`: else from x.
    Solved solve(std::span<const Vec3d> b, const Accuracy& accuracy, int most_rounds, bool from_zero,
                 std::span<Vec3d> x);
    /// Sum of the products, in one order.
    double dot(std::span<const Vec3d> a, std::span<const Vec3d> b);

private:
    struct Term {
        std::int32_t column, order;  ///< order: of the sum
        BlockTerm part;
    };
    void number_rows(const Front& front, std::span<const std::uint8_t> fixed);
    void list_uses(const Front& front);
    void list_terms(const Front& front);
    void take_mass(const Front& front);
    std::int32_t find(std::int32_t row, std::int32_t column) const;
    bool can_move_rigidly(std::span<const Vec3d> positions) const;
    using Vector6d = Eigen::Matrix<double, 6, 1>;
    /// Of the residual and what the diagonal makes of it; and the rigid motion that answers to it.
    struct Preconditioned {
        double product = 0;
        Vector6d motion = Vector6d::Zero();
    };
    Preconditioned go(const ConjugateVectors& vectors, double step);

    std::uint64_t revision_ = 0;
    std::vector<std::uint8_t> fixed_;
    std::vector<std::int32_t> row_of_, row_nodes_;
    struct Offsets {
        std::int32_t corner = 0, pair = 0, block = 0;
    };
    std::vector<Offsets> element_offsets_;  ///< of each element, among those of all: its corners, pairs of them, blocks
    std::vector<Use> uses_;
    std::vector<std::int32_t> use_offsets_;
    std::vector<std::int32_t> block_offsets_, columns_;  ///< blocks by rows, columns ascending
    std::vector<std::int32_t> diagonal_;                 ///< block of each row
    std::vector<BlockSum> sums_;                         ///< of the upper blocks, and an end
    std::vector<BlockTerm> terms_;
    std::vector<double> mass_;  ///< kg, per block
    bool diagonal_mass_ = true;
    AlignedVector<double> blocks_;  ///< 9 each, by columns, and some behind them
    std::vector<Mat3d> inverse_;    ///< of the diagonal
    std::vector<Vec3d> arms_;       ///< m, of each row from their middle, over their rms
    bool rigid_ = true;             ///< rigid motions take part
    Eigen::LDLT<Eigen::Matrix<double, 6, 6>> rigid_factor_;
    std::vector<Vec3d> residual_, direction_, product_, preconditioned_;
    std::vector<double> chunk_sums_;
    std::vector<ConjugateSums> conjugate_sums_;
    std::vector<std::array<double, 36>> rigid_sums_;
    std::vector<std::int32_t> cursor_;  ///< scratch
    std::vector<Term> row_terms_;       ///< scratch
};

}  // namespace yawara::fem
