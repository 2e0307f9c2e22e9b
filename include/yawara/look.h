// How a scene is drawn: camera, colours and what is hidden. Plain values of scene files, recordings and pictures.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "yawara/collider.h"
#include "yawara/inside.h"
#include "yawara/skin.h"

namespace yawara {

struct Camera {
    Vec3 eye{3, 2, 5};
    Vec3 target{};
    float field_of_view = 32.0f;  ///< degrees, vertical
};

/// viridis, cividis, coolwarm (red contraction, blue elongation), turbo
struct ColorScale {
    std::string map = "viridis";
    float low = 0, high = 1;
    std::string label;   ///< legend title with unit; empty: no legend
    bool whole = false;  ///< ticks at whole numbers only
};

struct Look {
    int width = 960, height = 540;
    int samples = 16;    ///< per pixel
    bool ground = true;  ///< shadow catching floor at ground_height
    float ground_height = 0;
    Vec3 background{0.93f, 0.94f, 0.96f};
    bool transparent = false;
    std::optional<Plane> cut;  ///< what its normal points to is hidden; who draws a body closes the cut
    std::optional<ColorScale> scale;
};

/// Water that is drawn around the bodies.
struct WaterLook {
    double level = 0;         ///< m, height of its surface
    std::optional<Box3> box;  ///< it is in there alone; none: endless
    std::string waves;        ///< height above the level, m: a formula of x, z and the time t; empty: calm
};

/// What a surface makes of light. Jelly, glass and gelatin show what is behind them, and jelly and gelatin dim it with
/// depth. Light passes through thin parts of skin. Wood and cloth show the grain of the inside on the outside, too.
enum class Finish : std::uint8_t { plain, chalk, rubber, flesh, wet, jelly, glass, wood, cloth, skin, gelatin };
inline constexpr std::array kFinishNames{"plain", "chalk", "rubber", "flesh", "wet", "jelly",
                                         "glass", "wood", "cloth", "skin", "gelatin"};

/// How a body wants to be drawn.
struct BodyLook {
    Vec3 color{0.85f, 0.45f, 0.35f};
    std::string show;  ///< a quantity for the colour map: speed, displacement, stretch; empty: plain colour
    Finish finish = Finish::plain;
    float gloss = 0.35f;
    bool wireframe = false;
    std::shared_ptr<const Skin> skin{};  ///< of its file; null: that says nothing about its look
    bool own_color = false;              ///< drawn in its colour, whatever its file says
    std::optional<Inside> inside{};      ///< none: nothing is said of it
    std::shared_ptr<const InsideMap> volume_colors{};  ///< of its volume model, without depths; null: there are none

    /// The skin if it is drawn, on a mesh of so many triangles; null: it is not, or belongs to another mesh.
    const Skin* worn(std::size_t triangles) const
    {
        return !own_color && skin && skin->material_of.size() == triangles ? skin.get() : nullptr;
    }
    /// It looks the same outside and inside: a block of one stuff.
    bool is_solid_stuff() const { return finish == Finish::wood || finish == Finish::cloth; }
    /// There is more to see in a cut than one colour.
    bool has_inside() const { return inside || volume_colors || is_solid_stuff(); }
    /// Below all layers, where the volume model has no say.
    Vec3 core_color() const
    {
        return inside && inside->color ? *inside->color : is_solid_stuff() ? color : color * 0.8f;
    }
    bool core_of_volume() const { return volume_colors && !(inside && inside->color); }
};

/// The grain that a body has on its outside where it is drawn with a finish: that of its inside; if it names none, year
/// rings along the longest side for wood and threads for cloth, as wide as suits its box at rest. None: of other finishes.
Grain outer_grain(const BodyLook& look, Finish finish, const Box3& rest);
/// What a cut of it shows: as it says, with the grain of its outside if it says nothing of that.
Inside inside_of(const BodyLook& look, const Box3& rest);

}  // namespace yawara
