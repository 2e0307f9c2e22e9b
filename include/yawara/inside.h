// What a body looks like inside, where a cut opens it: layers below its surface, a grain, the colours of its volume
// model. All of it belongs to places of the body at rest and moves along with them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "yawara/mesh.h"

namespace yawara {

/// rings: the year rings of wood around an axis; fibres: streaks along an axis; veins: thin winding sheets; threads:
/// crossing in all directions, as in woven cloth.
enum class GrainKind : std::uint8_t { none, rings, fibres, veins, threads };
inline constexpr std::array kGrainNames{"none", "rings", "fibres", "veins", "threads"};

struct Grain {
    GrainKind kind = GrainKind::none;
    Vec3 color{0.45f, 0.28f, 0.16f};  ///< sRGB
    float width = 0.05f;              ///< m: of a ring, a streak or a thread, between veins
    Vec3 axis{0, 1, 0};               ///< of length one
    Vec3 through{};                   ///< a point of the axis
};

struct InsideLayer {
    float thickness = 0.01f;  ///< m
    Vec3 color;               ///< sRGB
};

struct Inside {
    static constexpr std::size_t kMostLayers = 8;
    std::optional<Vec3> color;        ///< sRGB, below all layers; none: of the volume model, or of the body, darker
    std::vector<InsideLayer> layers;  ///< from the surface inwards
    Grain grain;                      ///< below all layers

    /// All layers together, m.
    float depth() const;
};

/// Colours and depths on a regular grid over a body at rest; trilinear between its nodes.
struct InsideMap {
    static constexpr int kFinest = 64;  ///< cells along the longest side
    Vec3 low;
    float cell = 1;     ///< m
    Int3 nodes{};       ///< x fastest
    float deepest = 0;  ///< m: depth of an alpha of 255; no depth is told apart from a larger one
    std::vector<std::uint32_t> rgba;  ///< red in the lowest byte; sRGB, and the depth below the surface

    /// A grid over a box without values.
    static InsideMap over(const Box3& box);
    Vec3d place(int x, int y, int z) const;
    struct Value {
        Vec3 color;
        float depth;
    };
    Value at(Vec3 rest) const;
};

/// The depths of a body that is bounded by a surface, in the colours of its volume model if it has any.
InsideMap make_inside_map(const TriMesh& rest, const Inside& inside, const InsideMap* colors);

/// How much of the grain's colour is at a place: 0..1. The page has the same in studio/src/viewport/inside.ts.
float grain_share(const Grain& grain, Vec3 rest);
/// sRGB. `core`: what is there below the layers, but for the grain.
Vec3 inside_color(const Inside& inside, Vec3 core, Vec3 rest, float depth);

}  // namespace yawara
