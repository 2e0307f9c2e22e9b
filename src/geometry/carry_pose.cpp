// The inside of a body follows a pose of its surface: as rigid as possible, with the surface as a soft constraint.
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <vector>

#include "yawara/embedding.h"
#include "yawara/rotation.h"

namespace yawara {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3>;

template <class Cells>
std::vector<std::pair<int, int>> edges_of(const Cells& cells)
{
    std::vector<std::pair<int, int>> edges;
    for (const auto& cell : cells)
        for (std::size_t a = 0; a < cell.size(); ++a)
            for (std::size_t b = 0; b < a; ++b) edges.emplace_back(std::minmax(cell[a], cell[b]));
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

/// Alternates between the rotation of every particle's surroundings and the positions that follow from them.
std::vector<Vec3d> follow(const std::vector<Vec3d>& rest, const std::vector<std::pair<int, int>>& edges,
                          const Embedding& surface, std::span<const Vec3d> pose)
{
    constexpr double kSurfaceWeight = 30;  // of a surface point against that of an edge
    constexpr int kRounds = 200;
    const auto n = Eigen::Index(rest.size()), points = Eigen::Index(pose.size());
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index k = 0; k < points; ++k)
        for (std::size_t j = 0; j < surface.particles_of(std::size_t(k)).size(); ++j)
            entries.emplace_back(k, surface.particles_of(std::size_t(k))[j],
                                 double(surface.weights_of(std::size_t(k))[j]));
    Sparse embedding(points, n);
    embedding.setFromTriplets(entries.begin(), entries.end());

    entries.clear();
    for (const auto& [a, b] : edges) {
        entries.emplace_back(a, a, 1.0);
        entries.emplace_back(b, b, 1.0);
        entries.emplace_back(a, b, -1.0);
        entries.emplace_back(b, a, -1.0);
    }
    for (Eigen::Index i = 0; i < n; ++i) entries.emplace_back(i, i, 1e-9);  // parts without a surface stay
    Sparse system(n, n);
    system.setFromTriplets(entries.begin(), entries.end());
    system += kSurfaceWeight * Sparse(embedding.transpose() * embedding);
    const Eigen::SimplicialLDLT<Sparse> solver(system);

    Rows targets(points, 3), x(n, 3);
    for (Eigen::Index k = 0; k < points; ++k)
        targets.row(k) << pose[std::size_t(k)].x, pose[std::size_t(k)].y, pose[std::size_t(k)].z;
    for (Eigen::Index i = 0; i < n; ++i)
        x.row(i) << rest[std::size_t(i)].x, rest[std::size_t(i)].y, rest[std::size_t(i)].z;
    const Rows pulled = kSurfaceWeight * (embedding.transpose() * targets), start = 1e-9 * x;

    std::vector<Mat3d> turns(rest.size());
    std::vector<Quat> quats(rest.size());
    const auto at = [&](int i) { return Vec3d{x(i, 0), x(i, 1), x(i, 2)}; };
    const double size = length(bounds(rest).size());
    for (int round = 0; round < kRounds; ++round) {
        Rows right = pulled + start;
        for (const auto& [a, b] : edges) {
            const Vec3d d = rest[std::size_t(a)] - rest[std::size_t(b)];
            const Vec3d wanted = (turns[std::size_t(a)] * d + turns[std::size_t(b)] * d) * 0.5;
            const Eigen::RowVector3d w(wanted.x, wanted.y, wanted.z);
            right.row(a) += w;
            right.row(b) -= w;
        }
        const Rows next = solver.solve(right);
        const double change = (next - x).cwiseAbs().maxCoeff();
        x = next;
        if (change < 1e-6 * size) break;
        std::vector<Mat3d> sums(rest.size(), Mat3d::zero());
        for (const auto& [a, b] : edges) {
            const Mat3d m = outer(at(a) - at(b), rest[std::size_t(a)] - rest[std::size_t(b)]);
            sums[std::size_t(a)] = sums[std::size_t(a)] + m;
            sums[std::size_t(b)] = sums[std::size_t(b)] + m;
        }
        for (std::size_t i = 0; i < rest.size(); ++i) {
            quats[i] = closest_rotation(sums[i], quats[i]);
            turns[i] = to_matrix(quats[i]);
        }
    }
    std::vector<Vec3d> out(rest.size());
    for (Eigen::Index i = 0; i < n; ++i) out[std::size_t(i)] = at(int(i));
    return out;
}

}  // namespace

std::vector<Vec3d> carry_pose(const TetMesh& solid, std::span<const Vec3d> surface, std::span<const Vec3d> pose)
{
    return follow(solid.vertices, edges_of(solid.tets), Embedding(solid, surface), pose);
}

std::vector<Vec3d> carry_pose(const Lattice& solid, std::span<const Vec3d> surface, std::span<const Vec3d> pose)
{
    std::vector<Vec3d> rest(solid.nodes.size());
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = solid.position(int(i));
    return follow(rest, edges_of(solid.cells), Embedding(solid, surface), pose);
}

}  // namespace yawara
