// Posing by handles, shapes between rest and a pose, mirror images.
#include <cmath>
#include <limits>
#include <optional>

#include "geometry/as_rigid.h"
#include "yawara/posing.h"

namespace yawara {
namespace {

constexpr double kHandleWeight = 1e6;       // of a held particle against that of an edge: it is there
constexpr double kPart = 0.35;              // rad, and of the size: the most that a handle goes at once
constexpr int kMostParts = 40, kRoundsPerPart = 4, kRounds = 60;
constexpr double kSettled = 2e-5;           // of the size
constexpr int kRoundsOfDrag = 2;            // after each move of a hand

double distance_to_line(Vec3d p, Vec3d a, Vec3d b)
{
    const Vec3d along = b - a;
    const double square = dot(along, along);
    const double share = square > 0 ? std::clamp(dot(p - a, along) / square, 0.0, 1.0) : 0.0;
    return length(p - a - along * share);
}

AsRigid::Sparse followers_of(const std::vector<std::vector<std::int32_t>>& held, std::size_t particles)
{
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::Index k = 0;
    for (const auto& list : held)
        for (const std::int32_t particle : list) entries.emplace_back(k++, particle, 1.0);
    AsRigid::Sparse followers(k, Eigen::Index(particles));
    followers.setFromTriplets(entries.begin(), entries.end());
    return followers;
}

}  // namespace

std::vector<std::vector<std::int32_t>> held_by(std::span<const PoseHandle> handles, std::span<const Vec3d> points)
{
    std::vector<std::vector<std::int32_t>> held(handles.size());
    std::vector<bool> taken(points.size(), false);
    for (std::size_t h = 0; h < handles.size(); ++h) {
        std::size_t nearest = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double distance = distance_to_line(points[i], handles[h].at, handles[h].to);
            if (distance < least) least = distance, nearest = i;
            if (taken[i] || distance > handles[h].radius) continue;
            taken[i] = true;
            held[h].push_back(std::int32_t(i));
        }
        if (held[h].empty() && !points.empty() && !taken[nearest]) {
            taken[nearest] = true;
            held[h].push_back(std::int32_t(nearest));
        }
    }
    return held;
}

struct Poser::Data {
    std::vector<PoseHandle> handles;
    std::vector<std::vector<std::int32_t>> held;
    AsRigid solid;

    Data(const Domain& domain, std::span<const Vec3d> points, std::vector<PoseHandle> given,
         std::vector<std::vector<std::int32_t>> particles)
        : handles(std::move(given)),
          held(std::move(particles)),
          solid({points.begin(), points.end()}, edges_of(domain), followers_of(held, points.size()), kHandleWeight)
    {
    }

    /// Where the held particles are led to when the handles have gone a share of their way.
    AsRigid::Rows targets(std::span<const PoseHandle> now, double share) const
    {
        Eigen::Index k = 0;
        for (const auto& list : held) k += Eigen::Index(list.size());
        AsRigid::Rows rows(k, 3);
        k = 0;
        for (std::size_t h = 0; h < held.size(); ++h) {
            const Vec3d middle = (handles[h].at + handles[h].to) * 0.5;
            const Mat3d turn = rotation_of(now[h].turn * share);
            for (const std::int32_t i : held[h]) {
                const Vec3d p = turn * (solid.rest()[std::size_t(i)] - middle) + middle + now[h].move * share;
                rows.row(k++) << p.x, p.y, p.z;
            }
        }
        return rows;
    }
};

Result<Poser> Poser::make(const Domain& domain, std::span<const Vec3d> points, std::vector<PoseHandle> handles)
{
    if (handles.empty()) return Error{"handles", "there are none"};
    std::vector<std::vector<std::int32_t>> held = held_by(handles, points);
    for (std::size_t h = 0; h < held.size(); ++h)
        if (held[h].empty())
            return Error{"handles[" + std::to_string(h) + "]", "holds nothing that those before it leave: move it, or remove it"};
    return Poser(std::make_shared<const Data>(domain, points, std::move(handles), std::move(held)));
}

struct Poser::Drag {
    std::optional<AsRigid::Shape> shape;  ///< none: nothing was asked yet
    std::vector<PoseHandle> handles;      ///< as they were then
};

Poser Poser::dragged() const
{
    Poser other = *this;
    other.drag_ = std::make_shared<Drag>();
    return other;
}

std::vector<Vec3d> Poser::pose(std::span<const PoseHandle> handles) const
{
    if (drag_ && drag_->shape) {
        std::vector<PoseHandle>& last = drag_->handles;
        double most = 0;
        const double size = length(bounds(data_->solid.rest()).size());
        for (std::size_t h = 0; h < handles.size(); ++h)
            most = std::max({most, length(handles[h].turn - last[h].turn), length(handles[h].move - last[h].move) / size});
        const int parts = std::clamp(int(std::ceil(most / kPart)), 1, kMostParts);
        for (int part = 1; part <= parts; ++part) {
            std::vector<PoseHandle> now(handles.begin(), handles.end());
            for (std::size_t h = 0; h < now.size(); ++h) {
                const double left = double(parts - part) / parts;
                now[h].move += (last[h].move - now[h].move) * left;
                now[h].turn += (last[h].turn - now[h].turn) * left;
            }
            data_->solid.follow(data_->targets(now, 1), kRoundsOfDrag, 0, *drag_->shape, {}, AsRigid::Turns::near);
        }
        last.assign(handles.begin(), handles.end());
        return AsRigid::points_of(*drag_->shape);
    }
    const double size = length(bounds(data_->solid.rest()).size());
    double most = 0;
    for (const PoseHandle& h : handles) most = std::max({most, length(h.turn), length(h.move) / size});
    const int parts = std::clamp(int(std::ceil(most / kPart)), 1, kMostParts);
    AsRigid::Shape shape = data_->solid.at_rest();
    for (int part = 1; part < parts; ++part)
        data_->solid.follow(data_->targets(handles, double(part) / parts), kRoundsPerPart, 0, shape);
    data_->solid.follow(data_->targets(handles, 1), kRounds, kSettled, shape);
    if (drag_) *drag_ = {shape, {handles.begin(), handles.end()}};
    return AsRigid::points_of(shape);
}

std::vector<Vec3d> blended_pose(const Domain& domain, std::span<const Vec3d> pose, double weight)
{
    if (weight == 1) return {pose.begin(), pose.end()};
    const std::vector<Vec3d> rest = rest_positions(domain);
    const AsRigid solid(rest, edges_of(domain), AsRigid::Sparse(0, Eigen::Index(rest.size())), 0);
    const std::vector<AsRigid::Edge> edges = solid.edges_in(pose);
    std::vector<AsRigid::Edge> wanted(edges.size());
    AsRigid::Shape shape = solid.at_rest();
    const int parts = std::max(1, int(std::ceil(std::abs(weight) * 8)));
    for (int part = 1; part <= parts; ++part) {
        const double share = weight * part / parts;
        for (std::size_t e = 0; e < edges.size(); ++e) {
            const auto& [a, b] = solid.edges()[e];
            const Vec3d d = rest[std::size_t(a)] - rest[std::size_t(b)];
            wanted[e] = {d + (edges[e].at_a - d) * share, d + (edges[e].at_b - d) * share};
        }
        solid.follow(AsRigid::Rows(0, 3), part < parts ? 6 : kRounds, kSettled, shape, wanted);
    }
    return laid_on(pose, AsRigid::points_of(shape));
}

std::vector<Vec3d> mirrored(std::vector<Vec3d> points, int axis, const Box3& box)
{
    const double twice = box.low[axis] + box.high[axis];
    for (Vec3d& p : points) p[axis] = twice - p[axis];
    return points;
}

std::vector<Vec3d> laid_on(std::span<const Vec3d> rest, std::vector<Vec3d> pose)
{
    Vec3d from, to;
    for (std::size_t i = 0; i < pose.size(); ++i) from += pose[i], to += rest[i];
    from = from / double(pose.size()), to = to / double(pose.size());
    Mat3d sum = Mat3d::zero();
    for (std::size_t i = 0; i < pose.size(); ++i) sum = sum + outer(rest[i] - to, pose[i] - from);
    const Mat3d turn = to_matrix(closest_rotation(sum, {}));
    for (Vec3d& p : pose) p = turn * (p - from) + to;
    return pose;
}

}  // namespace yawara
