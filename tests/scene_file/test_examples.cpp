// Examples and measures in a scene: poses of every origin, groups, what is refused, numbers over time.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "yawara/deform.h"
#include "yawara/io.h"
#include "yawara/scene_file.h"

using namespace yawara;

namespace {

const std::string kTwist =
    R"({"name": "twist", "deform": [{"twist": {"degrees": 120}}, {"stretch": {"factor": 0.8}}]})";

std::string bar_with(const std::string& examples, const std::string& rest = "")
{
    return R"({"yawara": 1, "bodies": [{"name": "bar", "solid": {"bar": {"size": [0.5, 1.5, 0.5], "cells": [2, 6, 2]}},
               "matching": {"examples": )" +
           examples + "}}]" + (rest.empty() ? "" : ", " + rest) + "}";
}

std::string error_of(const std::string& text, const std::filesystem::path& folder = ".")
{
    const auto loaded = LoadedScene::from_text(text, folder);
    return loaded ? "" : loaded.error().message();
}

void pose(LoadedScene& loaded, const std::vector<Vec3d>& positions)
{
    for (std::size_t i = 0; i < positions.size(); ++i)
        loaded.scene().state(loaded.scene().bodies()[0]).positions[i] = positions[i].as<float>();
}

}  // namespace

TEST_CASE("a pose from deformers, from an array, from nodes alone and from a surface is the same pose")
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("yawara_examples_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    LoadedScene made = LoadedScene::from_text(bar_with(R"({"poses": [)" + kTwist + "]}"), folder).value();
    const BodyModel& model = made.scene().model(made.scene().bodies()[0]);
    const std::vector<Deformer> twist{Twist{1, 120 * 3.14159265358979 / 180, {}}, Stretch{1, 0.8, false, {}}};
    const std::vector<Vec3d> rest(model.rest_positions().begin(), model.rest_positions().end());
    const std::vector<Vec3d> twisted = deformed(rest, twist);
    std::vector<double> flat;
    for (const Vec3d& p : twisted) flat.insert(flat.end(), {p.x, p.y, p.z});
    REQUIRE(save_npy(folder / "pose.npy", std::array{twisted.size(), std::size_t{3}}, std::span<const double>(flat)));
    // The surface of the solid, drawn and posed.
    TriMesh surface = model.surface();
    REQUIRE(save_tri_mesh(folder / "skin.obj", surface));
    std::vector<Vec3> moved(surface.vertices.size()), particles;
    for (const Vec3d& p : twisted) particles.push_back(p.as<float>());
    model.embedding().apply(particles, moved);
    for (std::size_t k = 0; k < moved.size(); ++k) surface.vertices[k] = moved[k].as<double>();
    REQUIRE(save_tri_mesh(folder / "skin_twisted.obj", surface));

    // The particles as a TetGen file of nodes, without its tets.
    TetMesh mesh = std::get<TetMesh>(model.domain());
    mesh.vertices = twisted;
    REQUIRE(save_tet_mesh(folder / "pose.node", mesh));
    std::filesystem::remove(folder / "pose.ele");

    for (const std::string& other : {std::string(R"({"name": "twist", "vertices": "pose.npy"})"),
                                     std::string(R"({"name": "twist", "vertices": "pose.node"})"),
                                     std::string(R"({"name": "twist", "surface": "skin_twisted.obj"})")}) {
        std::string text = bar_with(R"({"poses": [)" + other + "]}");
        text.insert(text.find("\"matching\""), R"("surface": "skin.obj", )");
        LoadedScene loaded = LoadedScene::from_text(text, folder).value();
        pose(loaded, twisted);
        const double share = example_weights(loaded.scene().model(loaded.scene().bodies()[0]),
                                             loaded.scene().state(loaded.scene().bodies()[0]))[1];
        CHECK(share > (other.find("vertices") != std::string::npos ? 0.9999 : 0.9));
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("groups come from selections, the first that has a particle decides")
{
    LoadedScene loaded =
        LoadedScene::from_text(bar_with(R"({"poses": [)" + kTwist +
                                        R"(], "groups": [{"plane": {"point": [0, 1, 0], "normal": [0, 1, 0]}},
                                            {"plane": {"point": [0, 0.5, 0], "normal": [0, 1, 0]}}]})"),
                               ".")
            .value();
    CHECK(loaded.scene().model(loaded.scene().bodies()[0]).example_groups() == 3);
    CHECK(example_weights(loaded.scene().model(loaded.scene().bodies()[0]),
                          loaded.scene().state(loaded.scene().bodies()[0]))
              .size() == 6);
}

TEST_CASE("mistakes in examples are told with their place")
{
    CHECK(error_of(bar_with(R"({"poses": [{"name": "x"}]})")) ==
          "bodies[0].matching.examples.poses[0]: is the rest shape: give it \"deform\", \"handles\", \"touches\", \"captured\", \"vertices\" or \"surface\"");
    CHECK(error_of(bar_with(R"({"poses": [{"name": "x", "deform": [{"bend": {"degrees": 9, "towards": "y"}}]}]})")) ==
          "bodies[0].matching.examples.poses[0].deform[0].bend.towards: is the axis itself");
    CHECK(
        error_of(bar_with(R"({"poses": [{"name": "x", "deform": [{"twist": {"degrees": 9, "range": [0.5, 0.5]}}]}]})"))
            .find("range: begins after its end") != std::string::npos);
    CHECK(error_of(bar_with(R"({"poses": [)" + kTwist + R"(], "beta": 1.5})")).find("beta") != std::string::npos);
    CHECK(error_of(bar_with(R"({"poses": [{"name": "x", "surface": "none.obj"}]})")) != "");
    CHECK(error_of(bar_with(R"({"poses": []})")).find("poses") != std::string::npos);
}

TEST_CASE("measures follow what they name, past half a turn too")
{
    LoadedScene loaded = LoadedScene::from_text(bar_with(R"({"poses": [)" + kTwist + "]}", R"("measures": [
            {"name": "a", "what": "twist", "body": "bar"}, {"name": "b", "what": "extent", "body": "bar"},
            {"name": "c", "what": "center", "body": "bar", "axis": "y"},
            {"name": "d", "what": "weight", "body": "bar", "example": "twist"}, {"name": "e", "what": "volume", "body": "bar"}])"),
                                                ".")
                             .value();
    REQUIRE(loaded.measures().infos().size() == 5);
    CHECK(loaded.measures().infos()[0].label == "Twist about y (degrees)");
    const std::vector<double> at_rest = loaded.measures().values(loaded.scene());
    CHECK(at_rest[0] == doctest::Approx(0));
    CHECK(at_rest[1] == doctest::Approx(1.5));
    CHECK(at_rest[2] == doctest::Approx(0.75));
    CHECK(at_rest[3] == doctest::Approx(0));
    CHECK(at_rest[4] == doctest::Approx(0.375));
    const std::span<const Vec3d> rest = loaded.scene().model(loaded.scene().bodies()[0]).rest_positions();
    // Whatever was measured before.
    for (const double degrees : {100.0, -162.0, 198.0, -198.0, 300.0, -500.0, 30.0}) {
        pose(loaded, deformed(rest, std::vector<Deformer>{Twist{1, degrees * 3.14159265358979 / 180, {}}}));
        CHECK(loaded.measures().values(loaded.scene())[0] == doctest::Approx(degrees).epsilon(1e-4));
    }
    CHECK(error_of(bar_with(R"({"poses": [)" + kTwist + "]}",
                            R"("measures": [{"name": "a", "what": "twist", "body": "baz"}])")) ==
          "measures[0].body: there is no body \"baz\"");
    CHECK(error_of(bar_with(R"({"poses": [)" + kTwist + "]}",
                            R"("measures": [{"name": "a", "what": "weight", "body": "bar", "example": "x"}])")) ==
          "measures[0].example: \"x\" is not an example of \"bar\"");
}

TEST_CASE("the distance between two points speaks of the body before its scale, and of another body if it is named")
{
    LoadedScene loaded = LoadedScene::from_text(R"({"yawara": 1, "bodies": [
            {"name": "a", "solid": {"bar": {"size": [2, 1, 1], "cells": [4, 2, 2]}}, "place": {"scale": 2}},
            {"name": "b", "solid": {"bar": {"size": [2, 1, 1], "cells": [4, 2, 2]}}, "place": {"translate": [0, 5, 0]}}],
            "measures": [{"name": "own", "what": "points", "body": "a", "from": [-1, 0.3, 0], "to": [0.5, 0.3, 0]},
                         {"name": "to b", "what": "points", "body": "a", "from": [0.5, 0, 0], "to": [1, 0, 0], "other": "b"}]})",
                                                ".")
                             .value();
    const std::vector<double> values = loaded.measures().values(loaded.scene());
    CHECK(values[0] == doctest::Approx(3));
    CHECK(values[1] == doctest::Approx(5));
    const auto wrong = LoadedScene::from_text(R"({"yawara": 1, "bodies": [
            {"name": "a", "solid": {"bar": {"size": [2, 1, 1], "cells": [4, 2, 2]}}}],
            "measures": [{"name": "m", "what": "points", "body": "a", "from": [0, 0, 0]}]})",
                                              ".");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().message() == "measures[0]: a distance between two points needs \"to\"");
}
