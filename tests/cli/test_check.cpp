// `check`: every mistake with its place.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "program.h"

using program::contains;

TEST_CASE("a value out of range is told with its path and the range")
{
    const program::Scratch scratch;
    scratch.write("wrong.json", program::falling_bar("1.7"));
    const auto answer = scratch.run({"check", "wrong.json"});
    CHECK(answer.code == 1);
    CHECK(contains(answer.err, "bodies[0].matching.alpha: 1.7 is outside (0, 1]"));
}

TEST_CASE("an unknown key is told with a suggestion")
{
    const program::Scratch scratch;
    std::string scene = program::falling_bar();
    scene.replace(scene.find("alpha"), 5, "alhpa");
    scratch.write("wrong.json", scene);
    const auto answer = scratch.run({"check", "wrong.json"});
    CHECK(answer.code == 1);
    CHECK(contains(answer.err, "did you mean \"alpha\"?"));
}

TEST_CASE("all mistakes of all scenes are told, and good scenes are ok")
{
    const program::Scratch scratch;
    scratch.write("good.json", program::falling_bar());
    std::string scene = program::falling_bar("1.7");
    scene.replace(scene.find("\"frames\": 12"), 12, "\"frames\": -1");
    scratch.write("wrong.json", scene);
    scratch.write("noise.json", "{ \"yawara\": ");
    const auto answer = scratch.run({"check", "good.json", "wrong.json", "noise.json", "--json"});
    CHECK(answer.code == 1);
    const auto object = nlohmann::json::parse(answer.out, nullptr, false);
    REQUIRE(object.is_object());
    CHECK(object["scenes"][0]["ok"] == true);
    CHECK(object["scenes"][1]["errors"].size() == 2);
    CHECK(object["scenes"][2]["errors"].size() == 1);
    const auto words = scratch.run({"check", "good.json"});
    CHECK(words.code == 0);
    CHECK(contains(words.out, "good.json: ok"));
}

TEST_CASE("the schema is printed as JSON")
{
    const program::Scratch scratch;
    const auto answer = scratch.run({"inspect", "--schema"});
    CHECK(answer.code == 0);
    const auto schema = nlohmann::json::parse(answer.out, nullptr, false);
    REQUIRE(schema.is_object());
    CHECK(schema["properties"].contains("bodies"));
}
