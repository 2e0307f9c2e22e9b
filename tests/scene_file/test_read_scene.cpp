// Scene documents with mistakes: each is found and named by its path.
#include <doctest/doctest.h>

#include <filesystem>

#include "scene_file/read_values.h"

using namespace yawara;
using namespace yawara::scene_file;

namespace {

/// A good scene of one body with more keys in the body and in the document.
std::string scene_with(const std::string& body, const std::string& rest = "",
                       const std::string& solid = R"({"bar": {"size": [1, 1, 1], "cells": [2, 2, 2]}})")
{
    return R"({"yawara": 1, "bodies": [{"name": "a", "solid": )" + solid + (body.empty() ? "" : ", " + body) + "}]" +
           (rest.empty() ? "" : ", " + rest) + "}";
}

ReadScene read(const std::string& text)
{
    const auto parsed = parse_json(text, "s.json");
    if (!parsed) return {{}, {parsed.error()}};
    return read_scene(*parsed, std::filesystem::temp_directory_path(), "s.json");
}

/// All messages, one a line.
std::string errors_of(const std::string& text)
{
    std::string lines;
    for (const Error& error : read(text).errors) {
        if (!lines.empty()) lines += '\n';
        lines += error.message();
    }
    return lines;
}

}  // namespace

TEST_CASE("the smallest scene is read")
{
    const ReadScene scene = read(scene_with(""));
    CHECK(scene.errors.empty());
    CHECK(scene.document.frames == 240);
    REQUIRE(scene.document.bodies.size() == 1);
    CHECK(std::get<BarDocument>(scene.document.bodies[0].solid.kind).cells == Int3{2, 2, 2});
    CHECK(scene.document.warnings.empty());
}

TEST_CASE("mistakes of structure are named by their paths")
{
    CHECK(errors_of(scene_with(R"("matching": {"alpha": 1.7})")) == "bodies[0].matching.alpha: 1.7 is outside (0, 1]");
    CHECK(errors_of(scene_with(R"("matching": {"alfa": 1})")) ==
          "bodies[0].matching.alfa: unknown key, did you mean \"alpha\"?");
    CHECK(errors_of(scene_with("", R"("obstacle": [])")) == "obstacle: unknown key, did you mean \"obstacles\"?");
    CHECK(errors_of(R"({"yawara": 1, "bodies": []})") == "");  // an empty scene, to be filled in the studio
    CHECK(errors_of(R"({"yawara": 2, "bodies": [], "obstacles": 1})") ==
          "yawara: expected 1, found 2\nobstacles: expected a list, found the number 1");
    CHECK(errors_of("{}") == "s.json: the key \"yawara\" is missing\ns.json: the key \"bodies\" is missing");
    CHECK(errors_of("[]") == "s.json: expected an object with \"yawara\", found a list of 0");
    CHECK(errors_of(scene_with("", "", R"({"bar": {"size": [1, -1, 1], "cells": [2, 0, 2]}})")) ==
          "bodies[0].solid.bar.size[1]: -1 is outside [1e-06, 1e+06]\n"
          "bodies[0].solid.bar.cells[1]: 0 is outside [1, 100000]");
    CHECK(errors_of(scene_with("", "", R"({"bra": 1})")) == "bodies[0].solid.bra: unknown key, did you mean \"bar\"?");
    CHECK(errors_of(scene_with(R"("matching": {"stretch": [1]})")) ==
          "bodies[0].matching.stretch[0]: expected an object with \"active\", found the number 1");
    CHECK(errors_of(scene_with(R"("pins": [{"select": "al"}])")).starts_with("bodies[0].pins[0].select: "));
    CHECK(errors_of(scene_with(R"("pins": [{"select": {"sphere": {"radius": -1}}}])")) ==
          "bodies[0].pins[0].select.sphere.radius: -1 is outside [1e-06, 1e+06]");
    CHECK(errors_of(scene_with("", R"("obstacles": [{"sphre": {"radius": 1}}])")) ==
          "obstacles[0].sphre: unknown key, did you mean \"sphere\"?");
    CHECK(errors_of(scene_with("", R"("obstacles": [{"friction": 1}])")) ==
          "obstacles[0]: expected one of the keys \"plane\", \"box\", \"sphere\", \"capsule\" or \"mesh\", found "
          "\"friction\"");
    CHECK(errors_of(scene_with("", R"("step": {"dt": 0})")) == "step.dt: 0 is outside (0, 1]");
    CHECK(errors_of(scene_with(R"("look": {"color": "red"})")) ==
          "bodies[0].look.color: expected \"#rrggbb\", found \"red\"");
    CHECK(errors_of(scene_with(R"("forces": [{}])")) ==
          "bodies[0].forces[0]: expected one of the keys \"force\" or \"acceleration\", found none");
    CHECK(errors_of(scene_with(R"("velocity": [1e300, 0, 0])")) ==
          "bodies[0].velocity[0]: 1e+300 is outside [-1e+09, 1e+09]");
}

TEST_CASE("mistakes of meaning are found together")
{
    CHECK(errors_of(R"({"yawara": 1, "bodies": [
            {"name": "a", "solid": {"bar": {"size": [1, 1, 1], "cells": [1000, 1000, 1000]}}},
            {"name": "a", "solid": {"lattice": {"box": {"size": [1, 1, 1], "cells": [4, 4, 5]}}}}],
            "obstacles": [{"plane": {"normal": [0, 1e-30, 0]}}],
            "camera": {"eye": [1, 2, 3], "target": [1, 2, 3]}})") ==
          "bodies[0].solid.bar.cells: 1000, 1000 and 1000 cells make 1e+09 particles; at most 2e+06 are allowed\n"
          "bodies[1].solid.lattice.box: cells of a lattice are cubes; these are 0.25 x 0.25 x 0.2 m\n"
          "bodies[1].name: \"a\" is already the name of bodies[0]\n"
          "obstacles[0].plane.normal: too short to be a direction: [0,1e-30,0]\n"
          "camera: \"eye\" and \"target\" are the same place");
    CHECK(errors_of(scene_with("", R"("obstacles": [{"plane": {"normal": [0, 0, 0]}}])")) ==
          "obstacles[0].plane.normal: must not be [0,0,0]");
    CHECK(errors_of(scene_with(R"("place": {"rotate": {"axis": [0, 0, 0], "degrees": 1}})")) ==
          "bodies[0].place.rotate.axis: must not be [0,0,0]");
    CHECK(errors_of(scene_with(R"("handles": [{"select": "all", "path": [{"time": 1}, {"time": 1}]}])")) ==
          "bodies[0].handles[0].path[1].time: 1 is not later than 1, the time of the key before");
    CHECK(errors_of(scene_with(R"("forces": [{"force": [0, 1, 0], "from": 2, "until": 1}])")) ==
          "bodies[0].forces[0].until: 1 is not later than \"from\", which is 2");
    CHECK(errors_of(scene_with(R"("pins": [{"select": {"box": {"low": [0, 1, 0], "high": [1, 0, 1]}}}])")) ==
          "bodies[0].pins[0].select.box: \"low\" is above \"high\" along y");
    CHECK(errors_of(scene_with("", R"("look": {"show_range": [1, 1]})")) ==
          "look.show_range: the first value has to be below the second");
    CHECK(errors_of(scene_with("", "", R"({"from": "x.obj", "cell": 1, "particles": 10})"))
              .starts_with("bodies[0].solid: give \"cell\" or \"particles\", not more than one of them"));
}

TEST_CASE("two entries of one identity are an error that names both")
{
    const auto bodies = [](const std::string& first, const std::string& second) {
        const std::string solid = R"("solid": {"bar": {"size": [1, 1, 1], "cells": [2, 2, 2]}})";
        return errors_of(R"({"yawara": 1, "bodies": [{)" + first + ", " + solid + "}, {" + second + ", " + solid +
                         "}]}");
    };
    CHECK(bodies(R"("name": "a")", R"("name": "b", "id": "c")").empty());
    CHECK(bodies(R"("name": "a", "id": "b")", R"("name": "b", "id": "a")").empty());
    CHECK(bodies(R"("name": "a")", R"("name": "b", "id": "a")") ==
          "bodies[1]: \"a\" already names bodies[0]: give it another \"id\"");
    CHECK(bodies(R"("name": "a_1")", R"("name": "a", "instances": [{}])") ==
          "bodies[1].instances[0]: \"a_1\" is already the name of bodies[0]");
    CHECK(bodies(R"("name": "a")", R"("name": "b", "id": "a b")") ==
          "bodies[1].id: expected letters, digits, \"_\" and \"-\", found \"a b\"");
    CHECK(errors_of(scene_with(R"("instances": [{"id": "x"}, {}, {"id": "3"}])")).empty());
    CHECK(errors_of(scene_with(R"("instances": [{"id": "2"}, {}])")) ==
          "bodies[0].instances[1]: \"2\" already names bodies[0].instances[0]: give it another \"id\"");
    CHECK(errors_of(scene_with("", R"("obstacles": [{"plane": {}, "id": "x"}, {"plane": {}, "id": "x"}])")) ==
          "obstacles[1]: \"x\" already names obstacles[0]: give it another \"id\"");
}

TEST_CASE("a file that is not there is an error at its place")
{
    const std::string message = errors_of(scene_with(R"("initial": {"positions": "no_such_file.npy"})"));
    CHECK(message.starts_with("bodies[0].initial.positions: there is no file "));
    CHECK(message.ends_with("no_such_file.npy"));
    CHECK(errors_of(scene_with("", "", R"({"tets": "."})")).ends_with(" is a folder"));
    CHECK(errors_of(scene_with("", "", "{\"tets\": \"a\\u0000b\"}")) ==
          "bodies[0].solid.tets: a file name cannot hold control characters");
}

TEST_CASE("odd combinations are warned about, good ones are not")
{
    const auto warnings = [](const std::string& body) { return read(scene_with(body)).document.warnings.size(); };
    CHECK(warnings(R"("matching": {"alpha": 0.5})") == 0);
    CHECK(warnings(R"("matching": {"alpha": 0.5, "passes": 3})") == 1);
    CHECK(warnings(R"("matching": {"align": false})") == 1);
    CHECK(warnings(R"("matching": {"damping": 0.9})") == 1);
    CHECK(warnings(R"("matching": {"alpha": 0.01})") == 1);
    CHECK(warnings(R"("handles": [{"select": "all", "path": [{"time": 0, "move": [1, 0, 0]}]}])") == 1);
    CHECK(read(scene_with("", R"("step": {"dt": 0.1, "substeps": 1})")).document.warnings.size() == 1);
    CHECK(read(scene_with("", R"("frames": 10, "poster": 10)")).document.warnings.empty());
    CHECK(read(scene_with("", R"("frames": 10, "poster": 11)")).document.warnings.size() == 1);
}

TEST_CASE("colours, turns and scales have the values they say")
{
    const ReadScene scene = read(scene_with(
        R"("look": {"color": "#ff8000", "show": "speed"}, "place": {"scale": 2, "rotate": {"axis": [0, 0, 3], "degrees": 90}, "translate": [1, 0, 0]})",
        R"("look": {"show_range": [0, 3], "color_map": "turbo", "background": [0, 0.5, 1]})"));
    REQUIRE(scene.errors.empty());
    const BodyDocument& body = scene.document.bodies[0];
    CHECK(body.look.color == Vec3{1.0f, 128 / 255.0f, 0.0f});
    CHECK(body.scale == 2);
    CHECK(length(body.placement({1, 0, 0}) - Vec3d{1, 1, 0}) < 1e-15);
    CHECK(scene.document.look.background == Vec3{0, 0.5f, 1});
    REQUIRE(scene.document.look.scale);
    CHECK(scene.document.look.scale->map == "turbo");
    CHECK(scene.document.look.scale->high == 3);
    CHECK(scene.document.look.scale->label == "speed (m/s)");
}

TEST_CASE("no cut or changed byte of a scene makes the reader crash")
{
    const std::string good = scene_with(
        R"("masses": [1, 2], "handles": [{"select": {"any": ["all", {"not": {"nearest": [0, 0, 0]}}]}, "path": [{"time": 0}]}])",
        R"("obstacles": [{"capsule": {"from": [0, 0, 0], "to": [0, 1, 0], "radius": 1}}])");
    CHECK(errors_of(good) == "");
    for (std::size_t i = 0; i < good.size(); ++i) {
        CHECK(errors_of(good.substr(0, i)) != "");
        for (const char c : {'{', '"', '0', '\0', '\xff'}) {
            std::string changed = good;
            changed[i] = c;
            const ReadScene result = read(changed);
            for (const Error& error : result.errors) CHECK(!error.what.empty());
        }
    }
}
