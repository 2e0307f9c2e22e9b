#include "fem/dissection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace yawara::fem {
namespace {

constexpr std::size_t kLeaf = 12;      // rows that are not worth a cut
constexpr double kSamePlane = 1e-6;    // of the extent: so near to each other are nodes of one layer
constexpr std::size_t kMostCutOf = 2;  // a cut may take one row in so many

class Dissector {
public:
    Dissector(const BlockRows& matrix, std::span<const Vec3d> positions)
        : matrix_(matrix), positions_(positions), side_(positions.size(), kNone), coordinates_(positions.size())
    {
    }
    /// Orders these rows, which are `offset` and further in the order of all.
    void dissect(std::span<std::int32_t> rows, std::size_t offset, Dissection& out)
    {
        Cut best;
        if (rows.size() > kLeaf)
            for (int axis = 0; axis < 3; ++axis) try_axis(rows, axis, best);
        if (!(best.cost * double(kMostCutOf) < double(rows.size()))) {
            if (!rows.empty()) out.ends.push_back(std::int32_t(offset + rows.size()));
            return;
        }
        const auto first = best.first.size(), both = first + best.second.size();
        std::copy(best.first.begin(), best.first.end(), rows.begin());
        std::copy(best.second.begin(), best.second.end(), rows.begin() + std::ptrdiff_t(first));
        std::copy(best.between.begin(), best.between.end(), rows.begin() + std::ptrdiff_t(both));
        if (rows.size() == out.order.size()) out.half = first, out.both = both;
        dissect(rows.subspan(0, first), offset, out);
        dissect(rows.subspan(first, both - first), offset + first, out);
        out.ends.push_back(std::int32_t(offset + rows.size()));
    }

private:
    enum Side : std::uint8_t { kNone, kLow, kHigh };
    struct Cut {
        double cost = 1e300;  ///< rows between, more if the rest is not halved
        std::vector<std::int32_t> first, second, between;
    };

    /// At the middle of the rows along an axis: one layer of rows there, of the lower or of the upper half.
    void try_axis(std::span<const std::int32_t> rows, int axis, Cut& best)
    {
        const auto at = [&](std::int32_t row) { return positions_[std::size_t(row)][axis]; };
        coordinates_.resize(rows.size());
        std::transform(rows.begin(), rows.end(), coordinates_.begin(), at);
        const auto middle = coordinates_.begin() + std::ptrdiff_t(rows.size() / 2);
        std::nth_element(coordinates_.begin(), middle, coordinates_.end());
        const double median = *middle;
        const auto [low, high] = std::minmax_element(coordinates_.begin(), coordinates_.end());
        const double tolerance = kSamePlane * (*high - *low);
        const bool with_median = !(*low < median - tolerance);  // it is the lowest layer
        const double limit = with_median ? median + tolerance : median - tolerance;
        for (const std::int32_t row : rows) side_[std::size_t(row)] = at(row) < limit ? kLow : kHigh;
        const auto touches = [&](std::int32_t row, Side other) {
            for (std::int32_t e = matrix_.offsets[row]; e < matrix_.offsets[row + 1]; ++e)
                if (side_[std::size_t(matrix_.columns[e])] == other) return true;
            return false;
        };
        for (const Side layer : {kLow, kHigh}) {
            Cut cut;
            for (const std::int32_t row : rows) {
                const Side own = Side(side_[std::size_t(row)]);
                const bool cuts = own == layer && touches(row, own == kLow ? kHigh : kLow);
                (cuts ? cut.between : own == kLow ? cut.first : cut.second).push_back(row);
            }
            const double uneven = std::abs(double(cut.first.size()) - double(cut.second.size()));
            cut.cost = double(cut.between.size()) * (1 + uneven / double(rows.size()));
            if (!cut.first.empty() && !cut.second.empty() && cut.cost < best.cost) best = std::move(cut);
        }
        for (const std::int32_t row : rows) side_[std::size_t(row)] = kNone;
    }

    const BlockRows& matrix_;
    std::span<const Vec3d> positions_;
    std::vector<std::uint8_t> side_;   ///< of the rows that are cut now
    std::vector<double> coordinates_;  ///< scratch
};

}  // namespace

Dissection dissect(const BlockRows& matrix, std::span<const Vec3d> positions)
{
    Dissection result;
    result.order.resize(positions.size());
    std::iota(result.order.begin(), result.order.end(), 0);
    std::vector<std::int32_t> rows = result.order;
    Dissector(matrix, positions).dissect(rows, 0, result);
    result.order = std::move(rows);
    return result;
}

}  // namespace yawara::fem
