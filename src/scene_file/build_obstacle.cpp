// Obstacles of a scene document as colliders; a mesh is loaded, placed and measured.
#include "scene_file/build.h"
#include "yawara/io.h"

namespace yawara::scene_file {

Vec3d centre_of(const decltype(Collider::shape)& shape)
{
    struct Centre {
        Vec3d operator()(const Plane& plane) const { return plane.point; }
        Vec3d operator()(const Box& box) const { return box.placement.move; }
        Vec3d operator()(const Sphere& sphere) const { return sphere.center; }
        Vec3d operator()(const Capsule& capsule) const { return (capsule.a + capsule.b) * 0.5; }
        Vec3d operator()(const MeshDistance& mesh) const { return bounds(mesh.mesh().vertices).center(); }
    };
    return std::visit(Centre{}, shape);
}

Result<Collider> build_obstacle(const ObstacleDocument& obstacle)
{
    Collider collider;
    if (const auto* mesh = std::get_if<MeshObstacle>(&obstacle.shape)) {
        Result<TriMesh> surface = load_tri_mesh(mesh->file.path);
        if (!surface) return Error{mesh->file.where, surface.error().message()};
        for (Vec3d& p : surface->vertices) p = mesh->placement(p * mesh->scale);
        Result<MeshDistance> distance = MeshDistance::build(*surface, mesh->container);
        if (!distance) return Error{mesh->file.where, mesh->file.path.string() + ": " + distance.error().message()};
        collider.shape = std::move(*distance);
        return collider;
    }
    std::visit(
        [&](const auto& shape) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(shape)>, MeshObstacle>) collider.shape = shape;
        },
        obstacle.shape);
    return collider;
}

}  // namespace yawara::scene_file
