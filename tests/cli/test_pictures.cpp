// `render` and `demo`: pictures of the asked size, a page with every scene.
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
    REQUIRE(render({"render", "bar.json", "--out", "x.webp", "--frames", "4:8", "--turntable"}).code == 0);
    const std::string webp = scratch.read("x.webp");
    CHECK(webp.substr(0, 4) == "RIFF");
    CHECK(webp.substr(8, 4) == "WEBP");
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
