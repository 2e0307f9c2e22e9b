// Scenes built from text and run: where bodies start, what holds and pushes them, and states saved and continued.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "yawara/scene_file.h"

using namespace yawara;

namespace {

/// A folder of its own, gone at the end.
struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("yawara_scene_file_" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
};

std::string one_body(const std::string& more, const std::string& rest = "",
                     const std::string& solid = R"({"bar": {"size": [1, 1, 1], "cells": [2, 2, 2]}})")
{
    return R"({"yawara": 1, "bodies": [{"name": "a", "solid": )" + solid + (more.empty() ? "" : ", " + more) + "}]" +
           (rest.empty() ? "" : ", " + rest) + "}";
}

LoadedScene load(const std::string& text, const std::filesystem::path& folder = ".")
{
    return LoadedScene::from_text(text, folder).value();
}

std::string error_of(const std::string& text, const std::filesystem::path& folder = ".")
{
    const auto loaded = LoadedScene::from_text(text, folder);
    return loaded ? "" : loaded.error().message();
}

std::string content(const std::filesystem::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

void write(const std::filesystem::path& path, const std::string& text)
{
    std::ofstream(path, std::ios::binary) << text;
}

/// A body with everything that moves: pins, a wringing handle that lets go, a passing force, contact.
const std::string kBusy = one_body(
    R"("place": {"translate": [0, 0.3, 0]}, "matching": {"passes": 2, "alpha": 1, "region_damping": 0.01},
       "pins": [{"select": {"plane": {"point": [-0.4, 0, 0], "normal": [-1, 0, 0]}}}],
       "handles": [{"select": {"plane": {"point": [0.4, 0, 0], "normal": [1, 0, 0]}}, "release": 0.3,
                    "path": [{"time": 0}, {"time": 0.25, "move": [0.2, 0, 0], "turn": {"axis": [1, 0, 0], "degrees": 200}}]}],
       "forces": [{"force": [0, 30, 10], "from": 0.1, "until": 0.35}])",
    R"("obstacles": [{"plane": {}}, {"sphere": {"center": [0, 0, 0], "radius": 0.2}}])",
    R"({"bar": {"size": [1, 0.4, 0.4], "cells": [6, 3, 3]}})");

}  // namespace

TEST_CASE("a bar stands on the ground, then is scaled, turned and moved")
{
    LoadedScene scene =
        load(one_body(R"("place": {"scale": 3, "rotate": {"axis": [0, 0, 1], "degrees": 90}, "translate": [10, 0, 0]})",
                      "", R"({"bar": {"size": [1, 2, 3], "cells": [2, 2, 2]}})"));
    Box3 box;
    for (const Vec3& p : scene.scene().state(scene.scene().bodies()[0]).positions) box.add(p.as<double>());
    CHECK(length(box.low - Vec3d{4, -1.5, -4.5}) < 1e-5);
    CHECK(length(box.high - Vec3d{10, 1.5, 4.5}) < 1e-5);
    double mass = 0;
    for (const double m : scene.scene().model(scene.scene().bodies()[0]).masses()) mass += m;
    CHECK(mass == doctest::Approx(27 * 6 * 1000));
}

TEST_CASE("selections speak of the solid before it is placed")
{
    LoadedScene scene = load(one_body(
        R"("place": {"scale": 5, "translate": [100, 0, 0]}, "pins": [{"select": {"box": {"low": [0.5, 0, -1], "high": [0.5, 1, 1]}}}])"));
    REQUIRE(scene.scene().scripted_grips(scene.scene().bodies()[0]).size() == 1);
    CHECK(scene.scene().scripted_grips(scene.scene().bodies()[0])[0].particles.size() == 9);
    for (const Vec3& p : scene.scene().scripted_grips(scene.scene().bodies()[0])[0].targets)
        CHECK(p.x == doctest::Approx(102.5));
}

TEST_CASE("without pins a body falls as it should, pinned particles stay to the bit")
{
    LoadedScene free = load(one_body(""));
    const float top = free.scene().state(free.scene().bodies()[0]).positions.back().y;
    for (int k = 0; k < 30; ++k) free.step();
    CHECK(free.scene().time() == doctest::Approx(0.5));
    CHECK(free.frame() == 30);
    CHECK(free.scene().state(free.scene().bodies()[0]).positions.back().y - top ==
          doctest::Approx(-0.5 * 9.8 * 0.25).epsilon(0.02));

    LoadedScene held = load(one_body(R"("pins": [{"select": {"vertices": [0, 1, 2]}}])"));
    const std::vector<Vec3> start = held.scene().state(held.scene().bodies()[0]).positions;
    for (int k = 0; k < 30; ++k) held.step();
    for (int i = 0; i < 3; ++i) CHECK(held.scene().state(held.scene().bodies()[0]).positions[i] == start[i]);
    CHECK(held.scene().state(held.scene().bodies()[0]).positions.back() != start.back());
}

TEST_CASE("particles of a hard handle are where the path says, with its velocity")
{
    LoadedScene scene = load(one_body(
        R"("handles": [{"select": "all", "smooth": false, "path": [{"time": 0}, {"time": 1, "move": [3, 0, 0]}]}])"));
    const std::vector<Vec3> start = scene.scene().state(scene.scene().bodies()[0]).positions;
    for (int k = 0; k < 20; ++k) scene.step();
    const BodyState& state = scene.scene().state(scene.scene().bodies()[0]);
    for (std::size_t i = 0; i < start.size(); ++i) {
        CHECK(length(state.positions[i] - start[i] - Vec3{1, 0, 0}) < 1e-5f);
        CHECK(length(state.velocities[i] - Vec3{3, 0, 0}) < 1e-3f);
    }
}

TEST_CASE("a soft handle carries the weight with the stretch of its springs")
{
    // 27 particles share 1000 kg; 10^4 N/m each: 9800 / 270000 m.
    LoadedScene scene = load(one_body(
        R"("handles": [{"select": "all", "stiffness": 10000}], "masses": "uniform", "matching": {"drag": 8})"));
    const Vec3 start = scene.scene().state(scene.scene().bodies()[0]).positions[13];
    for (int k = 0; k < 180; ++k) scene.step();
    CHECK(scene.scene().state(scene.scene().bodies()[0]).positions[13].y - start.y ==
          doctest::Approx(-9800.0 / 270000).epsilon(0.02));
}

TEST_CASE("forces give the momentum of their impulse")
{
    LoadedScene scene = load(one_body(R"("forces": [{"force": [50, 0, 0], "from": 0.1, "until": 0.2}])",
                                      R"("step": {"gravity": [0, 0, 0]})"));
    for (int k = 0; k < 18; ++k) scene.step();
    Vec3d momentum;
    const auto masses = scene.scene().model(scene.scene().bodies()[0]).masses();
    for (std::size_t i = 0; i < masses.size(); ++i) {
        momentum += scene.scene().state(scene.scene().bodies()[0]).velocities[i].as<double>() * masses[i];
    }
    CHECK(momentum.x == doctest::Approx(27 * 50 * 0.1).epsilon(1e-3));
}

TEST_CASE("arrays set masses, positions and velocities")
{
    const Folder folder;
    const std::vector<double> masses{1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<float> positions;
    for (int i = 0; i < 24; ++i) positions.push_back(0.1f * float(i % 7) + float(i));
    const std::size_t list[] = {8}, table[] = {8, 3};
    REQUIRE(save_npy(folder.path / "m.npy", list, masses));
    REQUIRE(save_npy(folder.path / "x.npy", table, positions));
    const std::string solid = R"({"bar": {"size": [1, 1, 1], "cells": [1, 1, 1]}})";
    LoadedScene scene =
        load(one_body(R"("masses": "m.npy", "initial": {"positions": "x.npy", "velocities": "x.npy"})", "", solid),
             folder.path);
    for (std::size_t i = 0; i < 8; ++i) {
        CHECK(scene.scene().model(scene.scene().bodies()[0]).masses()[i] == masses[i]);
        CHECK(scene.scene().state(scene.scene().bodies()[0]).positions[i] ==
              Vec3{positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]});
        CHECK(scene.scene().state(scene.scene().bodies()[0]).velocities[i] ==
              scene.scene().state(scene.scene().bodies()[0]).positions[i]);
    }
    CHECK(error_of(one_body(R"("initial": {"positions": "x.npy"})"), folder.path)
              .starts_with("bodies[0].initial.positions: "));
    CHECK(error_of(one_body(R"("initial": {"positions": "x.npy"})"), folder.path)
              .ends_with("has shape (8, 3), expected (27, 3)"));
    CHECK(error_of(one_body(R"("masses": "m.npy")"), folder.path) == "bodies[0].masses: 8 values for 27 particles");
    CHECK(error_of(one_body(R"("masses": [1, 2, 3])")) == "bodies[0].masses: 3 values for 27 particles");
    positions[5] = std::nanf("");
    REQUIRE(save_npy(folder.path / "x.npy", table, positions));
    CHECK(error_of(one_body(R"("initial": {"positions": "x.npy"})", "", solid), folder.path).find("value 5 of") !=
          std::string::npos);
}

TEST_CASE("an empty selection is an error that shows the body")
{
    CHECK(error_of(one_body(R"("pins": [{"select": {"sphere": {"center": [9, 9, 9], "radius": 1}}}])")) ==
          "bodies[0].pins[0].select: selects no particle; the body at rest, before \"place\", spans [-0.5, 0, -0.5] to "
          "[0.5, 1, 0.5]");
}

TEST_CASE("the first of several errors is returned with the number of the others")
{
    CHECK(error_of(one_body(R"("density": -1, "spn": [0, 0, 0])")) ==
          "bodies[0].density: -1 is outside [1e-06, 1e+09] (and 1 more: `yawara check` lists them)");
}

TEST_CASE("lattices and formulas that lose a limb say so, and those that do not are silent")
{
    // Two balls with a stick of 0.08 m between them.
    const auto dumbbell = [](const char* cell) {
        return one_body(
            "", "",
            fmt::format(
                R"json({{ "formula": "min(min(length(x, y, z) - 0.5, length(x - 2, y, z) - 0.3), max(length(0, y - 0.06, z - 0.06) - 0.04, abs(x - 1) - 1))", "box": {{ "low": [-0.6, -0.6, -0.6], "high": [2.4, 0.6, 0.6] }}, "cell": {} }})json",
                cell));
    };
    const auto warned = [](const LoadedScene& scene, const char* words) {
        return std::any_of(scene.warnings().begin(), scene.warnings().end(),
                           [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
    };
    LoadedScene coarse = load(dumbbell("0.2"));
    CHECK(warned(coarse, "% of the surface is more than 1.5 cells from the solid"));
    CHECK(warned(coarse, "a shape in 1 piece fell into 2 parts"));
    const LoadedScene fine = load(dumbbell("0.04"));
    CHECK_FALSE(warned(fine, "cells from the solid"));
    CHECK_FALSE(warned(fine, "fell into"));

    const Folder folder;
    REQUIRE(save_tri_mesh(folder.path / "dumbbell.ply", coarse.scene().model(coarse.scene().bodies()[0]).surface()));
    const auto lattice = [&](const char* cell) {
        return load(one_body("", "", fmt::format(R"({{ "lattice": {{ "from": "dumbbell.ply", "cell": {} }} }})", cell)),
                    folder.path);
    };
    CHECK(warned(lattice("0.19"), "fell into 2 parts"));
    CHECK_FALSE(warned(lattice("0.03"), "fell into"));
    CHECK_FALSE(warned(lattice("0.03"), "cells from the solid"));
    CHECK_FALSE(warned(lattice("0.03"), "of the volume"));
}

TEST_CASE("surfaces become solids of the wanted size, lattices and obstacles")
{
    const Folder folder;
    // An octahedron of height 2 that does not stand on the ground.
    write(folder.path / "o.obj",
          "v 1 5 0\nv -1 5 0\nv 0 6 0\nv 0 4 0\nv 0 5 1\nv 0 5 -1\n"
          "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n");
    LoadedScene scene = load(one_body("", R"("obstacles": [{"mesh": {"file": "o.obj", "translate": [0, -20, 0]}}])",
                                      R"({"from": "o.obj", "height": 0.5, "stand": true, "particles": 300})"),
                             folder.path);
    CHECK(scene.scene().colliders().size() == 1);
    REQUIRE(scene.solid_reports()[0]);
    Box3 box;
    for (const Vec3d& p : scene.scene().model(scene.scene().bodies()[0]).surface().vertices) box.add(p);
    CHECK(length(box.low - Vec3d{-0.25, 0, -0.25}) < 1e-12);
    CHECK(length(box.high - Vec3d{0.25, 0.5, 0.25}) < 1e-12);
    double mass = 0;
    for (const double m : scene.scene().model(scene.scene().bodies()[0]).masses()) mass += m;
    CHECK(mass == doctest::Approx(1000 * 4.0 / 3 / 64).epsilon(0.1));

    LoadedScene voxels = load(one_body("", "", R"({"lattice": {"from": "o.obj", "cell": 0.1}})"), folder.path);
    const auto& lattice = std::get<Lattice>(voxels.scene().model(voxels.scene().bodies()[0]).domain());
    CHECK(double(lattice.cells.size()) * 1e-3 == doctest::Approx(4.0 / 3).epsilon(0.1));
    CHECK(voxels.scene().model(voxels.scene().bodies()[0]).surface().vertices.size() == 6);
    CHECK(error_of(one_body("", "", R"({"from": "o.obj", "cell": 0.001})"), folder.path).find("too fine") !=
          std::string::npos);

    LoadedScene dressed = load(
        one_body(R"("surface": "o.obj")", "", R"({"from": "o.obj", "height": 0.5, "particles": 100})"), folder.path);
    CHECK(bounds(dressed.scene().model(dressed.scene().bodies()[0]).surface().vertices).size().y ==
          doctest::Approx(0.5));
}

TEST_CASE("a body so far from the origin that its positions round noticeably is told of, with the distance")
{
    const auto at = [](const std::string& x) {
        return load(one_body(R"("place": {"translate": [)" + x + ", 0, 0]}"));
    };
    const LoadedScene far = at("-100000");
    REQUIRE(far.warnings().size() == 1);
    CHECK(far.warnings()[0].starts_with("bodies[0]: 1e+05 m from the origin, positions are exact to 0.006 m, "));
    CHECK(at("100").warnings().empty());
    REQUIRE(at("10000").warnings().size() == 1);  // stiff matching amplifies what rounding does
}

TEST_CASE("a tet mesh keeps its vertex order, and its faults become warnings")
{
    const Folder folder;
    TetMesh mesh = make_bar({1, 1, 1}, {1, 1, 1});
    std::swap(mesh.tets[0][0], mesh.tets[0][1]);
    REQUIRE(save_tet_mesh(folder.path / "b.mesh", mesh));
    LoadedScene scene = load(one_body("", "", R"({"tets": "b.mesh"})"), folder.path);
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(scene.scene().model(scene.scene().bodies()[0]).rest_positions()[i] == mesh.vertices[i]);
    REQUIRE(!scene.warnings().empty());
    CHECK(scene.warnings()[0].starts_with("bodies[0].solid: "));
    CHECK(error_of(one_body("", "", R"({"from": "b.mesh"})"), folder.path).find("is a volume mesh") !=
          std::string::npos);
}

TEST_CASE("a tet mesh with a vertex in no tet is taken by shape matching and by finite elements, with a warning")
{
    const Folder folder;
    write(folder.path / "loose.mesh",
          "MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0.5 0.5 0.5 0\n0 1 0 0\n0 0 1 0\n"
          "Triangles\n1\n1 2 4 0\nTetrahedra\n1\n1 2 4 5 0\nEdges\n0\n End");
    for (const char* method : {R"("matching": {})", R"("fem": {"materials": [{"young": 1000, "poisson": 0.3}]})"}) {
        CAPTURE(method);
        const std::string text = one_body(method, "", R"({"tets": "loose.mesh"})");
        REQUIRE(error_of(text, folder.path) == "");
        LoadedScene scene = load(text, folder.path);
        CHECK(scene.warnings().size() == 2);
        for (int k = 0; k < 5; ++k) scene.step();
        for (const Vec3& p : scene.scene().state(scene.scene().bodies()[0]).positions) CHECK(is_finite(p));
    }
}

TEST_CASE("a continued run has the same bits as one that was never stopped")
{
    const Folder folder;
    const auto file = folder.path / "state.bin";
    LoadedScene whole = load(kBusy);
    LoadedScene first = load(kBusy);
    for (int k = 0; k < 40; ++k) whole.step();
    for (int k = 0; k < 13; ++k) first.step();
    REQUIRE(first.save_state(file));
    LoadedScene second = load(kBusy);
    REQUIRE(second.load_state(file));
    CHECK(second.frame() == 13);
    for (int k = 13; k < 40; ++k) second.step();
    CHECK(second.scene().state(second.scene().bodies()[0]) == whole.scene().state(whole.scene().bodies()[0]));
    CHECK(second.scene().time() == whole.scene().time());
    // Back again, from a time after the release of the handle to one before.
    REQUIRE(second.load_state(file));
    for (int k = 13; k < 40; ++k) second.step();
    CHECK(second.scene().hash() == whole.scene().hash());
}

TEST_CASE("a cut, changed or foreign state file is refused and changes nothing")
{
    const Folder folder;
    const auto file = folder.path / "state.bin";
    LoadedScene scene = load(kBusy);
    for (int k = 0; k < 3; ++k) scene.step();
    REQUIRE(scene.save_state(file));
    const std::string good = content(file);
    const std::uint64_t hash = scene.scene().hash();
    const auto error = [&](const std::string& bytes) {
        write(file, bytes);
        const Status status = scene.load_state(file);
        CHECK(scene.scene().hash() == hash);
        CHECK(scene.frame() == 3);
        return status ? std::string() : status.error().what;
    };
    CHECK(error(good) == "");
    for (std::size_t size = 0; size < good.size(); size += 1 + size / 7) CHECK(error(good.substr(0, size)) != "");
    CHECK(error(good + "x") == "is damaged: its checksum does not fit");
    CHECK(error("hello") == "is not a state file");
    for (std::size_t i = 0; i < good.size(); i += 1 + i / 5) {
        std::string changed = good;
        changed[i] = static_cast<char>(changed[i] ^ 0x41);
        CHECK(error(changed) != "");
    }
    LoadedScene other = load(one_body(""));
    write(file, good);
    CHECK(other.load_state(file).error().what == "is of another scene: body \"a\" has 112 particles in it, 27 here");
    CHECK(!other.load_state(folder.path / "none.bin"));
    CHECK(!scene.save_state(folder.path / "no_folder" / "state.bin"));
}

TEST_CASE("a body that cannot become as stiff as asked for says how many substeps would do")
{
    const auto warnings = [](int substeps) {
        const std::string step = fmt::format(R"("step": {{"dt": 0.02, "substeps": {}}})", substeps);
        const LoadedScene loaded =
            LoadedScene::from_text(one_body(R"("matching": {"young": 1e12})", step), ".").value();
        return std::vector<std::string>(loaded.warnings().begin(), loaded.warnings().end());
    };
    REQUIRE(warnings(1).size() == 1);
    const std::string said = warnings(1)[0];
    CHECK(said.find("bodies[0]: a step of 0.02 s gives a Young's modulus of") == 0);
    const std::size_t at = said.rfind(": ") + 2;
    const int enough = std::stoi(said.substr(at));
    CHECK(enough > 1);
    CHECK(warnings(enough).empty());
    CHECK(warnings(enough - 1).size() == 1);
}

TEST_CASE("loading can be watched and cancelled")
{
    std::vector<std::string> phases;
    const Progress watch = [&](std::string_view phase, double) {
        phases.emplace_back(phase);
        return true;
    };
    CHECK(LoadedScene::from_text(one_body(""), ".", "s", watch));
    REQUIRE(!phases.empty());
    CHECK(phases[0] == "building a");
    const Progress stop = [](std::string_view, double) { return false; };
    CHECK(LoadedScene::from_text(one_body(""), ".", "s", stop).error().what == "cancelled");
}

TEST_CASE("an obstacle on a path is where its keys say, also after a state was loaded, and carries what lies on it")
{
    const std::string text = R"({"yawara": 1, "bodies": [
            {"name": "a", "solid": {"bar": {"size": [0.3, 0.3, 0.3], "cells": [3, 3, 3]}}, "place": {"translate": [0, 0.3, 0]}}],
           "obstacles": [{"box": {"size": [2, 0.2, 2], "center": [0, 0, 0]}, "friction": 1,
                          "path": [{"time": 0.5}, {"time": 1.5, "move": [1, 0, 0],
                                    "turn": {"axis": [0, 1, 0], "degrees": 90}}]}]})";
    const Folder folder;
    LoadedScene scene = LoadedScene::from_text(text, ".").value();
    for (int frame = 0; frame < 60; ++frame) scene.step();
    const Placement at = scene.scene().colliders()[0].motion->end;
    CHECK(length(at.move - Vec3d{0.5, 0, 0}) < 1e-6);  // half way of a symmetric path; turned about its own centre
    CHECK(length(at.turn.c0 - Vec3d{std::sqrt(0.5), 0, -std::sqrt(0.5)}) < 1e-6);
    REQUIRE(scene.save_state(folder.path / "a.yws"));
    for (int frame = 0; frame < 30; ++frame) scene.step();
    LoadedScene again = LoadedScene::from_text(text, ".").value();
    REQUIRE(again.load_state(folder.path / "a.yws"));
    CHECK(length(again.scene().colliders()[0].motion->end.move - at.move) < 1e-12);
    for (int frame = 0; frame < 30; ++frame) again.step();
    CHECK(again.scene().hash() == scene.scene().hash());
    CHECK(error_of(R"({"yawara": 1, "bodies": [], "obstacles": [{"plane": {}, "path": [{"time": 1}, {"time": 1}]}]})")
              .find("not later than") != std::string::npos);
}

TEST_CASE("an edited scene keeps the models that did not change and steps like one built anew")
{
    const auto text = [](double alpha, int cells, double friction) {
        return fmt::format(
            R"({{"yawara": 1, "bodies": [
                {{"name": "a", "solid": {{"bar": {{"size": [1, 1, 1], "cells": [3, 3, 3]}}}}, "matching": {{"alpha": {}}},
                  "place": {{"translate": [0, 1, 0]}}}},
                {{"name": "b", "solid": {{"bar": {{"size": [1, 1, 1], "cells": [{}, 2, 2]}}}}}}],
               "obstacles": [{{"plane": {{}}, "friction": {}}}]}})",
            alpha, cells, friction);
    };
    LoadedScene first = LoadedScene::from_text(text(0.5, 2, 0.5), ".").value();
    LoadedScene edited = LoadedScene::from_text(text(0.2, 4, 0.9), ".", "scene", {}, &first).value();
    LoadedScene anew = LoadedScene::from_text(text(0.2, 4, 0.9), ".").value();
    CHECK(&edited.scene().model(edited.scene().bodies()[0]).data() ==
          &first.scene().model(first.scene().bodies()[0]).data());
    CHECK(&edited.scene().model(edited.scene().bodies()[1]).data() !=
          &first.scene().model(first.scene().bodies()[1]).data());
    CHECK(edited.scene().body_settings(edited.scene().bodies()[0]).matching.alpha == 0.2f);
    CHECK(edited.scene().colliders()[0].friction == 0.9f);
    for (int k = 0; k < 30; ++k) edited.step(), anew.step();
    CHECK(edited.scene().hash() == anew.scene().hash());
}
