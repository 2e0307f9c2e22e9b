// The legend of a colour scale: a bar with ticks, numbers and a title, at the right of the picture.
#pragma once

#include <string>
#include <vector>

#include "render/color.h"
#include "yawara/render.h"

namespace yawara::drawing {

struct Tick {
    double value;
    std::string text;
};

/// Round numbers between two ends, in rising order, about five of them; or fewer, whole ones.
std::vector<Tick> make_ticks(double low, double high, bool whole);

/// Nothing if the scale has no label.
void draw_legend(Image& image, const ColorScale& scale, const ColorMap& map);

}  // namespace yawara::drawing
