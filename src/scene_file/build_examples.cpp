// Example poses of a body: deformed, read, or carried over from its surface; and the groups of its particles.
#include <fmt/format.h>

#include "scene_file/build.h"
#include "yawara/io.h"

namespace yawara::scene_file {
namespace {

/// Positions of all particles, in the coordinates of the solid before its scale.
Result<std::vector<Vec3d>> load_vertices(const FileName& file)
{
    if (file.path.extension() != ".npy") {
        Result<std::vector<Vec3d>> vertices = load_tet_vertices(file.path);
        if (!vertices) return Error{file.where, vertices.error().message()};
        return vertices;
    }
    const Result<Array> array = load_npy(file.path);
    if (!array) return Error{file.where, array.error().message()};
    if (array->shape.size() != 2 || array->shape[1] != 3)
        return Error{file.where, fmt::format("{} is not an array of shape (particles, 3)", file.path.string())};
    std::vector<Vec3d> points(array->shape[0]);
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = {array->values[3 * i], array->values[3 * i + 1], array->values[3 * i + 2]};
    return points;
}

Result<std::vector<Vec3d>> pose_of(const PoseDocument& pose, const BodyDocument& body, const BuiltSolid& solid,
                                   const std::vector<Vec3d>& rest)
{
    if (!pose.deform.empty()) return deformed(rest, pose.deform);
    if (pose.vertices) {
        Result<std::vector<Vec3d>> points = load_vertices(*pose.vertices);
        if (!points) return points.error();
        if (points->size() != rest.size())
            return Error{pose.vertices->where, fmt::format("{} has {} vertices, the solid has {} particles",
                                                           pose.vertices->path.string(), points->size(), rest.size())};
        for (Vec3d& p : *points) p *= body.scale;
        return points;
    }
    if (solid.surface.vertices.empty())
        return Error{pose.where, "this body has no surface of its own: give the pose by \"vertices\" or \"deform\""};
    Result<TriMesh> surface = load_tri_mesh(pose.surface->path);
    if (!surface) return Error{pose.surface->where, surface.error().message()};
    if (surface->vertices.size() != solid.surface.vertices.size())
        return Error{pose.surface->where,
                     fmt::format("{} has {} vertices, the body's surface has {}", pose.surface->path.string(),
                                 surface->vertices.size(), solid.surface.vertices.size())};
    for (Vec3d& p : surface->vertices) p = p * solid.file_scale + solid.file_move;
    return std::visit([&](const auto& domain) { return carry_pose(domain, solid.surface.vertices, surface->vertices); },
                      solid.domain);
}

}  // namespace

Result<ExampleSet> build_examples(const BodyDocument& body, const BuiltSolid& solid, const FieldPlaces& places,
                                  std::vector<std::string>& warnings)
{
    const ExamplesDocument& examples = *body.examples;
    ExampleSet set = examples.choices;
    for (const PoseDocument& pose : examples.poses) {
        Result<std::vector<Vec3d>> positions = pose_of(pose, body, solid, places.points);
        if (!positions) return positions.error();
        set.poses.push_back({pose.name, std::move(*positions)});
    }
    if (!set.groups) return set;
    const Result<std::vector<std::int32_t>> labels = sample(
        *set.groups, places, {.name = examples.where + ".groups", .low = 0, .high = 1000, .warnings = &warnings});
    if (!labels) return labels.error();
    set.groups = *labels;
    return set;
}

}  // namespace yawara::scene_file
