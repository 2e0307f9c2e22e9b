// Collects the numbered vertices and the tetrahedra of a volume file and checks them. Every volume reader ends here.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/text_reader.h"
#include "yawara/mesh.h"

namespace yawara::io {

class VolumeBuilder {
public:
    /// Vertices and tets may be in two files.
    VolumeBuilder(Place vertices, Place tets) : vertex_place_(std::move(vertices)), tet_place_(std::move(tets)) {}
    explicit VolumeBuilder(const Place& place) : VolumeBuilder(place, place) {}

    void reserve_vertices(std::size_t count) { mesh_.vertices.reserve(count); }
    /// `number` is what the file calls this vertex; any numbers will do, as long as no two are the same.
    void add_vertex(std::int64_t number, const Vec3d& position, std::size_t offset);
    /// Corners by the numbers of their vertices, which may come later. A label of 0 means none.
    void add_tet(const std::array<std::int64_t, 4>& corners, std::int64_t label, std::size_t offset);
    /// A tetrahedron, pyramid (5 corners: base, apex), wedge (6: one triangle, the other) or hexahedron (8: bottom,
    /// top), in the order of Gmsh and VTK. Cut into tetrahedra so that neighbours match: quadrangles from their
    /// smallest number.
    void add_cell(std::span<const std::int64_t> corners, std::int64_t label, std::size_t offset);
    /// Remembers an element that is no cell, to tell what the file has if it has nothing else.
    void count_other(const std::string& kind) { ++others_[kind]; }
    std::size_t vertex_count() const { return mesh_.vertices.size(); }

    /// Errors found from here on are in binary data: their place is a byte, not a line.
    void set_binary() { vertex_place_.binary = tet_place_.binary = true; }

    /// Labels are left empty if all are 0.
    TetMesh finish();
    /// The vertices alone, of a file that may have nothing else.
    std::vector<Vec3d> finish_vertices();

private:
    struct Tet {
        std::array<std::int64_t, 4> corners;
        std::size_t offset;
        bool from_cell = false;  ///< has the orientation that the cutting gave it
    };
    struct Numbered {
        std::int64_t number;
        std::int32_t row;
    };
    void check_vertices();
    void sort_numbers();
    std::int32_t row_of(std::int64_t number, std::size_t offset) const;
    std::string what_instead() const;

    Place vertex_place_, tet_place_;
    TetMesh mesh_;
    std::vector<std::int64_t> numbers_;  ///< of the vertices, in the order of the file
    std::vector<std::size_t> vertex_offsets_;
    std::vector<Tet> tets_;
    std::vector<Numbered> by_number_;  ///< vertices sorted by their numbers; empty while these are consecutive
    bool consecutive_ = true;
    std::map<std::string, std::size_t> others_;
};

}  // namespace yawara::io
