// The session as a page without a browser meets it.
#include <doctest/doctest.h>

#include "page.h"
#include "scratch.h"

using namespace yawara;
using namespace yawara::stream;

namespace {

Studio serve(const Scratch& scratch)
{
    const auto body = [](const std::string& name, int x) {
        return fmt::format(R"({{"name": "{}", "solid": {{"bar": {{"size": [1, 1, 1], "cells": [2, 2, 2]}}}},
            "place": {{"translate": [{}, 1, 0]}}}})",
                           name, x);
    };
    scratch.write("page/index.html", "<title>page</title>");
    scratch.write("scenes/two.json",
                  R"({"yawara": 1, "title": "Two", "bodies": [)" + body("first", 0) + ", " + body("second", 3) + "]}");
    StudioOptions options;
    options.page = scratch.path / "page";
    options.gallery = scratch.path / "scenes";
    options.state = scratch.path / "state";
    options.port = 0;
    return Studio::start(options).value();
}

Json spot_on(const std::string& body)
{
    return {{"body", body}, {"triangle", 0}, {"weights", {1, 0, 0}}};
}

}  // namespace

TEST_CASE("messages by identity meet the body they name after another was deleted, and no other when it is gone")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.send({{"type", "play"}, {"playing", false}});
    page.send({{"type", "reset"}});
    const Json scene = page.hear("scene");
    CHECK(scene["bodies"][0]["id"] == "first");
    CHECK(scene["bodies"][1]["id"] == "second");

    Json document = page.answer(page.edit("remove", "/bodies/@first"));
    REQUIRE(document["bodies"].size() == 1);
    document = page.answer(page.edit("add", "/bodies/@second/density", 500));
    CHECK(document["bodies"][0]["density"] == 500);
    document = page.answer(page.edit("replace", "/bodies/@second/name", "renamed"));
    CHECK(document["bodies"][0]["name"] == "renamed");
    CHECK(page.ask("pick", {{"spot", spot_on("second")}})["answer"]["body"] == "second");
    document = page.answer(page.addressed({{"type", "pin"}, {"spot", spot_on("second")}}));
    CHECK(document["bodies"][0]["pins"].size() == 1);

    for (const char* gone : {"first", "renamed", "second/1", "0"}) {
        const std::string message = fmt::format("there is no body \"{}\"", gone);
        CHECK(page.answer(page.addressed({{"type", "pin"}, {"spot", spot_on(gone)}})) == "spot.body: " + message);
        CHECK(page.answer({{"type", "grab"}, {"hold", 1}, {"spot", spot_on(gone)}, {"target", {0, 0, 0}}}) ==
              "spot.body: " + message);
        CHECK(page.answer({{"type", "throw"}, {"body", gone}, {"velocity", {0, 1, 0}}}) == "body: " + message);
    }
    CHECK(page.answer(page.edit("add", "/bodies/@first/density", 500)) ==
          "/bodies/@first/density: there is no body \"first\"");
    document = page.answer(page.addressed({{"type", "unpin"}, {"spot", spot_on("second")}}));
    CHECK(document["bodies"][0]["pins"].empty());
}
