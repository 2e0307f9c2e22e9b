// The letters that are poured into a bowl: round strokes along lines, about 0.26 m tall, middle at the origin.
// Usage: soft_letters FOLDER
#include <filesystem>
#include <numbers>

#include "../blobs.h"

using yawara::Vec3d;

namespace {

constexpr double kRadius = 0.03;  // m, of a stroke

using Stroke = std::vector<Vec3d>;

struct Letter {
    const char* file;
    std::vector<Stroke> strokes;
};

/// From the stem round to the middle of the letter and back.
Stroke bow(Vec3d top, double reach, double radius)
{
    Stroke points{top};
    for (int k = 0; k <= 12; ++k) {
        const double angle = std::numbers::pi * (0.5 - k / 12.0);
        points.push_back({top.x + reach + radius * std::cos(angle), top.y - radius + radius * std::sin(angle), 0});
    }
    points.push_back({top.x, top.y - 2 * radius, 0});
    return points;
}

std::vector<Letter> make_letters()
{
    constexpr double kTop = 0.097, kBottom = -0.097;
    return {{"letter_y.obj",
             {{{-0.077, kTop, 0}, {0, 0.008, 0}, {0.077, kTop, 0}},  //
              {{0, 0.008, 0}, {0, kBottom, 0}}}},
            {"letter_a.obj",
             {{{-0.087, kBottom, 0}, {0, kTop, 0}, {0.087, kBottom, 0}},  //
              {{-0.06, -0.037, 0}, {0.06, -0.037, 0}}}},
            {"letter_w.obj",
             {{{-0.107, kTop, 0}, {-0.06, kBottom, 0}, {0, 0.05, 0}, {0.06, kBottom, 0}, {0.107, kTop, 0}}}},
            {"letter_r.obj",
             {{{-0.058, kBottom, 0}, {-0.058, kTop, 0}},  //
              bow({-0.058, kTop, 0}, 0.072, 0.052),       //
              {{0, -0.007, 0}, {0.069, kBottom, 0}}}}};
}

double distance_to_segment(Vec3d p, Vec3d a, Vec3d b)
{
    const Vec3d along = b - a;
    const double share = std::clamp(dot(p - a, along) / dot(along, along), 0.0, 1.0);
    return length(p - a - along * share);
}

/// Strokes flow together a little where they meet.
double distance_to(const Letter& letter, Vec3d p)
{
    double distance = 1;
    for (const Stroke& stroke : letter.strokes) {
        double own = 1;
        for (std::size_t k = 1; k < stroke.size(); ++k)
            own = std::min(own, distance_to_segment(p, stroke[k - 1], stroke[k]));
        distance = shapes::smooth_union(distance, own - kRadius, 0.01);
    }
    return distance;
}

}  // namespace

int main(int argc, char** argv)
{
    const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
    for (const Letter& letter : make_letters()) {
        const auto inside = [&](Vec3d p) { return distance_to(letter, p); };
        if (shapes::save_surface(inside, {{-0.2, -0.2, -0.1}, {0.2, 0.2, 0.1}}, 0.011, (folder / letter.file).c_str(),
                                 shapes::Stands::about_origin))
            return 1;
    }
}
