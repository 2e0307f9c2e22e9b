#include "yawara/cavity.h"

#include <map>
#include <set>

namespace yawara {
namespace {

double six_volumes(Vec3d a, Vec3d b, Vec3d c)
{
    return dot(a, cross(b, c));
}

}  // namespace

CavityGauge::CavityGauge(std::vector<Int3> wall) : wall_(std::move(wall))
{
    std::set<std::pair<std::int32_t, std::int32_t>> edges;
    for (const Int3& t : wall_)
        for (std::size_t k = 0; k < 3; ++k) edges.insert({t[k], t[(k + 1) % 3]});
    std::multimap<std::int32_t, std::int32_t> next;  // along the rims, against the wall's own edges
    for (const auto& [a, b] : edges)
        if (!edges.contains({b, a})) next.insert({b, a});
    while (!next.empty()) {
        std::vector<std::int32_t> rim{next.begin()->first};
        for (auto step = next.begin(); step != next.end(); step = next.find(rim.back())) {
            const std::int32_t to = step->second;
            next.erase(step);
            if (to == rim.front()) break;
            rim.push_back(to);
        }
        openings_.push_back(std::move(rim));
    }
}

double CavityGauge::volume(std::span<const Vec3> positions) const
{
    if (wall_.empty()) return 0;
    const Vec3d origin = positions[std::size_t(wall_[0][0])].as<double>();
    const auto at = [&](std::int32_t i) { return positions[std::size_t(i)].as<double>() - origin; };
    double sum = 0;
    for (const Int3& t : wall_) sum += six_volumes(at(t[0]), at(t[1]), at(t[2]));
    for (const auto& rim : openings_) {
        Vec3d middle;
        for (const std::int32_t v : rim) middle += at(v) / double(rim.size());
        for (std::size_t k = 0; k < rim.size(); ++k) sum += six_volumes(at(rim[k]), at(rim[(k + 1) % rim.size()]), middle);
    }
    return -sum / 6;
}

}  // namespace yawara
