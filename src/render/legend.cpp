// Legend: layout in parts of the picture's height, so that it looks the same at every size.
#include "render/legend.h"

#include <fmt/format.h>

#include "render/stroke_font.h"

namespace yawara::drawing {
namespace {

constexpr Vec3 kInk{0.20f, 0.22f, 0.26f};

std::string written(double value, double step, double largest)
{
    if (largest >= 1e5 || largest < 1e-3) return std::abs(value) < 1e-9 * largest ? "0" : fmt::format("{:.4g}", value);
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
    std::string text = fmt::format("{:.{}f}", std::abs(value) < 1e-9 * step ? 0.0 : value, std::min(decimals, 9));
    if (text.starts_with('-')) text.replace(0, 1, "−");
    return text;
}

/// Fills a rectangle with edges anywhere between pixels; the colour may change from row to row.
template <class Color>
void fill(Image& image, float left, float top, float right, float bottom, Color color)
{
    const auto inside = [](int i, float from, float to) {
        return std::clamp(std::min(static_cast<float>(i) + 1, to) - std::max(static_cast<float>(i), from), 0.0f, 1.0f);
    };
    for (int y = static_cast<int>(std::floor(top)); static_cast<float>(y) < bottom; ++y)
        for (int x = static_cast<int>(std::floor(left)); static_cast<float>(x) < right; ++x)
            blend(image, x, y, color(static_cast<float>(y) + 0.5f), inside(x, left, right) * inside(y, top, bottom));
}

}  // namespace

std::vector<Tick> make_ticks(double low, double high, bool whole)
{
    if (low > high) std::swap(low, high);
    const double rough = (high - low) / 5, power = std::pow(10.0, std::floor(std::log10(rough)));
    const double lead = rough / power;
    double step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
    if (whole) step = std::max(step, 1.0);
    const double largest = std::max(std::abs(low), std::abs(high));
    std::vector<Tick> ticks;
    const double first = std::ceil(low / step - 1e-6);
    for (int k = 0; k < 12 && (first + k) * step <= high + 1e-6 * step; ++k) {
        const double value = (first + k) * step;
        ticks.push_back({value, written(value, step, largest)});
    }
    return ticks;
}

void draw_legend(Image& image, const ColorScale& scale, const ColorMap& map)
{
    if (scale.label.empty()) return;
    const float height = static_cast<float>(image.height), width = static_cast<float>(image.width);
    float size = std::max(height / 46, 7.0f);  // of capitals
    const float label_width = text_width(scale.label, size);
    if (label_width > 0.9f * width) size *= 0.9f * width / label_width;

    const std::vector<Tick> ticks = make_ticks(scale.low, scale.high, scale.whole);
    float numbers = 0;
    for (const Tick& tick : ticks) numbers = std::max(numbers, text_width(tick.text, size));

    const float margin = 2.2f * size, bar = 1.3f * size, gap = 0.9f * size;
    const float top = 0.24f * height, bottom = 0.80f * height;
    const float left = width - margin - numbers - gap - bar;
    const float line = std::max(size / 10, 1.0f);
    const auto ink = [](float) { return kInk; };

    const float label_left = std::min(left, width - margin - text_width(scale.label, size));
    draw_text(image, std::max(label_left, 0.05f * width), top - 1.6f * size, size, scale.label, kInk);
    fill(image, left - line, top - line, left + bar + line, bottom + line, ink);
    fill(image, left, top, left + bar, bottom, [&](float y) { return map.srgb((bottom - y) / (bottom - top)); });
    for (const Tick& tick : ticks) {
        const double share = (tick.value - scale.low) / (static_cast<double>(scale.high) - scale.low);
        const float y = bottom - static_cast<float>(share) * (bottom - top);
        fill(image, left + bar, y - 0.5f * line, left + bar + 0.45f * gap, y + 0.5f * line, ink);
        draw_text(image, left + bar + gap, y + 0.5f * size, size, tick.text, kInk);
    }
}

}  // namespace yawara::drawing
