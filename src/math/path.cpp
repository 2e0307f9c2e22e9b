// Motion between the keys of a path. Between keys with equal values a smooth path stays still, since no cubic
// overshoots.
#include <algorithm>

#include "yawara/path.h"
#include "yawara/rotation.h"

namespace yawara {
namespace {

/// Slope at a key between two straight pieces: none at a turning point, otherwise their weighted harmonic mean.
double monotone_slope(double before, double after, double time_before, double time_after)
{
    if (before * after <= 0) return 0;
    const double w_before = 2 * time_after + time_before, w_after = time_after + 2 * time_before;
    return (w_before + w_after) / (w_before / before + w_after / after);
}

}  // namespace

Path::Path(std::span<const PathKey> keys, bool smooth, Vec3d centre)
{
    for (const PathKey& key : keys) {
        const Vec3d about = key.about.value_or(centre);
        times_.push_back(key.time);
        values_.push_back(
            {key.move.x, key.move.y, key.move.z, key.turn.x, key.turn.y, key.turn.z, about.x, about.y, about.z});
    }
    if (!smooth) return;
    slopes_.assign(values_.size(), Channels{});
    for (std::size_t k = 1; k + 1 < values_.size(); ++k) {
        const double before = times_[k] - times_[k - 1], after = times_[k + 1] - times_[k];
        for (std::size_t c = 0; c < Channels{}.size(); ++c) {
            slopes_[k][c] = monotone_slope((values_[k][c] - values_[k - 1][c]) / before,
                                           (values_[k + 1][c] - values_[k][c]) / after, before, after);
        }
    }
}

std::vector<PathKey> Path::keys() const
{
    std::vector<PathKey> keys;
    for (std::size_t k = 0; k < times_.size(); ++k) {
        const Channels& c = values_[k];
        keys.push_back({times_[k], {c[0], c[1], c[2]}, {c[3], c[4], c[5]}, Vec3d{c[6], c[7], c[8]}});
    }
    return keys;
}

Placement Path::placement(const Channels& c)
{
    const Vec3d move{c[0], c[1], c[2]}, turn{c[3], c[4], c[5]}, about{c[6], c[7], c[8]};
    const Mat3d rotation = rotation_of(turn);
    return {rotation, about - rotation * about + move};
}

Placement Path::at(double time) const
{
    if (times_.empty()) return {};
    if (time <= times_.front()) return placement(values_.front());
    if (time >= times_.back()) return placement(values_.back());
    const auto after = std::size_t(std::upper_bound(times_.begin(), times_.end(), time) - times_.begin());
    const std::size_t before = after - 1;
    const double span = times_[after] - times_[before], s = (time - times_[before]) / span;
    Channels between;
    for (std::size_t c = 0; c < between.size(); ++c) {
        const double a = values_[before][c], b = values_[after][c];
        if (slopes_.empty()) {
            between[c] = a + (b - a) * s;
        } else {
            const double rise = s * s * (3 - 2 * s);
            const double bend = span * s * (1 - s) * ((1 - s) * slopes_[before][c] - s * slopes_[after][c]);
            between[c] = a + (b - a) * rise + bend;
        }
    }
    return placement(between);
}

}  // namespace yawara
