// Example poses of a body: deformed, read, or carried over from its surface; and the groups of its particles.
#include <fmt/format.h>

#include "io/file.h"
#include "scene_file/build.h"
#include "yawara/blend_shapes.h"
#include "yawara/embedding.h"
#include "yawara/io.h"
#include "yawara/point_cache.h"

namespace yawara::scene_file {
namespace {

bool is_point_cache(const std::filesystem::path& path)
{
    const std::string ending = io::lower_ending(path);
    return ending == ".pc2" || ending == ".mdd";
}

/// Its animation may be one.
bool is_gltf(const std::filesystem::path& path)
{
    const std::string ending = io::lower_ending(path);
    return ending == ".glb" || ending == ".gltf";
}

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

/// Positions of all particles, of the solid at its final size.
Result<std::vector<Vec3d>> read_vertices(const FileName& file, double scale, std::size_t particles)
{
    Result<std::vector<Vec3d>> points = load_vertices(file);
    if (!points) return points.error();
    if (points->size() != particles)
        return Error{file.where, fmt::format("{} has {} vertices, the solid has {} particles", file.path.string(),
                                             points->size(), particles)};
    for (Vec3d& p : *points) p *= scale;
    return points;
}

/// The vertices of the surface in the pose, as the file has them.
Result<std::vector<Vec3d>> read_surface(const PoseDocument& pose)
{
    const FileName& file = *pose.surface;
    if (is_point_cache(file.path) || (pose.frame && is_gltf(file.path))) {
        Result<PointCache> cache = load_point_cache(file.path);
        if (!cache) return Error{file.where, cache.error().message()};
        const std::size_t frame = pose.frame.value_or(0);
        if (frame >= cache->frames.size())
            return Error{pose.where + ".frame", fmt::format("is {}; {} has {} frames, the first is 0", frame,
                                                            file.path.string(), cache->frames.size())};
        std::vector<Vec3d> points;
        for (const Vec3& p : cache->frames[frame]) points.push_back(p.as<double>());
        return points;
    }
    if (pose.frame) return Error{pose.where + ".frame", "is for point caches (.pc2, .mdd) and for animations of GLB and glTF files"};
    Result<TriMesh> surface = pose.shape ? load_blend_shape(file.path, *pose.shape) : load_tri_mesh(file.path);
    if (!surface) return Error{pose.shape ? pose.where + ".shape" : file.where, surface.error().message()};
    return std::move(surface->vertices);
}

Result<std::vector<Vec3d>> carried(const PoseDocument& pose, const PosedSolid& solid)
{
    if (solid.surface.empty())
        return Error{pose.where, "this body has no surface of its own: give the pose by \"vertices\" or \"deform\""};
    Result<std::vector<Vec3d>> surface = read_surface(pose);
    if (!surface) return surface.error();
    if (surface->size() != solid.surface.size())
        return Error{pose.surface->where,
                     fmt::format("{} has {} vertices, the body's surface has {}", pose.surface->path.string(),
                                 surface->size(), solid.surface.size())};
    for (Vec3d& p : *surface) p = p * solid.file.scale + solid.file.move;
    return std::visit([&](const auto& domain) { return carry_pose(domain, solid.surface, *surface); }, solid.domain);
}

PoseSamples scaled(PoseSamples samples, double scale)
{
    for (std::vector<Vec3d>* list : {&samples.at, &samples.to})
        for (Vec3d& p : *list) p *= scale;
    return samples;
}

/// What a file or a capture gives, or the rest shape; at `points`, which are the particles or their mirror images.
Result<std::vector<Vec3d>> start_of(const PoseDocument& pose, const PosedSolid& solid, std::vector<Vec3d> points)
{
    if (!pose.captured.at.empty()) {
        Result<std::vector<Vec3d>> caught = sampled_pose(scaled(pose.captured, solid.scale), points);
        if (!caught) return Error{pose.where + ".captured", caught.error().message()};
        return caught;
    }
    if (!pose.vertices && !pose.surface) return points;
    Result<std::vector<Vec3d>> read =
        pose.vertices ? read_vertices(*pose.vertices, solid.scale, solid.rest.size()) : carried(pose, solid);
    if (!read || !pose.mirror) return read;
    return sampled_pose(pose_samples(solid.rest, *read, 1e-4, 1000), points);
}

}  // namespace

Result<std::vector<Vec3d>> pose_of(const PoseDocument& pose, const PosedSolid& solid)
{
    const Box3 box = bounds(solid.rest);
    std::vector<Vec3d> points{solid.rest.begin(), solid.rest.end()};
    if (pose.mirror) points = mirrored(std::move(points), *pose.mirror, box);
    Result<std::vector<Vec3d>> shape = start_of(pose, solid, std::move(points));
    if (!shape) return shape;
    if (!pose.deform.empty()) *shape = deformed(*shape, pose.deform);
    if (!pose.handles.empty()) {
        std::vector<PoseHandle> handles = pose.handles;
        for (PoseHandle& h : handles) {
            for (Vec3d* v : {&h.at, &h.to, &h.move}) *v *= solid.scale;
            h.radius *= solid.scale;
        }
        const Result<Poser> poser =
            solid.poser ? solid.poser(*shape, handles) : Poser::make(solid.domain, *shape, handles);
        if (!poser) return Error{pose.where + "." + poser.error().where, poser.error().what};
        *shape = poser->pose(handles);
    }
    std::vector<PoseTouch> touches = pose.touches;
    for (PoseTouch& touch : touches) {
        touch.at *= solid.scale, touch.radius *= solid.scale;
        if (touch.brush == PoseTouch::Brush::grab) touch.by *= solid.scale;
    }
    shape = touched(*std::move(shape), touches);
    if (shape && pose.mirror) *shape = mirrored(*std::move(shape), *pose.mirror, box);
    return shape;
}

InvertedTets inverted_tets(const Domain& domain, std::span<const Vec3d> rest, std::span<const Vec3d> pose)
{
    const TetMesh solid = solid_of(domain);
    const auto volume = [](std::span<const Vec3d> x, const Int4& t) {
        const auto at = [&](std::size_t k) { return x[std::size_t(t[k])]; };
        return dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0));
    };
    InvertedTets found{0, solid.tets.size(), {}};
    double worst = 0;
    for (const Int4& t : solid.tets) {
        const double share = volume(pose, t) / volume(rest, t);
        if (share > 0) continue;
        if (found.count++ > 0 && share >= worst) continue;
        worst = share;
        found.worst = {};
        for (const std::int32_t v : t) found.worst += rest[std::size_t(v)] * 0.25;
    }
    return found;
}

Result<ExampleSet> build_examples(const BodyDocument& body, const BuiltSolid& solid, const FieldPlaces& places,
                                  std::vector<std::string>& warnings)
{
    const ExamplesDocument& examples = *body.examples;
    ExampleSet set = examples.choices;
    set.border *= body.scale;
    const PosedSolid posed{solid.domain, places.points, solid.surface.vertices,
                           {solid.file_scale, solid.file_move}, body.scale, {}};
    for (const PoseDocument& pose : examples.poses) {
        Result<std::vector<Vec3d>> positions = pose_of(pose, posed);
        if (!positions) return positions.error();
        const InvertedTets inverted = inverted_tets(solid.domain, places.points, *positions);
        if (inverted.count > 0) {
            const Vec3d at = inverted.worst / body.scale;
            warnings.push_back(fmt::format("{}: example \"{}\": {} of {} tets are inside out, the worst at [{:.3g}, {:.3g}, "
                                           "{:.3g}]; blends with it pass through flat shapes",
                                           pose.where, pose.name, inverted.count, inverted.of, at.x, at.y, at.z));
        }
        if (pose.strength < 1) *positions = blended_pose(solid.domain, *positions, pose.strength);
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
