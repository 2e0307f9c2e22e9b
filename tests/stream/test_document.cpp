// Documents under edits: undo, redo, merging; journals that outlive a crash; which files a scene may name.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "io/zip.h"
#include "scratch.h"
#include "stream/document.h"
#include "stream/journal.h"
#include "stream/json_difference.h"
#include "stream/opened_scene.h"
#include "yawara/scene_file.h"

using namespace yawara;
using namespace yawara::io;
using namespace yawara::stream;

namespace {

const Json kScene = Json::parse(
    R"({"yawara": 1, "bodies": [{"name": "a", "solid": {"bar": {"size": [1, 1, 1], "cells": [2, 2, 2]}}}]})");

Json with_alpha(double alpha)
{
    Json scene = kScene;
    scene["bodies"][0]["matching"] = {{"alpha", alpha}};
    return scene;
}

const Progress go_on = [](std::string_view, double) { return true; };

}  // namespace

TEST_CASE("undo restores the document as it was, and redo does it again")
{
    Document document(kScene);
    CHECK(document.undo_label().empty());
    CHECK(document.undone().is_null());
    document.apply("alpha", "", with_alpha(0.5));
    document.apply("title", "", [] {
        Json s = with_alpha(0.5);
        s["title"] = "soft";
        return s;
    }());
    CHECK(document.undo_label() == "title");
    document.undo();
    CHECK(document.content() == with_alpha(0.5));
    document.undo();
    CHECK(document.content() == kScene);
    CHECK(document.redo_label() == "alpha");
    document.redo();
    CHECK(document.content() == with_alpha(0.5));
    document.apply("other", "", with_alpha(0.1));
    CHECK(document.redo_label().empty());
}

TEST_CASE("a difference leads to the same text, with all keys in their order, and back")
{
    const std::vector<Json> documents{
        Json::parse(R"({"young": 3, "damping": 1, "place": {"x": 1, "y": 2}})"),
        Json::parse(R"({"damping": 1, "regions": {"coats": [1, 2, 3]}, "place": {"x": 1, "y": 2}})"),
        Json::parse(R"({"damping": 1, "regions": {"coats": [1, {"a": 1, "b": 2}, 3, 4]}, "place": {"y": 2, "x": 1}})"),
        Json::parse(R"({"place": {"y": 5, "x": 1}, "regions": {"coats": []}, "a/b~c": 1, "damping": [1]})"),
        Json::parse(R"({})"),
        Json::parse(R"([1, 2])")};
    for (const Json& before : documents)
        for (const Json& after : documents) {
            CHECK(before.patch(json_difference(before, after)).dump() == after.dump());
            CHECK(json_difference(before, after).empty() == (before.dump() == after.dump()));
        }
    // One entry more in a list of a thousand is one short change.
    Json many = {{"coats", Json::array()}};
    for (int k = 0; k < 1000; ++k) many["coats"].push_back({{"value", k}});
    Json more = many;
    more["coats"].push_back({{"value", 7}});
    CHECK(json_difference(many, more).dump() == R"([{"op":"add","path":"/coats/-","value":{"value":7}}])");
}

TEST_CASE("moves of one slider in a row are one step of undo; two sliders are two")
{
    Document document(kScene);
    for (const double alpha : {0.9, 0.8, 0.7}) document.apply("alpha", "/a", with_alpha(alpha));
    CHECK(document.command_count() == 1);
    document.apply("beta", "/b", with_alpha(0.6));
    CHECK(document.command_count() == 2);
    document.undo();
    CHECK(document.content() == with_alpha(0.7));
    document.apply("alpha", "/a", with_alpha(0.65));
    document.undo();
    CHECK_MESSAGE(document.content() == with_alpha(0.7), "an edit after undo does not join the one before it");
    document.undo();
    CHECK(document.content() == kScene);
}

TEST_CASE("a document is saved when it is as it was saved, also by undo")
{
    Document document(kScene);
    CHECK(document.is_saved());
    document.apply("alpha", "", with_alpha(0.5));
    CHECK_FALSE(document.is_saved());
    document.undo();
    CHECK(document.is_saved());
    document.redo();
    document.mark_saved();
    CHECK(document.is_saved());
    document.undo();
    document.apply("other", "", with_alpha(0.2));
    CHECK_FALSE(document.is_saved());
    document.undo();
    CHECK_MESSAGE(!document.is_saved(), "what was saved can no longer be reached");
}

TEST_CASE("a patch that does not fit is refused with a reason")
{
    const Document document(kScene);
    CHECK(document.patched(Json::parse(R"([{"op": "add", "path": "/title", "value": "x"}])")));
    CHECK_FALSE(document.patched(Json::parse(R"([{"op": "replace", "path": "/bodies/7/name", "value": "x"}])")));
    CHECK_FALSE(document.patched(Json::parse(R"([{"op": "remove", "path": "/nothing"}])")));
    CHECK_FALSE(document.patched(Json::parse(R"([{"op": "replace", "path": "no pointer", "value": 1}])")));
}

namespace {

/// Applies one change and returns what it made of the document, or the message.
Json after(const Json& scene, const std::string& op, const std::string& path, const Json& value = {})
{
    Json change{{"op", op}, {"path", path}};
    if (op != "remove") change["value"] = value;
    const auto next = Document(scene).patched(Json::array({change}));
    return next ? *next : Json(next.error().message());
}

}  // namespace

TEST_CASE("a change by identity meets the entry it names, whatever came or went before it")
{
    const Json two = Json::parse(R"({"bodies": [{"name": "a"}, {"name": "b", "instances": [{}, {"id": "x"}, {}]}],
        "obstacles": [{"plane": {}}, {"id": "wall", "box": {}}]})");
    const Json one = after(two, "remove", "/bodies/@a");
    CHECK(one["bodies"].size() == 1);
    for (const Json& scene : {two, one}) {
        const Json soft = after(scene, "add", "/bodies/@b/matching", {{"alpha", 0.5}});
        CHECK(soft["bodies"].back()["matching"]["alpha"] == 0.5);
        CHECK(after(scene, "add", "/bodies/@b/instances/@3/color", "red")["bodies"].back()["instances"][2]["color"] ==
              "red");
        CHECK(after(scene, "add", "/bodies/@b/instances/@x/pins", {1})["bodies"].back()["instances"][1]["pins"] ==
              Json{1});
        CHECK(after(scene, "add", "/obstacles/@wall/friction", 1)["obstacles"][1]["friction"] == 1);
        CHECK(after(scene, "add", "/obstacles/@1/friction", 1)["obstacles"][0]["friction"] == 1);
    }
    CHECK(after(one, "add", "/bodies/@a/matching", 1) == "/bodies/@a/matching: there is no body \"a\"");
    CHECK(after(one, "remove", "/bodies/@b/instances/@2") == "/bodies/@b/instances/@2: there is no instance \"2\"");
    CHECK(after(one, "remove", "/obstacles/@2") == "/obstacles/@2: there is no obstacle \"2\"");
    CHECK(after(Json::parse(R"({"measures": [{"name": "m"}]})"), "remove", "/measures/@m") ==
          "/measures/@m: entries of this list have no identities, only numbers");
}

TEST_CASE("a renamed body keeps its identity")
{
    const Json scene = Json::parse(R"({"bodies": [{"name": "a"}, {"name": "b", "id": "c"}]})");
    Json renamed = after(scene, "replace", "/bodies/@a/name", "new");
    CHECK(renamed["bodies"][0] == Json{{"name", "new"}, {"id", "a"}});
    renamed = after(renamed, "replace", "/bodies/@a/name", "newer");
    CHECK(renamed["bodies"][0] == Json{{"name", "newer"}, {"id", "a"}});
    CHECK(after(scene, "replace", "/bodies/@a/name", "a") == scene);
    CHECK(after(scene, "replace", "/bodies/@c/name", "x")["bodies"][1] == Json{{"name", "x"}, {"id", "c"}});
}

TEST_CASE("entries without a name keep their identities when others come and go")
{
    const Json scene =
        Json::parse(R"({"bodies": [{"name": "a", "instances": [{"color": "1"}, {"color": "2"}, {"color": "3"}]}]})");
    const auto color = [](const Json& document, const std::string& identity) {
        return after(document, "remove", "/bodies/@a/instances/@" + identity + "/color").dump();
    };
    const auto without = [](Json document, std::size_t index) {
        document["bodies"][0]["instances"][index].erase("color");
        return document.dump();
    };
    const Json fewer = after(scene, "remove", "/bodies/@a/instances/@1");
    CHECK(color(fewer, "2") == without(fewer, 0));
    CHECK(color(fewer, "3") == without(fewer, 1));
    // One that comes gets an identity that was never taken, at the end and in the middle.
    const Json more = after(fewer, "add", "/bodies/@a/instances/-", {{"color", "new"}});
    CHECK(color(more, "3") == without(more, 1));
    CHECK(color(more, "4") == without(more, 2));
    const Json between = after(scene, "add", "/bodies/@a/instances/@2", {{"color", "new"}});
    CHECK(color(between, "2") == without(between, 2));
    CHECK(color(between, "3") == without(between, 3));
    CHECK(color(between, "4") == without(between, 1));
}

TEST_CASE("a scene written prettily is the same scene")
{
    Json scene = with_alpha(0.125);
    scene["title"] = "quotes \" and { braces }, [lists]: all in \\ text";
    for (const std::size_t width : {20u, 110u}) CHECK(Json::parse(pretty(scene, width)) == scene);
    CHECK(pretty(kScene).find("\"size\": [1, 1, 1]") != std::string::npos);
}

TEST_CASE("edits survive kill -9, and an orderly end leaves nothing behind")
{
    const Scratch scratch;
    const pid_t child = ::fork();
    if (child == 0) {
        Journal journal = Journal::open(scratch.path).value();
        bool good = bool(journal.begin("/x/scene.json", "/x", true, kScene));
        for (const double alpha : {0.9, 0.8, 0.3}) good = good && journal.record(with_alpha(alpha));
        ::kill(::getpid(), good ? SIGKILL : SIGTERM);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WTERMSIG(status) == SIGKILL);

    auto lost = Journal::find_lost(scratch.path);
    REQUIRE(lost);
    CHECK(lost->content == with_alpha(0.3));
    CHECK(lost->start == kScene);
    CHECK(lost->edits == 3);
    CHECK(lost->read_only);
    CHECK(lost->scene == "/x/scene.json");

    // A line that was half written when the power went is passed over.
    std::ofstream(lost->file, std::ios::app) << R"([{"op": "rep)";
    CHECK(Journal::find_lost(scratch.path)->content == with_alpha(0.3));
    std::filesystem::remove(lost->file);

    {
        Journal living = Journal::open(scratch.path).value();
        REQUIRE(living.begin("/x/scene.json", "/x", false, kScene));
        REQUIRE(living.record(with_alpha(0.1)));
        CHECK_MESSAGE(!Journal::find_lost(scratch.path), "the journal of a living studio is its own");
    }
    CHECK(std::filesystem::is_empty(scratch.path));
}

TEST_CASE("a scene names files of its folders only, links followed")
{
    const Scratch scratch;
    scratch.write("mine/a.obj", "v 0 0 0");
    scratch.write("common/b.obj", "v 0 0 0");
    scratch.write("secret/c.obj", "v 0 0 0");
    std::filesystem::create_symlink(scratch.path / "secret", scratch.path / "mine/link");
    const auto scene_with = [](const std::string& file) {
        Json scene = kScene;
        scene["bodies"][0]["solid"] = {{"from", file}};
        return scene;
    };
    scratch.write("mine/scene.json", scene_with("../common/b.obj").dump());
    const OpenedScene opened = open_scene_file(scratch.path / "mine/scene.json", false).value();
    CHECK(check_file_names(opened.content, opened));
    CHECK(check_file_names(scene_with("a.obj"), opened));
    for (const char* file : {"../secret/c.obj", "link/c.obj", "/etc/passwd", "../common/../secret/c.obj"})
        CHECK_MESSAGE(!check_file_names(scene_with(file), opened), file);

    // What was uploaded may not even name what it came with from elsewhere.
    const OpenedScene upload = open_upload(scratch.path / "mine", go_on).value();
    CHECK_FALSE(check_file_names(upload.content, upload));
}

TEST_CASE("names of uploads lose what could do harm and nothing else, and strange kinds of files are refused")
{
    CHECK(upload_name("bunny.obj").value() == "bunny.obj");
    CHECK(upload_name("../../etc/bunny.OBJ").value() == "bunny.OBJ");
    CHECK(upload_name("C:\\models\\my bunny (2).stl").value() == "my bunny (2).stl");
    CHECK(upload_name(".hidden.ply").value() == "hidden.ply");
    CHECK(upload_name(std::string(500, 'x') + ".glb").value().size() <= 120);
    std::string hares;
    for (int k = 0; k < 100; ++k) hares += "заяц";
    const std::string shortened = upload_name(hares + ".glb").value();
    CHECK(shortened.size() <= 120);
    CHECK_NOTHROW((void)Json(shortened).dump());
    for (const char* name : {"", "..", "passwd", "run.sh", "page.html", "a.obj/"})
        CHECK_MESSAGE(!upload_name(name), name);
    for (const MeshFormat& format : mesh_formats()) {
        const std::string name = "mesh" + std::string(format.ending);
        CHECK_MESSAGE(upload_name(name), name);
        CHECK(upload_name("run.sh").error().what.find(std::string(format.ending)) != std::string::npos);
    }
}

TEST_CASE("a dropped surface or tet mesh becomes a scene that can be built")
{
    const Scratch scratch;
    scratch.write("tet.obj", "v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    scratch.write("one.mesh",
                  "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n9 0 0 0\n0 9 0 0\n0 0 9 0\nTetrahedra "
                  "1\n1 2 3 4 0\nEnd\n");
    scratch.write("empty.obj", "v 0 0 0\n");
    const auto around = [&](std::vector<std::filesystem::path> names) {
        for (auto& name : names) name = scratch.path / name;
        return scene_around(names);
    };
    for (const char* file : {"tet.obj", "one.mesh"}) {
        const auto scene = around({file});
        REQUIRE_MESSAGE(scene, file);
        CHECK_MESSAGE(LoadedScene::from_text(scene->dump(), scratch.path), file);
    }
    CHECK_FALSE(around({"empty.obj"}));
    CHECK_FALSE(around({"missing.obj"}));
}

TEST_CASE("closed surfaces become obstacles that stand on the floor, and a volume mesh does not")
{
    const Scratch scratch;
    scratch.write("up.obj", "v 0 2 0\nv 4 2 0\nv 0 6 0\nv 0 2 4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    const std::vector<std::filesystem::path> meshes{scratch.path / "up.obj"};
    for (const bool container : {false, true}) {
        const Json obstacles = obstacles_around(meshes, {1, 3, 0}, container).value();
        REQUIRE(obstacles.size() == 1);
        const Json& mesh = obstacles[0]["mesh"];
        CHECK(mesh["file"] == "up.obj");
        CHECK(mesh["scale"] == 0.25);
        CHECK(mesh["translate"] == Json::parse("[2.5, -0.5, -0.5]"));
        CHECK(mesh.value("container", false) == container);
        Json scene = kScene;
        scene["obstacles"] = obstacles;
        CHECK(LoadedScene::from_text(scene.dump(), scratch.path));
    }
    scratch.write("tet.mesh",
                  "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
                  "Tetrahedra 1\n1 2 3 4 0\nEnd\n");
    CHECK_FALSE(obstacles_around(std::vector{scratch.path / "tet.mesh"}, {}, false));
}

TEST_CASE("meshes dropped together become bodies side by side, and the surface of a tet mesh is not one of them")
{
    const Scratch scratch;
    const std::string obj = "v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    scratch.write("up/a.obj", obj);
    scratch.write("up/more/a.obj", obj);
    scratch.write("up/one.obj", obj);
    scratch.write("up/one.mesh",
                  "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n9 0 0 0\n0 9 0 0\n0 0 9 0\nTetrahedra "
                  "1\n1 2 3 4 0\nEnd\n");
    const OpenedScene opened = open_upload(scratch.path / "up", go_on).value();
    CHECK(opened.read_only);
    CHECK(check_file_names(opened.content, opened));
    auto loaded = LoadedScene::from_text(opened.content.dump(), opened.folder()).value();
    REQUIRE(loaded.scene().bodies().size() == 3);
    std::vector<std::pair<double, double>> spans;
    std::set<std::string> names;
    for (const BodyId id : loaded.scene().bodies()) {
        names.insert(loaded.scene().model(id).name());
        Box3 box;
        for (const Vec3& p : loaded.scene().surface(id)) box.add(p.as<double>());
        spans.emplace_back(box.low.x, box.high.x);
    }
    CHECK(names == std::set<std::string>{"one", "a", "a_2"});
    std::ranges::sort(spans);
    CHECK(spans[0].second < spans[1].first);
    CHECK(spans[1].second < spans[2].first);

    scratch.write("bad/liver.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n");
    const auto refused = open_upload(scratch.path / "bad", go_on);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message().find("POLYDATA") != std::string::npos);
}

TEST_CASE("a .zip comes back as it was packed, and one that leads elsewhere is refused")
{
    const Scratch scratch;
    std::filesystem::create_directories(scratch.path / "out");
    const std::string large(100000, 'x');
    const std::string packed = zip({{"scene.json", "{}"}, {"meshes/a.obj", large}}).value();
    REQUIRE(unzip(packed, scratch.path / "out", 1 << 20));
    CHECK(scratch.read("out/scene.json") == "{}");
    CHECK(scratch.read("out/meshes/a.obj") == large);
    CHECK_MESSAGE(!unzip(packed, scratch.path / "out", 1000), "more than may be unpacked");
    for (const char* name : {"../escaped.txt", "/tmp/escaped.txt", "a/../../escaped.txt", "..\\escaped.txt"})
        CHECK_MESSAGE(!unzip(zip({{name, "x"}}).value(), scratch.path / "out", 1000), name);
    CHECK_FALSE(std::filesystem::exists(scratch.path / "escaped.txt"));
    CHECK_FALSE(unzip("not a zip", scratch.path / "out", 1000));
    CHECK_FALSE(unzip(packed.substr(0, packed.size() / 2), scratch.path / "out", 1 << 20));
}

TEST_CASE("a .zip that swells is stopped early, and it or one that is cancelled leaves nothing behind")
{
    const Scratch scratch;
    const auto count = [&] {
        std::size_t files = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path))
            files += entry.is_regular_file();
        return files;
    };
    std::map<std::string, std::string> zeros;
    for (int k = 0; k < 12; ++k) zeros["zeros" + std::to_string(k)] = std::string(8 << 20, '\0');
    const std::string bomb = zip(zeros).value();
    CHECK(bomb.size() < (1 << 18));
    double most = 0;
    const auto watch = [&](std::string_view, double fraction) {
        most = std::max(most, fraction);
        return true;
    };
    const auto swollen = unzip(bomb, scratch.path, {}, watch);
    REQUIRE_FALSE(swollen);
    CHECK(swollen.error().what == "its files are too large");
    CHECK(most < 0.8);  // 64 of 96 MB
    CHECK(count() == 0);

    UnzipLimits few;
    few.files = 3;
    CHECK_FALSE(unzip(bomb, scratch.path, few));
    int asked = 0;
    const auto cancelled = unzip(zip({{"a", std::string(3 << 20, 'a')}, {"b", std::string(3 << 20, 'b')}}).value(),
                                 scratch.path, {}, [&](std::string_view, double) { return ++asked < 15; });
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error().what == "cancelled");
    CHECK(asked == 15);
    CHECK(count() == 0);
}
