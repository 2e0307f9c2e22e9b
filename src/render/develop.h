// From light to 8-bit colours: adds up the layers of each pixel, compresses highlights, applies the sRGB curve.
#pragma once

#include "render/gather.h"

namespace yawara::drawing {

/// Writes rows `from` to `to` of the picture. With `transparent`, floors leave only their shadows, as black with alpha.
void develop(const Band& band, int from, int to, bool transparent, Image& image);

}  // namespace yawara::drawing
