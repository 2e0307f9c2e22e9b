// PC2 (little-endian, without a clock) and MDD (big-endian, with the time of every frame).
#include "yawara/point_cache.h"

#include <cmath>

#include "io/binary.h"
#include "io/formats.h"
#include "io/surface_builder.h"

namespace yawara {
namespace {

/// A count that a file tells, before it is believed.
std::size_t read_count(ByteReader& in, std::string_view what)
{
    const auto count = in.get<std::int32_t>(what);
    if (count < 1) in.fail(std::string(what) + " is " + std::to_string(count) + "; expected at least 1");
    return std::size_t(count);
}

std::vector<std::vector<Vec3>> read_frames(ByteReader& in, std::size_t frames, std::size_t points)
{
    constexpr std::size_t kPoint = 3 * sizeof(float);
    in.check_room(frames, points * kPoint, "frames");
    std::vector<std::vector<Vec3>> all(frames);
    for (std::vector<Vec3>& frame : all) {
        frame.resize(points);
        for (Vec3& p : frame)
            for (float* const value : {&p.x, &p.y, &p.z}) {
                *value = in.get<float>("a coordinate");
                if (!(std::abs(double(*value)) <= io::kLargestCoordinate))
                    in.fail("a coordinate is " + std::to_string(*value) + "; expected a finite number within +-1e18");
            }
    }
    return all;
}

PointCache read_pc2(ByteReader& in)
{
    using namespace std::string_view_literals;
    if (in.take(12, "the start of a PC2 file") != "POINTCACHE2\0"sv) in.fail("is not a PC2 point cache");
    if (const auto version = in.get<std::int32_t>("a version"); version != 1)
        in.fail("is a PC2 point cache of version " + std::to_string(version) + "; expected 1");
    const std::size_t points = read_count(in, "the number of points");
    in.get<float>("the first frame");
    in.get<float>("frames per sample");
    const std::size_t frames = read_count(in, "the number of frames");
    return {read_frames(in, frames, points)};
}

PointCache read_mdd(ByteReader& in)
{
    in.set_order(std::endian::big);
    const std::size_t frames = read_count(in, "the number of frames"), points = read_count(in, "the number of points");
    in.check_room(frames, sizeof(float), "times");
    std::vector<double> times(frames);
    for (double& time : times) time = double(in.get<float>("a time"));
    PointCache cache{read_frames(in, frames, points)};
    const double duration = times.back() - times.front();
    if (duration > 0 && std::isfinite(duration)) cache.rate = double(frames - 1) / duration;
    return cache;
}

}  // namespace

Result<PointCache> load_point_cache(const std::filesystem::path& path, const std::string& animation)
{
    const std::string ending = io::lower_ending(path);
    const bool gltf = ending == ".glb" || ending == ".gltf";
    if (!gltf && ending != ".pc2" && ending != ".mdd")
        return Error{path.string(), "is not a point cache; expected .pc2, .mdd, .glb or .gltf"};
    if (!gltf && !animation.empty())
        return Error{path.string(), "has no animations to choose from; \"" + animation + "\" would be one of a .glb"};
    const Result<std::string> bytes = io::read_file(path);
    if (!bytes) return bytes.error();
    return io::guarded<PointCache>(path, [&]() -> Result<PointCache> {
        if (gltf) return io::read_gltf_animation(*bytes, path, animation);
        ByteReader in(*bytes, path.string());
        return ending == ".pc2" ? read_pc2(in) : read_mdd(in);
    });
}

}  // namespace yawara
