// Glyphs as pen strokes on a grid where capitals are 10 high and small letters 7, and their anti-aliased drawing.
#include "render/stroke_font.h"

#include <algorithm>
#include <cstdlib>
#include <numbers>
#include <vector>

namespace yawara::drawing {
namespace {

constexpr float kCapital = 10;  // height of capitals on the grid
constexpr float kGap = 2.6f;    // between glyphs
constexpr float kPen = 1.15f;   // width of the pen
constexpr float kSpace = 2.2f;

/// M x y: move; L x y: line; Q cx cy x y: curve; O cx cy rx ry from to: arc, in degrees, counter-clockwise if to >
/// from.
struct Glyph {
    char32_t code;
    float width;
    const char* strokes;
};

constexpr Glyph kGlyphs[] = {
    {U'0', 6, "O 3 5 3 5 0 360"},
    {U'1', 6, "M 1 7.9 L 3.6 10 L 3.6 0"},
    {U'2', 6, "O 3 7 2.9 3 165 -38 L 0 0 L 6 0"},
    {U'3', 6, "O 3 7.5 2.6 2.5 150 -90 O 3 2.5 3 2.5 90 -150"},
    {U'4', 6, "M 4.6 0 L 4.6 10 L 0 3 L 6.2 3"},
    {U'5', 6, "M 5.4 10 L 1.1 10 L 0.7 5.26 O 3 3.2 3 3.2 140 -150"},
    {U'6', 6, "O 3 3.2 3 3.2 0 360 M 4.8 10 Q 0.3 7.6 0 3.2"},
    {U'7', 6, "M 0 10 L 6 10 L 2 0"},
    {U'8', 6, "O 3 7.6 2.5 2.4 0 360 O 3 2.6 3 2.6 0 360"},
    {U'9', 6, "O 3 6.8 3 3.2 0 360 M 6 6.8 Q 5.7 2.4 1.2 0"},
    {U'A', 7.4f, "M 0 0 L 3.7 10 L 7.4 0 M 1.2 3.2 L 6.2 3.2"},
    {U'B', 6.4f, "M 0 0 L 0 10 L 3.2 10 O 3.2 7.6 2.5 2.4 90 -90 L 0 5.2 M 3.2 5.2 O 3.6 2.6 2.8 2.6 90 -90 L 0 0"},
    {U'C', 7.2f, "O 4.2 5 4.2 5 45 315"},
    {U'D', 7.5f, "M 0 0 L 0 10 L 3 10 O 3 5 4.5 5 90 -90 L 0 0"},
    {U'E', 5.8f, "M 5.8 10 L 0 10 L 0 0 L 5.8 0 M 0 5.2 L 5 5.2"},
    {U'F', 5.6f, "M 5.6 10 L 0 10 L 0 0 M 0 5.2 L 4.8 5.2"},
    {U'G', 8.2f, "O 4.2 5 4.2 5 45 355 L 5 4.6"},
    {U'H', 7, "M 0 0 L 0 10 M 7 0 L 7 10 M 0 5.2 L 7 5.2"},
    {U'I', 0, "M 0 0 L 0 10"},
    {U'J', 4.6f, "M 4.6 10 L 4.6 2.8 O 2.3 2.8 2.3 2.8 0 -160"},
    {U'K', 6.6f, "M 0 0 L 0 10 M 6.4 10 L 0 3.8 M 2.4 6.1 L 6.6 0"},
    {U'L', 5.4f, "M 0 10 L 0 0 L 5.4 0"},
    {U'M', 8.4f, "M 0 0 L 0 10 L 4.2 3 L 8.4 10 L 8.4 0"},
    {U'N', 7, "M 0 0 L 0 10 L 7 0 L 7 10"},
    {U'O', 8.6f, "O 4.3 5 4.3 5 0 360"},
    {U'P', 6.2f, "M 0 0 L 0 10 L 3.4 10 O 3.4 7.3 2.8 2.7 90 -90 L 0 4.6"},
    {U'Q', 8.6f, "O 4.3 5 4.3 5 0 360 M 5.4 2.4 L 8.4 -0.8"},
    {U'R', 6.4f, "M 0 0 L 0 10 L 3.4 10 O 3.4 7.3 2.8 2.7 90 -90 L 0 4.6 M 3.4 4.6 L 6.4 0"},
    {U'S', 6.2f, "O 3.1 7.5 2.8 2.5 35 270 O 3.1 2.5 3 2.5 90 -145"},
    {U'T', 7, "M 0 10 L 7 10 M 3.5 10 L 3.5 0"},
    {U'U', 6.8f, "M 0 10 L 0 3.4 O 3.4 3.4 3.4 3.4 180 360 L 6.8 10"},
    {U'V', 7.2f, "M 0 10 L 3.6 0 L 7.2 10"},
    {U'W', 10.4f, "M 0 10 L 2.6 0 L 5.2 10 L 7.8 0 L 10.4 10"},
    {U'X', 6.6f, "M 0 0 L 6.6 10 M 0 10 L 6.6 0"},
    {U'Y', 7, "M 0 10 L 3.5 4.8 L 7 10 M 3.5 4.8 L 3.5 0"},
    {U'Z', 6.4f, "M 0 10 L 6.4 10 L 0 0 L 6.4 0"},
    {U'a', 5.6f, "O 2.8 3.5 2.8 3.5 0 360 M 5.6 7 L 5.6 0"},
    {U'b', 5.6f, "M 0 10.5 L 0 0 O 2.8 3.5 2.8 3.5 0 360"},
    {U'c', 5, "O 2.9 3.5 2.9 3.5 45 315"},
    {U'd', 5.6f, "O 2.8 3.5 2.8 3.5 0 360 M 5.6 10.5 L 5.6 0"},
    {U'e', 5.8f, "M 0.1 3.7 L 5.7 3.7 O 2.9 3.5 2.9 3.5 4 318"},
    {U'f', 3.4f, "M 1.3 0 L 1.3 8.3 Q 1.3 10.5 3.6 10.4 M 0 7 L 3.3 7"},
    {U'g', 5.6f, "O 2.8 3.5 2.8 3.5 0 360 M 5.6 7 L 5.6 -0.5 O 2.8 -0.5 2.8 2.6 0 -150"},
    {U'h', 5.2f, "M 0 10.5 L 0 0 M 0 4.2 O 2.6 4.2 2.6 2.8 180 0 L 5.2 0"},
    {U'i', 0, "M 0 7 L 0 0 M 0 9.7 L 0 9.8"},
    {U'j', 1.4f, "M 1.4 7 L 1.4 -1 Q 1.4 -3 -0.6 -3 M 1.4 9.7 L 1.4 9.8"},
    {U'k', 5, "M 0 10.5 L 0 0 M 4.7 7 L 0 2.6 M 1.9 4.4 L 5 0"},
    {U'l', 0, "M 0 10.5 L 0 0"},
    {U'm', 8.8f, "M 0 7 L 0 0 M 0 4.5 O 2.2 4.5 2.2 2.5 180 0 L 4.4 0 M 4.4 4.5 O 6.6 4.5 2.2 2.5 180 0 L 8.8 0"},
    {U'n', 5.2f, "M 0 7 L 0 0 M 0 4.2 O 2.6 4.2 2.6 2.8 180 0 L 5.2 0"},
    {U'o', 5.8f, "O 2.9 3.5 2.9 3.5 0 360"},
    {U'p', 5.6f, "M 0 7 L 0 -3.2 M 0 3.5 O 2.8 3.5 2.8 3.5 180 540"},
    {U'q', 5.6f, "O 2.8 3.5 2.8 3.5 0 360 M 5.6 7 L 5.6 -3.2"},
    {U'r', 3.1f, "M 0 7 L 0 0 M 0 3.8 O 2.8 4 2.8 3 180 82"},
    {U's', 4.8f, "O 2.4 5.2 2.1 1.8 35 270 O 2.4 1.7 2.3 1.7 90 -145"},
    {U't', 3.4f, "M 1.3 9.4 L 1.3 2 Q 1.3 0 3.4 0.1 M 0 7 L 3.3 7"},
    {U'u', 5.2f, "M 0 7 L 0 2.8 O 2.6 2.8 2.6 2.8 180 360 L 5.2 7 M 5.2 2.8 L 5.2 0"},
    {U'v', 5.4f, "M 0 7 L 2.7 0 L 5.4 7"},
    {U'w', 8, "M 0 7 L 2 0 L 4 7 L 6 0 L 8 7"},
    {U'x', 5, "M 0 0 L 5 7 M 0 7 L 5 0"},
    {U'y', 5.4f, "M 0 7 L 2.7 0 M 5.4 7 L 1.9 -2 Q 1.5 -3.2 0.1 -3.1"},
    {U'z', 4.8f, "M 0 7 L 4.8 7 L 0 0 L 4.8 0"},
    {U'.', 0.2f, "M 0.1 0 L 0.1 0.1"},
    {U',', 0.6f, "M 0.6 0.2 L 0 -1.8"},
    {U':', 0.2f, "M 0.1 0.2 L 0.1 0.3 M 0.1 5.6 L 0.1 5.7"},
    {U';', 0.6f, "M 0.6 0.2 L 0 -1.8 M 0.5 5.6 L 0.5 5.7"},
    {U'!', 0.2f, "M 0.1 10 L 0.1 3.2 M 0.1 0 L 0.1 0.1"},
    {U'?', 4.8f, "O 2.4 7.5 2.4 2.5 170 -60 Q 2.4 4.6 2.4 3 M 2.4 0 L 2.4 0.1"},
    {U'-', 3.4f, "M 0 3.6 L 3.4 3.6"},
    {U'−', 5.4f, "M 0 4.6 L 5.4 4.6"},
    {U'+', 5.4f, "M 0 4.6 L 5.4 4.6 M 2.7 1.9 L 2.7 7.3"},
    {U'±', 5.4f, "M 0 5.6 L 5.4 5.6 M 2.7 2.9 L 2.7 8.3 M 0 0.6 L 5.4 0.6"},
    {U'=', 5.4f, "M 0 3.4 L 5.4 3.4 M 0 6 L 5.4 6"},
    {U'×', 4.4f, "M 0 2.4 L 4.4 6.8 M 0 6.8 L 4.4 2.4"},
    {U'·', 0.2f, "M 0.1 4.4 L 0.1 4.5"},
    {U'*', 4, "M 2 10 L 2 5.6 M 0.1 8.9 L 3.9 6.7 M 3.9 8.9 L 0.1 6.7"},
    {U'/', 4.2f, "M 0 -1.2 L 4.2 11"},
    {U'\\', 4.2f, "M 0 11 L 4.2 -1.2"},
    {U'|', 0, "M 0 -2.4 L 0 11"},
    {U'_', 6, "M 0 -1.6 L 6 -1.6"},
    {U'^', 4.4f, "M 0 7 L 2.2 10 L 4.4 7"},
    {U'~', 5, "M 0 4 Q 1.2 6 2.5 4.6 Q 3.8 3.2 5 5.2"},
    {U'(', 2, "M 2 11.2 Q -1.6 4.4 2 -2.4"},
    {U')', 2, "M 0 11.2 Q 3.6 4.4 0 -2.4"},
    {U'[', 2.2f, "M 2.2 11 L 0 11 L 0 -2.2 L 2.2 -2.2"},
    {U']', 2.2f, "M 0 11 L 2.2 11 L 2.2 -2.2 L 0 -2.2"},
    {U'{', 2.6f, "M 2.6 11 Q 1 11 1 9 L 1 6 Q 1 4.4 0 4.4 Q 1 4.4 1 2.8 L 1 -0.2 Q 1 -2.2 2.6 -2.2"},
    {U'}', 2.6f, "M 0 11 Q 1.6 11 1.6 9 L 1.6 6 Q 1.6 4.4 2.6 4.4 Q 1.6 4.4 1.6 2.8 L 1.6 -0.2 Q 1.6 -2.2 0 -2.2"},
    {U'<', 4.8f, "M 4.8 7.6 L 0 4.6 L 4.8 1.6"},
    {U'>', 4.8f, "M 0 7.6 L 4.8 4.6 L 0 1.6"},
    {U'%', 8.4f, "O 1.8 7.8 1.8 2.2 0 360 O 6.6 2.2 1.8 2.2 0 360 M 6.8 10 L 1.6 0"},
    {U'#', 6.4f, "M 2.2 0.6 L 3 9.4 M 4.6 0.6 L 5.4 9.4 M 0.6 6.6 L 6.6 6.6 M 0.2 3.4 L 6.2 3.4"},
    {U'&', 7, "M 7 0 L 1.6 7 O 3 8.1 1.8 1.9 215 -20 Q 4.6 6.2 2 5 O 2.8 2.5 2.8 2.5 110 290 Q 6.4 0 6.6 4.4"},
    {U'@', 9, "O 4.4 3.9 1.9 2.3 0 360 M 6.3 6.2 L 6.3 2.8 O 7.5 2.8 1.2 1.2 180 330 O 4.5 4 4.5 5 -15 295"},
    {U'$', 6.2f, "O 3.1 7.5 2.8 2.5 35 270 O 3.1 2.5 3 2.5 90 -145 M 3.1 11.2 L 3.1 -1.2"},
    {U'\'', 0.2f, "M 0.1 10.4 L 0.1 7.8"},
    {U'"', 2, "M 0 10.4 L 0 7.8 M 2 10.4 L 2 7.8"},
    {U'`', 1.4f, "M 0 10.4 L 1.4 8.4"},
    {U'°', 2.8f, "O 1.4 8.8 1.4 1.4 0 360"},
    {U'²', 3.2f, "O 1.6 8.9 1.5 1.4 160 -40 L 0 5.4 L 3.2 5.4"},
    {U'³', 3.2f, "O 1.5 9.1 1.4 1.2 150 -90 O 1.5 6.6 1.6 1.3 90 -150"},
    {U'µ', 5.2f, "M 0 7 L 0 -3.2 M 0 2.8 O 2.6 2.8 2.6 2.8 180 360 L 5.2 7 M 5.2 2.8 L 5.2 0"},
};
constexpr Glyph kUnknown{0, 5, "M 0 0 L 5 0 L 5 10 L 0 10 L 0 0"};

struct Segment {
    Vec2 a, b;
};

const Glyph& glyph_of(char32_t code)
{
    for (const Glyph& glyph : kGlyphs)
        if (glyph.code == code) return glyph;
    return kUnknown;
}

/// Next character of UTF-8 text; bytes that are none count as one unknown character each.
char32_t take_character(std::string_view& text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const int length = byte(0) < 0x80         ? 1
                       : (byte(0) >> 5) == 6  ? 2
                       : (byte(0) >> 4) == 14 ? 3
                       : (byte(0) >> 3) == 30 ? 4
                                              : 0;
    bool whole = length > 0 && text.size() >= static_cast<std::size_t>(length);
    for (int i = 1; whole && i < length; ++i) whole = (byte(i) >> 6) == 2;
    char32_t code = whole ? (length == 1 ? byte(0) : byte(0) & (0x7f >> length)) : 0xfffd;
    for (int i = 1; whole && i < length; ++i) code = (code << 6) | (byte(i) & 63);
    text.remove_prefix(whole ? length : 1);
    return code;
}

std::vector<Segment> flattened(const char* strokes)
{
    std::vector<Segment> segments;
    Vec2 pen{};
    const auto number = [&] {
        char* end = nullptr;
        const float value = std::strtof(strokes, &end);
        strokes = end;
        return value;
    };
    const auto line_to = [&](Vec2 to) {
        segments.push_back({pen, to});
        pen = to;
    };
    while (*strokes) {
        const char command = *strokes++;
        if (command == 'M') {
            pen.x = number();
            pen.y = number();
        } else if (command == 'L') {
            const float x = number(), y = number();
            line_to({x, y});
        } else if (command == 'Q') {
            const Vec2 from = pen;
            const float cx = number(), cy = number(), x = number(), y = number();
            for (int i = 1; i <= 10; ++i) {
                const float t = static_cast<float>(i) / 10, s = 1 - t;
                line_to({s * s * from.x + 2 * s * t * cx + t * t * x, s * s * from.y + 2 * s * t * cy + t * t * y});
            }
        } else if (command == 'O') {
            const float cx = number(), cy = number(), rx = number(), ry = number();
            const float from = number() * std::numbers::pi_v<float> / 180,
                        to = number() * std::numbers::pi_v<float> / 180;
            const int steps = 4 + static_cast<int>(std::abs(to - from) * 4);
            for (int i = 0; i <= steps; ++i) {
                const float angle = from + (to - from) * static_cast<float>(i) / static_cast<float>(steps);
                const Vec2 place{cx + rx * std::cos(angle), cy + ry * std::sin(angle)};
                if (i == 0)
                    pen = place;
                else
                    line_to(place);
            }
        }
    }
    return segments;
}

float distance(Vec2 p, const Segment& s)
{
    const float dx = s.b.x - s.a.x, dy = s.b.y - s.a.y, square = dx * dx + dy * dy;
    const float t = square > 0 ? std::clamp(((p.x - s.a.x) * dx + (p.y - s.a.y) * dy) / square, 0.0f, 1.0f) : 0;
    return std::hypot(p.x - s.a.x - t * dx, p.y - s.a.y - t * dy);
}

}  // namespace

void blend(Image& image, int x, int y, Vec3 color, float cover)
{
    if (x < 0 || y < 0 || x >= image.width || y >= image.height || cover <= 0) return;
    std::uint8_t* pixel = &image.rgba[4 * (static_cast<std::size_t>(y) * image.width + x)];
    const float below = static_cast<float>(pixel[3]) / 255.0f * (1 - cover), alpha = cover + below;
    for (int k = 0; k < 3; ++k)
        pixel[k] = static_cast<std::uint8_t>(
            (color[k] * 255.0f * cover + static_cast<float>(pixel[k]) * below) / alpha + 0.5f);
    pixel[3] = static_cast<std::uint8_t>(alpha * 255.0f + 0.5f);
}

float text_width(std::string_view text, float size)
{
    float width = 0;
    while (!text.empty()) {
        const char32_t code = take_character(text);
        width += (code == U' ' ? kSpace : glyph_of(code).width) + kGap;
    }
    return std::max(width - kGap, 0.0f) * size / kCapital;
}

void draw_text(Image& image, float left, float baseline, float size, std::string_view text, Vec3 color)
{
    const float scale = size / kCapital;
    const float pen = std::max(0.5f * kPen * scale, 0.5f);  // half the stroke's width in pixels, never thinner than one
    float x = left;
    while (!text.empty()) {
        const char32_t code = take_character(text);
        if (code == U' ') {
            x += (kSpace + kGap) * scale;
            continue;
        }
        const Glyph& glyph = glyph_of(code);
        const std::vector<Segment> segments = flattened(glyph.strokes);
        const int x0 = static_cast<int>(std::floor(x - scale - pen - 1)),
                  y0 = static_cast<int>(baseline - 12 * scale - pen - 1);
        const int x1 = static_cast<int>(x + (glyph.width + 1) * scale + pen + 1),
                  y1 = static_cast<int>(baseline + 4 * scale + pen + 1);
        for (int v = std::max(y0, 0); v <= std::min(y1, image.height - 1); ++v)
            for (int u = std::max(x0, 0); u <= std::min(x1, image.width - 1); ++u) {
                const Vec2 place{(static_cast<float>(u) + 0.5f - x) / scale,
                                 (baseline - static_cast<float>(v) - 0.5f) / scale};
                float nearest = 1e9f;
                for (const Segment& segment : segments) nearest = std::min(nearest, distance(place, segment));
                blend(image, u, v, color, std::clamp(pen - nearest * scale + 0.5f, 0.0f, 1.0f));
            }
        x += (glyph.width + kGap) * scale;
    }
}

}  // namespace yawara::drawing
