// Clips as NumPy arrays: the contract that outside programs read.
#include <doctest/doctest.h>

#include "clip_samples.h"

using namespace clip_samples;

namespace {

/// True if the array is exactly frames 0 .. of part p (0 particles, 1 surface) of body b.
bool same(const Array& array, Sample& sample, std::size_t b, std::size_t p)
{
    std::size_t i = 0;
    for (std::size_t k = 0; k < array.shape[0]; ++k) {
        sample.frame(static_cast<int>(k));
        for (const Vec3& x : sample.points[2 * b + p]) {
            if (array.values[i] != x.x || array.values[i + 1] != x.y || array.values[i + 2] != x.z) return false;
            i += 3;
        }
    }
    return i == array.values.size();
}

}  // namespace

TEST_CASE("npy clips are float32 arrays (frames, points, 3), exact, for every body")
{
    Sample sample;
    TempFolder folder;
    REQUIRE(sample.write("npy", folder / "clip", 7));
    CHECK(bytes_of(folder / "clip/bar.positions.npy").find("'descr': '<f4'") != std::string::npos);
    for (const std::size_t b : {0, 1}) {
        const std::string& name = sample.info.bodies[b].name;
        const Array positions = load_npy(folder / ("clip/" + name + ".positions.npy")).value();
        const Array surface = load_npy(folder / ("clip/" + name + ".surface.npy")).value();
        CHECK(positions.shape == std::vector<std::size_t>{7, sample.info.bodies[b].solid.vertices.size(), 3});
        CHECK(surface.shape == std::vector<std::size_t>{7, sample.info.bodies[b].surface.vertices.size(), 3});
        CHECK(same(positions, sample, b, 0));
        CHECK(same(surface, sample, b, 1));
    }
}

TEST_CASE("an npy clip of a run that was killed loads with the frames that came")
{
    Sample sample;
    TempFolder folder;
    auto writer = make_clip_writer("npy", folder / "clip", sample.info).value();
    for (int k = 0; k < 4; ++k) REQUIRE(writer->frame(sample.time(k), sample.frame(k)));
    const Array surface = load_npy(folder / "clip/unfinished_npy/bar.surface.npy").value();  // finish() was not called
    CHECK(surface.shape[0] == 4);
    CHECK(same(surface, sample, 0, 1));
}
