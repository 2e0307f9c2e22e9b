// The edges of a surface and the sides of its triangles, for check_surface() of yawara/surface.h.
#pragma once

#include <cstdint>
#include <vector>

#include "yawara/surface.h"

namespace yawara::meshing {

/// A side of a triangle. In a sorted list the sides that are the same edge follow each other.
struct EdgeUse {
    std::int32_t low, high;  ///< vertices of the edge, low < high
    std::int32_t triangle;
    bool forward;  ///< the corners of the triangle run from low to high
    friend auto operator<=>(const EdgeUse&, const EdgeUse&) = default;
};

/// Turns triangles until those of a patch agree, and then patches until their front is outside. See orient.cpp.
/// `balanced`: neighbours agree as they are, so that only whole closed patches may be turned.
void orient(Surface& surface, const std::vector<EdgeUse>& edges, bool balanced);

/// Calls visit(begin, end) with the uses of each edge.
template <class Visit>
void for_each_edge(const std::vector<EdgeUse>& edges, Visit visit)
{
    for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
        while (end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high) ++end;
        visit(begin, end);
    }
}

}  // namespace yawara::meshing
