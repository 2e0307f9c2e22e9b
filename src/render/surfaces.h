// What will be drawn, checked and prepared: surfaces with normals and colours, and endless planes.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "render/color.h"
#include "yawara/render.h"

namespace yawara::drawing {

struct Surface {
    std::vector<Vec3> positions;  ///< one more than used: Embree reads 16 bytes at a time
    std::vector<Vec3> later;      ///< the same when the shutter closes; empty: it stands still
    std::vector<Int3> triangles;
    std::vector<std::array<Vec3, 3>> normals;  ///< per corner of each triangle
    std::vector<Vec3> colors;                  ///< linear, per vertex, or a single one for all
    std::vector<float> shares;  ///< per vertex: position on the colour map, 0..1; NaN: no value. Or empty
    Finish finish = Finish::plain;
    float gloss = 0;
    float size = 0;  ///< of its box, the diagonal, m
    bool wireframe = false;
    std::vector<std::uint8_t> lines;  ///< see DrawnMesh
    const Skin* skin = nullptr;       ///< not where values are shown
    std::vector<Vec3> tints;          ///< linear, of its materials
    std::vector<std::int32_t> material_of;  ///< per triangle
    std::function<Vec3(Vec3 place)> color_at;   ///< see DrawnMesh
    std::function<float(Vec3 place)> share_at;  ///< in place of shares; or none
    Grain grain;                                ///< see DrawnMesh; none where it is not seen
    Vec3 under_grain;                           ///< sRGB
    std::vector<Vec3> rests;
    std::vector<std::array<Vec2, 3>> uvs;  ///< per corner of each triangle; empty: the skin has no pictures here

    bool moves() const { return !later.empty(); }
    Vec3 position(int vertex, float time) const
    {
        return moves() ? positions[vertex] + (later[vertex] - positions[vertex]) * time : positions[vertex];
    }
    bool is_clear() const { return finish == Finish::jelly || finish == Finish::glass || finish == Finish::gelatin; }
    Vec3 color(int triangle, float u, float v, const ColorMap* map) const;
    float gloss_at(int triangle, float u, float v) const;
    float metal_at(int triangle, float u, float v) const;
    /// A smooth normal as the skin's picture of normals leans it; `normal` is on the side of the triangle's front.
    Vec3 bumped(int triangle, float u, float v, Vec3 normal) const;
    Vec3 normal(int triangle, float u, float v) const
    {
        const auto& n = normals[triangle];
        return normalized(n[0] * (1 - u - v) + n[1] * u + n[2] * v);
    }

private:
    /// Null: none.
    const SkinMaterial* material(int triangle) const;
    Vec2 uv(int triangle, float u, float v) const;
};

/// A plane that catches shadows and is seen only from the side its normal points to.
struct Floor {
    Vec3 point, normal;
};

struct Stage {
    std::vector<Surface> surfaces;
    std::vector<Floor> floors;
    std::unique_ptr<const ColorMap> map;  ///< if any surface has shares
};

/// Refuses wrong indices, points that are not finite, and arrays of the wrong length, naming the mesh.
Result<Stage> make_stage(const Picture& picture);

}  // namespace yawara::drawing
