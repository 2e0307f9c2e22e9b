// Which triangles of a surface others run through or lie upon: parts that overlap meet along them.
#pragma once

#include <vector>

#include "contact/closed_surface.h"

namespace yawara::contact {

/// One flag per triangle. Triangles that share a vertex are not compared.
std::vector<char> crossed_triangles(const ClosedSurface& surface);

}  // namespace yawara::contact
