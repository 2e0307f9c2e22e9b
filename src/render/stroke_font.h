// A small typeface of our own, drawn with a round pen: Latin letters, digits, punctuation and a few signs for units.
#pragma once

#include <string_view>

#include "yawara/render.h"

namespace yawara::drawing {

/// Width in pixels of a line of text whose capitals are `size` pixels high. UTF-8.
float text_width(std::string_view text, float size);

/// Draws text from `left`, standing on `baseline` (pixels from the top left corner), clipped to the picture.
void draw_text(Image& image, float left, float baseline, float size, std::string_view text, Vec3 color);

/// Lays a colour (sRGB) over a pixel; `cover` 0..1. Outside the picture nothing happens.
void blend(Image& image, int x, int y, Vec3 color, float cover);

}  // namespace yawara::drawing
