// Neighbourhoods by breadth-first search and the constants of the matching sums, [Examples] 3.2, 3.3.
#include "matching/regions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace yawara::matching {
namespace {

/// Particles that share a cell with particle i, for any kind of cell.
template <class Cell>
Lists links_of(std::span<const Cell> cells, std::size_t particles)
{
    Lists cells_of;
    cells_of.offsets.assign(particles + 1, 0);
    for (const Cell& cell : cells)
        for (const std::int32_t v : cell) ++cells_of.offsets[std::size_t(v) + 1];
    std::partial_sum(cells_of.offsets.begin(), cells_of.offsets.end(), cells_of.offsets.begin());
    cells_of.values.resize(std::size_t(cells_of.offsets.back()));
    std::vector<std::int32_t> next(cells_of.offsets.begin(), cells_of.offsets.end() - 1);
    for (std::size_t c = 0; c < cells.size(); ++c)
        for (const std::int32_t v : cells[c]) cells_of.values[std::size_t(next[std::size_t(v)]++)] = std::int32_t(c);

    Lists out;
    std::vector<std::int32_t> found;
    for (std::size_t i = 0; i < particles; ++i) {
        found.clear();
        for (const std::int32_t c : cells_of[i])
            for (const std::int32_t v : cells[std::size_t(c)])
                if (v != std::int32_t(i)) found.push_back(v);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        out.values.insert(out.values.end(), found.begin(), found.end());
        out.offsets.push_back(std::int32_t(out.values.size()));
    }
    return out;
}

/// Spreads the lowest ten bits of a number to every third bit.
std::uint32_t every_third_bit(std::uint32_t v)
{
    v = (v | v << 16) & 0x030000ff;
    v = (v | v << 8) & 0x0300f00f;
    v = (v | v << 4) & 0x030c30c3;
    return (v | v << 2) & 0x09249249;
}

/// Particles along a Morton curve.
std::vector<std::int32_t> space_filling_order(std::span<const Vec3d> points)
{
    const Box3 box = bounds(points);
    const Vec3d size = box.size();
    const double scale = 1023 / std::max({size.x, size.y, size.z, 1e-300});
    std::vector<std::pair<std::uint32_t, std::int32_t>> keys(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3d p = (points[i] - box.low) * scale;
        keys[i] = {every_third_bit(std::uint32_t(p.x)) | every_third_bit(std::uint32_t(p.y)) << 1 |
                       every_third_bit(std::uint32_t(p.z)) << 2,
                   std::int32_t(i)};
    }
    std::sort(keys.begin(), keys.end());
    std::vector<std::int32_t> order(points.size());
    std::transform(keys.begin(), keys.end(), order.begin(), [](const auto& key) { return key.second; });
    return order;
}

/// How far apart the members of a region are in memory, on average.
double spread_in_memory(const Lists& regions, const std::vector<std::int32_t>& slot_of)
{
    double sum = 0;
    for (std::size_t r = 0; r < regions.size(); ++r)
        for (const std::int32_t i : regions[r]) sum += std::abs(slot_of[std::size_t(i)] - slot_of[r]);
    return sum;
}

}  // namespace

Lists links(const TetMesh& mesh)
{
    return links_of<Int4>(mesh.tets, mesh.vertices.size());
}

Lists links(const Lattice& lattice)
{
    return links_of<Int8>(lattice.cells, lattice.nodes.size());
}

namespace {

/// Finds the particles within some links of one after the other.
class Neighbourhood {
public:
    Neighbourhood(const Lists& links, int hops) : links_(links), hops_(std::size_t(hops)), seen_from_(links.size(), -1)
    {
    }

    std::span<std::int32_t> of(std::size_t i)
    {
        const auto mark = std::int32_t(i);
        found_.assign(1, mark);
        seen_from_[i] = mark;
        for (std::size_t begin = 0, hop = 0; hop < hops_; ++hop) {
            const std::size_t end = found_.size();
            if (begin == end) break;
            for (std::size_t k = begin; k < end; ++k)
                for (const std::int32_t j : links_[std::size_t(found_[k])])
                    if (seen_from_[std::size_t(j)] != mark) {
                        seen_from_[std::size_t(j)] = mark;
                        found_.push_back(j);
                    }
            begin = end;
        }
        return found_;
    }

private:
    const Lists& links_;
    std::size_t hops_;
    std::vector<std::int32_t> found_, seen_from_;
};

/// Members of all regions, from some of them.
double estimated_members(const Lists& links, int hops)
{
    constexpr std::size_t kSamples = 16;
    const std::size_t samples = std::min(links.size(), kSamples);
    Neighbourhood neighbourhood(links, hops);
    double sum = 0;
    for (std::size_t k = 0; k < samples; ++k)
        sum += double(neighbourhood.of((2 * k + 1) * links.size() / (2 * samples)).size());
    return samples > 0 ? sum / double(samples) * double(links.size()) : 0;
}

}  // namespace

Result<Lists> neighbourhoods(const Lists& links, int hops)
{
    constexpr double kMostMembers = 2e8;  // about 3 GB, and some 20 s to build
    const auto too_many = [&](double members) {
        const auto millions = [](double count) { return std::to_string(std::llround(count / 1e6)) + " million"; };
        return Error{"hops", std::to_string(hops) + " links make regions with about " + millions(members) +
                                 " members in all, at most " + millions(kMostMembers) +
                                 " are possible: use fewer hops or particles"};
    };
    if (const double members = estimated_members(links, hops); members > kMostMembers) return too_many(members);
    Lists out;
    Neighbourhood neighbourhood(links, hops);
    for (std::size_t i = 0; i < links.size(); ++i) {
        const std::span<std::int32_t> found = neighbourhood.of(i);
        std::sort(found.begin(), found.end());
        out.values.insert(out.values.end(), found.begin(), found.end());
        out.offsets.push_back(std::int32_t(out.values.size()));
        // The estimate was too small: parts of a body may be linked quite differently.
        if (double(out.values.size()) > 2 * kMostMembers) return too_many(double(out.values.size()));
    }
    return out;
}

Lists inverted(const Lists& lists, std::size_t value_count)
{
    Lists out;
    out.offsets.assign(value_count + 1, 0);
    for (const std::int32_t v : lists.values) ++out.offsets[std::size_t(v) + 1];
    std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
    out.values.resize(lists.values.size());
    std::vector<std::int32_t> next(out.offsets.begin(), out.offsets.end() - 1);
    for (std::size_t k = 0; k < lists.size(); ++k)
        for (const std::int32_t v : lists[k]) out.values[std::size_t(next[std::size_t(v)]++)] = std::int32_t(k);
    return out;
}

void Regions::find_origin(std::span<const Vec3d> rest_positions, std::span<const double> masses)
{
    double total = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
        origin_ += rest_positions[i] * masses[i];
        total += masses[i];
    }
    origin_ = origin_ / total;
}

Regions::Regions(BoxClasses classes, std::span<const Vec3d> rest_positions, std::span<const double> masses)
    : boxes_(std::make_shared<const BoxClasses>(std::move(classes))),
      lanes_(boxes_->grid().block_count() * kLanes, -1),
      order_(rest_positions.size())
{
    find_origin(rest_positions, masses);
    std::iota(order_.begin(), order_.end(), 0);
    slot_of_ = order_;
    for (const BoxPart& part : boxes_->grid().parts())
        for (int z = 0; z < part.nz; ++z)
            for (int y = 0; y < part.ny; ++y)
                for (int x = 0; x < part.nx; ++x)
                    lanes_[part.block(y, z, std::size_t(x) / kLanes) * kLanes + std::size_t(x) % kLanes] =
                        part.particle[part.node(x, y, z)];
}

Regions::Regions(Lists regions, std::span<const Vec3d> rest_positions, std::span<const double> masses)
    : lists_(std::move(regions))
{
    const std::size_t n = rest_positions.size();
    holders_ = inverted(lists_, n);
    find_origin(rest_positions, masses);

    double spread = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (const std::int32_t j : lists_[i]) {
            const Vec3d q = rest_positions[std::size_t(j)] - rest_positions[i];
            spread += masses[i] / double(holders_[i].size()) * dot(q, q);
        }
    if (spread > 0) mass_unit_ = spread / double(n);

    order_ = space_filling_order(rest_positions);
    slot_of_.resize(n);
    for (std::size_t place = 0; place < n; ++place) slot_of_[particle_at(place)] = std::int32_t(place);
    std::vector<std::int32_t> given(n);
    std::iota(given.begin(), given.end(), 0);
    if (spread_in_memory(lists_, given) <= spread_in_memory(lists_, slot_of_)) order_ = slot_of_ = given;
    lanes_ = order_;
    lanes_.resize((n + kLanes - 1) / kLanes * kLanes, -1);

    holder_count_.resize(n);
    share_.resize(n);
    factors_.resize(kFactorSize * (n + 1));  // the last is nobody
    particles_.resize(4 * (n + 1));
    for (std::size_t i = 0; i < n; ++i) {
        const double holders = double(holders_[i].size());
        const Vec3d x0 = rest_positions[i] - origin_;
        const double m = masses[i] / holders / mass_unit_;
        const float factors[kFactorSize] = {float(m * x0.x), float(m * x0.y), float(m * x0.z), float(m)};
        std::copy(factors, factors + kFactorSize, factors_.begin() + std::ptrdiff_t(kFactorSize * slot(i)));
        const float particle[4] = {float(x0.x), float(x0.y), float(x0.z), float(m)};
        std::copy(particle, particle + 4, particles_.begin() + std::ptrdiff_t(4 * slot(i)));
        holder_count_[slot(i)] = float(holders);
        share_[slot(i)] = float(1 / holders);
    }

    // Constants of the regions follow from the rounded numbers that the kernels see: else a body would push itself
    // along.
    const auto x0_of = [&](std::int32_t i) {
        const float* const p = particles_.data() + 4 * slot(std::size_t(i));
        return Vec3d{p[0], p[1], p[2]};
    };
    const auto mass_of = [&](std::int32_t i) { return double(particles_[4 * slot(std::size_t(i)) + 3]); };
    const std::size_t count = lists_.size();
    centers_.resize(count);
    rest_.resize((count + kLanes - 1) / kLanes);
    for (std::size_t place = 0; place < rest_.size() * kLanes; ++place) {
        const std::size_t r = particle_at(std::min(place, count - 1));  // spare lanes repeat the last region
        double mass = 0;
        Vec3d middle;
        for (const std::int32_t i : lists_[r]) {
            mass += mass_of(i);
            middle += x0_of(i) * mass_of(i);
        }
        middle = middle / mass;
        // The member nearest to the middle: small differences, exact sums.
        std::int32_t center = lists_[r][0];
        for (const std::int32_t i : lists_[r])
            if (length(x0_of(i) - middle) < length(x0_of(center) - middle)) center = i;
        if (place < count) centers_[place] = std::int32_t(16 * slot(std::size_t(center)));

        RegionRest& block = rest_[place / kLanes];
        const std::size_t lane = place % kLanes;
        block.inverse_mass[lane] = float(1 / mass);
        for (int k = 0; k < 3; ++k) block.middle[k][lane] = float(middle[k]);
    }
    slot_members_ = slotted(lists_);
    if (holders_.offsets == lists_.offsets && holders_.values == lists_.values)
        holders_ = {};
    else
        slot_holders_ = slotted(holders_);
}

Regions::SlotLists Regions::slotted(const Lists& lists) const
{
    SlotLists out;
    const auto filled_up = [](std::size_t members) { return (members + kStride - 1) / kStride * kStride; };
    std::size_t total = 0;
    for (std::size_t k = 0; k < lists.size(); ++k) total += filled_up(lists[k].size());
    out.values.reserve(total);
    out.offsets.reserve(lists.size() + 1);
    for (std::size_t place = 0; place < lists.size(); ++place) {
        for (const std::int32_t i : lists[particle_at(place)])
            out.values.push_back(std::int32_t(16 * slot(std::size_t(i))));
        std::sort(out.values.begin() + out.offsets.back(), out.values.end());
        while (out.values.size() % kStride != 0) out.values.push_back(std::int32_t(16 * lists.size()));
        out.offsets.push_back(std::int32_t(out.values.size()));
    }
    return out;
}

}  // namespace yawara::matching
