// Removes the noise of few samples from shadows and sky light, and leaves shapes, colours and highlights alone.
#pragma once

#include "render/gather.h"

namespace yawara::drawing {

constexpr int kDenoiseReach = 34;  ///< pixels further away than this do not matter to a pixel

/// Smooths shadow and occlusion of all layers over neighbours that lie on the same surface.
void denoise(const View& view, int samples, Band& band);

}  // namespace yawara::drawing
