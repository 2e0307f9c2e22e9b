// The loop over frames, what it keeps, and clips of bodies that are replaced on the way.
#include <doctest/doctest.h>

#include "sim/bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// Keeps what a writer is given.
struct KeptClip final : ClipWriter {
    struct Frame {
        double time;
        std::vector<std::vector<Vec3>> particles, surfaces;  // per body
        std::vector<std::vector<float>> values;              // the first of each body
    };
    struct Change {
        std::size_t frame, body;
        ClipBody now;
    };
    std::vector<Frame> frames;
    std::vector<Change> changes;
    std::size_t fails_at = 1000;
    int finished = 0;

    Status frame(double time, std::span<const ClipFrame> bodies) override
    {
        if (frames.size() == fails_at) return Error{"clip", "is full"};
        Frame& frame = frames.emplace_back();
        frame.time = time;
        for (const ClipFrame& body : bodies) {
            frame.particles.emplace_back(body.particles.begin(), body.particles.end());
            frame.surfaces.emplace_back(body.surface.begin(), body.surface.end());
            frame.values.emplace_back(body.values[0].begin(), body.values[0].end());
        }
        return Done{};
    }
    Status change(std::size_t body, const ClipBody& now) override
    {
        changes.push_back({frames.size(), body, now});
        return Done{};
    }
    Status finish() override
    {
        ++finished;
        return Done{};
    }
};

struct Falling {
    Scene scene{SceneSettings{.gravity = {0, -2, 0}}};
    BodyId first = scene.add(bar(), {.matching = {.alpha = 0.4f}}, {.move = {0, 3, 0}}, {}, {0, 0, 4});
    BodyId second = scene.add(bar({0.4, 0.4, 0.4}, {2, 2, 2}), {}, {.move = {3, 3, 0}});

    std::vector<ClipBody> clip() const
    {
        return {clip_body(scene, first, {"displacement"}), clip_body(scene, second, {"displacement"})};
    }
};

}  // namespace

TEST_CASE("a scene is played frame by frame, from its start until the visitor ends it")
{
    Falling falling, twin;
    std::vector<std::size_t> numbers;
    const auto visit = [&](const PlayedFrame& frame) {
        CHECK(frame.reports.size() == (frame.number == 0 ? 0 : 2));
        CHECK(falling.scene.time() == doctest::Approx(double(frame.number) / 60));
        numbers.push_back(frame.number);
        return frame.number < 3;
    };
    CHECK(play(falling.scene, 10, visit) == 3);
    CHECK(numbers == std::vector<std::size_t>{0, 1, 2, 3});
    for (int k = 0; k < 3; ++k) twin.scene.step();
    CHECK(falling.scene.hash() == twin.scene.hash());
    CHECK(play(falling.scene, 2) == 2);
    CHECK(falling.scene.step_count() == 25);
}

TEST_CASE("recording does not change the motion, and keeps a number of every frame")
{
    Falling falling, twin;
    Measures measures;
    REQUIRE(measures.add({.name = "y", .label = "", .body = falling.first, .what = MeasureCenter{1}}, falling.scene));
    const Recording recording = record(
        falling.scene, {.frames = 8, .measured = MeasuredFrames::every_second, .measures = &measures, .visit = {}});
    play(twin.scene, 8);
    CHECK(falling.scene.hash() == twin.scene.hash());
    CHECK(recording.frames == 8);
    CHECK_FALSE(recording.stopped_early);
    REQUIRE(recording.numbers.size() == 8);
    CHECK(recording.measures[0].name == "y");
    CHECK(recording.numbers.back().measures[0] == center_of_mass(falling.scene, falling.first).y);
    for (std::size_t k = 0; k < 8; ++k) {
        CHECK(recording.numbers[k].measured == (k % 2 == 1));
        CHECK((recording.numbers[k].kinetic > 0) == (k % 2 == 1));
        CHECK(recording.numbers[k].time == doctest::Approx(double(k + 1) / 60));
    }
    CHECK_FALSE(falling.scene.body_settings(falling.first).measure);
}

TEST_CASE("a body that is replaced on the way is told to the clip before its first frame, once")
{
    Falling falling;
    KeptClip clip;
    const BodyModel fine = bar({0.5, 1.4, 0.5}, {6, 16, 6});
    std::vector<std::vector<Vec3>> seen;
    const auto visit = [&](const PlayedFrame& frame) {
        const std::vector<Vec3>& now = falling.scene.state(falling.first).positions;
        seen.push_back(now);
        if (frame.number == 4) REQUIRE(falling.scene.replace(falling.first, fine));
        return true;
    };
    const auto recording = record(falling.scene, {.frames = 9, .visit = visit}, clip, falling.clip());
    REQUIRE(recording);
    CHECK(recording->missing.empty());
    CHECK(clip.finished == 1);
    REQUIRE(clip.frames.size() == 10);
    REQUIRE(clip.changes.size() == 1);
    CHECK(clip.changes[0].frame == 5);
    CHECK(clip.changes[0].body == 0);
    CHECK(clip.changes[0].now.name == "bar");
    CHECK(clip.changes[0].now.solid.tets == std::get<TetMesh>(fine.domain()).tets);
    CHECK(clip.changes[0].now.surface.triangles == fine.surface().triangles);
    CHECK(clip.changes[0].now.value_names == std::vector<std::string>{"displacement"});
    for (std::size_t k = 0; k < 10; ++k) {
        CHECK(clip.frames[k].particles[0] == seen[k]);
        CHECK(clip.frames[k].particles[0].size() == (k < 5 ? bar() : fine).particle_count());
        CHECK(clip.frames[k].surfaces[0].size() == (k < 5 ? bar() : fine).surface().vertices.size());
    }
    // Displacements still count from the start of the recording: the particles that both meshes have, have the same.
    const auto corner = [](const BodyModel& model) {
        return std::size_t(std::ranges::find(model.rest_positions(), Vec3d{0.5, 1.4, 0.5}) -
                           model.rest_positions().begin());
    };
    REQUIRE(corner(bar()) < bar().particle_count());
    REQUIRE(corner(fine) < fine.particle_count());
    const float before = clip.frames[4].values[0][corner(bar())], after = clip.frames[5].values[0][corner(fine)];
    CHECK(before > 0.05f);
    CHECK(after > before);
    CHECK(after < 1.4f * before);
}

TEST_CASE("a body that is removed has no mesh from then on, one that is added is named as missing")
{
    Falling falling;
    KeptClip clip;
    const auto visit = [&](const PlayedFrame& frame) {
        if (frame.number == 1) REQUIRE(falling.scene.remove(falling.first));
        if (frame.number == 2) falling.scene.add(bar().renamed("late"));
        return true;
    };
    const auto recording = record(falling.scene, {.frames = 4, .visit = visit}, clip, falling.clip());
    REQUIRE(recording);
    REQUIRE(clip.changes.size() == 1);
    CHECK(clip.changes[0].frame == 2);
    CHECK(clip.changes[0].now.solid.vertices.empty());
    CHECK(clip.frames[4].particles[0].empty());
    CHECK(clip.frames[4].particles[1] == falling.scene.state(falling.second).positions);
    CHECK(recording->missing == std::vector<std::string>{"late"});
}

TEST_CASE("a clip that cannot take a frame is finished with those it has, and the error is told")
{
    Falling falling;
    KeptClip clip;
    clip.fails_at = 3;
    const auto recording = record(falling.scene, {.frames = 9, .visit = {}}, clip, falling.clip());
    REQUIRE_FALSE(recording);
    CHECK(recording.error().what == "is full");
    CHECK(clip.frames.size() == 3);
    CHECK(clip.finished == 1);
}

TEST_CASE("a scene goes back to a moment before a body was replaced, and on from there with the same bits")
{
    Falling falling;
    Script script;
    script.add_pin(std::vector<std::int32_t>{0, 1, 2}, falling.scene.state(falling.first).positions);
    falling.scene.set_script(falling.first, script);
    play(falling.scene, 5);
    const SceneMoment moment = falling.scene.moment();
    const std::uint64_t hash = falling.scene.hash();
    play(falling.scene, 5);
    const std::uint64_t later = falling.scene.hash();

    REQUIRE(falling.scene.go_to(moment));
    REQUIRE(falling.scene.replace(falling.first, bar({0.5, 1.4, 0.5}, {1, 2, 1})));
    play(falling.scene, 3);
    const SceneMoment coarse = falling.scene.moment();
    REQUIRE(falling.scene.go_to(moment));
    CHECK(falling.scene.hash() == hash);
    CHECK(falling.scene.step_count() == 25);
    CHECK(falling.scene.model(falling.first).revision() == moment.bodies[0].model.revision());
    CHECK(falling.scene.scripted_grips(falling.first)[0].particles.size() == 3);
    play(falling.scene, 5);
    CHECK(falling.scene.hash() == later);

    REQUIRE(falling.scene.go_to(coarse));  // and forth
    CHECK(falling.scene.state(falling.first).positions == coarse.bodies[0].state.positions);
    CHECK(falling.scene.time() == coarse.time);

    REQUIRE(falling.scene.remove(falling.second));
    CHECK_FALSE(falling.scene.go_to(moment));
}
