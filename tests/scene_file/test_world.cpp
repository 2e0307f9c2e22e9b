// What scenes say of the world around a body: rigid bodies, joints, groups and sensors, water with a level.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "yawara/io.h"
#include "yawara/scene_file.h"

using namespace yawara;

namespace {

std::string scene_of(const std::string& bodies, const std::string& rest = "")
{
    return R"({"yawara": 1, "bodies": [)" + bodies + "]" + (rest.empty() ? "" : ", " + rest) + "}";
}

std::string crate(const std::string& name, const std::string& more)
{
    return R"({"name": ")" + name + R"(", "solid": {"bar": {"size": [1, 1, 1], "cells": [1, 1, 1]}}, )" + more + "}";
}

LoadedScene load(const std::string& text)
{
    return LoadedScene::from_text(text, ".").value();
}

std::string error_of(const std::string& text)
{
    const auto loaded = LoadedScene::from_text(text, ".");
    return loaded ? "" : loaded.error().message();
}

double mass_of(const BodyModel& model)
{
    double sum = 0;
    for (const double m : model.masses()) sum += m;
    return sum;
}

}  // namespace

TEST_CASE("a scene may have rigid bodies, with the mass of their density or their own")
{
    LoadedScene loaded = load(scene_of(crate("a", R"("rigid": {}, "density": 300)") + ", " +
                                       crate("b", R"("rigid": {"mass": 7, "inertia": [1, 1, 1.5], "drag": 2})")));
    Scene& scene = loaded.scene();
    const BodyId a = scene.bodies()[0], b = scene.bodies()[1];
    CHECK(scene.model(a).is_rigid());
    CHECK(mass_of(scene.model(a)) == doctest::Approx(300));
    CHECK(mass_of(scene.model(b)) == doctest::Approx(7));
    CHECK(scene.body_settings(b).drag == 2);
    CHECK(error_of(scene_of(crate("a", R"("rigid": {"inertia": [1, 5, 1]})"))).find("inertia") != std::string::npos);
    CHECK(error_of(scene_of(crate("a", R"("rigid": {}, "matching": {})"))) != "");
    CHECK(error_of(scene_of(crate("a", R"("rigid": {"mass": 0})"))).find("mass") != std::string::npos);
}

TEST_CASE("joints of a scene hold bodies by their names, and a wrong one is refused with its place")
{
    const std::string bodies = crate("a", R"("rigid": {})") + ", " + crate("b", R"("place": {"translate": [1, 0, 0]})");
    const std::string hinge = R"({"body": "a", "to": "b", "point": [1, 0.5, 0.5],
        "hinge": {"axis": [0, 0, 2], "limit": [-90, 45], "speed": 3, "torque": 5}})";
    LoadedScene loaded = load(scene_of(bodies, R"("joints": [)" + hinge + R"(, {"body": "b", "point": [1.5, 2, 0.5],
        "to_point": [1.5, 3, 0.5], "select": {"plane": {"point": [0, 0.9, 0], "normal": [0, 1, 0]}}, "rope": {"length": 1.5}}])"));
    Scene& scene = loaded.scene();
    REQUIRE(scene.joints().size() == 2);
    const Joint& first = scene.joint(scene.joints()[0]);
    const auto& made = std::get<Hinge>(first.kind);
    CHECK(made.limit->first == doctest::Approx(-1.5707963));
    CHECK(made.limit->second == doctest::Approx(0.7853982));
    CHECK(made.torque == 5);
    CHECK(first.a.body == scene.bodies()[0]);
    CHECK(scene.ignores(scene.bodies()[0], scene.bodies()[1]));
    const Joint& second = scene.joint(scene.joints()[1]);
    CHECK(std::get<Rope>(second.kind).length == 1.5);
    CHECK(!second.b.body);
    CHECK(second.b.point == Vec3d{1.5, 3, 0.5});
    CHECK(second.a.particles.size() == 4);
    for (int k = 0; k < 10; ++k) loaded.step();

    CHECK(error_of(scene_of(bodies, R"("joints": [{"body": "c", "point": [0, 0, 0], "ball": {}}])"))
              .find("joints[0].body") == 0);
    CHECK(error_of(scene_of(bodies, R"("joints": [{"body": "a", "to": "a", "point": [0, 0, 0], "ball": {}}])"))
              .find("joints[0]") == 0);
    CHECK(error_of(scene_of(bodies, R"("joints": [{"body": "a", "point": [0, 0, 0]}])")) != "");
    CHECK(error_of(scene_of(bodies, R"("joints": [{"body": "a", "point": [0, 0, 0], "hinge": {"limit": [5, -5]}}])"))
              .find("limit") != std::string::npos);
}

TEST_CASE("groups, masks and sensors of a scene reach bodies and obstacles")
{
    LoadedScene loaded = load(scene_of(crate("a", R"("rigid": {}, "contact": {"groups": [1, 3], "mask": [0]})"),
                                       R"("obstacles": [{"plane": {}, "groups": [2], "sensor": true}])"));
    const ContactFilter& body = loaded.scene().body_settings(loaded.scene().bodies()[0]).contact.filter;
    CHECK(body.groups == 0b1010);
    CHECK(body.mask == 1);
    CHECK(!body.sensor);
    const ContactFilter& obstacle = loaded.scene().colliders()[0].filter;
    CHECK(obstacle.groups == 0b100);
    CHECK(obstacle.mask == ~0u);
    CHECK(obstacle.sensor);
    CHECK(!body.meets(obstacle));
}

TEST_CASE("water of a scene has a level, a box, and waves of x, z and t")
{
    LoadedScene loaded = load(scene_of(crate("a", R"("rigid": {})"), R"("medium": {"density": 1000, "level": 0.5,
        "box": {"low": [-1, -2, -1], "high": [1, 2, 1]}, "waves": "sqrt(4) + x + 10*z + 100*t"})"));
    const Medium& medium = loaded.scene().settings().medium;
    CHECK(*medium.level == 0.5f);
    CHECK(medium.box->low.y == -2);
    CHECK((*medium.waves)(1, 2, 3) == doctest::Approx(1 + 20 + 300 + 2));
    CHECK(error_of(scene_of(crate("a", R"("rigid": {})"), R"("medium": {"level": 0, "waves": "x + y"})"))
              .find("medium.waves") == 0);
    CHECK(error_of(scene_of(crate("a", R"("rigid": {})"), R"("medium": {"level": 0, "waves": "x +"})"))
              .find("medium.waves") == 0);
    CHECK(error_of(scene_of(crate("a", R"("rigid": {})"), R"("medium": {"waves": "x"})")).find("medium.waves") == 0);
}

TEST_CASE("a mesh obstacle with a point cache moves its vertices, carries what lies on it, and its errors have places")
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("yawara_cache_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    // A slab of 2 m, whose vertices go 0.5 m along x in four frames.
    ClipInfo info;
    info.bodies.push_back({"slab", boundary_surface(make_bar({2, 0.2, 2}, {2, 1, 2}, {-1, -0.2, -1})), {}, {}});
    const TriMesh& slab = info.bodies[0].surface;
    {
        auto writer = make_clip_writer("pc2", folder, info).value();
        for (int k = 0; k < 5; ++k) {
            std::vector<Vec3> surface;
            for (const Vec3d& v : slab.vertices) surface.push_back(v.as<float>() + Vec3{0.125f * float(k), 0, 0});
            const ClipFrame frame{{}, surface, {}};
            REQUIRE(writer->frame(k / 60.0, {&frame, 1}));
        }
        REQUIRE(writer->finish());
    }
    const auto text = [](const std::string& cache) {
        return scene_of(
            R"({"name": "a", "solid": {"bar": {"size": [0.3, 0.2, 0.3], "cells": [3, 2, 3]}},
                            "place": {"translate": [0, 0.3, 0]}})",
            R"("obstacles": [{"mesh": {"file": "slab.obj", "scale": 2, "translate": [0, 0.1, 0], "cache": )" + cache +
                R"(}, "friction": 1}])");
    };
    LoadedScene loaded =
        LoadedScene::from_text(text(R"({"file": "slab.pc2", "start": 1, "fps": 4})"), folder.string()).value();
    const auto vertex = [&] { return std::get<MeshDistance>(loaded.scene().colliders()[0].shape).mesh().vertices[0]; };
    const Vec3d first = slab.vertices[0] * 2.0 + Vec3d{0, 0.1, 0};
    CHECK(length(vertex() - first) < 1e-6);
    while (loaded.scene().time() < 1.5 - 1e-9) loaded.step();
    CHECK(length(vertex() - first - Vec3d{0.5, 0, 0}) < 1e-6);
    while (loaded.scene().time() < 3) loaded.step();
    CHECK(length(vertex() - first - Vec3d{1, 0, 0}) < 1e-6);
    double x = 0;
    const auto& positions = loaded.scene().state(loaded.scene().bodies()[0]).positions;
    for (const Vec3& p : positions) x += double(p.x) / double(positions.size());
    CHECK(x == doctest::Approx(1).epsilon(0.03));
    // Back to the start the vertices go back, too.
    loaded.scene().set_clock(0, 0);
    CHECK(length(vertex() - first) < 1e-6);

    const auto error = [&](const std::string& cache) {
        const auto wrong = LoadedScene::from_text(text(cache), folder.string());
        return wrong ? "" : wrong.error().message();
    };
    CHECK(error(R"({"file": "other.pc2"})").find("obstacles[0].mesh.cache.file") != std::string::npos);
    CHECK(error(R"({"file": "slab.obj"})").find("expected .pc2, .mdd, .glb or .gltf") != std::string::npos);
    CHECK(error(R"({"file": "slab.pc2", "fps": 0})").find("obstacles[0].mesh.cache.fps") != std::string::npos);
    REQUIRE(save_tri_mesh(folder / "slab.obj", boundary_surface(make_bar({1, 1, 1}, {1, 1, 1}))));
    CHECK(error(R"({"file": "slab.pc2"})").find("has 18 points; expected 8") != std::string::npos);
    std::filesystem::remove_all(folder);
}
