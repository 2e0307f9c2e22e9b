// The camera as numbers: from pixels to rays and from points to pixels.
#pragma once

#include "yawara/render.h"

namespace yawara::drawing {

struct View {
    Vec3 eye, forward, right, up;
    float slope = 0;     ///< half the picture's height at distance one
    float distance = 0;  ///< from eye to target: the scale of the scene as the camera sees it
    int width = 0, height = 0;

    /// Unit direction through a position in the picture, in pixels from the top left corner.
    Vec3 direction(float x, float y) const
    {
        const float step = 2 * slope / static_cast<float>(height);
        return normalized(forward + right * ((x - 0.5f * static_cast<float>(width)) * step) +
                          up * ((0.5f * static_cast<float>(height) - y) * step));
    }
    /// Position in the picture of a point in front of the eye.
    Vec2 pixel(Vec3 point) const
    {
        const Vec3 from_eye = point - eye;
        const float scale = static_cast<float>(height) / (2 * slope * dot(from_eye, forward));
        return {0.5f * static_cast<float>(width) + dot(from_eye, right) * scale,
                0.5f * static_cast<float>(height) - dot(from_eye, up) * scale};
    }
    /// Width of a pixel at a distance from the eye.
    float pixel_size(float at_distance) const { return 2 * slope * at_distance / static_cast<float>(height); }
};

/// Refuses a camera that looks nowhere, an unusable angle, and pictures without pixels or with too many.
Result<View> make_view(const Camera& camera, const Look& look);

}  // namespace yawara::drawing
