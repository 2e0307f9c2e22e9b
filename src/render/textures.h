// Pictures on surfaces, looked up between their pixels.
#pragma once

#include "render/color.h"
#include "yawara/skin.h"

namespace yawara::drawing {

/// Linear light at a place of a picture, v upwards: of the four nearest pixels, by their distances.
Vec3 texel(const Texture& texture, Vec2 uv);
/// The same of numbers that are no colours, 0..1.
Vec3 plain_texel(const Texture& texture, Vec2 uv);

}  // namespace yawara::drawing
