// What every verb has in common: help, exit codes, suggestions, JSON.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "program.h"
#include "yawara/core.h"

using nlohmann::json;
using program::contains;

TEST_CASE("every verb has a help text with examples")
{
    const program::Scratch scratch;
    for (const char* verb :
         {"run", "sweep", "fit", "check", "inspect", "mesh", "convert", "render", "demo", "studio"}) {
        CAPTURE(verb);
        const auto answer = scratch.run({verb, "--help"});
        CHECK(answer.code == 0);
        CHECK(contains(answer.out, "Examples:"));
        CHECK(contains(answer.out, std::string("yawara ") + verb));
        CHECK(contains(answer.out, "--json"));
        CHECK(contains(answer.out, "--quiet"));
        CHECK(contains(answer.out, "--threads"));
    }
    CHECK(scratch.run({"bench", "--help"}).code == 0);
}

TEST_CASE("the version is the library's")
{
    const program::Scratch scratch;
    const auto answer = scratch.run({"--version"});
    CHECK(answer.code == 0);
    CHECK(answer.out == "yawara " + std::string(yawara::version()) + "\n");
}

TEST_CASE("mistakes on the command line exit with 2 and say what to do")
{
    const program::Scratch scratch;
    CHECK(scratch.run({}).code == 2);
    CHECK(scratch.run({"run"}).code == 2);
    CHECK(scratch.run({"run", "x.json", "--frames", "-3"}).code == 2);
    CHECK(scratch.run({"run", "x.json", "--format", "avi"}).code == 2);
    CHECK(scratch.run({"render", "x.json"}).code == 2);
    CHECK(scratch.run({"render", "x.json", "--out", "x.png", "--size", "big"}).code == 2);
    CHECK(scratch.run({"inspect"}).code == 2);
    CHECK(scratch.run({"mesh", "x.obj", "--cell", "0"}).code == 2);
    CHECK(scratch.run({"run", "x.json", "--no-such-option"}).code == 2);
    const auto answer = scratch.run({"rnu", "x.json"});
    CHECK(answer.code == 2);
    CHECK(contains(answer.err, "\"rnu\" is not a verb, did you mean \"run\"?"));
}

TEST_CASE("a failure exits with 1 and names the file")
{
    const program::Scratch scratch;
    for (const char* verb : {"run", "check", "inspect", "mesh"}) {
        CAPTURE(verb);
        const auto answer = scratch.run({verb, "missing.json"});
        CHECK(answer.code == 1);
        CHECK(contains(answer.err, "error: "));
        CHECK(contains(answer.err, "missing.json"));
    }
    CHECK(scratch.run({"convert", "missing.ywc", "x.glb"}).code == 1);
    CHECK(scratch.run({"render", "missing.ywc", "--out", "x.png"}).code == 1);
    CHECK(scratch.run({"demo", "--scenes", "missing"}).code == 1);
}

TEST_CASE("--json puts one object on stdout, also when something fails")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    scratch.write("wrong.json", program::falling_bar("1.7"));
    scratch.write("cube.obj", program::cube_obj());
    const std::vector<std::vector<std::string>> calls{
        {"run", "bar.json", "--json"},
        {"check", "bar.json", "--json"},
        {"inspect", "bar.json", "--json"},
        {"inspect", "bar.ywc", "--json"},
        {"mesh", "cube.obj", "--json"},
        {"inspect", "cube.obj", "--json"},
        {"inspect", "cube.mesh", "--json"},
        {"convert", "bar.ywc", "bar.glb", "--json"},
        {"render", "cube.obj", "--out", "cube.png", "--size", "32x32", "--samples", "1", "--json"}};
    for (const auto& call : calls) {
        CAPTURE(call[0] + " " + call[1]);
        const auto answer = scratch.run(call);
        CHECK(answer.code == 0);
        const json object = json::parse(answer.out, nullptr, false);
        REQUIRE(object.is_object());
        CHECK(object["ok"] == true);
    }
    const auto answer = scratch.run({"run", "wrong.json", "--json"});
    CHECK(answer.code == 1);
    const json object = json::parse(answer.out, nullptr, false);
    REQUIRE(object.is_object());
    CHECK(object["ok"] == false);
    CHECK(contains(object["errors"][0]["where"], "bodies[0].matching.alpha"));
}

TEST_CASE("--quiet says nothing about success and everything about failure")
{
    const program::Scratch scratch;
    scratch.write("bar.json", program::falling_bar());
    const auto good = scratch.run({"run", "bar.json", "--quiet"});
    CHECK(good.code == 0);
    CHECK(good.out.empty());
    CHECK(good.err.empty());
    const auto bad = scratch.run({"run", "missing.json", "--quiet"});
    CHECK(bad.code == 1);
    CHECK(contains(bad.err, "error: "));
}

TEST_CASE("the completion script knows the verbs and their options and is valid bash")
{
    const program::Scratch scratch;
    const auto answer = scratch.run({"--completion", "bash"});
    CHECK(answer.code == 0);
    scratch.write("completion.sh",
                  answer.out +
                      "COMP_WORDS=(yawara ins); COMP_CWORD=1; _yawara; echo \"${COMPREPLY[@]}\"\n"
                      "COMP_WORDS=(yawara run --save); COMP_CWORD=2; _yawara; echo \"${COMPREPLY[@]}\"\n");
    const std::string command = "bash " + (scratch / "completion.sh").string() + " > " + (scratch / "words").string();
    CHECK(std::system(command.c_str()) == 0);
    CHECK(scratch.read("words") == "inspect\n--save-state\n");
}
