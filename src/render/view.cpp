// The camera: checks, axes, and the placing of a camera so that everything stays in view.
#include "render/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <vector>

namespace yawara {
namespace {

constexpr int kMaxSide = 16384;

struct Axes {
    Vec3d forward, right, up;
};

Axes axes_along(Vec3d forward)
{
    // Straight up or down the picture's top is -z, as on a map.
    Vec3d right = cross(forward, Vec3d{0, 1, 0});
    if (length(right) < 1e-6) right = {1, 0, 0};
    right = normalized(right);
    return {forward, right, cross(right, forward)};
}

/// Moves a camera that looks along `forward` so that all points are in view and fill `used` of the width or height.
void keep_in_view(Camera& camera, std::span<const Vec3d> points, Vec3d forward, float aspect, double used)
{
    if (points.empty()) return;
    if (!(aspect > 0) || !std::isfinite(aspect)) aspect = 1;
    const Axes axes = axes_along(forward);
    const double slope_y = used * std::tan(0.5 * camera.field_of_view * std::numbers::pi / 180.0);
    const double slope_x = slope_y * aspect;

    // A point at (x, y, z) along right, up, forward is in view of an eye at (a, b, c) if |x - a| <= slope_x (z - c)
    // and the like for y: four extreme values decide where the eye must be.
    Box3 all;
    double right = -1e300, left = -1e300, top = -1e300, bottom = -1e300;
    for (const Vec3d& p : points) {
        all.add(p);
        const double x = dot(p, axes.right), y = dot(p, axes.up), z = dot(p, axes.forward);
        right = std::max(right, x - slope_x * z);
        left = std::max(left, -x - slope_x * z);
        top = std::max(top, y - slope_y * z);
        bottom = std::max(bottom, -y - slope_y * z);
    }
    const double smallest = std::max(1e-3 * length(all.center()), 1e-6);  // a single point still needs a distance
    const double center_depth = dot(all.center(), axes.forward);
    const double depth =
        std::min({-(right + left) / (2 * slope_x), -(top + bottom) / (2 * slope_y), center_depth - smallest});
    const Vec3d eye = axes.right * (0.5 * (right - left)) + axes.up * (0.5 * (top - bottom)) + axes.forward * depth;
    camera.eye = eye.as<float>();
    camera.target = (eye + axes.forward * (center_depth - depth)).as<float>();
}

bool all_in_view(const Camera& camera, std::span<const Vec3d> points, float aspect)
{
    const Vec3d eye = camera.eye.as<double>();
    const Axes axes = axes_along(normalized(camera.target.as<double>() - eye));
    const double slope = std::tan(0.5 * camera.field_of_view * std::numbers::pi / 180.0);
    return std::ranges::all_of(points, [&](Vec3d p) {
        const Vec3d q = p - eye;
        const double reach = slope * dot(q, axes.forward);
        return reach > 0 && std::abs(dot(q, axes.up)) <= reach && std::abs(dot(q, axes.right)) <= reach * aspect;
    });
}

}  // namespace

namespace drawing {

Result<View> make_view(const Camera& camera, const Look& look)
{
    for (const auto& [name, side] : {std::pair{"look.width", look.width}, {"look.height", look.height}})
        if (side < 1 || side > kMaxSide) return Error{name, fmt::format("{} pixels; expected 1 to {}", side, kMaxSide)};
    if (!is_finite(camera.eye)) return Error{"camera.eye", "is not a finite point"};
    if (!is_finite(camera.target)) return Error{"camera.target", "is not a finite point"};
    if (!(camera.field_of_view >= 0.1f && camera.field_of_view <= 170.0f))
        return Error{"camera.field_of_view", fmt::format("{} degrees; expected 0.1 to 170", camera.field_of_view)};
    const Vec3d to_target = camera.target.as<double>() - camera.eye.as<double>();
    if (!(length(to_target) > 0)) return Error{"camera.target", "is where the eye is; the camera looks nowhere"};

    const Axes axes = axes_along(normalized(to_target));
    View view;
    view.eye = camera.eye;
    view.forward = axes.forward.as<float>();
    view.right = axes.right.as<float>();
    view.up = axes.up.as<float>();
    view.slope = std::tan(0.5f * camera.field_of_view * std::numbers::pi_v<float> / 180.0f);
    view.distance = static_cast<float>(length(to_target));
    view.width = look.width;
    view.height = look.height;
    return view;
}

}  // namespace drawing

Camera frame_action(std::span<const Box3> boxes, float aspect, float field_of_view)
{
    constexpr double kUsed = 0.80;  // share of the picture the boxes may fill; the rest is margin and shadow
    Camera camera;
    camera.field_of_view = std::clamp(std::isfinite(field_of_view) ? field_of_view : 32.0f, 1.0f, 150.0f);
    std::vector<Vec3d> corners;
    for (const Box3& box : boxes) {
        if (box.empty() || !is_finite(box.low) || !is_finite(box.high)) continue;
        for (int corner = 0; corner < 8; ++corner)
            corners.push_back({corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                               corner & 4 ? box.high.z : box.low.z});
    }
    // Three-quarter view from the right, slightly above.
    keep_in_view(camera, corners, normalized(Vec3d{-0.50, -0.36, -0.86}), aspect, kUsed);
    return camera;
}

Camera close_up(const Camera& camera, std::span<const Vec3> points, float aspect)
{
    // Two thirds of the width or of the height: the subject is large, and one still sees where it is.
    constexpr double kUsed = 0.68, kMostNearer = 0.45;
    const Vec3d to_target = camera.target.as<double>() - camera.eye.as<double>();
    std::vector<Vec3d> seen;
    for (const Vec3& p : points)
        if (is_finite(p)) seen.push_back(p.as<double>());
    if (!(length(to_target) > 0) || seen.empty() || !(aspect > 0)) return camera;
    const Vec3d forward = normalized(to_target);
    Camera near = camera;
    keep_in_view(near, seen, forward, aspect, kUsed);
    double center = 0;
    for (const Vec3d& p : seen) center += dot(p, forward) / static_cast<double>(seen.size());
    const double now = center - dot(camera.eye.as<double>(), forward),
                 then = center - dot(near.eye.as<double>(), forward);
    if (!(now > 0)) return camera;
    if (then > now) {
        // It fills enough. A camera that shows a part on purpose stays; another one moves sideways until its subject is
        // in the middle.
        if (!all_in_view(camera, seen, aspect)) return camera;
        near.eye += (forward * (then - now)).as<float>();
        return all_in_view(near, seen, aspect) ? near : camera;
    }
    // Something tiny keeps its surroundings.
    if (then < kMostNearer * now) near.eye -= (forward * (kMostNearer * now - then)).as<float>();
    return near;
}

}  // namespace yawara
