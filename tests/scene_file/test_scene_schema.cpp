// The published schema is whole, its reference current, and the gallery valid.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scene_file/schema_check.h"
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
    CHECK(matching["alpha"].get<float>() == body.alpha);
    CHECK(matching["passes"].get<int>() == body.passes);
    CHECK(matching["hops"].get<int>() == Matching{}.hops);
    CHECK(matching["align"].get<bool>() == body.align);
    CHECK(matching["damping"].get<float>() == body.damping);
    CHECK(matching["region_damping"].get<float>() == body.region_damping);
    CHECK(matching["drag"].get<float>() == body.drag);
    CHECK(value["bodies"][0]["density"].get<double>() == *BodySpec{}.density.constant());
    const Look look;
    CHECK(value["look"]["size"] == Json{look.width, look.height});
    CHECK(value["look"]["samples"].get<int>() == look.samples);
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
