// The published schema is whole, its reference current, and the gallery valid.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "scene_file/schema_check.h"
#include "yawara/quantities.h"
#include "yawara/scene_file.h"

using namespace yawara;
using namespace yawara::scene_file;

namespace {

const std::filesystem::path kSource = YAWARA_SOURCE_DIR;

std::string content(const std::filesystem::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// Calls `visit` for this part of a schema and every part below.
template <class Visit>
void walk(const Json& part, const std::string& path, const Visit& visit)
{
    visit(part, path);
    for (const char* group : {"properties", "$defs"}) {
        if (!part.contains(group)) continue;
        for (const auto& [key, member] : part[group].items()) walk(member, path + "/" + group + "/" + key, visit);
    }
    for (const char* group : {"oneOf", "anyOf", "prefixItems"}) {
        if (!part.contains(group)) continue;
        for (const Json& member : part[group]) walk(member, path + "/" + group, visit);
    }
    for (const char* single : {"items", "not"}) {
        if (part.contains(single)) walk(part[single], path + "/" + single, visit);
    }
}

}  // namespace

TEST_CASE("the library carries the published schema")
{
    CHECK(scene_schema() == content(kSource / "schema/scene.schema.json"));
}

TEST_CASE("the schema says nothing that is not checked and describes every key")
{
    const Json schema = Json::parse(scene_schema());
    walk(schema, "#", [&](const Json& part, const std::string& path) {
        INFO(path);
        for (const auto& [keyword, value] : part.items()) {
            INFO(keyword);
            const auto known = schema_keywords();
            CHECK(std::find(known.begin(), known.end(), keyword) != known.end());
        }
        if (part.contains("properties")) {
            CHECK(part.value("type", "") == "object");
            CHECK(part.contains("additionalProperties"));
            for (const auto& [key, property] : part["properties"].items()) {
                INFO(key);
                CHECK(property.value("description", "").size() > 1);
            }
        }
    });
}

TEST_CASE("the examples of the schema are valid scenes")
{
    const Json schema = Json::parse(scene_schema());
    REQUIRE(!schema["examples"].empty());
    for (const Json& example : schema["examples"]) CHECK(LoadedScene::from_text(example.dump(), "."));
}

TEST_CASE("defaults of the schema are those of the engine")
{
    Json value = Json::parse(R"({"yawara": 1, "bodies": [{"name": "a", "solid": {"tets": "a.mesh"}}]})");
    CHECK(check_schema(Json::parse(scene_schema()), value).errors.empty());
    const SceneSettings settings;
    CHECK(value["step"]["dt"].get<double>() == settings.dt);
    CHECK(value["step"]["substeps"].get<int>() == settings.substeps);
    CHECK(value["step"]["gravity"][1].get<float>() == settings.gravity.y);
    const BodySettings body;
    const Json& matching = value["bodies"][0]["matching"];
    CHECK(matching["hops"].get<int>() == Matching{}.hops);
    CHECK(matching["align"].get<bool>() == body.matching.align);
    CHECK(matching["damping"].get<float>() == body.matching.damping);
    CHECK(matching["region_damping"].get<float>() == body.matching.region_damping);
    CHECK(matching["drag"].get<float>() == body.drag);
    CHECK(value["bodies"][0]["density"].get<double>() == *BodySpec{}.density.constant());
    const Look look;
    CHECK(value["look"]["size"] == Json{look.width, look.height});
    CHECK(value["look"]["samples"].get<int>() == look.samples);
}

TEST_CASE("a body can be coloured by every quantity of the engine and by no other")
{
    LoadedScene active = LoadedScene::from_text(R"({"yawara": 1, "bodies": [{"name": "muscle",
        "solid": {"bar": {"size": [1, 1, 1], "cells": [1, 1, 1]}},
        "matching": {"stretch": [{"active": {"charts": {"d1": {"keys": [[0, 0.8]]}}}}]}}]})",
                                                ".")
                             .value();
    std::set<std::string> measured, offered;
    for (const Quantity& quantity : common_quantities()) measured.insert(quantity.name);
    QuantityGauge gauge(active.scene());
    for (const Quantity& quantity : gauge.quantities(active.scene(), active.scene().bodies()[0]))
        measured.insert(quantity.name);
    const Json show = Json::parse(scene_schema())["$defs"]["body_look"]["properties"]["show"];
    for (const Json& name : show["enum"]) offered.insert(name.get<std::string>());
    CHECK(offered == measured);
    for (const std::string& name : offered) {
        INFO(name);
        CHECK(show["description"].get<std::string>().find("`" + name + "`") != std::string::npos);
    }
}

TEST_CASE("the schema names every mesh format that can be read where a mesh is expected")
{
    const Json defs = Json::parse(scene_schema())["$defs"];
    const auto names = [](const Json& text, std::string_view ending) {
        std::string lower = text.get<std::string>();
        std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
        return lower.find(ending) != std::string::npos;
    };
    for (const MeshFormat& format : mesh_formats()) {
        INFO(format.ending);
        if (format.loads_tets) CHECK(names(defs["solid_tets"]["properties"]["tets"]["description"], format.ending));
        if (!format.loads_surface) continue;
        CHECK(names(defs["solid_from"]["description"], format.ending.substr(1)));
        CHECK(names(defs["mesh"]["properties"]["file"]["description"], format.ending.substr(1)));
    }
}

TEST_CASE("docs/scene_format.md is current; YAWARA_UPDATE_DOCS=1 in the environment writes it anew")
{
    const std::filesystem::path page = kSource / "docs/scene_format.md";
    if (std::getenv("YAWARA_UPDATE_DOCS")) std::ofstream(page, std::ios::binary) << scene_format_reference();
    CHECK(content(page) == scene_format_reference());
}

TEST_CASE("every scene of the gallery is valid")
{
    int scenes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kSource / "scenes")) {
        if (entry.path().extension() != ".json") continue;
        ++scenes;
        INFO(entry.path().string());
        for (const Error& error : check_scene(entry.path())) FAIL_CHECK(error.message());
    }
    CHECK(scenes >= 4);
}
