// Snapshots of whole scenes: what goes on from one has the bits of what was never stopped.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/rigid_bodies.h"
#include "yawara/fem.h"

using namespace yawara;
using namespace yawara::test;

namespace {

BodyModel lattice_block()
{
    BodySpec spec;
    spec.name = "lattice";
    spec.solid = Matching{make_lattice(Box3{{-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}}, 0.1, [](Vec3d) { return true; })};
    return build(std::move(spec)).value();
}

BodyModel fem_block()
{
    BodySpec spec;
    spec.name = "elements";
    Fem fem;
    fem.mesh = make_bar({0.3, 0.3, 0.3}, {2, 2, 2}, {-0.15, -0.15, -0.15});
    fem.levels = 0;
    fem.material = [](const MaterialPlace&) {
        return FemMaterial{.elasticity = isotropic(3e5, 0.3).value(), .viscosity = isotropic(3e2, 0.3).value()};
    };
    spec.solid = fem;
    return build(std::move(spec)).value();
}

/// Every kind of body, obstacle and joint, and a program that drives them.
class Everything {
public:
    Everything() : scene({.dt = 1.0 / 60, .substeps = 3, .sleep = true})
    {
        scene.add(Collider{.shape = Plane{}, .friction = 0.6f});
        lift_ = scene.add(Collider{.shape = Box{{0.5, 0.05, 0.5}, {{}, {0, 0.05, 0}}}, .friction = 0.8f});
        const PathKey keys[] = {{.time = 0}, {.time = 1, .move = {0.5, 0, 0}}, {.time = 2}};
        scene.add(Collider{.shape = Sphere{{-1, 0.2, 0.5}, 0.2}, .path = Path(keys, true, {})});
        gate_ = scene.add(Collider{.shape = Box{{3, 0.02, 3}, {{}, {0, 0.8, 0}}}, .filter = {.sensor = true}});
        blob_ = scene.add(Collider{
            .shape =
                MeshDistance::build(boundary_surface(make_bar({0.5, 0.2, 0.5}, {2, 1, 2}, {1.2, 0, -0.25}))).value()});
        jelly_ = scene.add(jelly(), {.matching = {.alpha = 0.5f}}, {{}, {0, 0.6, 0}});
        lattice_ = scene.add(lattice_block(), {}, {rotation_of({0.3, 0, 0.5}), {0.1, 1.3, 0}});
        elements_ = scene.add(fem_block(), {}, {{}, {1.4, 0.6, 0}});
        axle_ = scene.add(brick({0.1, 0.1, 0.3}), {}, {{}, {-1, 1, -1}});
        wheel_ = scene.add(brick({0.3, 0.3, 0.1}), {}, {{}, {-1, 1, -0.75}});
        sleeper_ = scene.add(crate(0.3), {}, {{}, {-2, 0, 2}});
        ghost_ = scene.add(crate(0.2), {}, {{}, {0, 2.2, 0}});
        motor_ = scene.add(Joint{Hinge{{0, 0, 1}, {}, 4, 5}, {wheel_, {-1, 1, -0.8}}, {axle_, {-1, 1, -0.8}}}).value();
        scene.add(Joint{Rope{0.5}, {axle_, {-1, 1, -1}}, {std::nullopt, {-1, 1.5, -1}}}).value();
        REQUIRE(scene.ignore(ghost_, lattice_));
    }

    void frame()
    {
        const double t = scene.time();
        REQUIRE(scene.move(lift_, {rotation_of({0, 0.5 * std::sin(t), 0}), {0, 0.2 * std::sin(3 * t), 0}}));
        std::vector<Vec3d> vertices = rest_of_blob();
        for (Vec3d& v : vertices) v.y *= 1 + 0.3 * std::sin(4 * t);
        REQUIRE(scene.deform(blob_, vertices));
        scene.step();
    }

    /// What the program did once, long ago.
    void meddle()
    {
        scene.grips(jelly_).push_back({{0, 1}, {{-0.2f, 0.5f, -0.2f}, {-0.1f, 0.5f, -0.2f}}, {}, 300});
        scene.pushes(elements_).push_back({{}, {}, {0.5f, 0, 0}});
        std::get<Hinge>(scene.joint(motor_).kind).speed = -2;
    }

    std::string events() const
    {
        std::string told;
        for (const TouchEvent& e : scene.touches()) {
            const auto number = [](float value) { return std::to_string(value) + " "; };
            told += std::to_string(int(e.phase)) + ":" + std::to_string(e.body.slot) + "," +
                    std::to_string(e.other.index()) + " " + number(e.point.x) + number(e.normal.y) + number(e.impulse);
        }
        for (const SceneEvent& e : scene.events()) told += "e" + std::to_string(int(e.what));
        return told;
    }

    Scene scene;

private:
    static std::vector<Vec3d> rest_of_blob()
    {
        return boundary_surface(make_bar({0.5, 0.2, 0.5}, {2, 1, 2}, {1.2, 0, -0.25})).vertices;
    }
    ColliderId lift_, gate_, blob_;
    BodyId jelly_, lattice_, elements_, axle_, wheel_, sleeper_, ghost_;
    JointId motor_;
};

}  // namespace

TEST_CASE("a scene with everything in it goes on from a snapshot with the same bits and events, also a fresh one")
{
    Everything whole;
    for (int k = 0; k < 45; ++k) {
        whole.frame();
        if (k == 10) whole.meddle();
    }
    const std::string snapshot = whole.scene.snapshot();
    const auto go_on = [&](Everything& scene) {
        std::vector<std::pair<std::uint64_t, std::string>> told;
        for (int k = 0; k < 45; ++k) {
            scene.frame();
            told.emplace_back(scene.scene.hash(), scene.events());
        }
        return told;
    };
    const auto expected = go_on(whole);
    for (const char* event : {"0:", "1:", "2:"})  // touches began, stayed and ended
        CHECK(std::ranges::any_of(expected, [&](const auto& f) { return f.second.find(event) != std::string::npos; }));

    Everything fresh;
    if (const Status there = fresh.scene.restore(snapshot); !there) FAIL(there.error().message());
    CHECK(fresh.scene.snapshot() == snapshot);
    CHECK(fresh.scene.step_count() == 3 * 45);
    CHECK(go_on(fresh) == expected);
    // Back in time in the scene itself.
    REQUIRE(whole.scene.restore(snapshot));
    CHECK(go_on(whole) == expected);
}

TEST_CASE("going back to a moment repeats the events, too: what touched then did not begin anew")
{
    Everything scene;
    for (int k = 0; k < 40; ++k) scene.frame();
    const SceneMoment moment = scene.scene.moment();
    scene.frame();
    const std::string expected = scene.events();
    for (int k = 0; k < 5; ++k) scene.frame();
    REQUIRE(scene.scene.go_to(moment));
    scene.frame();
    CHECK(scene.events() == expected);
}

TEST_CASE("a snapshot of another scene is refused with what differs, and changes nothing")
{
    const auto build_scene = [](auto change) {
        Scene scene;
        scene.add(Collider{.shape = Plane{}});
        const BodyId a = scene.add(brick(), {}, {{}, {0, 1, 0}}), b = scene.add(jelly(), {}, {{}, {0, 2, 0}});
        REQUIRE(scene.add(Joint{BallJoint{}, {a, {0, 1.5, 0}}, {b, {0, 1.5, 0}}}));
        change(scene, a, b);
        return scene;
    };
    const auto nothing = [](Scene&, BodyId, BodyId) {};
    const std::string snapshot = build_scene(nothing).snapshot();
    const auto error = [&](auto change) {
        Scene scene = build_scene(change);
        const std::string before = scene.snapshot();
        const Status status = scene.restore(snapshot, "save.yws");
        CHECK(scene.snapshot() == (status ? snapshot : before));
        return status ? std::string() : status.error().message();
    };
    CHECK(error(nothing) == "");
    CHECK(error([](Scene& scene, BodyId, BodyId) { scene.add(brick()); }) ==
          "save.yws: is of another scene: it has 2 bodies, this scene 3");
    CHECK(error([](Scene& scene, BodyId, BodyId) { scene.add(Collider{}); }) ==
          "save.yws: is of another scene: it has 1 obstacles, this scene 2");
    CHECK(error([](Scene& scene, BodyId, BodyId) {
              REQUIRE(scene.replace(scene.collider_ids()[0], Collider{.shape = Sphere{}}));
          }) == "save.yws: is of another scene: obstacle 0 is a plane in it, a sphere here");
    CHECK(error([](Scene& scene, BodyId, BodyId) { REQUIRE(scene.remove(scene.joints()[0])); }) ==
          "save.yws: is of another scene: it has 1 joints, this scene 0");
    CHECK(error([](Scene& scene, BodyId a, BodyId) {
              REQUIRE(scene.remove(scene.joints()[0]));
              REQUIRE(scene.add(Joint{Rope{}, {a, {0, 1, 0}}, {}}));
          }) ==
          "save.yws: is of another scene: joint 0 is a ball joint of \"brick\" and \"jelly\" in it, a rope of "
          "\"brick\" and the world here");
    CHECK(error([](Scene& scene, BodyId, BodyId b) {
              REQUIRE(scene.replace(b, jelly({0.4, 0.4, 0.5})));
          }).find("body \"jelly\" has another rest shape or mass") != std::string::npos);
}

TEST_CASE("a cut or changed snapshot is an error, also if its checksum was made to fit")
{
    Everything scene;
    for (int k = 0; k < 5; ++k) scene.frame();
    const std::string good = scene.scene.snapshot();
    const auto fails = [&](const std::string& bytes) {
        const Status status = scene.scene.restore(bytes);
        return !status && !status.error().what.empty();
    };
    for (std::size_t size = 0; size < good.size(); size += 1 + size / 9) CHECK(fails(good.substr(0, size)));
    CHECK(fails(good + "x"));
    for (std::size_t i = 0; i < good.size(); i += 1 + i / 9) {
        std::string changed = good;
        changed[i] = char(changed[i] ^ 0x41);
        CHECK(fails(changed));
    }
    CHECK(scene.scene.snapshot() == good);
    // With a checksum that fits, a change may be a state like any other, but the next step survives it.
    const auto sign = [](std::string& bytes) {
        std::uint64_t hash = 0xcbf29ce484222325ull, word = 0;
        const std::size_t size = bytes.size() - sizeof hash;
        std::size_t k = 0;
        for (; k + sizeof word <= size; k += sizeof word) {
            std::memcpy(&word, bytes.data() + k, sizeof word);
            hash = (hash ^ word) * 0x100000001b3ull;
            hash ^= hash >> 32;
        }
        for (; k < size; ++k) hash = (hash ^ static_cast<unsigned char>(bytes[k])) * 0x100000001b3ull;
        std::memcpy(bytes.data() + size, &hash, sizeof hash);
    };
    std::string same = good;
    sign(same);
    REQUIRE(same == good);
    int accepted = 0, tried = 0;
    for (std::size_t i = 12; i + 8 < good.size(); i += 1 + i / 40) {
        std::string changed = good;
        changed[i] = char(changed[i] ^ (tried++ % 2 ? 0x41 : 0xff));
        sign(changed);
        if (!scene.scene.restore(changed)) continue;
        ++accepted;
        scene.scene.step();
        for (const BodyId id : scene.scene.bodies())
            for (const Vec3& x : scene.scene.state(id).positions) REQUIRE(is_finite(x));
    }
    CHECK(accepted > 0);
    CHECK(accepted < tried);
}

TEST_CASE("a snapshot goes through a file")
{
    const std::filesystem::path path = std::filesystem::temp_directory_path() / "yawara_test_snapshot.yws";
    Everything scene;
    scene.frame();
    REQUIRE(save_snapshot(scene.scene, path));
    Everything other;
    REQUIRE(load_snapshot(other.scene, path));
    CHECK(other.scene.hash() == scene.scene.hash());
    std::filesystem::remove(path);
    CHECK(load_snapshot(other.scene, path).error().message() == path.string() + ": no such file");
}
