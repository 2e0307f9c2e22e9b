// A line under a picture, in the typeface of the legend.
#include <algorithm>

#include "render/color.h"
#include "render/stroke_font.h"

namespace yawara {

using namespace drawing;

void draw_caption(Image& image, std::string_view text)
{
    constexpr float kShare = 1 / 32.0f;  // of the picture's height: that of a capital letter
    const float margin = 1.6f * kShare * float(image.height);
    // A long line is written smaller.
    const float room = float(image.width) - 2 * margin;
    const float plain = kShare * float(image.height), wide = text_width(text, plain);
    const float size = wide > room ? plain * room / wide : plain;

    double behind = 0;
    std::size_t seen = 0;
    const int top = std::clamp(image.height - int(2 * margin), 0, image.height);
    for (int y = top; y < image.height; ++y)
        for (int x = 0; x < std::min(image.width, int(margin + text_width(text, size))); ++x, ++seen) {
            const std::uint8_t* p = &image.rgba[4 * (std::size_t(y) * std::size_t(image.width) + std::size_t(x))];
            behind += p[3] == 0 ? 255.0 : 0.3 * p[0] + 0.59 * p[1] + 0.11 * p[2];
        }
    const bool bright = seen == 0 || behind > 128.0 * double(seen);
    const Vec3 color = bright ? Vec3{0.12f, 0.13f, 0.16f} : Vec3{0.95f, 0.96f, 0.98f};
    draw_text(image, margin, float(image.height) - margin, size, text, color);
}

}  // namespace yawara
