// Bodies and their copies by identity: what holds them, and where that stands in the document.
#include <doctest/doctest.h>

#include "scene_file/identity.h"
#include "yawara/scene_file.h"

using namespace yawara;
using namespace yawara::scene_file;

TEST_CASE("an instance has pins, handles and forces of its own, besides those of its body")
{
    Json scene = Json::parse(
        R"({"yawara": 1, "bodies": [{"name": "bar", "solid": {"bar": {"size": [3, 1, 1], "cells": [6, 2, 2]}}}]})");
    Json& bar = scene["bodies"][0];
    const auto held = [](int particle) { return Json{{"select", {{"vertices", {particle}}}}}; };
    bar["id"] = "b";
    bar["pins"] = Json::array({held(0)});
    bar["handles"] = Json::array({held(1)});
    bar["instances"] = Json::parse(R"([{}, {"id": "own", "translate": [4, 0, 0]}, {"translate": [8, 0, 0]}])");
    bar["instances"][1]["pins"] = Json::array({held(2), held(3)});
    bar["instances"][1]["handles"] = Json::array({held(4)});
    bar["instances"][1]["forces"] = Json::parse(R"([{"select": "all", "acceleration": [0, 0, 30]}])");
    LoadedScene loaded = LoadedScene::from_text(scene.dump(), ".").value();
    const auto particles = [&](const std::string& identity) {
        std::vector<std::int32_t> all;
        for (const Grip& grip : loaded.scene().scripted_grips(loaded.find(identity).value()))
            all.insert(all.end(), grip.particles.begin(), grip.particles.end());
        return all;
    };
    const BodyId own = loaded.find("b/own").value();
    CHECK(loaded.scene().model(own).name() == "bar_own");
    CHECK(loaded.identity(own) == "b/own");
    CHECK(loaded.pointer(own) == "/bodies/0/instances/1");
    CHECK(particles("b/1") == std::vector<std::int32_t>{0, 1});
    CHECK(particles("b/own") == std::vector<std::int32_t>{0, 2, 3, 1, 4});
    CHECK(particles("b/3") == std::vector<std::int32_t>{0, 1});
    for (const char* unknown : {"b", "bar", "b/2", "b/4", "", "/"}) CHECK_MESSAGE(!loaded.find(unknown), unknown);
    // Every grip is found in the document where its pointer leads.
    for (const BodyId body : loaded.scene().bodies()) {
        const auto grips = loaded.scene().scripted_grips(body);
        const auto pointers = loaded.grip_pointers(body);
        REQUIRE(grips.size() == pointers.size());
        for (std::size_t k = 0; k < grips.size(); ++k)
            CHECK(scene.at(Json::json_pointer(pointers[k]))["select"]["vertices"] == Json(grips[k].particles));
    }
    const auto z = [&](const char* identity) {
        double sum = 0;
        for (const Vec3& p : loaded.scene().state(loaded.find(identity).value()).positions) sum += double(p.z);
        return sum;
    };
    const double before = z("b/own") - z("b/3");
    for (int k = 0; k < 10; ++k) loaded.step();
    CHECK(z("b/own") - z("b/3") > before + 0.01);
}

TEST_CASE("bodies that differ in name alone share one model; its warnings are told once, of the body that is there")
{
    const auto load = [](const std::vector<std::string>& names, const LoadedScene* earlier = nullptr) {
        Json scene{{"yawara", 1}, {"bodies", Json::array()}};
        for (const std::string& name : names) {
            scene["bodies"].push_back(Json::parse(R"({"solid": {"bar": {"size": [1, 1, 1], "cells": [1, 1, 1]}},
                "fem": {"materials": [{"young": 1e5, "poisson": 0.499}]}})"));
            scene["bodies"].back()["name"] = name;
            if (name == "soft") scene["bodies"].back()["fem"]["materials"][0]["poisson"] = 0.3;
        }
        return LoadedScene::from_text(scene.dump(), ".", "scene", {}, earlier).value();
    };
    LoadedScene three = load({"soft", "a", "b"});
    const auto revision = [](LoadedScene& loaded, const char* name) {
        return loaded.scene().model(loaded.find(name).value()).revision();
    };
    CHECK(revision(three, "a") == revision(three, "b"));
    CHECK(revision(three, "a") != revision(three, "soft"));
    const auto of_models = [](const LoadedScene& loaded) {
        std::vector<std::string> warnings(loaded.warnings().begin(), loaded.warnings().end());
        std::erase_if(warnings, [](const std::string& w) { return w.find("a Poisson's ratio of") == w.npos; });
        return warnings;
    };
    REQUIRE(of_models(three).size() == 1);
    CHECK(of_models(three)[0].starts_with("bodies[1]: "));
    LoadedScene one = load({"b"}, &three);
    CHECK(revision(one, "b") == revision(three, "b"));
    REQUIRE(of_models(one).size() == 1);
    CHECK(of_models(one)[0].starts_with("bodies[0]: "));
}

TEST_CASE("a path with identities becomes one with numbers")
{
    const Json scene =
        Json::parse(R"({"bodies": [{"name": "a"}, {"name": "b", "id": "a2", "instances": [{}, {"id": "1st"}]}]})");
    const auto plain = [&](const char* pointer) {
        const auto found = resolve_identities(scene, Json::json_pointer(pointer));
        return found ? found->to_string() : found.error().message();
    };
    CHECK(plain("") == "");
    CHECK(plain("/title") == "/title");
    CHECK(plain("/bodies/@a/pins/-") == "/bodies/0/pins/-");
    CHECK(plain("/bodies/1/instances/@1st/color") == "/bodies/1/instances/1/color");
    CHECK(plain("/bodies/@a2/instances/@1") == "/bodies/1/instances/0");
    CHECK(plain("/bodies/@b/name") == "/bodies/@b/name: there is no body \"b\"");
    CHECK(plain("/bodies/@/name") == "/bodies/@/name: there is no body \"\"");
    CHECK(plain("/bodies/-/@a") == "/bodies/-/@a");
    CHECK(pointer_of("bodies[0].instances[12].pins[3]") == "/bodies/0/instances/12/pins/3");
}
