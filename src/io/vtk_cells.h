// The cells of a VTK grid, legacy or XML, and the tetrahedra among them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/volume_builder.h"

namespace yawara::io {

struct VtkCells {
    std::vector<std::int64_t> connectivity;  ///< corners of all cells, one cell after the other
    std::vector<std::int64_t> ends;          ///< per cell: where its corners end
    std::vector<std::int64_t> types;         ///< per cell: VTK's number of its kind
    std::vector<std::int64_t> labels;        ///< per cell, or empty
    std::size_t offset = 0;                  ///< in the file, for messages
};

/// Adds the tetrahedra, linear or of higher order, to `mesh`. Their corners are points 0 to `vertex_count` - 1 of a
/// piece of the file whose points are the mesh's vertices from `first_vertex` on.
void add_tets(const VtkCells& cells, std::size_t first_vertex, std::size_t vertex_count, const Place& place,
              VolumeBuilder& mesh);

/// Names that programs give the array with the region of each cell.
bool is_label_name(std::string_view array_name);

}  // namespace yawara::io
