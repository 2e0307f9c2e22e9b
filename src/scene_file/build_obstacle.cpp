// Obstacles of a scene document as colliders; a mesh is loaded, placed and measured.
#include "scene_file/build.h"
#include "yawara/io.h"
#include "yawara/point_cache.h"

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

namespace {

Result<std::shared_ptr<const MeshAnimation>> build_animation(const MeshObstacle& mesh, const PointCacheDocument& cache,
                                                             std::size_t vertices)
{
    Result<PointCache> loaded = load_point_cache(cache.file.path, cache.animation);
    if (!loaded) return Error{cache.file.where, loaded.error().message()};
    if (const std::size_t points = loaded->frames[0].size(); points != vertices)
        return Error{cache.file.where, cache.file.path.string() + ": has " + std::to_string(points) +
                                           " points; expected " + std::to_string(vertices) +
                                           ", as many as the mesh has vertices"};
    constexpr double kUsualRate = 24;
    auto animation = std::make_shared<MeshAnimation>();
    animation->frames = std::move(loaded->frames);
    animation->start = cache.start;
    animation->rate = cache.fps.value_or(loaded->rate.value_or(kUsualRate));
    animation->repeat = cache.repeat;
    for (std::vector<Vec3>& frame : animation->frames)
        for (Vec3& p : frame) p = mesh.placement(p.as<double>() * mesh.scale).as<float>();
    return std::shared_ptr<const MeshAnimation>(std::move(animation));
}

}  // namespace

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
        if (!mesh->cache) return collider;
        auto animation = build_animation(*mesh, *mesh->cache, surface->vertices.size());
        if (!animation) return animation.error();
        collider.animation = std::move(*animation);
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
