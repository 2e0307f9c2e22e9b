// glTF materials: metal and roughness, with their pictures of colours and normals. What else they may have (light of
// their own, occlusion, transparency) is passed over; what would put a picture elsewhere is told.
#include "io/gltf_skin.h"

#include <algorithm>
#include <cmath>

#include "io/skin_reader.h"
#include "io/tiny_gltf_model.h"

namespace yawara::io {

double to_srgb(double linear)
{
    const double c = std::clamp(linear, 0.0, 1.0);
    return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
}

namespace {

namespace fs = std::filesystem;

/// "red%20wood.png" is "red wood.png".
std::string without_percents(const std::string& uri)
{
    std::string name;
    const auto digit = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    for (std::size_t i = 0; i < uri.size(); ++i) {
        const bool coded = uri[i] == '%' && i + 2 < uri.size() && digit(uri[i + 1]) >= 0 && digit(uri[i + 2]) >= 0;
        name += coded ? static_cast<char>(16 * digit(uri[i + 1]) + digit(uri[i + 2])) : uri[i];
        if (coded) i += 2;
    }
    return name;
}

Wrap wrap_of(int code)
{
    if (code == TINYGLTF_TEXTURE_WRAP_CLAMP_TO_EDGE) return Wrap::clamp;
    return code == TINYGLTF_TEXTURE_WRAP_MIRRORED_REPEAT ? Wrap::mirror : Wrap::repeat;
}

class MaterialReader {
public:
    MaterialReader(const tinygltf::Model& model, const fs::path& path, Skin& skin)
        : model_(model), path_(path), skin_(skin)
    {
    }

    void read(const tinygltf::Material& from)
    {
        SkinMaterial material;
        material.name = from.name;
        const auto& surface = from.pbrMetallicRoughness;
        const std::vector<double>& factor = surface.baseColorFactor;
        if (factor.size() >= 3)
            material.color = {float(to_srgb(factor[0])), float(to_srgb(factor[1])), float(to_srgb(factor[2]))};
        material.roughness = share(surface.roughnessFactor);
        material.metallic = share(surface.metallicFactor);
        material.texture = texture(surface.baseColorTexture);
        material.roughness_map = texture(surface.metallicRoughnessTexture);
        material.normal_map = texture(from.normalTexture);
        if (material.normal_map >= 0 && std::isfinite(from.normalTexture.scale))
            material.bump = float(std::clamp(from.normalTexture.scale, -10.0, 10.0));
        skin_.materials.push_back(material);
    }

private:
    static float share(double value) { return std::isfinite(value) ? float(std::clamp(value, 0.0, 1.0)) : 1.0f; }

    template <class Info>
    std::int32_t texture(const Info& info)
    {
        if (info.index < 0) return -1;
        if (std::size_t(info.index) >= model_.textures.size()) {
            warn("a material has the texture " + std::to_string(info.index) + " of " +
                 std::to_string(model_.textures.size()));
            return -1;
        }
        if (info.texCoord != 0) warn("a picture is laid out by TEXCOORD_" + std::to_string(info.texCoord) + "; TEXCOORD_0 is used");
        if (info.extensions.contains("KHR_texture_transform"))
            warn("KHR_texture_transform moves or scales a picture, which is not done here");
        const tinygltf::Texture& from = model_.textures[std::size_t(info.index)];
        std::array<Wrap, 2> wrap{};
        if (from.sampler >= 0 && std::size_t(from.sampler) < model_.samplers.size()) {
            const tinygltf::Sampler& sampler = model_.samplers[std::size_t(from.sampler)];
            wrap = {wrap_of(sampler.wrapS), wrap_of(sampler.wrapT)};
        }
        if (from.source < 0 || std::size_t(from.source) >= model_.images.size()) {
            warn("a texture has no PNG or JPEG");
            return -1;
        }
        const tinygltf::Image& image = model_.images[std::size_t(from.source)];
        if (image.image.empty() && !image.uri.empty())
            return add_texture_file(skin_, path_, without_percents(image.uri), wrap);
        const std::string name = image.name.empty() ? "image " + std::to_string(from.source) : image.name;
        return add_texture(skin_, name, {image.image.begin(), image.image.end()}, wrap);
    }

    void warn(const std::string& what)
    {
        if (std::ranges::find(skin_.warnings, what) == skin_.warnings.end()) skin_.warnings.push_back(what);
    }

    const tinygltf::Model& model_;
    const fs::path& path_;
    Skin& skin_;
};

}  // namespace

void read_gltf_materials(const tinygltf::Model& model, const fs::path& path, Skin& skin)
{
    MaterialReader reader(model, path, skin);
    for (const tinygltf::Material& material : model.materials) reader.read(material);
}

}  // namespace yawara::io
