// Adding up and tone mapping. Values that are not finite become black rather than spread.
#include "render/develop.h"

#include <tbb/parallel_for.h>

namespace yawara::drawing {
namespace {

constexpr float kKnee = 0.92f;  // colours up to this stay as they are, the default background among them

Vec3 seen(const Layer& layer)
{
    return max(layer.open - layer.key * layer.shadow + times(layer.sky, layer.occlusion), Vec3{});
}

/// Compresses what is brighter than the knee, and lets it turn white.
Vec3 tone_mapped(Vec3 color)
{
    const float brightest = std::max({color.x, color.y, color.z});
    if (brightest <= kKnee) return color;
    const float over = (brightest - kKnee) / (1 - kKnee);
    const float kept = kKnee + (1 - kKnee) * (1 - std::exp(-over));
    const float pale = 1 - 1 / (1 + 0.4f * (brightest - kept));
    return mix(color * (kept / brightest), Vec3{kept, kept, kept}, pale);
}

/// A threshold from 0 to 1 for every pixel, evenly spread among neighbours (interleaved gradient noise, Jimenez 2014):
/// slow gradients show no rings.
float dither(int x, int y)
{
    const auto fraction = [](float v) { return v - std::floor(v); };
    return fraction(52.9829189f * fraction(0.06711056f * static_cast<float>(x) + 0.00583715f * static_cast<float>(y)));
}

std::uint8_t to_byte(float linear, float threshold)
{
    if (!std::isfinite(linear)) return 0;
    return static_cast<std::uint8_t>(std::min(to_srgb(std::clamp(linear, 0.0f, 1.0f)) * 255.0f + threshold, 255.0f));
}

}  // namespace

void develop(const Band& band, int from, int to, bool transparent, Image& image)
{
    tbb::parallel_for(from, to, [&](int y) {
        for (int x = 0; x < band.width; ++x) {
            const Pixel& pixel = band.pixels[static_cast<std::size_t>(y - band.first_row) * band.width + x];
            Vec3 color = pixel.backdrop;
            float alpha = 1;
            if (transparent) {
                color = {};
                alpha = 0;
            }
            for (const Layer* layer : {&pixel.main, static_cast<const Layer*>(pixel.second)}) {
                if (!layer || layer->weight == 0) continue;
                if (transparent && layer->floor) {
                    const float whole = luminance(layer->open);
                    alpha += whole > 0 ? layer->weight * std::max(0.0f, 1 - luminance(seen(*layer)) / whole) : 0;
                } else {
                    color += seen(*layer);
                    if (transparent) alpha += layer->weight;
                }
            }
            if (transparent && alpha > 0) color = color / alpha;
            color = tone_mapped(color);
            std::uint8_t* out = &image.rgba[4 * (static_cast<std::size_t>(y) * band.width + x)];
            const float threshold = dither(x, y);
            out[0] = to_byte(color.x, threshold);
            out[1] = to_byte(color.y, threshold);
            out[2] = to_byte(color.z, threshold);
            out[3] =
                static_cast<std::uint8_t>(std::clamp(std::isfinite(alpha) ? alpha : 1.0f, 0.0f, 1.0f) * 255.0f + 0.5f);
        }
    });
}

}  // namespace yawara::drawing
