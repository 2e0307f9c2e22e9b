// What a mesh file says of how its surface looks: materials with their pictures. Read beside the mesh, by yawara/io.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "yawara/mesh.h"

namespace yawara {

/// 8-bit sRGB with alpha, row by row from the top.
struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgba;
};

/// What a picture shows beyond its sides.
enum class Wrap : std::uint8_t { repeat, mirror, clamp };

struct Texture {
    std::string name;                ///< of its file, or what the mesh file calls it
    std::string bytes;               ///< the PNG or JPEG as it came
    std::array<Wrap, 2> wrap{};      ///< along u and v
    Image image;                     ///< what it shows

    bool is_png() const { return bytes.starts_with("\x89PNG"); }
};

struct SkinMaterial {
    std::string name;
    Vec3 color{1, 1, 1};  ///< sRGB; of the texture and of the vertices it lets through so much
    float roughness = 0.6f, metallic = 0;
    std::int32_t texture = -1;        ///< number of its colours; -1: none
    std::int32_t normal_map = -1;     ///< of its normals, x along u and y along v, 0..1 for -1..1
    float bump = 1;                   ///< how strongly those lean
    std::int32_t roughness_map = -1;  ///< green: factor of the roughness, blue: of the metal

    friend bool operator==(const SkinMaterial&, const SkinMaterial&) = default;
};

struct Skin {
    std::vector<SkinMaterial> materials;
    std::vector<Texture> textures;
    std::vector<std::int32_t> material_of;  ///< per triangle of the mesh; -1: none
    std::vector<std::string> warnings;      ///< pictures that could not be read, and what is left out

    bool has_textures() const { return !textures.empty(); }
};

}  // namespace yawara
