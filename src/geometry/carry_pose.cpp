// The inside of a body follows a pose of its surface: as rigid as possible, with the surface as a soft constraint.
#include "geometry/as_rigid.h"
#include "yawara/embedding.h"

namespace yawara {
namespace {

std::vector<Vec3d> follow(const std::vector<Vec3d>& rest, SolidEdges edges, const Embedding& surface,
                          std::span<const Vec3d> pose)
{
    constexpr double kSurfaceWeight = 30;  // of a surface point against that of an edge
    constexpr int kRounds = 200;
    const auto n = Eigen::Index(rest.size()), points = Eigen::Index(pose.size());
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index k = 0; k < points; ++k)
        for (std::size_t j = 0; j < surface.particles_of(std::size_t(k)).size(); ++j)
            entries.emplace_back(k, surface.particles_of(std::size_t(k))[j],
                                 double(surface.weights_of(std::size_t(k))[j]));
    AsRigid::Sparse embedding(points, n);
    embedding.setFromTriplets(entries.begin(), entries.end());
    AsRigid::Rows targets(points, 3);
    for (Eigen::Index k = 0; k < points; ++k)
        targets.row(k) << pose[std::size_t(k)].x, pose[std::size_t(k)].y, pose[std::size_t(k)].z;
    const AsRigid solid(rest, std::move(edges), std::move(embedding), kSurfaceWeight);
    AsRigid::Shape shape = solid.at_rest();
    solid.follow(targets, kRounds, 1e-6, shape);
    return AsRigid::points_of(shape);
}

}  // namespace

std::vector<Vec3d> carry_pose(const TetMesh& solid, std::span<const Vec3d> surface, std::span<const Vec3d> pose)
{
    return follow(solid.vertices, edges_of_cells(solid.tets), Embedding(solid, surface), pose);
}

std::vector<Vec3d> carry_pose(const Lattice& solid, std::span<const Vec3d> surface, std::span<const Vec3d> pose)
{
    return follow(rest_positions(solid), edges_of_cells(solid.cells), Embedding(solid, surface), pose);
}

}  // namespace yawara
