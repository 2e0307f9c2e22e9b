#include "geometry/as_rigid.h"

#include <cmath>

namespace yawara {

namespace {

constexpr double kStay = 1e-9;  // of parts that nothing leads

Vec3d row(const AsRigid::Rows& x, int i)
{
    return {x(i, 0), x(i, 1), x(i, 2)};
}

/// Turned from `q` towards the rotation closest to A (Mueller et al. 2016): a few steps suffice where it is near.
Quat nearer_rotation(const Mat3d& A, Quat q)
{
    constexpr int kSteps = 3;
    constexpr double kEnough = 1e-6;  // rad
    for (int step = 0; step < kSteps; ++step) {
        const Mat3d R = to_matrix(q);
        const double size = dot(R.c0, A.c0) + dot(R.c1, A.c1) + dot(R.c2, A.c2);
        Vec3d turn = cross(R.c0, A.c0) + cross(R.c1, A.c1) + cross(R.c2, A.c2);
        turn = turn / (std::abs(size) + 1e-30);
        const double angle = length(turn);
        if (!(angle > kEnough)) break;
        const double s = std::sin(angle / 2) / angle, w = std::cos(angle / 2);
        const Vec3d v = turn * s, u{q.x, q.y, q.z};
        const Vec3d next = u * w + v * q.w + cross(v, u);
        q = {next.x, next.y, next.z, w * q.w - dot(v, u)};
        const double norm = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
        q = {q.x / norm, q.y / norm, q.z / norm, q.w / norm};
    }
    return q;
}

}  // namespace

SolidEdges edges_of(const Domain& domain)
{
    if (const auto* mesh = std::get_if<TetMesh>(&domain)) return edges_of_cells(mesh->tets);
    return edges_of_cells(std::get<Lattice>(domain).cells);
}

AsRigid::AsRigid(std::vector<Vec3d> rest, SolidEdges edges, Sparse followers, double weight)
    : rest_(std::move(rest)),
      edges_(std::move(edges)),
      followers_(std::move(followers)),
      weight_(weight),
      size_(length(bounds(rest_).size())),
      start_(Eigen::Index(rest_.size()), 3)
{
    const auto n = Eigen::Index(rest_.size());
    std::vector<Eigen::Triplet<double>> entries;
    for (const auto& [a, b] : edges_) {
        entries.emplace_back(a, a, 1.0);
        entries.emplace_back(b, b, 1.0);
        entries.emplace_back(a, b, -1.0);
        entries.emplace_back(b, a, -1.0);
    }
    for (Eigen::Index i = 0; i < n; ++i) entries.emplace_back(i, i, kStay);
    Sparse system(n, n);
    system.setFromTriplets(entries.begin(), entries.end());
    system += weight_ * Sparse(followers_.transpose() * followers_);
    solver_.compute(system);
    for (Eigen::Index i = 0; i < n; ++i)
        start_.row(i) << rest_[std::size_t(i)].x, rest_[std::size_t(i)].y, rest_[std::size_t(i)].z;
    start_ *= kStay;
}

AsRigid::Shape AsRigid::at_rest() const
{
    Shape shape{Rows(Eigen::Index(rest_.size()), 3), std::vector<Mat3d>(rest_.size()), std::vector<Quat>(rest_.size())};
    for (std::size_t i = 0; i < rest_.size(); ++i)
        shape.x.row(Eigen::Index(i)) << rest_[i].x, rest_[i].y, rest_[i].z;
    return shape;
}

std::vector<Mat3d> AsRigid::moments(const Rows& x, std::span<const Edge> wanted) const
{
    std::vector<Mat3d> sums(rest_.size(), Mat3d::zero());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const auto& [a, b] = edges_[e];
        const Vec3d now = row(x, a) - row(x, b);
        const Vec3d d = rest_[std::size_t(a)] - rest_[std::size_t(b)];
        Mat3d &at_a = sums[std::size_t(a)], &at_b = sums[std::size_t(b)];
        at_a = at_a + outer(now, wanted.empty() ? d : wanted[e].at_a);
        at_b = at_b + outer(now, wanted.empty() ? d : wanted[e].at_b);
    }
    return sums;
}

void AsRigid::follow(const Rows& targets, int rounds, double settled, Shape& shape, std::span<const Edge> wanted,
                     Turns turns) const
{
    const Rows pulled = weight_ * (followers_.transpose() * targets);
    for (int round = 0; round < rounds; ++round) {
        Rows right = pulled + start_;
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const auto& [a, b] = edges_[e];
            const Vec3d d = rest_[std::size_t(a)] - rest_[std::size_t(b)];
            const Vec3d w = (shape.turns[std::size_t(a)] * (wanted.empty() ? d : wanted[e].at_a) +
                             shape.turns[std::size_t(b)] * (wanted.empty() ? d : wanted[e].at_b)) *
                            0.5;
            const Eigen::RowVector3d edge(w.x, w.y, w.z);
            right.row(a) += edge;
            right.row(b) -= edge;
        }
        const Rows next = solver_.solve(right);
        const double change = (next - shape.x).cwiseAbs().maxCoeff();
        shape.x = next;
        if (change < settled * size_) return;
        const std::vector<Mat3d> sums = moments(shape.x, wanted);
        for (std::size_t i = 0; i < rest_.size(); ++i) {
            shape.quats[i] = turns == Turns::exact ? closest_rotation(sums[i], shape.quats[i])
                                                   : nearer_rotation(sums[i], shape.quats[i]);
            shape.turns[i] = to_matrix(shape.quats[i]);
        }
    }
}

std::vector<AsRigid::Edge> AsRigid::edges_in(std::span<const Vec3d> pose) const
{
    Rows x(Eigen::Index(pose.size()), 3);
    for (std::size_t i = 0; i < pose.size(); ++i) x.row(Eigen::Index(i)) << pose[i].x, pose[i].y, pose[i].z;
    std::vector<Mat3d> back;
    for (const Mat3d& sum : moments(x, {})) back.push_back(transpose(to_matrix(closest_rotation(sum, {}))));
    std::vector<Edge> edges;
    for (const auto& [a, b] : edges_) {
        const Vec3d now = pose[std::size_t(a)] - pose[std::size_t(b)];
        edges.push_back({back[std::size_t(a)] * now, back[std::size_t(b)] * now});
    }
    return edges;
}

std::vector<Vec3d> AsRigid::points_of(const Shape& shape)
{
    std::vector<Vec3d> points(std::size_t(shape.x.rows()));
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = row(shape.x, int(i));
    return points;
}

}  // namespace yawara
