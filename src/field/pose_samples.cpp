// A shape by a few of its places: interpolated displacements.
#include <algorithm>
#include <limits>

#include "field/rbf.h"
#include "yawara/mesh.h"
#include "yawara/posing.h"

namespace yawara {
namespace {

field::Rbf displacements(const PoseSamples& samples)
{
    Eigen::MatrixXd values(Eigen::Index(samples.at.size()), 3);
    for (std::size_t k = 0; k < samples.at.size(); ++k) {
        const Vec3d d = samples.to[k] - samples.at[k];
        values.row(Eigen::Index(k)) << d.x, d.y, d.z;
    }
    return {samples.at, values, field::Kernel::r3, field::Polynomial::linear};
}

Vec3d moved(const field::Rbf& by, Vec3d p)
{
    const Eigen::RowVectorXd d = by(p);
    return p + Vec3d{d[0], d[1], d[2]};
}

/// Each as far as can be from those before it.
std::vector<std::size_t> farthest_first(std::span<const Vec3d> points, std::size_t count)
{
    std::vector<std::size_t> order;
    std::vector<double> apart(points.size(), std::numeric_limits<double>::infinity());
    std::size_t next = 0;
    while (order.size() < count) {
        order.push_back(next);
        for (std::size_t i = 0; i < points.size(); ++i)
            apart[i] = std::min(apart[i], length(points[i] - points[order.back()]));
        next = std::size_t(std::ranges::max_element(apart) - apart.begin());
        if (apart[next] == 0) break;
    }
    return order;
}

}  // namespace

PoseSamples pose_samples(std::span<const Vec3d> rest, std::span<const Vec3d> pose, double tolerance, std::size_t most)
{
    const double allowed = tolerance * length(bounds(rest).size());
    const std::vector<std::size_t> order = farthest_first(rest, std::min(most, rest.size()));
    PoseSamples samples;
    for (std::size_t count = 25;; count *= 2) {
        for (std::size_t k = samples.at.size(); k < std::min(count, order.size()); ++k) {
            samples.at.push_back(rest[order[k]]);
            samples.to.push_back(pose[order[k]]);
        }
        if (samples.at.size() == order.size()) return samples;
        const field::Rbf by = displacements(samples);
        double worst = 0;
        for (std::size_t i = 0; i < rest.size(); ++i) worst = std::max(worst, length(moved(by, rest[i]) - pose[i]));
        if (worst <= allowed) return samples;
    }
}

Result<std::vector<Vec3d>> sampled_pose(const PoseSamples& samples, std::span<const Vec3d> points)
{
    if (samples.at.empty()) return Error{"at", "has no places"};
    if (samples.at.size() != samples.to.size())
        return Error{"to", "has " + std::to_string(samples.to.size()) + " places for " +
                               std::to_string(samples.at.size()) + " in \"at\""};
    const field::Rbf by = displacements(samples);
    std::vector<Vec3d> out;
    for (const Vec3d& p : points) out.push_back(moved(by, p));
    return out;
}

}  // namespace yawara
