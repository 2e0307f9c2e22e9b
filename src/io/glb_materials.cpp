// Colours of glTF are linear light.
#include "io/glb_materials.h"

#include <algorithm>
#include <cmath>

namespace yawara::io {
namespace {

using Json = nlohmann::json;

float linear_light(float srgb)
{
    const float c = std::clamp(srgb, 0.0f, 1.0f);
    return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}

int code_of(Wrap wrap)
{
    return wrap == Wrap::clamp ? 33071 : wrap == Wrap::mirror ? 33648 : 10497;
}

}  // namespace

Vec3 linear_light(Vec3 srgb)
{
    return {linear_light(srgb.x), linear_light(srgb.y), linear_light(srgb.z)};
}

std::size_t add_material(GlbDocument& document, const std::string& name, Vec3 color)
{
    document.json["materials"].push_back({{"name", name},
                                          {"pbrMetallicRoughness",
                                           {{"baseColorFactor", {color.x, color.y, color.z, 1.0f}},
                                            {"metallicFactor", 0.0f},
                                            {"roughnessFactor", 0.6f}}}});
    return document.json["materials"].size() - 1;
}

Json GlbSkins::texture(const Texture& texture)
{
    const std::size_t image = document_.image(texture.name, texture.bytes, texture.is_png() ? "image/png" : "image/jpeg");
    document_.json["samplers"].push_back({{"wrapS", code_of(texture.wrap[0])}, {"wrapT", code_of(texture.wrap[1])}});
    document_.json["textures"].push_back({{"source", image}, {"sampler", document_.json["samplers"].size() - 1}});
    return {{"index", document_.json["textures"].size() - 1}};
}

const std::vector<std::size_t>& GlbSkins::materials(const Skin& skin)
{
    const auto [entry, is_new] = known_.try_emplace(&skin);
    if (!is_new) return entry->second;
    std::vector<Json> textures;
    for (const Texture& one : skin.textures) textures.push_back(texture(one));
    for (const SkinMaterial& material : skin.materials) {
        entry->second.push_back(add_material(document_, material.name, linear_light(material.color)));
        Json& json = document_.json["materials"].back();
        Json& surface = json["pbrMetallicRoughness"];
        surface["roughnessFactor"] = material.roughness;
        surface["metallicFactor"] = material.metallic;
        if (material.texture >= 0) surface["baseColorTexture"] = textures[std::size_t(material.texture)];
        if (material.roughness_map >= 0)
            surface["metallicRoughnessTexture"] = textures[std::size_t(material.roughness_map)];
        if (material.normal_map < 0) continue;
        json["normalTexture"] = textures[std::size_t(material.normal_map)];
        if (material.bump != 1) json["normalTexture"]["scale"] = material.bump;
    }
    return entry->second;
}

}  // namespace yawara::io
