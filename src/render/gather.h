// Traces the rays of every pixel and writes down what they saw, before noise is removed and light added up.
#pragma once

#include <vector>

#include "render/light.h"
#include "render/ray_scene.h"
#include "render/view.h"
#include "render/water.h"

namespace yawara::drawing {

constexpr int kTile = 16;  ///< side of the squares of pixels that are traced, and skipped, together

/// One surface as seen through one pixel: sums over the samples that met it.
struct Layer {
    float weight = 0;                                 ///< share of the pixel's samples
    Vec3 open, key, sky;                              ///< as in Shade, weighted
    float shadow = 0;                                 ///< mean hidden share of the key light
    Vec3 occlusion;                                   ///< mean change of light from the sky
    float shadow_squared = 0, occlusion_squared = 0;  ///< means, for the variance; of the luminance for the latter
    Vec3 point, normal;                               ///< of the first sample
    float distance = 0;                               ///< of the first sample, from the eye
    bool floor = false;
};

struct Pixel {
    Layer main;               ///< the surface that most samples met
    Layer* second = nullptr;  ///< a second surface, where an edge crosses the pixel; lives in Band::seconds
    Vec3 backdrop;            ///< sum over the samples that met nothing of backdrop times their share
};

/// Some rows of the picture.
struct Band {
    int first_row = 0, rows = 0, width = 0;
    std::vector<Pixel> pixels;
    std::vector<std::vector<Layer>> seconds;  ///< tile by tile
};

/// Colour behind everything: a soft gradient around the background's, linear.
struct Backdrop {
    Vec3 color;
    Vec3 at(float x, float y) const;  ///< x, y: position in the picture, 0..1 from the top left
};

struct Set {
    const Stage& stage;
    const RayScene& rays;
    const View& view;
    const Studio& studio;
    Backdrop backdrop;
    const WaterSurface* water = nullptr;  ///< none
    const RayScene* opaque = nullptr;     ///< what no light goes through; none: all of it
    int samples = 1;
    float lens = 0;       ///< see Picture
    bool moving = false;  ///< something does while the shutter is open
};

void gather(const Set& set, Band& band);

}  // namespace yawara::drawing
