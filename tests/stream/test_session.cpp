// The session as a page without a browser meets it.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>

#include "page.h"
#include "scratch.h"
#include "stream/handlers/handler.h"

using namespace yawara;
using namespace yawara::stream;

namespace {

Studio serve(const Scratch& scratch, int cells = 2)
{
    const auto body = [cells](const std::string& name, int x) {
        return fmt::format(R"({{"name": "{0}", "solid": {{"bar": {{"size": [1, 1, 1], "cells": [{2}, {2}, {2}]}}}},
            "place": {{"translate": [{1}, 1, 0]}}}})",
                           name, x, cells);
    };
    scratch.write("page/index.html", "<title>page</title>");
    scratch.write("scenes/broken.obj", "v 0 0 0\nf 1 2 3\n");
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

const std::string kHill = "v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A solid that takes a while to build.
const Json kLarge{{"bar", {{"size", {1, 1, 1}}, {"cells", {40, 40, 40}}}}};

/// The message that ends a build.
Json end_of_build(Page& page)
{
    return page.hear_until(
        [](const Json& message) { return message["type"] == "build" && message["state"] != "building"; });
}

/// Waits until the scene of the document as the page knows it is built.
void until_built(Page& page)
{
    page.hear_until([&](const Json& message) {
        return message["type"] == "build" && message["state"] == "done" && message["revision"] == page.revision;
    });
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
    until_built(page);
    document = page.answer(page.edit("add", "/bodies/@second/density", 500));
    CHECK(document["bodies"][0]["density"] == 500);
    until_built(page);
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

TEST_CASE("an edit for a document that is no longer open is refused, and the page is told which one is")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page one(studio), other(studio);
    one.hear("status");
    other.hear("status");
    const Json meant_for_before = one.edit("replace", "/title", "Wrong");
    other.send({{"type", "open"}, {"from", "gallery"}, {"name", "two"}, {"keep", true}});
    other.hear("document");
    one.send(meant_for_before);
    const Json error = one.hear("error");
    CHECK(error["about"] == "edit");
    CHECK(error["edit"] == 1);
    CHECK(error["what"] == "this scene is no longer open");
    CHECK(one.hear("document")["content"]["title"] == "Two");
    CHECK(one.id == other.id);
    for (const char* type : {"undo", "save"}) {
        Json message = one.addressed({{"type", type}});
        message["document"] = "0";
        CHECK(one.answer(message) == "document: this scene is no longer open");
        one.hear("document");
    }
}

TEST_CASE("of two edits of the same revision the second is refused, and both pages have the same document after it")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page one(studio), other(studio);
    one.hear("status");
    other.hear("status");
    CHECK(other.answer(other.edit("replace", "/title", "First")).at("title") == "First");
    one.send(one.edit("replace", "/title", "Second"));  // it has not heard of the other yet
    CHECK(one.hear("error")["what"] == "the scene was changed elsewhere meanwhile");
    one.hear("document");
    CHECK(one.content == other.content);
    CHECK(one.revision == other.revision);
    CHECK(one.answer(one.edit("replace", "/title", "Second")).at("title") == "Second");
}

TEST_CASE("pages are told the same edits, the sender also their number")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page one(studio), other(studio);
    one.hear("status");
    other.hear("status");
    Json edit = one.edit("add", "/bodies/@first/density", 400);
    edit["edit"] = 42;
    one.send(edit);
    CHECK(one.hear("edited")["edit"] == 42);
    CHECK(other.hear("edited")["edit"] == nullptr);
    one.send(one.addressed({{"type", "undo"}}));
    one.hear("edited");
    other.hear("edited");
    CHECK(one.content == other.content);
    CHECK_FALSE(one.content["bodies"][0].contains("density"));
}

TEST_CASE("a change that fits no place is refused in words for people")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    for (const char* path :
         {"/bodies/17/name", "/nowhere/at/all", "/bodies/x", "bodies", "/bodies/0/place/translate/9"}) {
        const std::string refusal = page.answer(page.edit("replace", path, 1)).get<std::string>();
        CHECK_MESSAGE(refusal.find("exception") == std::string::npos, refusal);
        CHECK_MESSAGE(refusal.find("the scene has nothing at this place") != std::string::npos, refusal);
    }
}

TEST_CASE("of two builds the newer wins, and what plays goes on until it is there")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    page.send(page.edit("replace", "/bodies/@first/solid", kLarge));
    page.hear("edited");
    Json small = kLarge;
    small["bar"]["cells"] = {3, 3, 3};
    page.send(page.edit("replace", "/bodies/@first/solid", small));
    page.hear("edited");
    const Json first = end_of_build(page);
    CHECK(first["state"] == "cancelled");
    CHECK(first["revision"] == 1);
    const Json scene = page.hear("scene");
    CHECK(scene["bodies"][0]["particles"] == 64);
    const Json second = end_of_build(page);
    CHECK(second["state"] == "done");
    CHECK(second["revision"] == 2);
}

TEST_CASE("a build that is cancelled leaves the last good scene, and takes its edit back")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    const Json before = page.content;
    page.send(page.edit("replace", "/bodies/@first/solid", kLarge));
    page.hear("edited");
    CHECK(page.content != before);
    page.send({{"type", "cancel"}});
    CHECK(end_of_build(page)["state"] == "cancelled");
    page.hear("edited");
    CHECK(page.content == before);
    CHECK(page.ask("pick", {{"spot", spot_on("first")}})["answer"]["particle"].get<int>() < 27);
}

TEST_CASE("an edit that cannot be built is taken back alone, and the page hears where and why")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    Json small = kLarge;
    small["bar"]["cells"] = {4, 4, 4};
    page.send(page.edit("replace", "/bodies/@first/solid", small));
    page.hear("edited");
    Json unbuildable = page.edit("replace", "/bodies/@second/solid", {{"from", "broken.obj"}, {"particles", 100}});
    unbuildable["edit"] = 9;
    page.send(unbuildable);
    bool built = false;
    Json failure;
    page.hear_until([&](const Json& message) {
        if (message["type"] == "scene") built = message["bodies"][0]["particles"] == 125;
        if (message["type"] == "error") failure = message;
        return built && !failure.is_null();
    });
    CHECK(failure["about"] == "edit");
    CHECK(failure["edit"] == 9);
    CHECK((failure["where"].get<std::string>() + failure["what"].get<std::string>()).find("broken.obj") !=
          std::string::npos);
    CHECK(page.content["bodies"][0]["solid"] == small);
    CHECK(page.content["bodies"][1]["solid"].contains("bar"));
    CHECK(page.answer(page.addressed({{"type", "undo"}}))["bodies"][0]["solid"]["bar"]["cells"] == Json({2, 2, 2}));
}

TEST_CASE("questions are answered while a scene is built")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    page.send(page.edit("replace", "/bodies/@first/solid", kLarge));
    page.hear("edited");
    page.send({{"type", "ask"}, {"id", 5}, {"about", "pick"}, {"query", {{"spot", spot_on("second")}}}});
    const Json answer = page.hear_until([](const Json& message) {
        return message["type"] == "answer" || (message["type"] == "build" && message["state"] != "building");
    });
    CHECK(answer["type"] == "answer");
    CHECK(answer["id"] == 5);
    CHECK(answer["answer"]["body"] == "second");
    page.send({{"type", "ask"},
               {"id", 6},
               {"about", "brush"},
               {"query", {{"spot", spot_on("second")}, {"kind", "polygon"}, {"radius", 0}, {"angle", 0}}}});
    do page.hear();
    while (page.binary.size() < 32 || page.binary[20] != 2);
    CHECK(page.binary[4] == 6);
    CHECK(page.ask("pik", Json::object())["error"].get<std::string>().find("\"pick\"") != std::string::npos);
    CHECK(page.ask("pick", {{"spot", 1}}).contains("error"));
    page.send({{"type", "cancel"}});
    CHECK(end_of_build(page)["state"] == "cancelled");
}

TEST_CASE("a thousand steps let other messages through, and end when they are cancelled")
{
    const Scratch scratch;
    const Studio studio = serve(scratch, 10);
    Page page(studio);
    page.send({{"type", "play"}, {"playing", false}});
    page.send({{"type", "reset"}});
    page.send({{"type", "step"}, {"frames", 1000}});
    page.hear_until([](const Json& message) { return message["type"] == "status" && message["frame"] > 0; });
    page.send({{"type", "cancel"}});
    page.send({{"type", "speed"}, {"factor", 0.5}});
    const Json status =
        page.hear_until([](const Json& message) { return message["type"] == "status" && message["speed"] == 0.5; });
    CHECK(status["frame"] < 1000);
    const auto shown = status["frame"];
    page.send({{"type", "step"}, {"frames", 3}});
    page.hear_until(
        [&](const Json& message) { return message["type"] == "status" && message["frame"] == shown.get<int>() + 3; });
}

TEST_CASE("unsaved edits are kept when another scene is opened, come back as they were, and are dropped only if asked")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    CHECK(page.answer(page.edit("replace", "/title", "Mine"))["title"] == "Mine");
    page.send({{"type", "open"}, {"from", "gallery"}, {"name", "two"}, {"keep", true}});
    const Json recent = page.hear("recent");
    REQUIRE(recent["documents"].size() == 1);
    CHECK(recent["documents"][0]["title"] == "Mine");
    CHECK(page.hear("document")["title"] == "Two");
    CHECK(page.answer(page.edit("replace", "/title", "Thrown away"))["title"] == "Thrown away");
    page.send({{"type", "open"}, {"from", "recent"}, {"name", recent["documents"][0]["name"]}, {"keep", false}});
    const Json back = page.hear("document");
    CHECK(back["title"] == "Mine");
    CHECK(back["saved"] == false);
    CHECK(page.hear("recent")["documents"].empty());
    CHECK(page.answer(page.addressed({{"type", "undo"}}))["title"] == "Two");
    page.send({{"type", "open"}, {"from", "new"}, {"name", ""}, {"keep", false}});
    CHECK(page.hear("document")["title"] == "Untitled");
    page.send({{"type", "forget"}, {"name", "nothing"}});
    CHECK(page.hear("error")["what"] == "there is no such recent document");
}

TEST_CASE(
    "a new scene is an empty floor; what is dropped on it becomes a body in one step of undo, and time begins with it")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    page.send({{"type", "open"}, {"from", "new"}, {"name", ""}, {"keep", false}});
    const Json empty = page.hear("document");
    CHECK(empty["content"]["bodies"].empty());
    CHECK(empty["content"]["obstacles"].size() == 1);
    CHECK(page.hear("scene")["bodies"].empty());
    const Json waiting = page.hear("status");
    CHECK(waiting["playing"] == true);
    CHECK(waiting["frame"] == 0);
    page.send(page.addressed({{"type", "export"}, {"format", "glb"}}));
    CHECK(page.hear("error")["what"] == "the scene has no bodies: there is nothing to export");

    const std::string upload(32, 'a');
    scratch.write("state/uploads/" + upload + "/hill.obj", kHill);
    const Json add{{"type", "add"}, {"document", page.id}, {"upload", upload}};
    Json with_body = page.answer(add);
    REQUIRE(with_body["bodies"].size() == 1);
    CHECK(with_body["bodies"][0]["name"] == "hill");
    CHECK(with_body["bodies"][0]["solid"]["from"] == "hill.obj");
    until_built(page);
    CHECK(page.hear("status")["first"] == 0);
    page.hear_until([](const Json& message) { return message["type"] == "status" && message["frame"] > 3; });
    with_body = page.answer(add);  // the same again, beside it
    REQUIRE(with_body["bodies"].size() == 2);
    CHECK(with_body["bodies"][1]["name"] == "hill_2");
    CHECK(with_body["bodies"][1]["place"]["translate"][0].get<double>() > 1);
    until_built(page);
    const auto until_bodies = [&](std::size_t count) {
        page.hear_until(
            [&](const Json& message) { return message["type"] == "edited" && page.content["bodies"].size() == count; });
    };
    page.send(page.addressed({{"type", "undo"}}));
    until_bodies(1);
    page.send(page.addressed({{"type", "undo"}}));
    until_bodies(0);

    const std::string scene(32, 'b');
    scratch.write("state/uploads/" + scene + "/scene.json", R"({"yawara": 1, "bodies": []})");
    const auto refusal = [&](const std::string& document, const std::string& upload_number) {
        page.send({{"type", "add"}, {"document", document}, {"upload", upload_number}});
        return page.hear("error")["what"];
    };
    CHECK(refusal(page.id, scene) == "is a scene; open it alone");
    CHECK(refusal(page.id, std::string(32, 'c')) == "there is no such upload");
    CHECK(refusal("99", upload) == "this scene is no longer open");
}

TEST_CASE(
    "what is added to a scene of the gallery stays with the upload, is as large as its neighbours, and is kept in "
    "Recent")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    const std::string upload(32, 'a');
    scratch.write("state/uploads/" + upload + "/first.obj", kHill);
    const Json with_body = page.answer({{"type", "add"}, {"document", page.id}, {"upload", upload}});
    REQUIRE(with_body["bodies"].size() == 3);
    const Json& added = with_body["bodies"][2];
    CHECK(added["name"] == "first_2");
    CHECK(added["solid"]["size"] == 1);
    CHECK(added["place"]["translate"][0].get<double>() > 3.9);
    CHECK_FALSE(std::filesystem::exists(scratch.path / "scenes/first.obj"));
    until_built(page);
    page.send({{"type", "open"}, {"from", "gallery"}, {"name", "two"}, {"keep", true}});
    const Json recent = page.hear("recent")["documents"];
    REQUIRE(recent.size() == 1);
    page.hear("document");
    page.send({{"type", "open"}, {"from", "recent"}, {"name", recent[0]["name"]}, {"keep", false}});
    CHECK(page.hear("document")["content"]["bodies"].size() == 3);
}

TEST_CASE("renaming a body builds nothing, and undoing that neither")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    page.send({{"type", "play"}, {"playing", false}});
    const auto is_built = [&](const Json& message, const std::string& name) {
        REQUIRE(message["type"] != "build");
        return message["type"] == "scene" && message["bodies"][0]["name"] == name;
    };
    CHECK(page.answer(page.edit("replace", "/bodies/@first/name", "renamed"))["bodies"][0]["id"] == "first");
    page.hear_until([&](const Json& message) { return !message.is_null() && is_built(message, "renamed"); });
    CHECK_FALSE(page.answer(page.addressed({{"type", "undo"}}))["bodies"][0].contains("id"));
    page.hear_until([&](const Json& message) { return !message.is_null() && is_built(message, "first"); });
}

TEST_CASE("a pin set while a scene is being built waits for it, holds the same place, and lets other edits pass")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    page.send({{"type", "play"}, {"playing", false}});
    page.answer(page.edit("replace", "/bodies/@second/solid", kLarge));
    page.send(page.addressed({{"type", "pin"}, {"spot", spot_on("first")}}));
    page.send(page.addressed({{"type", "pin"}, {"spot", spot_on("second")}}));
    CHECK(page.answer(page.edit("replace", "/title", "Meanwhile"))["bodies"][0].contains("pins") == false);
    page.hear_until([&](const Json& message) {
        REQUIRE(message["type"] != "error");
        return message["type"] == "edited" && page.content["bodies"][1].contains("pins");
    });
    CHECK(page.content["title"] == "Meanwhile");
    CHECK(page.content["bodies"][0]["pins"].size() == 1);
    const Json pinned = page.content["bodies"][1]["pins"][0]["select"]["vertices"];
    CHECK(pinned.size() >= 4);
    CHECK(pinned.size() <= 20);  // of the fine mesh, not of the coarse one

    page.answer(page.edit("replace", "/bodies/@second/solid", kLarge));
    page.answer(page.edit("replace", "/bodies/@second/solid/bar/cells", {39, 39, 39}));
    page.send(page.addressed({{"type", "pin"}, {"spot", spot_on("second")}}));
    page.answer(page.edit("remove", "/bodies/@second"));
    CHECK(page.hear("error")["what"] == "the body that was to be pinned is no longer there");
}

TEST_CASE("time goes on while a take is exported, which can be cancelled, and another has to wait")
{
    const Scratch scratch;
    const Studio studio = serve(scratch, 24);
    Page page(studio);
    page.hear("status");
    page.send({{"type", "play"}, {"playing", false}});
    page.send({{"type", "reset"}});
    page.send({{"type", "step"}, {"frames", 30}});
    page.hear_until([](const Json& message) { return message["type"] == "status" && message["frame"] == 30; });
    const Json export_glb = page.addressed({{"type", "export"}, {"format", "glb"}});
    page.send(export_glb);
    page.send(export_glb);
    page.send({{"type", "resend"}});
    page.send({{"type", "cancel"}});
    const Json second = page.hear("error");
    CHECK(second["what"] == "another export is on its way; wait for it, or cancel it");
    CHECK(page.hear({"document", "exported"})["type"] == "document");
    CHECK(page.hear({"error", "exported"})["what"] == "The export was cancelled");
    page.send(page.addressed({{"type", "export"}, {"format", "json"}}));
    CHECK(page.hear("exported")["name"] == "two.json");
}

TEST_CASE("frames come while a take is exported")
{
    const Scratch scratch;
    const Studio studio = serve(scratch, 8);
    Page page(studio);
    page.hear("status");
    page.send({{"type", "play"}, {"playing", false}});
    page.send({{"type", "reset"}});
    int frame = 600;  // a take whose export takes longer than a frame
    const auto stepped = [&](const Json& message) { return message["type"] == "status" && message["frame"] == frame; };
    page.send({{"type", "step"}, {"frames", frame}});
    page.hear_until(stepped);
    // An export that stopped time would be answered before the frame that was asked for after it, always.
    bool frame_was_first = false;
    for (int attempt = 0; attempt < 10 && !frame_was_first; ++attempt) {
        page.send(page.addressed({{"type", "export"}, {"format", "glb"}}));
        page.send({{"type", "step"}, {"frames", 1}});
        ++frame;
        bool is_stepped = false, is_exported = false;
        while (!is_stepped || !is_exported) {
            const Json message = page.hear();
            if (message.is_null()) continue;
            is_stepped = is_stepped || stepped(message);
            is_exported = is_exported || message["type"] == "exported";
            frame_was_first = frame_was_first || (is_stepped && !is_exported);
        }
    }
    CHECK(frame_was_first);
}

TEST_CASE("a take that is compared is shown beside, with what was measured then; another cannot be asked for")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    page.send({{"type", "play"}, {"playing", false}});
    page.send({{"type", "reset"}});
    page.send({{"type", "step"}, {"frames", 10}});
    const Json first = page.hear_until([](const Json& m) { return m["type"] == "status" && m["frame"] == 10; });
    page.send({{"type", "reset"}});
    page.send(page.addressed({{"type", "compare"}, {"on", true}, {"take", first["take"]}}));
    CHECK(page.hear_until([](const Json& m) { return m["type"] == "scene" && m["run"] == 1; })["bodies"].size() == 2);
    CHECK(page.hear_until([](const Json& m) { return m["type"] == "measures" && m["run"] == 1; })["restart"] == true);
    const Json status = page.hear("status");
    CHECK(status["comparing"] == true);
    CHECK(status["beside"] == first["take"]);
    page.send(page.addressed({{"type", "compare"}, {"on", true}, {"take", 77}}));
    CHECK(page.hear("error")["what"] == "there is no such take any more");
    page.send(page.addressed({{"type", "compare"}, {"on", false}}));
    CHECK(page.hear_until([](const Json& m) { return m["type"] == "status" && !m["comparing"]; }).contains("beside") ==
          false);
}

TEST_CASE("a flood of messages is not answered by a flood")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    const auto start = std::chrono::steady_clock::now();
    page.send({{"type", "play"}, {"playing", false}});
    for (int k = 0; k < 400; ++k) page.send({{"type", "speed"}, {"factor", 1}});
    page.send({{"type", "resend"}});
    int answers = 0;
    while (page.hear({"status", "document"})["type"] == "status") ++answers;
    // However the flood came in, all at once or in drops: no more in a second than a picture can show.
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    CHECK(answers <= 4 + 140 * seconds);
    // What the last message made of it is told, even if another status had just gone out.
    page.send({{"type", "speed"}, {"factor", 1}});
    page.send({{"type", "speed"}, {"factor", 0.5}});
    page.hear_until([](const Json& message) { return message["type"] == "status" && message["speed"] == 0.5; });
}

TEST_CASE("measures are told as the scene plays, and anew from the start after a reset")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page page(studio);
    page.hear("status");
    page.send({{"type", "open"}, {"from", "gallery"}, {"name", "two"}, {"keep", true}});
    page.hear("document");
    page.answer(page.edit("add", "/measures",
                          Json::array({{{"name", "height"}, {"what", "center"}, {"body", "first"}, {"axis", "y"}}})));
    const auto measures = [&](bool restart) {
        return page.hear_until([&](const Json& message) {
            return message["type"] == "measures" && message["restart"] == restart && !message["names"].empty();
        });
    };
    const Json rows = measures(false);
    CHECK(rows["names"][0]["name"] == "height");
    REQUIRE(rows["rows"].size() > 0);
    CHECK(rows["rows"][0].size() == 2);
    page.send({{"type", "reset"}});
    const Json anew = measures(true);
    if (!anew["rows"].empty()) CHECK(anew["rows"][0][0].get<double>() < 0.2);
}

TEST_CASE("every message of the page has a handler")
{
    const Json schema = Json::parse(protocol_schema());
    const auto handled = handled_types();
    for (const auto& [name, unused] : schema["$defs"].items())
        if (name.starts_with("client_") && name != "client_seen")  // which the server takes itself
            CHECK_MESSAGE(std::ranges::find(handled, name.substr(7)) != handled.end(), name);
}

TEST_CASE("a session says how many pages it has")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    Page one(studio);
    one.hear_until([](const Json& message) { return message["type"] == "status" && message["pages"] == 1; });
    {
        Page other(studio);
        one.hear_until([](const Json& message) { return message["type"] == "status" && message["pages"] == 2; });
    }
    one.hear_until([](const Json& message) { return message["type"] == "status" && message["pages"] == 1; });
}
