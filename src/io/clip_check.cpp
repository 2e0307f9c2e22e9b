// What a clip and its frames must be; asked before writing and after reading.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/clip_formats.h"

namespace yawara::io {
namespace {

template <class Corners>
Status check_indices(const std::vector<Corners>& cells, std::size_t vertices, const std::string& where)
{
    for (std::size_t c = 0; c < cells.size(); ++c) {
        for (const std::int32_t v : cells[c]) {
            if (v < 0 || static_cast<std::size_t>(v) >= vertices) {
                return Error{fmt::format("{}[{}]", where, c),
                             fmt::format("vertex {} of {} does not exist", v, vertices)};
            }
        }
    }
    return Done{};
}

template <class Point>
Status check_points(std::span<const Point> points, const std::string& where)
{
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!is_finite(points[i])) return Error{fmt::format("{}[{}]", where, i), "is not a finite position"};
    }
    return Done{};
}

Status check_length(std::size_t found, std::size_t expected, const std::string& where)
{
    if (found == expected) return Done{};
    return Error{where, fmt::format("{} entries, expected {}", found, expected)};
}

Status check_stage(const ClipStage& stage, std::size_t bodies)
{
    if (Status status = check_length(stage.looks.size(), bodies, "stage.looks"); !status) return status;
    if (stage.look.width < 1 || stage.look.height < 1)
        return Error{"stage.look",
                     fmt::format("{} x {} pixels are not a picture", stage.look.width, stage.look.height)};
    std::vector<Plane> planes = stage.floors;
    if (stage.look.cut) planes.push_back(*stage.look.cut);
    for (const Plane& plane : planes)
        if (!is_finite(plane.point) || !is_finite(plane.normal)) return Error{"stage", "a plane is not finite"};
    const auto check_paths = [](const std::vector<Path>& paths, std::size_t expected, const std::string& where) {
        if (!paths.empty() && paths.size() != expected) return check_length(paths.size(), expected, where);
        for (const Path& path : paths) {
            double last = -std::numeric_limits<double>::infinity();
            for (const PathKey& key : path.keys()) {
                const bool good = std::isfinite(key.time) && key.time > last && is_finite(key.move) &&
                                  is_finite(key.turn) && is_finite(key.about.value_or(Vec3d{}));
                if (!good) return Status(Error{where, "a path is not finite, or its times do not increase"});
                last = key.time;
            }
        }
        return Status(Done{});
    };
    if (Status good = check_paths(stage.floor_paths, stage.floors.size(), "stage.floor_paths"); !good) return good;
    if (Status good = check_paths(stage.obstacle_paths, stage.obstacles.size(), "stage.obstacle_paths"); !good)
        return good;
    if (!stage.obstacle_animations.empty())
        if (Status same =
                check_length(stage.obstacle_animations.size(), stage.obstacles.size(), "stage.obstacle_animations");
            !same)
            return same;
    for (std::size_t k = 0; k < stage.obstacle_animations.size(); ++k) {
        if (!stage.obstacle_animations[k]) continue;
        const MeshAnimation& animation = *stage.obstacle_animations[k];
        const std::string where = fmt::format("stage.obstacle_animations[{}]", k);
        if (!std::isfinite(animation.start) || !(animation.rate > 0) || !std::isfinite(animation.rate) ||
            animation.frames.empty())
            return Error{where, "has no frames, or a start or a rate that is not a number"};
        for (const std::vector<Vec3>& frame : animation.frames) {
            if (Status same = check_length(frame.size(), stage.obstacles[k].vertices.size(), where); !same) return same;
            if (Status good = check_points(std::span(frame), where); !good) return good;
        }
    }
    if (const auto& water = stage.water) {
        const Box3 box = water->box.value_or(Box3{{0, 0, 0}, {1, 1, 1}});
        if (!std::isfinite(water->level) || !is_finite(box.low) || !is_finite(box.high) || box.empty())
            return Error{"stage.water", "has a level or a box that is not finite"};
    }
    for (std::size_t k = 0; k < stage.obstacles.size(); ++k) {
        const TriMesh& mesh = stage.obstacles[k];
        const std::string where = fmt::format("stage.obstacles[{}]", k);
        if (Status status = check_points(std::span(mesh.vertices), where + ".vertices"); !status) return status;
        if (Status status = check_indices(mesh.triangles, mesh.vertices.size(), where + ".triangles"); !status)
            return status;
    }
    return Done{};
}

Status check_body(const ClipBody& body)
{
    const std::string where = fmt::format("body \"{}\"", body.name);
    const TriMesh& surface = body.surface;
    const TetMesh& solid = body.solid;
    for (Status status : {
             check_points(std::span(surface.vertices), where + " surface.vertices"),
             check_points(std::span(solid.vertices), where + " solid.vertices"),
             check_indices(surface.triangles, surface.vertices.size(), where + " surface.triangles"),
             check_indices(solid.tets, solid.vertices.size(), where + " solid.tets"),
             check_length(surface.corner_uvs.size(), surface.corner_uvs.empty() ? 0 : surface.triangles.size(),
                          where + " surface.corner_uvs"),
             check_length(surface.colors.size(), surface.colors.empty() ? 0 : surface.vertices.size(),
                          where + " surface.colors"),
             check_length(solid.materials.size(), solid.materials.empty() ? 0 : solid.tets.size(),
                          where + " solid.materials"),
             check_points(std::span(surface.colors), where + " surface.colors"),
             check_points(std::span(&body.color, 1), where + " color"),
         }) {
        if (!status) return status;
    }
    for (const auto& corners : surface.corner_uvs) {
        for (const Vec2 uv : corners) {
            if (!std::isfinite(uv.x) || !std::isfinite(uv.y)) return Error{where, "a uv is not finite"};
        }
    }
    return Done{};
}

}  // namespace

Status check_clip(const ClipInfo& info)
{
    if (!(info.frame_time > 0.0) || !std::isfinite(info.frame_time)) {
        return Error{"frame_time", fmt::format("{} s is not a time between frames", info.frame_time)};
    }
    for (const ClipBody& body : info.bodies) {
        if (Status status = check_body(body); !status) return status;
    }
    return info.stage ? check_stage(*info.stage, info.bodies.size()) : Status(Done{});
}

Status check_change(const ClipBody& before, const ClipBody& now)
{
    if (now.value_names != before.value_names)
        return Error{fmt::format("body \"{}\"", before.name), "its values have other names when its mesh changes"};
    return check_body(now);
}

Status check_frame(const ClipBody& body, const ClipFrame& frame)
{
    const std::string where = fmt::format("body \"{}\"", body.name);
    for (Status status : {
             check_length(frame.particles.size(), body.solid.vertices.size(), where + " particles"),
             check_length(frame.surface.size(), body.surface.vertices.size(), where + " surface"),
             check_length(frame.values.size(), body.value_names.size(), where + " values"),
             check_length(frame.lines.size(), body.lines ? body.surface.triangles.size() : 0, where + " lines"),
             check_points(frame.particles, where + " particles"),
             check_points(frame.surface, where + " surface"),
         }) {
        if (!status) return status;
    }
    for (std::size_t v = 0; v < frame.values.size(); ++v) {
        const std::string name = fmt::format("{} value \"{}\"", where, body.value_names[v]);
        if (Status status = check_length(frame.values[v].size(), frame.particles.size(), name); !status) return status;
        const auto bad = std::ranges::find_if_not(frame.values[v], [](float x) { return std::isfinite(x); });
        if (bad != frame.values[v].end()) {
            return Error{fmt::format("{}[{}]", name, bad - frame.values[v].begin()), "is not finite"};
        }
    }
    return Done{};
}

}  // namespace yawara::io
