// Clips with another number of frames a second than the motion they are given.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "clip_samples.h"

using namespace clip_samples;

namespace {

/// Bodies in steady motion: at any time their places are known.
struct Steady {
    Sample sample;
    std::span<const ClipFrame> at(double time)
    {
        sample.frame(0);
        for (auto& points : sample.points)
            for (Vec3& p : points) p = p + Vec3{static_cast<float>(3.0 * time), 0.0f, static_cast<float>(-time)};
        for (auto& values : sample.values)
            for (float& value : values) value += static_cast<float>(time);
        return sample.frames;
    }
};

ClipReader resampled(Steady& steady, double recorded_fps, int count, double fps, const TempFolder& folder)
{
    auto writer = make_clip_writer("ywc", folder / "clip.ywc", steady.sample.info, {.fps = fps}).value();
    for (int k = 0; k < count; ++k) REQUIRE(writer->frame(1.5 + k / recorded_fps, steady.at(k / recorded_fps)));
    REQUIRE(writer->finish());
    return ClipReader::open(folder / "clip.ywc").value();
}

}  // namespace

TEST_CASE("at any number of frames a second, bodies in steady motion are where they are at that time")
{
    for (const double fps : {24.0, 25.0, 30.0, 60.0, 144.0}) {
        CAPTURE(fps);
        TempFolder folder;
        Steady steady;
        ClipReader clip = resampled(steady, 60.0, 61, fps, folder);
        CHECK(clip.info().frame_time == doctest::Approx(1.0 / fps));
        REQUIRE(clip.info().frames == static_cast<std::size_t>(fps) + 1);
        for (std::size_t k = 0; k < clip.info().frames; ++k) {
            const double time = static_cast<double>(k) / fps;
            CHECK(clip.time(k) == doctest::Approx(1.5 + time));
            const auto wanted = steady.at(time);
            const auto found = clip.frame(k).value();
            for (std::size_t b = 0; b < wanted.size(); ++b) {
                for (std::size_t v = 0; v < wanted[b].surface.size(); v += 5)
                    CHECK(length(found[b].surface[v] - wanted[b].surface[v]) < 1e-5f);
                for (std::size_t v = 0; v < wanted[b].particles.size(); ++v)
                    CHECK(length(found[b].particles[v] - wanted[b].particles[v]) < 1e-5f);
                for (std::size_t q = 0; q < wanted[b].values.size(); ++q)
                    CHECK(found[b].values[q][0] == doctest::Approx(wanted[b].values[q][0]).epsilon(1e-5));
            }
        }
    }
}

TEST_CASE("frames that fall on frames of the motion are those, bit for bit")
{
    TempFolder folder;
    Sample sample;
    auto writer = make_clip_writer("ywc", folder / "clip.ywc", sample.info, {.fps = 15.0}).value();
    for (int k = 0; k < 21; ++k) REQUIRE(writer->frame(sample.time(k), sample.frame(k)));
    REQUIRE(writer->finish());
    ClipReader clip = ClipReader::open(folder / "clip.ywc").value();
    REQUIRE(clip.info().frames == 11);
    for (std::size_t k = 0; k < 11; ++k) {
        const auto wanted = sample.frame(static_cast<int>(2 * k));
        const auto found = clip.frame(k).value();
        for (std::size_t b = 0; b < wanted.size(); ++b) CHECK(std::ranges::equal(found[b].surface, wanted[b].surface));
    }
}

TEST_CASE("a mesh that changes between two frames is never mixed with what it was")
{
    TempFolder folder;
    Sample before(12, 9), after(6, 5);
    auto writer = make_clip_writer("ywc", folder / "clip.ywc", before.info, {.fps = 75.0}).value();
    for (int k = 0; k < 4; ++k) REQUIRE(writer->frame(before.time(k), before.frame(k)));
    REQUIRE(writer->change(0, after.info.bodies[0]));
    for (int k = 4; k < 8; ++k) REQUIRE(writer->frame(after.time(k), after.frame(k)));
    REQUIRE(writer->finish());
    ClipReader clip = ClipReader::open(folder / "clip.ywc").value();
    REQUIRE(clip.changes().size() == 1);
    const std::size_t first = clip.changes()[0].frame;
    CHECK(first == 8);  // the first after 3/30 s
    CHECK(clip.frame(first - 1).value()[0].surface.size() == before.info.bodies[0].surface.vertices.size());
    const auto shown = clip.frame(first).value();
    const auto wanted = after.frame(4);
    CHECK(std::ranges::equal(shown[0].surface, wanted[0].surface));
}

TEST_CASE("a number of frames a second that is none is refused")
{
    TempFolder folder;
    const Sample sample;
    for (const double fps : {-1.0, std::nan(""), HUGE_VAL})
        CHECK_FALSE(make_clip_writer("ywc", folder / "clip.ywc", sample.info, {.fps = fps}));
}
