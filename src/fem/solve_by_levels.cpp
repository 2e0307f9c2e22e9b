// The preconditioner of Bramble, Pasciak and Xu (1990): corrections of all levels added up, each by its own diagonal
// blocks, and level 0 solved exactly. On level l the stiffness is that of its tets with the mean of the fine tensors.
#include "fem/solve_by_levels.h"

#include "core/parallel.h"

namespace yawara::fem {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;
using Six = Eigen::Array<double, 1, 6>;

constexpr double kSolved = 1e-10;  // residual over the right-hand side, in the norm of the preconditioner
constexpr int kMostLevelRounds = 1000;
constexpr std::size_t kSolveRowsPerChunk = 1536;  // unknowns

class Levels {
public:
    Levels(const TetForest& forest, const ForestMaterials& materials, const std::vector<std::uint8_t>& held)
        : forest_(forest), held_(held), counts_(std::size_t(forest.levels()) + 1, 0)
    {
        for (std::int32_t n = 0; n < std::int32_t(forest.node_count()); ++n)
            for (std::size_t l = std::size_t(forest.node(n).level); l < counts_.size(); ++l) ++counts_[l];
        std::vector<Matrix6> tensors(forest.tet_count());
        for (std::size_t t = forest.inner_count(); t < tensors.size(); ++t)
            tensors[t] = to_eigen(materials.elasticities[std::size_t(materials.of_tet[t])]);
        for (std::size_t t = forest.inner_count(); t-- > 0;) {
            const auto first = std::size_t(forest.first_child(std::int32_t(t)));
            tensors[t] = Matrix6::Zero();
            for (std::size_t c = first; c < first + 8; ++c) tensors[t] += tensors[c] / 8;
        }
        inverses_.resize(counts_.size());
        std::vector<Eigen::Triplet<double>> coarse;
        for (int level = 0; level <= forest.levels(); ++level) {
            std::vector<Eigen::Matrix3d> blocks(counts_[std::size_t(level)], Eigen::Matrix3d::Zero());
            for (std::int32_t t = forest.first_of(level); t < forest.first_of(level + 1); ++t) {
                const TetShape shape = shape_of(forest.corners(t));
                const StrainMatrix B = strain_matrix(shape);
                const StrainMatrix S = shape.volume * tensors[std::size_t(t)] * B;
                const Int4& v = forest.tet(t);
                for (int a = 0; a < 4; ++a)
                    blocks[std::size_t(v[std::size_t(a)])] +=
                        B.middleCols<3>(3 * a).transpose() * S.middleCols<3>(3 * a);
                if (level > 0) continue;
                const Eigen::Matrix<double, 12, 12> K = B.transpose() * S;
                for (int i = 0; i < 12; ++i)
                    for (int j = 0; j < 12; ++j) {
                        const auto row = 3 * v[std::size_t(i / 3)] + i % 3, column = 3 * v[std::size_t(j / 3)] + j % 3;
                        if (!held[std::size_t(row)] && !held[std::size_t(column)])
                            coarse.emplace_back(row, column, K(i, j));
                    }
            }
            for (Eigen::Matrix3d& block : blocks) block = block.inverse().eval();
            inverses_[std::size_t(level)] = std::move(blocks);
        }
        const auto size = Eigen::Index(3 * counts_[0]);
        for (Eigen::Index k = 0; k < size; ++k)
            if (held[std::size_t(k)]) coarse.emplace_back(k, k, 1.0);
        Sparse K(size, size);
        K.setFromTriplets(coarse.begin(), coarse.end());
        base_.compute(K);
        corrections_.resize(counts_.size());
    }
    bool sound() const { return base_.info() == Eigen::Success; }

    void clear_held(Rows& values) const
    {
        for (Eigen::Index k = 0; k < Eigen::Index(3 * counts_[0]); ++k)
            if (held_[std::size_t(k)]) values.row(k).setZero();
    }

    /// z = sum over the levels of P_l D_l^-1 P_l^T r
    void apply(const Rows& r, Rows& z)
    {
        restricted_ = r;
        for (std::size_t level = counts_.size() - 1; level > 0; --level) {
            Rows& correction = corrections_[level];
            correction.resize(Eigen::Index(3 * counts_[level]), 6);
            const auto& inverse = inverses_[level];
            for_each_chunk(counts_[level], kSolveRowsPerChunk / 3, [&](std::size_t, std::size_t first, std::size_t last) {
                for (std::size_t n = first; n < last; ++n)
                    correction.middleRows<3>(Eigen::Index(3 * n)).noalias() =
                        inverse[n] * restricted_.middleRows<3>(Eigen::Index(3 * n));
            });
            for (std::size_t n = counts_[level]; n-- > counts_[level - 1];) {
                const ForestNode& node = forest_.node(std::int32_t(n));
                const auto half = (0.5 * restricted_.middleRows<3>(Eigen::Index(3 * n))).eval();
                restricted_.middleRows<3>(3 * node.a) += half;
                restricted_.middleRows<3>(3 * node.b) += half;
            }
        }
        Rows base = restricted_.topRows(Eigen::Index(3 * counts_[0]));
        clear_held(base);
        z.topRows(base.rows()) = base_.solve(Fields(base));
        for (std::size_t level = 1; level < counts_.size(); ++level) {
            for (std::size_t n = counts_[level - 1]; n < counts_[level]; ++n) {
                const ForestNode& node = forest_.node(std::int32_t(n));
                z.middleRows<3>(Eigen::Index(3 * n)) =
                    0.5 * (z.middleRows<3>(3 * node.a) + z.middleRows<3>(3 * node.b));
            }
            z.topRows(Eigen::Index(3 * counts_[level])) += corrections_[level];
        }
        clear_held(z);
    }

private:
    const TetForest& forest_;
    const std::vector<std::uint8_t>& held_;
    std::vector<std::size_t> counts_;                     ///< nodes up to each level
    std::vector<std::vector<Eigen::Matrix3d>> inverses_;  ///< of the diagonal blocks, per level and node
    Eigen::SimplicialLDLT<Sparse> base_;
    Rows restricted_;
    std::vector<Rows> corrections_;
};

/// y = K x; K is symmetric, so its columns serve as rows.
void multiply(const Sparse& K, const Rows& x, Rows& y)
{
    for_each_chunk(std::size_t(K.outerSize()), kSolveRowsPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (auto row = Eigen::Index(first); row < Eigen::Index(last); ++row) {
            Six sum = Six::Zero();
            for (Sparse::InnerIterator it(K, row); it; ++it) sum += it.value() * x.row(it.row()).array();
            y.row(row) = sum.matrix();
        }
    });
}

Six dots(const Rows& a, const Rows& b)
{
    std::vector<Six> sums(chunk_count(std::size_t(a.rows()), kSolveRowsPerChunk));
    for_each_chunk(std::size_t(a.rows()), kSolveRowsPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        Six sum = Six::Zero();
        for (auto row = Eigen::Index(first); row < Eigen::Index(last); ++row)
            sum += a.row(row).array() * b.row(row).array();
        sums[c] = sum;
    });
    Six all = Six::Zero();
    for (const Six& sum : sums) all += sum;
    return all;
}

}  // namespace

std::optional<Fields> solve_by_levels(const TetForest& forest, const ForestMaterials& materials, const Sparse& K,
                                      const Fields& b, const std::vector<std::uint8_t>& held)
{
    for (std::size_t k = 0; k < held.size(); ++k)
        if (held[k] && forest.node(std::int32_t(k / 3)).a >= 0) return std::nullopt;
    Levels levels(forest, materials, held);
    if (!levels.sound()) return std::nullopt;
    Rows x = Rows::Zero(b.rows(), 6), r = b, z = Rows::Zero(b.rows(), 6), p, product(b.rows(), 6);
    levels.clear_held(r);
    levels.apply(r, z);
    p = z;
    Six square = dots(r, z);
    const Six enough = square * (kSolved * kSolved);
    for (int round = 0; round < kMostLevelRounds; ++round) {
        if ((square <= enough).all()) return Fields(x);
        multiply(K, p, product);
        levels.clear_held(product);
        const Six curvature = dots(p, product);
        // A field that is there already stands still.
        const Six step_length = (square > enough && curvature > 0).select(square / curvature, Six::Zero());
        x += p * step_length.matrix().asDiagonal();
        r -= product * step_length.matrix().asDiagonal();
        levels.apply(r, z);
        const Six next = dots(r, z);
        const Six keep = (square > 0).select(next / square, Six::Zero());
        p = z + p * keep.matrix().asDiagonal();
        square = next;
    }
    return std::nullopt;
}

}  // namespace yawara::fem
