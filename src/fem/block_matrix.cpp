#include "fem/block_matrix.h"

#include <algorithm>

#include "core/parallel.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kRowsPerChunk = 128;

template <class Each>
void for_each_row(std::size_t rows, const Each& each)
{
    for_each_chunk(rows, kRowsPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row) each(row);
    });
}

void add_scaled(Mat3d& sum, const Mat3d& block, double weight)
{
    sum.c0 += block.c0 * weight, sum.c1 += block.c1 * weight, sum.c2 += block.c2 * weight;
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
    term_offsets_.reserve(blocks + 1), columns_.reserve(blocks), mass_.reserve(blocks), blocks_.reserve(blocks);
    inverse_.reserve(nodes);
    for (auto* list : {&residual_, &direction_, &product_, &preconditioned_, &arms_}) list->reserve(nodes);
    sums_.reserve(chunk_count(nodes, kRowsPerChunk)), rigid_sums_.reserve(chunk_count(nodes, kRowsPerChunk));
}

void BlockMatrix::fit(const Front& front, std::span<const std::uint8_t> fixed)
{
    if (revision_ == front.revision && std::equal(fixed.begin(), fixed.end(), fixed_.begin(), fixed_.end())) return;
    revision_ = front.revision;
    fixed_.assign(fixed.begin(), fixed.end());
    number_rows(front, fixed);
    list_uses(front);
    list_terms(front);
    take_mass(front);
    blocks_.resize(columns_.size()), inverse_.resize(rows());
    for (auto* list : {&residual_, &direction_, &product_, &preconditioned_, &arms_}) list->resize(rows());
    sums_.resize(chunk_count(rows(), kRowsPerChunk)), rigid_sums_.resize(chunk_count(rows(), kRowsPerChunk));
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
    terms_.clear(), term_offsets_.clear(), columns_.clear();
    block_offsets_.assign(1, 0);
    diagonal_.resize(rows());
    for (std::size_t row = 0; row < rows(); ++row) {
        const std::size_t first = terms_.size();
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
                        terms_.push_back({column, at.pair + a * n + b, block, use.weight * m.weight});
            }
        }
        std::sort(terms_.begin() + std::ptrdiff_t(first), terms_.end(), [](const Term& x, const Term& y) {
            return x.column != y.column ? x.column < y.column : x.order < y.order;
        });
        for (std::size_t k = first; k < terms_.size(); ++k) {
            if (k > first && terms_[k].column == terms_[k - 1].column) continue;
            if (terms_[k].column == std::int32_t(row)) diagonal_[row] = std::int32_t(columns_.size());
            columns_.push_back(terms_[k].column);
            term_offsets_.push_back(std::int32_t(k));
        }
        block_offsets_.push_back(std::int32_t(columns_.size()));
    }
    term_offsets_.push_back(std::int32_t(terms_.size()));
}

void BlockMatrix::take_mass(const Front& front)
{
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

void BlockMatrix::assemble(std::span<const Mat3d> elements, double mass_factor)
{
    for_each_row(rows(), [&](std::size_t row) {
        for (std::int32_t e = block_offsets_[row]; e < block_offsets_[row + 1]; ++e) {
            const auto block = std::size_t(e);
            const double m = mass_[block] * mass_factor;
            Mat3d sum{{m, 0, 0}, {0, m, 0}, {0, 0, m}};
            for (std::int32_t k = term_offsets_[block]; k < term_offsets_[block + 1]; ++k) {
                const Term& term = terms_[std::size_t(k)];
                if (term.block >= 0)
                    add_scaled(sum, elements[std::size_t(term.block)], double(term.weight));
                else
                    add_scaled(sum, transpose(elements[std::size_t(-1 - term.block)]), double(term.weight));
            }
            blocks_[block] = sum;
        }
    });
}

void BlockMatrix::add(std::int32_t row, std::int32_t column, const Mat3d& block)
{
    add_scaled(blocks_[std::size_t(find(row, column))], block, 1);
}

void BlockMatrix::finish(std::span<const Vec3d> positions)
{
    Vec3d middle;
    for (const std::int32_t node : row_nodes_) middle += positions[std::size_t(node)];
    middle = middle / std::max(double(rows()), 1.0);
    double squares = 0;
    for (std::size_t row = 0; row < rows(); ++row) {
        arms_[row] = positions[std::size_t(row_nodes_[row])] - middle;
        squares += yawara::dot(arms_[row], arms_[row]);
    }
    arm_ = squares > 0 ? std::sqrt(squares / double(rows())) : 1.0;
    for_each_row(rows(), [&](std::size_t row) {
        inverse_[row] = inverse_of(blocks_[std::size_t(diagonal_[row])]);
        arms_[row] = arms_[row] / arm_;
    });
    Eigen::Matrix<double, 6, 6> coarse;
    for (int k = 0; k < 6; ++k) {
        const Eigen::Matrix<double, 6, 1> motion = Eigen::Matrix<double, 6, 1>::Unit(k);
        for_each_row(rows(), [&](std::size_t row) { direction_[row] = rigid(row, motion); });
        multiply(direction_, product_);
        coarse.col(k) = sum_rigid(product_);
    }
    const double least = 1e-12 * coarse.diagonal().cwiseAbs().maxCoeff();  // of a single node: it cannot turn
    coarse.diagonal().array() += least;
    rigid_factor_.compute((coarse + coarse.transpose()) / 2);
}

Vec3d BlockMatrix::rigid(std::size_t row, const Eigen::Matrix<double, 6, 1>& motion) const
{
    return Vec3d{motion[0], motion[1], motion[2]} + cross(Vec3d{motion[3], motion[4], motion[5]}, arms_[row]);
}

/// Force and moment of the whole.
Eigen::Matrix<double, 6, 1> BlockMatrix::sum_rigid(std::span<const Vec3d> forces)
{
    for_each_chunk(rows(), kRowsPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        Vec3d force, moment;
        for (std::size_t row = first; row < last; ++row) force += forces[row], moment += cross(arms_[row], forces[row]);
        rigid_sums_[c] << force.x, force.y, force.z, moment.x, moment.y, moment.z;
    });
    Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
    for (const auto& part : rigid_sums_) sum += part;
    return sum;
}

/// Preconditions the residual; returns their product.
double BlockMatrix::precondition()
{
    const Eigen::Matrix<double, 6, 1> motion = rigid_factor_.solve(sum_rigid(residual_));
    for_each_chunk(rows(), kRowsPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t row = first; row < last; ++row) {
            preconditioned_[row] = inverse_[row] * residual_[row] + rigid(row, motion);
            sum += yawara::dot(residual_[row], preconditioned_[row]);
        }
        sums_[c] = sum;
    });
    double sum = 0;
    for (const double part : sums_) sum += part;
    return sum;
}

void BlockMatrix::multiply(std::span<const Vec3d> v, std::span<Vec3d> out) const
{
    for_each_row(rows(), [&](std::size_t row) {
        Vec3d sum;
        for (std::int32_t e = block_offsets_[row]; e < block_offsets_[row + 1]; ++e)
            sum += blocks_[std::size_t(e)] * v[std::size_t(columns_[std::size_t(e)])];
        out[row] = sum;
    });
}

void BlockMatrix::multiply_mass(std::span<const Vec3d> v, std::span<Vec3d> out) const
{
    for_each_row(rows(), [&](std::size_t row) {
        Vec3d sum;
        for (std::int32_t e = block_offsets_[row]; e < block_offsets_[row + 1]; ++e)
            if (const double m = mass_[std::size_t(e)]; m != 0) sum += v[std::size_t(columns_[std::size_t(e)])] * m;
        out[row] = sum;
    });
}

double BlockMatrix::dot(std::span<const Vec3d> a, std::span<const Vec3d> b)
{
    for_each_chunk(rows(), kRowsPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t row = first; row < last; ++row) sum += yawara::dot(a[row], b[row]);
        sums_[c] = sum;
    });
    double sum = 0;
    for (const double part : sums_) sum += part;
    return sum;
}

BlockMatrix::Solved BlockMatrix::solve(std::span<const Vec3d> b, double tolerance, int most_rounds, std::span<Vec3d> x)
{
    for_each_row(rows(), [&](std::size_t row) {
        x[row] = {};
        residual_[row] = b[row];
    });
    double square = precondition();
    direction_ = preconditioned_;
    const double whole = square, enough = tolerance * tolerance * square;
    Solved solved;
    for (; solved.rounds < most_rounds && square > enough; ++solved.rounds) {
        multiply(direction_, product_);
        const double curvature = dot(direction_, product_);
        if (!(curvature > 0)) break;
        const double step = square / curvature;
        for_each_row(rows(), [&](std::size_t row) {
            x[row] += direction_[row] * step;
            residual_[row] -= product_[row] * step;
        });
        const double next = precondition();
        const double keep = next / square;
        square = next;
        for_each_row(rows(), [&](std::size_t row) { direction_[row] = preconditioned_[row] + direction_[row] * keep; });
    }
    solved.residual = whole > 0 ? std::sqrt(std::max(square, 0.0) / whole) : 0;
    return solved;
}

}  // namespace yawara::fem
