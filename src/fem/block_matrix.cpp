#include "fem/block_matrix.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kRowsPerChunk = 128, kSumsPerChunk = 1024;

template <class Each>
void for_each_row(std::size_t rows, const Each& each)
{
    for_each_chunk(rows, kRowsPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row) each(row);
    });
}

/// Their coordinates, one after another.
template <class Vectors>
auto* numbers(Vectors& v)
{
    return &v.data()->x;
}
static_assert(sizeof(Vec3d) == 3 * sizeof(double) && sizeof(Mat3d) == 9 * sizeof(double));

Mat3d block_at(const double* b)
{
    return {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}, {b[6], b[7], b[8]}};
}

Mat3d inverse_of(const Mat3d& m)
{
    const Vec3d a = cross(m.c1, m.c2), b = cross(m.c2, m.c0), c = cross(m.c0, m.c1);
    const double scale = 1 / dot(m.c0, a);
    return transpose(Mat3d{a * scale, b * scale, c * scale});
}

}  // namespace

void BlockMatrix::reserve(std::size_t nodes, std::size_t tets)
{
    constexpr std::size_t kBlocksPerRow = 30;
    fixed_.reserve(nodes), row_of_.reserve(nodes), row_nodes_.reserve(nodes), diagonal_.reserve(nodes);
    for (auto* list : {&use_offsets_, &block_offsets_, &cursor_}) list->reserve(nodes + 1);
    uses_.reserve(8 * tets), terms_.reserve(40 * tets), element_offsets_.reserve(tets + 1);
    const std::size_t blocks = kBlocksPerRow * nodes;
    columns_.reserve(blocks), sums_.reserve(blocks / 2 + nodes + 1), mass_.reserve(blocks);
    blocks_.reserve(9 * blocks + 3), inverse_.reserve(nodes);
    row_terms_.reserve(std::min<std::size_t>(40 * tets, 4096));
    for (auto* list : {&residual_, &direction_, &product_, &preconditioned_, &arms_}) list->reserve(nodes);
    const std::size_t chunks = chunk_count(nodes, kRowsPerChunk);
    chunk_sums_.reserve(chunks), conjugate_sums_.reserve(chunks), rigid_sums_.reserve(chunks);
}

bool BlockMatrix::fit(const Front& front, std::span<const std::uint8_t> fixed)
{
    if (revision_ == front.revision && std::equal(fixed.begin(), fixed.end(), fixed_.begin(), fixed_.end()))
        return false;
    revision_ = front.revision;
    fixed_.assign(fixed.begin(), fixed.end());
    number_rows(front, fixed);
    list_uses(front);
    list_terms(front);
    take_mass(front);
    blocks_.resize(9 * columns_.size() + 3), inverse_.resize(rows());
    for (auto* list : {&residual_, &direction_, &product_, &preconditioned_, &arms_}) list->resize(rows());
    const std::size_t chunks = chunk_count(rows(), kRowsPerChunk);
    chunk_sums_.resize(chunks), conjugate_sums_.resize(chunks), rigid_sums_.resize(chunks);
    return true;
}

void BlockMatrix::number_rows(const Front& front, std::span<const std::uint8_t> fixed)
{
    row_of_.assign(front.used.size(), -1);
    row_nodes_.clear();
    for (std::size_t k = 0; k < front.used.size(); ++k)
        if (front.is_free[k] && (fixed.empty() || !fixed[k])) {
            row_of_[k] = std::int32_t(row_nodes_.size());
            row_nodes_.push_back(std::int32_t(k));
        }
}

/// Calls then(row, element, corner, weight) for all corners and the rows that move them.
template <class Then>
static void for_each_use(const Front& front, const std::vector<std::int32_t>& row_of, const Then& then)
{
    for (std::size_t e = 0; e < front.element_count(); ++e) {
        const std::span<const std::int32_t> nodes = front.element_nodes(e);
        for (std::size_t a = 0; a < nodes.size(); ++a)
            for (const Front::WeightedNode& m : front.free_nodes_of(std::size_t(nodes[a])))
                if (const std::int32_t row = row_of[std::size_t(m.node)]; row >= 0)
                    then(std::size_t(row), std::int32_t(e), std::int32_t(a), m.weight);
    }
}

void BlockMatrix::list_uses(const Front& front)
{
    element_offsets_.assign(1, {});
    for (std::size_t e = 0; e < front.element_count(); ++e) {
        const auto n = std::int32_t(front.element_nodes(e).size());
        const Offsets& last = element_offsets_.back();
        element_offsets_.push_back({last.corner + n, last.pair + n * n, last.block + n * (n + 1) / 2});
    }
    use_offsets_.assign(rows() + 1, 0);
    for_each_use(front, row_of_, [&](std::size_t row, auto, auto, float) { ++use_offsets_[row + 1]; });
    for (std::size_t row = 0; row < rows(); ++row) use_offsets_[row + 1] += use_offsets_[row];
    uses_.resize(std::size_t(use_offsets_.back()));
    cursor_.assign(use_offsets_.begin(), use_offsets_.end());
    for_each_use(front, row_of_, [&](std::size_t row, std::int32_t e, std::int32_t a, float weight) {
        uses_[std::size_t(cursor_[row]++)] = {element_offsets_[std::size_t(e)].corner + a, weight};
    });
}

void BlockMatrix::list_terms(const Front& front)
{
    terms_.clear(), sums_.clear(), columns_.clear();
    block_offsets_.assign(1, 0);
    diagonal_.resize(rows());
    for (std::size_t row = 0; row < rows(); ++row) {
        row_terms_.clear();
        for (const Use& use : uses(row)) {
            const auto above =
                std::upper_bound(element_offsets_.begin(), element_offsets_.end(), use.corner,
                                 [](std::int32_t corner, const Offsets& o) { return corner < o.corner; });
            const Offsets& at = *(above - 1);
            const std::span<const std::int32_t> nodes =
                front.element_nodes(std::size_t(above - 1 - element_offsets_.begin()));
            const auto n = std::int32_t(nodes.size()), a = use.corner - at.corner;
            for (std::int32_t b = 0; b < n; ++b) {
                const std::int32_t block =
                    a <= b ? at.block + upper_block(a, b, n) : -1 - (at.block + upper_block(b, a, n));
                for (const Front::WeightedNode& m : front.free_nodes_of(std::size_t(nodes[std::size_t(b)])))
                    if (const std::int32_t column = row_of_[std::size_t(m.node)]; column >= 0)
                        row_terms_.push_back({column, at.pair + a * n + b, {block, use.weight * m.weight}});
            }
        }
        std::sort(row_terms_.begin(), row_terms_.end(), [](const Term& x, const Term& y) {
            return x.column != y.column ? x.column < y.column : x.order < y.order;
        });
        for (std::size_t k = 0; k < row_terms_.size(); ++k) {
            const Term& term = row_terms_[k];
            const bool upper = term.column >= std::int32_t(row);
            if (k == 0 || term.column != row_terms_[k - 1].column) {
                const auto block = std::int32_t(columns_.size());
                if (term.column == std::int32_t(row)) diagonal_[row] = block;
                if (upper) sums_.push_back({block, block, std::int32_t(terms_.size())});
                columns_.push_back(term.column);
            }
            if (upper) terms_.push_back(term.part);
        }
        block_offsets_.push_back(std::int32_t(columns_.size()));
    }
    sums_.push_back({0, 0, std::int32_t(terms_.size())});
    // Blocks of a column come in the order of their rows, and so do those below the diagonal of its row.
    cursor_.assign(block_offsets_.begin(), block_offsets_.end() - 1);
    std::size_t sum = 0;
    for (std::int32_t row = 0; row < std::int32_t(rows()); ++row)
        for (; sum + 1 < sums_.size() && sums_[sum].block < block_offsets_[std::size_t(row) + 1]; ++sum)
            if (const std::int32_t column = columns_[std::size_t(sums_[sum].block)]; column != row)
                sums_[sum].mirror = cursor_[std::size_t(column)]++;
}

void BlockMatrix::take_mass(const Front& front)
{
    diagonal_mass_ = front.diagonal_mass();
    mass_.assign(columns_.size(), 0.0);
    for (std::size_t row = 0; row < rows(); ++row) {
        const auto node = std::size_t(row_nodes_[row]);
        mass_[std::size_t(diagonal_[row])] = front.exact_diagonal[node];
        for (std::int32_t e = front.mass_offsets[node]; e < front.mass_offsets[node + 1]; ++e)
            if (const std::int32_t column = row_of_[std::size_t(front.mass_columns[std::size_t(e)])]; column >= 0)
                mass_[std::size_t(find(std::int32_t(row), column))] = front.exact_values[std::size_t(e)];
    }
}

std::int32_t BlockMatrix::find(std::int32_t row, std::int32_t column) const
{
    const auto begin = columns_.begin() + block_offsets_[std::size_t(row)];
    const auto end = columns_.begin() + block_offsets_[std::size_t(row) + 1];
    return std::int32_t(std::lower_bound(begin, end, column) - columns_.begin());
}

BlockRows BlockMatrix::block_rows() const
{
    return {block_offsets_.data(), columns_.data(), blocks_.data()};
}

void BlockMatrix::add_corners(std::span<const Vec3d> corners, std::span<Vec3d> out) const
{
    for_each_chunk(rows(), kRowsPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        implicit_kernels().sum_corners(use_offsets_.data(), uses_.data(), first, last, numbers(corners), numbers(out));
    });
}

void BlockMatrix::assemble(std::span<const Mat3d> elements, double mass_factor)
{
    for_each_chunk(sums_.size() - 1, kSumsPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        implicit_kernels().assemble(blocks_.data(), sums_.data(), first, last, terms_.data(), &elements.data()->c0.x,
                                    mass_.data(), mass_factor);
    });
}

void BlockMatrix::add(std::int32_t row, std::int32_t column, const Mat3d& block)
{
    double* const to = &blocks_[9 * std::size_t(find(row, column))];
    const Vec3d columns[3] = {block.c0, block.c1, block.c2};
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) to[3 * j + i] += columns[j][i];
}

/// Whether the held nodes are fewer than three, or in line.
bool BlockMatrix::can_move_rigidly(std::span<const Vec3d> positions) const
{
    Vec3d first, edge;
    bool any = false;
    for (std::size_t k = 0; k < fixed_.size(); ++k) {
        if (!fixed_[k]) continue;
        if (!any) first = positions[k];
        any = true;
        const Vec3d to = positions[k] - first;
        if (yawara::dot(to, to) > yawara::dot(edge, edge)) edge = to;
    }
    for (std::size_t k = 0; k < fixed_.size(); ++k)
        if (fixed_[k] && length(cross(edge, positions[k] - first)) > 0.01 * yawara::dot(edge, edge)) return false;
    return true;
}

void BlockMatrix::finish(std::span<const Vec3d> positions)
{
    for_each_row(rows(), [&](std::size_t row) {
        inverse_[row] = inverse_of(block_at(&blocks_[9 * std::size_t(diagonal_[row])]));
    });
    rigid_ = can_move_rigidly(positions);
    if (!rigid_) return;
    Vec3d middle;
    for (const std::int32_t node : row_nodes_) middle += positions[std::size_t(node)];
    middle = middle / std::max(double(rows()), 1.0);
    double squares = 0;
    for (std::size_t row = 0; row < rows(); ++row) {
        arms_[row] = positions[std::size_t(row_nodes_[row])] - middle;
        squares += yawara::dot(arms_[row], arms_[row]);
    }
    const double scale = squares > 0 ? std::sqrt(double(rows()) / squares) : 1.0;
    for (Vec3d& arm : arms_) arm *= scale;
    for_each_chunk(rows(), kRowsPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        rigid_sums_[c] = {};
        implicit_kernels().multiply_rigid(block_rows(), first, last, numbers(arms_), rigid_sums_[c].data());
    });
    Eigen::Matrix<double, 6, 6> coarse = Eigen::Matrix<double, 6, 6>::Zero();
    for (const auto& part : rigid_sums_) coarse += Eigen::Map<const Eigen::Matrix<double, 6, 6>>(part.data());
    const double least = 1e-12 * coarse.diagonal().cwiseAbs().maxCoeff();  // of a single node: it cannot turn
    coarse.diagonal().array() += least;
    rigid_factor_.compute((coarse + coarse.transpose()) / 2);
}

void BlockMatrix::multiply(std::span<const Vec3d> v, std::span<Vec3d> out) const
{
    for_each_chunk(rows(), kRowsPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        implicit_kernels().multiply(block_rows(), first, last, numbers(v), numbers(out));
    });
}

void BlockMatrix::multiply_mass(std::span<const Vec3d> v, std::span<Vec3d> out) const
{
    for_each_row(rows(), [&](std::size_t row) {
        Vec3d sum = v[row] * mass_[std::size_t(diagonal_[row])];
        if (!diagonal_mass_)
            for (std::int32_t e = block_offsets_[row]; e < block_offsets_[row + 1]; ++e)
                if (const double m = mass_[std::size_t(e)]; m != 0 && e != diagonal_[row])
                    sum += v[std::size_t(columns_[std::size_t(e)])] * m;
        out[row] = sum;
    });
}

double BlockMatrix::dot(std::span<const Vec3d> a, std::span<const Vec3d> b)
{
    for_each_chunk(rows(), kRowsPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t row = first; row < last; ++row) sum += yawara::dot(a[row], b[row]);
        chunk_sums_[c] = sum;
    });
    double sum = 0;
    for (const double part : chunk_sums_) sum += part;
    return sum;
}

BlockMatrix::Preconditioned BlockMatrix::go(const ConjugateVectors& vectors, double step)
{
    for_each_chunk(rows(), kRowsPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        conjugate_sums_[c] = implicit_kernels().go(vectors, first, last, step);
    });
    Preconditioned result;
    Vector6d force = Vector6d::Zero();
    for (const ConjugateSums& part : conjugate_sums_) {
        result.product += part.product;
        for (int i = 0; i < 3; ++i) force[i] += part.force[i], force[3 + i] += part.moment[i];
    }
    if (!rigid_) return result;
    result.motion = rigid_factor_.solve(force);
    result.product += force.dot(result.motion);
    return result;
}

BlockMatrix::Solved BlockMatrix::solve(std::span<const Vec3d> b, const Accuracy& accuracy, int most_rounds,
                                       bool from_zero, std::span<Vec3d> x)
{
    const ImplicitKernels& loops = implicit_kernels();
    for_each_row(rows(), [&](std::size_t row) {
        direction_[row] = product_[row] = {};
        residual_[row] = b[row];
        if (from_zero) x[row] = {};
    });
    const ConjugateVectors vectors{numbers(x),
                                   numbers(residual_),
                                   numbers(preconditioned_),
                                   numbers(direction_),
                                   numbers(product_),
                                   inverse_.empty() ? nullptr : &inverse_.data()->c0.x,
                                   rigid_ ? numbers(arms_) : nullptr};
    Preconditioned now = go(vectors, 0);
    const double whole = now.product;
    if (!from_zero) {
        multiply(x, product_);
        for_each_row(rows(), [&](std::size_t row) {
            residual_[row] = b[row] - product_[row];
            product_[row] = {};
        });
        now = go(vectors, 0);
    }
    double look = accuracy.larger;  // at the longest vector again when the residual is this share
    double keep = 0;
    Solved solved;
    const auto share = [&] { return whole > 0 ? std::sqrt(std::max(now.product, 0.0) / whole) : 0.0; };
    const auto is_enough = [&] {
        solved.residual = share();
        if (solved.residual <= accuracy.smaller) return true;
        if (solved.residual > look) return false;
        look = solved.residual / 2;
        double longest = 0;
        for (const Vec3d& v : x) longest = std::max(longest, yawara::dot(v, v));
        return std::sqrt(longest) * solved.residual < accuracy.enough;
    };
    for (; solved.rounds < most_rounds && !is_enough(); ++solved.rounds) {
        for_each_chunk(rows(), kRowsPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
            loops.turn(vectors, first, last, now.motion.data(), keep);
        });
        for_each_chunk(rows(), kRowsPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            chunk_sums_[c] = loops.multiply(block_rows(), first, last, vectors.direction, vectors.product);
        });
        double curvature = 0;
        for (const double part : chunk_sums_) curvature += part;
        if (!(curvature > 0)) break;
        const double before = now.product;
        now = go(vectors, before / curvature);
        keep = now.product / before;
    }
    solved.residual = share();
    return solved;
}

}  // namespace yawara::fem
