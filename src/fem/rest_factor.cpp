#include "fem/rest_factor.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "fem/dissection.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kMostNumbers = 4 << 20;   // 16 MB, to read twice a solution
constexpr std::size_t kWorthSharing = 200'000;  // numbers, by two threads

std::size_t rounded_up(std::size_t count, std::size_t to)
{
    return (count + to - 1) / to * to;
}

/// A symmetric matrix, by columns `stride` apart, to its inverse, by columns kPanel apart. Returns whether it is
/// positive definite.
bool invert(double* a, std::size_t count, std::size_t stride, double* inverse)
{
    for (std::size_t j = 0; j < count; ++j) {  // Cholesky's factor
        for (std::size_t k = 0; k < j; ++k)
            for (std::size_t i = j; i < count; ++i) a[stride * j + i] -= a[stride * k + i] * a[stride * k + j];
        const double square = a[stride * j + j];
        if (!(square > 0) || !std::isfinite(square)) return false;
        const double root = std::sqrt(square);
        for (std::size_t i = j; i < count; ++i) a[stride * j + i] /= root;
    }
    double lower[kPanel * kPanel] = {};  // its inverse
    for (std::size_t j = 0; j < count; ++j)
        for (std::size_t i = j; i < count; ++i) {
            double sum = i == j ? 1.0 : 0.0;
            for (std::size_t k = j; k < i; ++k) sum -= a[stride * k + i] * lower[kPanel * j + k];
            lower[kPanel * j + i] = sum / a[stride * i + i];
        }
    for (std::size_t j = 0; j < count; ++j)
        for (std::size_t i = 0; i < count; ++i) {
            double sum = 0;
            for (std::size_t k = std::max(i, j); k < count; ++k) sum += lower[kPanel * i + k] * lower[kPanel * j + k];
            inverse[kPanel * j + i] = sum;
        }
    return true;
}

}  // namespace

/// Groups of the dissection in panels, and the rows each is coupled with; whether the numbers are not too many.
bool RestFactor::find_panels(const BlockRows& matrix, const Dissection& dissection)
{
    const std::vector<std::int32_t>& order = dissection.order;
    std::vector<std::int32_t> place(order.size()), panel_of(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) place[std::size_t(order[k])] = std::int32_t(k);
    first_.assign(1, 0);
    for (const std::int32_t end : dissection.ends) {
        const auto begin = std::size_t(first_.back()), count = std::size_t(end) - begin;
        const std::size_t parts = (count + kPanelRows - 1) / kPanelRows;
        for (std::size_t part = 1; part <= parts; ++part) first_.push_back(std::int32_t(begin + count * part / parts));
        if (std::size_t(end) == dissection.half) ends_[0] = panels();
        if (std::size_t(end) == dissection.both) ends_[1] = panels();
    }
    if (dissection.both == 0) ends_[0] = ends_[1] = 0;
    ends_[2] = panels();
    for (std::size_t p = 0; p < panels(); ++p)
        std::fill(panel_of.begin() + first_[p], panel_of.begin() + first_[p + 1], std::int32_t(p));

    offsets_.assign(1, 0), rows_.clear(), values_.assign(1, 0);
    std::vector<std::vector<std::int32_t>> below(panels());
    for (std::size_t p = 0; p < panels(); ++p) {
        std::vector<std::int32_t>& own = below[p];  // holds those of the panels eliminated before
        for (auto k = std::size_t(first_[p]); k < std::size_t(first_[p + 1]); ++k)
            for (std::int32_t e = matrix.offsets[order[k]]; e < matrix.offsets[order[k] + 1]; ++e)
                if (const std::int32_t other = place[std::size_t(matrix.columns[e])]; other >= first_[p + 1])
                    own.push_back(other);
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        if (!own.empty()) {
            const auto parent = std::size_t(panel_of[std::size_t(own.front())]);
            const auto after = std::lower_bound(own.begin(), own.end(), first_[parent + 1]);
            below[parent].insert(below[parent].end(), after, own.end());
        }
        rows_.insert(rows_.end(), own.begin(), own.end());
        offsets_.push_back(std::int32_t(rows_.size()));
        const std::size_t columns = 3 * std::size_t(first_[p + 1] - first_[p]);
        values_.push_back(values_.back() + columns * (kPanel + rounded_up(3 * own.size(), kPanel)));
        if (values_.back() > kMostNumbers) return false;
        own = {};
    }
    return true;
}

/// Column by column of panels: each is subtracted from those after it.
bool RestFactor::factor_panels(const BlockRows& matrix)
{
    const ImplicitKernels& loops = implicit_kernels();
    const auto width = [&](std::size_t p) { return 3 * std::size_t(first_[p + 1] - first_[p]); };
    const auto below = [&](std::size_t p) {
        return std::span(rows_).subspan(std::size_t(offsets_[p]), std::size_t(offsets_[p + 1] - offsets_[p]));
    };
    // Of each panel: its columns, with its own rows and those below.
    std::vector<std::size_t> begin{0}, stride;
    std::size_t longest = 0;
    for (std::size_t p = 0; p < panels(); ++p) {
        stride.push_back(rounded_up(width(p) + 3 * below(p).size(), kTetLanes) + kTetLanes);
        begin.push_back(begin.back() + stride[p] * width(p));
        longest = std::max(longest, stride[p]);
    }
    AlignedVector<double> fronts(begin.back(), 0.0), scaled(kPanel * longest), products(3 * longest);
    std::vector<std::int32_t> place(order_.size()), panel_of(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) place[std::size_t(order_[k])] = std::int32_t(k);
    for (std::size_t p = 0; p < panels(); ++p)
        std::fill(panel_of.begin() + first_[p], panel_of.begin() + first_[p + 1], std::int32_t(p));
    const auto row_in = [&](std::size_t p, std::int32_t at) {
        if (at < first_[p + 1]) return 3 * std::size_t(at - first_[p]);
        const auto found = std::lower_bound(below(p).begin(), below(p).end(), at);
        return width(p) + 3 * std::size_t(found - below(p).begin());
    };
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const auto p = std::size_t(panel_of[k]);
        double* const column = &fronts[begin[p] + stride[p] * 3 * (k - std::size_t(first_[p]))];
        for (std::int32_t e = matrix.offsets[order_[k]]; e < matrix.offsets[order_[k] + 1]; ++e) {
            const std::int32_t other = place[std::size_t(matrix.columns[e])];
            if (other < first_[p]) continue;
            const std::size_t row = row_in(p, other);
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < 3; ++j)
                    column[stride[p] * i + row + j] = matrix.blocks[9 * std::size_t(e) + 3 * j + i];
        }
    }
    numbers_.assign(values_.back(), 0.0f);
    std::vector<std::size_t> to;  // rows of the panel that is subtracted from
    for (std::size_t p = 0; p < panels(); ++p) {
        const std::span<const std::int32_t> rows = below(p);
        const std::size_t columns = width(p), height = 3 * rows.size();
        double* const own = &fronts[begin[p]];
        double* const under = own + columns;
        double inverse[kPanel * kPanel];
        if (!invert(own, columns, stride[p], inverse)) return false;
        for (std::size_t j = 0; j < columns; j += 3)
            loops.multiply_columns({under, stride[p], columns, height}, inverse + j, kPanel, &scaled[longest * j],
                                   longest);
        float* const kept = &numbers_[values_[p]];
        for (std::size_t j = 0; j < columns; ++j) {
            for (std::size_t i = 0; i < columns; ++i) kept[kPanel * j + i] = float(inverse[kPanel * j + i]);
            for (std::size_t i = 0; i < height; ++i)
                kept[kPanel * (columns * (1 + i / kPanel) + j) + i % kPanel] = float(scaled[longest * j + i]);
        }
        for (std::size_t k = 0, last = 0; k < rows.size(); k = last) {
            const auto q = std::size_t(panel_of[std::size_t(rows[k])]);
            for (last = k; last < rows.size() && rows[last] < first_[q + 1];) ++last;
            to.clear();
            for (std::size_t i = k; i < rows.size(); ++i) to.push_back(row_in(q, rows[i]));
            for (std::size_t i = k; i < last; ++i) {
                loops.multiply_columns({&scaled[3 * k], longest, columns, height - 3 * k}, under + 3 * i, stride[p],
                                       products.data(), longest);
                for (std::size_t c = 0; c < 3; ++c) {
                    double* const column = &fronts[begin[q] + stride[q] * (to[i - k] + c)];
                    const double* const product = &products[longest * c];
                    for (std::size_t r = 0; r < to.size(); ++r)
                        for (std::size_t d = 0; d < 3; ++d) column[to[r] + d] -= product[3 * r + d];
                }
            }
        }
    }
    return std::all_of(numbers_.begin(), numbers_.end(), [](float v) { return std::isfinite(v); });
}

void RestFactor::factor(const BlockRows& matrix, std::span<const Vec3d> positions)
{
    clear();
    if (positions.empty()) return;
    const Dissection dissection = dissect(matrix, positions);
    if (!find_panels(matrix, dissection)) return;
    order_ = dissection.order;
    if (!factor_panels(matrix)) return clear();
    for (Part& part : parts_) {
        part.vector.assign(3 * order_.size() + kPanel, 0.0f);
        part.scratch.assign(3 * order_.size() + 2 * kPanel, 0.0f);
    }
}

void RestFactor::solve(std::span<const Vec3d> b, const Mat3d& turn, std::span<Vec3d> x)
{
    const ImplicitKernels& loops = implicit_kernels();
    const Mat3d back = transpose(turn);
    const std::size_t top = ends_[1], begins[2] = {0, ends_[0]};
    const auto take = [&](std::size_t first, std::size_t last, Part& part) {  // adds
        for (auto k = std::size_t(first_[first]); k < std::size_t(first_[last]); ++k) {
            const Vec3d v = back * b[std::size_t(order_[k])];
            for (std::size_t i = 0; i < 3; ++i) part.vector[3 * k + i] += float(v[int(i)]);
        }
    };
    const auto give = [&](std::size_t first, std::size_t last, const Part& part) {
        for (auto k = std::size_t(first_[first]); k < std::size_t(first_[last]); ++k) {
            const float* const v = &part.vector[3 * k];
            x[std::size_t(order_[k])] = turn * Vec3d{double(v[0]), double(v[1]), double(v[2])};
        }
    };
    const auto for_halves = [&](const auto& then) {
        const auto run = [&](std::size_t k) {
            const FlushDenormals flush;
            then(begins[k], ends_[k], parts_[k]);
        };
        if (numbers_.size() >= kWorthSharing) return for_each_in_parallel(2, run);
        run(0), run(1);
    };
    for_halves([&](std::size_t first, std::size_t last, Part& part) {
        std::fill(part.vector.begin() + 3 * first_[first], part.vector.begin() + 3 * first_[last], 0.0f);
        std::fill(part.vector.begin() + 3 * first_[top], part.vector.end(), 0.0f);
        take(first, last, part);
        loops.substitute(view(), first, last, part.vector.data(), part.scratch.data());
    });
    Part &one = parts_[0], &other = parts_[1];
    const auto between = std::size_t(3 * first_[top]);  // from there on, both halves have something
    for (std::size_t k = between; k < 3 * order_.size(); ++k) one.vector[k] += other.vector[k];
    take(top, ends_[2], one);
    loops.substitute(view(), top, ends_[2], one.vector.data(), one.scratch.data());
    loops.substitute_back(view(), top, ends_[2], one.vector.data(), one.scratch.data());
    give(top, ends_[2], one);
    std::copy(one.vector.begin() + std::ptrdiff_t(between), one.vector.end(),
              other.vector.begin() + std::ptrdiff_t(between));
    for_halves([&](std::size_t first, std::size_t last, Part& part) {
        loops.substitute_back(view(), first, last, part.vector.data(), part.scratch.data());
        give(first, last, part);
    });
}

}  // namespace yawara::fem
