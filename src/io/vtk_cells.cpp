// The tetrahedra among the cells of a VTK grid; see vtk_cells.h.
#include "io/vtk_cells.h"

#include <algorithm>

namespace yawara::io {

namespace {

// VTK's cell types whose first four nodes are the corners of a tetrahedron.
constexpr std::int64_t kTet = 10, kQuadraticTet = 24, kLagrangeTet = 71, kBezierTet = 78;

const char* name_of(std::int64_t type)
{
    switch (type) {
        case 1:
        case 2:
            return "points";
        case 3:
        case 4:
            return "lines";
        case 5:
        case 6:
            return "triangles";
        case 7:
        case 8:
        case 9:
            return "polygons";
        case 11:
        case 12:
            return "hexahedra";
        case 13:
            return "wedges";
        case 14:
            return "pyramids";
        default:
            return "cells of other kinds";
    }
}

}  // namespace

void add_tets(const VtkCells& cells, std::size_t first_vertex, std::size_t vertex_count, const Place& place,
              VolumeBuilder& mesh)
{
    const std::size_t count = cells.types.size();
    if (cells.ends.size() != count || (!cells.labels.empty() && cells.labels.size() != count)) {
        fail(place.at(cells.offset), std::to_string(count) + " types for " + std::to_string(cells.ends.size()) +
                                         " cells; expected one for each");
    }
    std::int64_t start = 0;
    for (std::size_t c = 0; c < count; ++c) {
        const std::int64_t end = cells.ends[c];
        if (end < start || end > static_cast<std::int64_t>(cells.connectivity.size())) {
            fail(place.at(cells.offset), "cell " + std::to_string(c) + " ends at corner " + std::to_string(end) +
                                             "; expected " + std::to_string(start) + " to " +
                                             std::to_string(cells.connectivity.size()));
        }
        const std::int64_t type = cells.types[c];
        if (type == kTet || type == kQuadraticTet || type == kLagrangeTet || type == kBezierTet) {
            if (end - start < 4) {
                fail(place.at(cells.offset), "cell " + std::to_string(c) + ", a tetrahedron, has " +
                                                 std::to_string(end - start) + " corners; expected 4");
            }
            std::array<std::int64_t, 4> corners;
            for (std::size_t k = 0; k < 4; ++k) {
                const std::int64_t corner = cells.connectivity[static_cast<std::size_t>(start) + k];
                if (corner < 0 || corner >= static_cast<std::int64_t>(vertex_count)) {
                    fail(place.at(cells.offset), "cell " + std::to_string(c) + " uses point " + std::to_string(corner) +
                                                     "; expected 0 to " + std::to_string(vertex_count) + ", exclusive");
                }
                corners[k] = corner + static_cast<std::int64_t>(first_vertex);
            }
            mesh.add_tet(corners, cells.labels.empty() ? 0 : cells.labels[c], cells.offset);
        } else {
            mesh.count_other(name_of(type));
        }
        start = end;
    }
}

bool is_label_name(std::string_view array_name)
{
    static constexpr std::string_view kNames[] = {"material",  "materials",     "region",        "RegionId",
                                                  "medit:ref", "gmsh:physical", "CellEntityIds", "tetgen:ref"};
    return std::ranges::find(kNames, array_name) != std::end(kNames);
}

}  // namespace yawara::io
