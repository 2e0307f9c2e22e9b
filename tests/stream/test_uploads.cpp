// What is dropped on the page is read with limits, and can be stopped.
#include <doctest/doctest.h>

#include <filesystem>

#include "io/zip.h"
#include "scratch.h"
#include "stream/opened_scene.h"

using namespace yawara;
using namespace yawara::io;
using namespace yawara::stream;

TEST_CASE("unpacking a .zip that swells can be cancelled, and refuses more than it may hold before writing it")
{
    const Scratch scratch;
    const std::string swelling = zip({{"a.obj", std::string(32u << 20, '\n')}}).value();
    CHECK(swelling.size() < 100'000);
    int calls = 0;
    const Progress stop = [&](std::string_view, double) { return ++calls < 5; };
    CHECK(unzip(swelling, scratch.path / "a", 1u << 30, stop).error().what == "cancelled");
    CHECK(calls == 5);
    CHECK_FALSE(std::filesystem::exists(scratch.path / "a/a.obj"));
    CHECK_FALSE(unzip(swelling, scratch.path / "b", 1u << 20));
    CHECK_FALSE(std::filesystem::exists(scratch.path / "b/a.obj"));
    double last = 0;
    const Progress watch = [&](std::string_view, double fraction) {
        CHECK(fraction >= last);
        last = fraction;
        return fraction <= 1;
    };
    CHECK(unzip(swelling, scratch.path / "c", 1u << 30, watch));
    CHECK(last > 0.9);
}

TEST_CASE("an upload that was cancelled is not opened, and a scene beyond all measure is refused by its size")
{
    const Scratch scratch;
    scratch.write("mesh/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    const Progress go_on = [](std::string_view, double) { return true; };
    const Progress stop = [](std::string_view, double) { return false; };
    CHECK(open_upload(scratch.path / "mesh", go_on));
    CHECK(open_upload(scratch.path / "mesh", stop).error().what == "cancelled");
    scratch.write("scene/large.json", R"({"yawara": 1, "title": ")" + std::string(20u << 20, 'x') + "\"}");
    const auto refused = open_upload(scratch.path / "scene", go_on);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().where == "large.json");
    CHECK(refused.error().what.find("16 MB") != std::string::npos);
}
