#include "fem/rest_factor.h"

#include <algorithm>
#include <cmath>

namespace yawara::fem {
namespace {

constexpr std::size_t kMostBlocks = 16'000;  // of kPanel x kPanel: 16 MB to read, twice a solution

/// Cholesky's factor of a block, and its inverse. Returns whether there is one.
bool factor_diagonal(double* a, double* inverse)
{
    for (std::size_t j = 0; j < kPanel; ++j) {
        for (std::size_t k = 0; k < j; ++k)
            for (std::size_t i = j; i < kPanel; ++i) a[kPanel * j + i] -= a[kPanel * k + i] * a[kPanel * k + j];
        const double square = a[kPanel * j + j];
        if (!(square > 0) || !std::isfinite(square)) return false;
        const double root = std::sqrt(square);
        for (std::size_t i = j; i < kPanel; ++i) a[kPanel * j + i] /= root;
    }
    std::fill_n(inverse, kPanel * kPanel, 0.0);
    for (std::size_t j = 0; j < kPanel; ++j)
        for (std::size_t i = j; i < kPanel; ++i) {
            double sum = i == j ? 1.0 : 0.0;
            for (std::size_t k = j; k < i; ++k) sum -= a[kPanel * k + i] * inverse[kPanel * j + k];
            inverse[kPanel * j + i] = sum / a[kPanel * i + i];
        }
    return true;
}

}  // namespace

/// Reverse Cuthill-McKee: layer by layer from a row at an end of the body.
void RestFactor::order(const BlockRows& matrix, std::size_t rows)
{
    const auto degree = [&](std::int32_t row) { return matrix.offsets[row + 1] - matrix.offsets[row]; };
    const auto add_layers = [&](std::int32_t from) {  // all that is connected with `from`
        std::size_t next = order_.size();
        order_.push_back(from);
        place_[std::size_t(from)] = 0;
        for (; next < order_.size(); ++next) {
            const std::size_t before = order_.size();
            for (std::int32_t e = matrix.offsets[order_[next]]; e < matrix.offsets[order_[next] + 1]; ++e)
                if (std::int32_t& place = place_[std::size_t(matrix.columns[e])]; place < 0) {
                    place = 0;
                    order_.push_back(matrix.columns[e]);
                }
            std::sort(order_.begin() + std::ptrdiff_t(before), order_.end(), [&](std::int32_t a, std::int32_t b) {
                return degree(a) != degree(b) ? degree(a) < degree(b) : a < b;
            });
        }
    };
    order_.clear();
    place_.assign(rows, -1);
    for (std::int32_t row = 0; row < std::int32_t(rows); ++row) {
        if (place_[std::size_t(row)] >= 0) continue;
        const std::size_t begin = order_.size();
        std::int32_t from = row;
        constexpr int kTrials = 3;  // the last row of all layers is far from the first
        for (int trial = 0; trial < kTrials; ++trial) {
            add_layers(from);
            if (trial + 1 == kTrials) break;
            from = order_.back();
            for (std::size_t k = begin; k < order_.size(); ++k) place_[std::size_t(order_[k])] = -1;
            order_.resize(begin);
        }
    }
    std::reverse(order_.begin(), order_.end());
    for (std::size_t k = 0; k < rows; ++k) place_[std::size_t(order_[k])] = std::int32_t(k);
}

/// Where blocks begin; whether they are not too many.
bool RestFactor::find_panels(const BlockRows& matrix)
{
    const std::size_t panels = (3 * order_.size() + kPanel - 1) / kPanel;
    first_.resize(panels);
    for (std::size_t p = 0; p < panels; ++p) first_[p] = std::int32_t(p);
    for (std::size_t k = 0; k < order_.size(); ++k) {
        std::int32_t least = std::int32_t(k);
        for (std::int32_t e = matrix.offsets[order_[k]]; e < matrix.offsets[order_[k] + 1]; ++e)
            least = std::min(least, place_[std::size_t(matrix.columns[e])]);
        for (std::size_t i = 3 * k; i < 3 * k + 3; ++i)
            first_[i / kPanel] = std::min(first_[i / kPanel], std::int32_t(3 * std::size_t(least) / kPanel));
    }
    offset_.assign(1, 0);
    for (std::size_t p = 0; p < panels; ++p) {
        offset_.push_back(offset_.back() + std::int32_t(p) - first_[p] + 1);
        if (std::size_t(offset_.back()) > kMostBlocks) return false;
    }
    return true;
}

void RestFactor::fill(const BlockRows& matrix)
{
    const std::size_t panels = first_.size();
    blocks_.assign(std::size_t(offset_.back()), {});
    inverse_.resize(panels);
    const auto at = [&](std::size_t i, std::size_t j) -> double& {  // i >= j
        Block& block = blocks_[std::size_t(offset_[i / kPanel]) + j / kPanel - std::size_t(first_[i / kPanel])];
        return block.at[kPanel * (j % kPanel) + i % kPanel];
    };
    for (std::size_t k = 0; k < order_.size(); ++k)
        for (std::int32_t e = matrix.offsets[order_[k]]; e < matrix.offsets[order_[k] + 1]; ++e) {
            const auto column = std::size_t(place_[std::size_t(matrix.columns[e])]);
            if (column > k) continue;
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < 3; ++j)
                    if (3 * k + i >= 3 * column + j)
                        at(3 * k + i, 3 * column + j) = matrix.blocks[9 * std::size_t(e) + 3 * j + i];
        }
    for (std::size_t i = 3 * order_.size(); i < kPanel * panels; ++i) at(i, i) = 1;
}

bool RestFactor::factor_blocks()
{
    const ImplicitKernels& loops = implicit_kernels();
    const auto block = [&](std::size_t p, std::size_t q) {
        return blocks_[std::size_t(offset_[p]) + q - std::size_t(first_[p])].at;
    };
    for (std::size_t p = 0; p < first_.size(); ++p)
        for (auto q = std::size_t(first_[p]); q <= p; ++q) {
            double* const to = block(p, q);
            for (auto k = std::size_t(std::max(first_[p], first_[q])); k < q; ++k)
                loops.subtract_product(block(p, k), block(q, k), to);
            if (q == p) {
                if (!factor_diagonal(to, inverse_[p].at)) return false;
            } else {
                Block product{};
                loops.subtract_product(to, inverse_[q].at, product.at);
                for (std::size_t i = 0; i < kPanel * kPanel; ++i) to[i] = -product.at[i];
            }
        }
    return true;
}

/// What solve reads: blocks by rows of panels for L, by columns and transposed for its transpose, without those that
/// are zero.
void RestFactor::keep(std::size_t panels)
{
    for (Kept* kept : {&forward_, &backward_}) {
        kept->offsets.assign(1, 0), kept->panels.clear(), kept->values.clear();
        kept->diagonal.resize(kPanel * kPanel * panels);
    }
    const auto store = [](const double* from, bool transposed, float* to) {
        for (std::size_t i = 0; i < kPanel; ++i)
            for (std::size_t j = 0; j < kPanel; ++j)
                to[kPanel * j + i] = float(from[transposed ? kPanel * i + j : kPanel * j + i]);
    };
    const auto add = [&](std::size_t row, std::size_t column, bool transposed, Kept& kept) {
        const double* const from = blocks_[std::size_t(offset_[row]) + column - std::size_t(first_[row])].at;
        if (std::all_of(from, from + kPanel * kPanel, [](double v) { return v == 0; })) return;
        kept.panels.push_back(std::int32_t(transposed ? row : column));
        kept.values.resize(kept.values.size() + kPanel * kPanel);
        store(from, transposed, kept.values.data() + kept.values.size() - kPanel * kPanel);
    };
    const std::size_t most = kPanel * kPanel * std::size_t(offset_.back());
    forward_.values.reserve(most), backward_.values.reserve(most);
    for (std::size_t p = 0; p < panels; ++p) {
        for (auto q = std::size_t(first_[p]); q < p; ++q) add(p, q, false, forward_);
        for (std::size_t q = p + 1; q < panels; ++q)
            if (std::size_t(first_[q]) <= p) add(q, p, true, backward_);
        for (Kept* kept : {&forward_, &backward_}) {
            kept->offsets.push_back(std::int32_t(kept->panels.size()));
            store(inverse_[p].at, kept == &backward_, kept->diagonal.data() + kPanel * kPanel * p);
        }
    }
    vector_.assign(kPanel * panels, 0.0f);
}

void RestFactor::factor(const BlockRows& matrix, std::size_t rows)
{
    clear();
    if (rows == 0) return;
    order(matrix, rows);
    if (find_panels(matrix)) {
        fill(matrix);
        if (factor_blocks()) {
            keep(first_.size());
            rows_ = rows;
        }
    }
    blocks_ = {}, inverse_ = {};
}

void RestFactor::solve(std::span<const Vec3d> b, const Mat3d& turn, std::span<Vec3d> x)
{
    const Mat3d back = transpose(turn);
    for (std::size_t k = 0; k < rows_; ++k) {
        const Vec3d v = back * b[std::size_t(order_[k])];
        for (std::size_t i = 0; i < 3; ++i) vector_[3 * k + i] = float(v[int(i)]);
    }
    std::fill(vector_.begin() + std::ptrdiff_t(3 * rows_), vector_.end(), 0.0f);
    implicit_kernels().substitute(forward_.view(), first_.size(), false, vector_.data());
    implicit_kernels().substitute(backward_.view(), first_.size(), true, vector_.data());
    for (std::size_t k = 0; k < rows_; ++k)
        x[std::size_t(order_[k])] =
            turn * Vec3d{double(vector_[3 * k]), double(vector_[3 * k + 1]), double(vector_[3 * k + 2])};
}

}  // namespace yawara::fem
