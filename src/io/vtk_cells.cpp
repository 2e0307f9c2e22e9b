// The cells with a volume of a VTK grid; see vtk_cells.h.
#include "io/vtk_cells.h"

#include <algorithm>

namespace yawara::io {

namespace {

constexpr std::int64_t kVoxel = 11;  // a hexahedron whose corners are counted row by row

// Corners of VTK's kinds of cells, which are their first nodes; 0: not a cell with a volume.
std::size_t corners_of(std::int64_t type)
{
    switch (type) {
        case 10:
        case 24:  // quadratic
        case 71:  // Lagrange
        case 78:  // Bezier
            return 4;
        case 14:
        case 27:
        case 37:
        case 74:
            return 5;
        case 13:
        case 26:
        case 31:
        case 32:
        case 73:
        case 80:
            return 6;
        case kVoxel:
        case 12:
        case 25:
        case 29:
        case 33:
        case 72:
        case 79:
            return 8;
        default:
            return 0;
    }
}

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
        if (const std::size_t wanted = corners_of(type); wanted > 0) {
            if (end - start < static_cast<std::int64_t>(wanted)) {
                fail(place.at(cells.offset), "cell " + std::to_string(c) + " has " + std::to_string(end - start) +
                                                 " corners; expected " + std::to_string(wanted));
            }
            std::array<std::int64_t, 8> corners{};
            for (std::size_t k = 0; k < wanted; ++k) {
                const std::int64_t corner = cells.connectivity[static_cast<std::size_t>(start) + k];
                if (corner < 0 || corner >= static_cast<std::int64_t>(vertex_count)) {
                    fail(place.at(cells.offset), "cell " + std::to_string(c) + " uses point " + std::to_string(corner) +
                                                     "; expected 0 to " + std::to_string(vertex_count) + ", exclusive");
                }
                corners[k] = corner + static_cast<std::int64_t>(first_vertex);
            }
            if (type == kVoxel) {
                std::swap(corners[2], corners[3]);
                std::swap(corners[6], corners[7]);
            }
            mesh.add_cell(std::span(corners).first(wanted), cells.labels.empty() ? 0 : cells.labels[c], cells.offset);
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
