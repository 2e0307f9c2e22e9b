// `render` and `demo`: pictures of the asked size, a page with every scene.
#include <algorithm>
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "program.h"

using program::contains;

namespace {

/// Width and height from the header of a PNG.
std::pair<unsigned, unsigned> png_size(const std::string& bytes)
{
    if (bytes.size() < 24 || bytes.substr(1, 3) != "PNG") return {0, 0};
    const auto number = [&](std::size_t at) {
        unsigned value = 0;
        for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
        return value;
    };
    return {number(16), number(20)};
}

}  // namespace

TEST_CASE("render draws scenes, recordings and meshes as PNG of the asked size")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    scratch.write("cube.obj", program::cube_obj());
    REQUIRE(scratch.run({"run", "bar.json"}).code == 0);
    for (const char* source : {"bar.json", "bar.ywc", "cube.obj"}) {
        CAPTURE(source);
        const auto answer = scratch.run({"render", source, "--out", "x.png", "--size", "70x50", "--samples", "2"});
        CHECK(answer.code == 0);
        CHECK(png_size(scratch.read("x.png")) == std::pair{70u, 50u});
    }
}

TEST_CASE("a poster is the frame that the scene names, from near; other sources have none")
{
    const program::Scratch scratch;
    std::string scene = program::falling_bar();
    scene.insert(scene.find('{') + 1, R"("poster": 3, "camera": {"eye": [2, 9, 40], "target": [0, 1, 0]},)");
    scratch.write("bar.json", scene);
    scratch.write("cube.obj", program::cube_obj());
    const auto draw = [&](std::vector<std::string> more) {
        std::vector<std::string> args{"render", "bar.json", "--out", "x.png", "--size", "96x54", "--samples", "2"};
        args.insert(args.end(), more.begin(), more.end());
        REQUIRE(scratch.run(args).code == 0);
        return scratch.read("x.png");
    };
    const std::string poster = draw({"--poster"});
    CHECK(poster == draw({"--poster"}));
    CHECK(poster != draw({"--frame", "3"}));  // the bar is a few pixels there
    CHECK(scratch.run({"render", "bar.json", "--out", "x.png", "--poster", "--frame", "3"}).code == 2);
    const auto refused = scratch.run({"render", "cube.obj", "--out", "x.png", "--poster"});
    CHECK(refused.code != 0);
    CHECK(contains(refused.err, "--poster"));
}

TEST_CASE("a recording is drawn like the scene it was made from: camera, cut, obstacles, colours and active elements")
{
    const program::Scratch scratch;
    scratch.write("all.json", R"({"yawara": 1, "frames": 4,
        "bodies": [
            {"name": "bar", "solid": {"bar": {"size": [0.6, 0.4, 0.4], "cells": [3, 2, 2]}},
             "place": {"translate": [0, 0.3, 0]}, "look": {"show": "speed", "gloss": 0.9}},
            {"name": "block", "solid": {"bar": {"size": [0.4, 0.4, 0.4], "cells": [1, 1, 1]}},
             "place": {"translate": [0.8, 0.1, 0]}, "look": {"color": "#205080", "wireframe": true},
             "fem": {"levels": 2, "materials": [{"young": 2000, "poisson": 0.3}]}}],
        "obstacles": [{"plane": {}}, {"sphere": {"center": [0, 0, 0.5], "radius": 0.2}},
                      {"box": {"center": [-0.6, 0.1, 0], "size": [0.2, 0.2, 0.2]}}],
        "camera": {"eye": [1, 1.5, 3], "target": [0.2, 0.2, 0], "field_of_view": 35},
        "look": {"size": [120, 80], "samples": 2, "background": "#102030", "color_map": "turbo", "show_range": [0, 1]CUT}})");
    const std::string text = scratch.read("all.json");
    std::vector<std::string> pictures;
    for (const char* cut : {"", R"(, "cut": {"point": [0, 0, 0.1], "normal": [0, 0, 1]})"}) {
        CAPTURE(cut);
        scratch.write("scene.json", std::string(text).replace(text.find("CUT"), 3, cut));
        const auto ran = scratch.run({"run", "scene.json"});
        REQUIRE_MESSAGE(ran.code == 0, ran.err);
        for (const char* source : {"scene.json", "scene.ywc"}) {
            const auto drawn = scratch.run({"render", source, "--frame", "3", "--out", "x.png"});
            REQUIRE_MESSAGE(drawn.code == 0, drawn.err);
            pictures.push_back(scratch.read("x.png"));
            CHECK(png_size(pictures.back()) == std::pair{120u, 80u});
        }
    }
    CHECK(pictures[0] == pictures[1]);
    CHECK(pictures[2] == pictures[3]);
    CHECK(pictures[0] != pictures[2]);
}

TEST_CASE("--cut opens scenes and recordings alike, and shows layers, grain and the colours of volumes")
{
    const program::Scratch scratch;
    const auto cut_open = [&](const std::string& solid, const std::string& look) {
        scratch.write("scene.json", R"({"yawara": 1, "frames": 2, "bodies": [{"name": "body", "solid": )" + solid +
                                        R"(, "look": )" + look + R"(}], "camera": {"eye": [0, 0, 3], "target": [0, 0, 0]},
            "look": {"size": [90, 60], "samples": 2}, "step": {"gravity": [0, 0, 0]}})");
        const auto ran = scratch.run({"run", "scene.json"});
        REQUIRE_MESSAGE(ran.code == 0, ran.err);
        std::vector<std::string> pictures;
        for (const char* source : {"scene.json", "scene.ywc"}) {
            const auto drawn = scratch.run({"render", source, "--frame", "1", "--cut", "z=0", "--out", "x.png"});
            REQUIRE_MESSAGE(drawn.code == 0, drawn.err);
            pictures.push_back(scratch.read("x.png"));
        }
        CHECK(pictures[0] == pictures[1]);
        return pictures[0];
    };
    const std::string box = R"({"bar": {"size": [1, 1, 1], "cells": [3, 3, 3]}})";
    const std::string plain = cut_open(box, R"({"color": "#cc8844"})");
    const std::string layers = cut_open(box, R"({"color": "#cc8844", "inside": {"layers": [{"thickness": 0.2, "color": "#ffffff"}]}})");
    const std::string grain = cut_open(box, R"({"color": "#cc8844", "inside": {"grain": {"kind": "rings", "color": "#000000", "axis": [0, 0, 1]}}})");
    CHECK(plain != layers);
    CHECK(plain != grain);
    CHECK(layers != grain);
    const auto ball = [](const char* core) {
        return std::string(R"({"cell": 0.2, "volume": {"format": "yawara-cvg", "version": 1, "root": {"op": "union", "args": [
            {"prim": "sphere", "radius": 0.25, "stiffness": 1, "color": )") + core +
               R"(}, {"prim": "sphere", "radius": 0.5, "stiffness": 0.4, "color": [1, 0, 0]}]}}})";
    };
    CHECK(cut_open(ball("[0, 1, 0]"), "{}") != cut_open(ball("[0, 0, 1]"), "{}"));

    scratch.write("bad.json", R"({"yawara": 1, "bodies": [{"name": "body", "solid": )" + box +
                                  R"(, "look": {"inside": {"grain": {"kind": "rings", "color": "#000000", "axis": [0, 0, 0]}}}}]})");
    const auto refused = scratch.run({"check", "bad.json"});
    CHECK(refused.code != 0);
    CHECK(contains(refused.err + refused.out, "bodies[0].look.inside.grain.axis"));
}

TEST_CASE("values as colours change the picture, and a quantity that was not recorded is refused")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    REQUIRE(scratch.run({"run", "bar.json"}).code == 0);
    std::vector<std::string> pictures;
    for (const char* show : {"none", "speed", "displacement", "stretch"}) {
        const auto answer = scratch.run({"render", "bar.ywc", "--frame", "6", "--out", "x.png", "--size", "96x64",
                                         "--samples", "1", "--show", show});
        CHECK(answer.code == 0);
        for (const std::string& other : pictures) CHECK(other != scratch.read("x.png"));
        pictures.push_back(scratch.read("x.png"));
    }
    const auto answer = scratch.run({"render", "bar.ywc", "--out", "x.png", "--show", "heat"});
    CHECK(answer.code == 1);
    CHECK(contains(answer.err, "\"heat\" was not recorded"));
}

TEST_CASE("a frame after the last is refused")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    REQUIRE(scratch.run({"run", "bar.json"}).code == 0);
    const auto answer = scratch.run({"render", "bar.ywc", "--frame", "13", "--out", "x.png"});
    CHECK(answer.code == 1);
    CHECK(contains(answer.err, "--frame: 13 is after the last frame, 12"));
}

TEST_CASE("a movie plays in real time: twelve frames at 1/60 s are seven pictures at 30 a second")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    const std::vector<std::string> small{"--size", "48x32", "--samples", "1"};
    const auto render = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), small.begin(), small.end());
        return scratch.run(arguments);
    };
    REQUIRE(render({"render", "bar.json", "--out", "frames/%04d.png"}).code == 0);
    const auto entries = std::filesystem::directory_iterator(scratch / "frames");
    CHECK(std::distance(begin(entries), end(entries)) == 7);
    const auto still = render({"render", "bar.json", "--out", "x.png", "--frames", "4:8"});
    CHECK(still.code == 1);
    CHECK(contains(still.err, "--frames: x.png is one picture: choose one with --frame, or name a series such as frames/%04d.png"));
    CHECK(!std::filesystem::exists(scratch / "x.png"));
    REQUIRE(render({"render", "bar.json", "--out", "x.webp", "--frames", "4:8", "--turntable"}).code == 0);
    const std::string webp = scratch.read("x.webp");
    CHECK(webp.substr(0, 4) == "RIFF");
    CHECK(webp.substr(8, 4) == "WEBP");
}

TEST_CASE("a camera path begins at the first camera and ends at the last, and passes the one between")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    const std::string a = "3,2,5@0,0.2,0", b = "-4,1,3@0,0.3,0", c = "0,3,-5@0.1,0.2,0";
    const auto render = [&](std::vector<std::string> arguments) {
        const std::vector<std::string> small{"--size", "48x32", "--samples", "1"};
        arguments.insert(arguments.begin(), {"render", "bar.json"});
        arguments.insert(arguments.end(), small.begin(), small.end());
        return scratch.run(arguments);
    };
    // Frames 4 to 8 at 30 a second are three pictures, of the frames 4, 6 and 8.
    REQUIRE(render({"--out", "path/%04d.png", "--frames", "4:8", "--camera", a, "--camera", b, "--camera", c}).code == 0);
    std::vector<std::filesystem::path> pictures;
    for (const auto& entry : std::filesystem::directory_iterator(scratch / "path")) pictures.push_back(entry.path().filename());
    std::ranges::sort(pictures);
    REQUIRE(pictures.size() == 3);
    int k = 0;
    for (const std::string& camera : {a, b, c}) {
        CAPTURE(camera);
        REQUIRE(render({"--out", "still.png", "--frame", std::to_string(4 + 2 * k), "--camera", camera}).code == 0);
        CHECK(scratch.read("still.png") == scratch.read("path/" + pictures[std::size_t(k)].string()));
        ++k;
    }
    CHECK(scratch.read("path/" + pictures[0].string()) != scratch.read("path/" + pictures[2].string()));
    for (const char* wrong : {"3,2,5", "3,2,5@3,2,5", "3,2@0,0,0", "3,2,x@0,0,0", "3,2,nan@0,0,0"}) {
        CAPTURE(wrong);
        CHECK(render({"--out", "x.png", "--camera", wrong}).code == 2);
    }
    CHECK(render({"--out", "x.webp", "--camera", a, "--turntable"}).code == 2);
}

TEST_CASE("demo writes a page with a card, a clip and an animation for every scene, and no outside address")
{
    const program::Scratch scratch;
    scratch.write("scenes/a_bar.json", program::falling_bar());
    scratch.write("scenes/b_bar.json", program::falling_bar("0.2"));
    const auto answer = scratch.run({"demo", "--quick", "--scenes", "scenes", "--out", "page", "--json"});
    REQUIRE(answer.code == 0);
    CHECK(nlohmann::json::parse(answer.out)["scenes"].size() == 2);
    const std::string page = scratch.read("page/index.html");
    for (const char* name : {"a_bar", "b_bar"}) {
        CAPTURE(name);
        CHECK(contains(page, std::string("id=\"") + name + "\""));
        for (const char* ending : {".webp", ".png", ".glb", ".json"}) {
            CHECK(contains(page, name + std::string(ending)));
            CHECK(std::filesystem::file_size(scratch / (std::string("page/") + name + ending)) > 0);
        }
    }
    CHECK(page.find("id=\"a_bar\"") < page.find("id=\"b_bar\""));
    CHECK(contains(page, "A &lt;bar&gt; falls."));
    CHECK(!contains(page, "http"));
    CHECK(contains(page, "<svg"));
}

TEST_CASE("a scene that fails gets a card that says why, and the others are made")
{
    const program::Scratch scratch;
    scratch.write("scenes/good.json", program::falling_bar());
    scratch.write("scenes/wrong.json", program::falling_bar("1.7"));
    CHECK(scratch.run({"demo", "--quick", "--scenes", "scenes"}).code == 1);
    const std::string page = scratch.read("out/index.html");
    CHECK(contains(page, "good.webp"));
    CHECK(contains(page, "1.7 is outside (0, 1]"));
    const auto answer = scratch.run({"demo", "--quick", "--scenes", "scenes", "--only", "god"});
    CHECK(answer.code == 1);
    CHECK(contains(answer.err, "did you mean \"good\"?"));
}

TEST_CASE("the gallery that comes with the program is found and checks")
{
    const program::Scratch scratch;
    std::vector<std::string> arguments{"check", "--fast"};
    for (const auto& entry : std::filesystem::directory_iterator(YAWARA_SOURCE_DIR "/scenes"))
        if (entry.path().extension() == ".json") arguments.push_back(entry.path().string());
    CHECK(scratch.run(arguments).code == 0);
    CHECK(contains(scratch.run({"demo", "--only", "no_such_scene"}).err, "there is no scene \"no_such_scene\""));
}
