// The motion of a body from clips and point caches.
#include <fmt/format.h>

#include "io/file.h"
#include "yawara/embedding.h"
#include "yawara/io.h"
#include "yawara/point_cache.h"
#include "yawara/scene_muscles.h"

namespace yawara {
namespace {

Result<MotionTarget> read_clip(const std::filesystem::path& path, const BodyModel& body)
{
    Result<ClipReader> clip = ClipReader::open(path);
    if (!clip) return clip.error();
    const std::vector<ClipBody>& bodies = clip->info().bodies;
    std::size_t own = bodies.size();
    for (std::size_t k = 0; k < bodies.size(); ++k)
        if (bodies.size() == 1 || bodies[k].name == body.name()) own = k;
    if (own == bodies.size()) return Error{path.string(), fmt::format("has no body \"{}\"", body.name())};
    MotionTarget target;
    for (std::size_t k = 0; k < clip->info().frames; ++k) {
        const auto frame = clip->frame(k);
        if (!frame) return frame.error();
        const std::span<const Vec3> places = (*frame)[own].particles;
        if (places.size() != body.particle_count())
            return Error{path.string(),
                         fmt::format("body \"{}\" has {} particles in frame {}, {} in the scene: record the "
                                     "particles of the same mesh",
                                     body.name(), places.size(), k, body.particle_count())};
        target.times.push_back(clip->time(k));
        target.positions.emplace_back(places.begin(), places.end());
    }
    return target;
}

/// Particles from drawn vertices: the inside follows.
std::vector<Vec3> from_surface(const BodyModel& body, std::span<const Vec3> vertices)
{
    std::vector<Vec3d> pose;
    for (const Vec3& p : vertices) pose.push_back(p.as<double>());
    const std::vector<Vec3d> carried =
        std::visit([&](const auto& solid) { return carry_pose(solid, body.surface().vertices, pose); }, body.domain());
    std::vector<Vec3> out;
    for (const Vec3d& p : carried) out.push_back(p.as<float>());
    return out;
}

Result<MotionTarget> read_cache(const std::filesystem::path& path, const BodyModel& body, double rate)
{
    Result<PointCache> cache = load_point_cache(path);
    if (!cache) return cache.error();
    const std::size_t points = cache->frames.front().size(), vertices = body.surface().vertices.size();
    const bool has_particles = points == body.particle_count();
    if (!has_particles && points != vertices)
        return Error{path.string(), fmt::format("has {} points, \"{}\" has {} particles and {} drawn vertices: it is "
                                                "the motion of another body",
                                                points, body.name(), body.particle_count(), vertices)};
    MotionTarget target;
    for (std::size_t k = 0; k < cache->frames.size(); ++k) {
        target.times.push_back(double(k) / cache->rate.value_or(rate));
        target.positions.push_back(has_particles ? std::move(cache->frames[k]) : from_surface(body, cache->frames[k]));
    }
    return target;
}

}  // namespace

Result<MotionTarget> load_motion(const std::filesystem::path& path, const BodyModel& body, double rate)
{
    const std::string ending = io::lower_ending(path);
    if (ending == ".pc2" || ending == ".mdd") return read_cache(path, body, rate);
    return read_clip(path, body);
}

}  // namespace yawara
