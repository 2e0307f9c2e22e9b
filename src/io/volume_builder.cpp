// Checks the tetrahedra of a volume file and finds their vertices; see volume_builder.h.
#include "io/volume_builder.h"

#include <algorithm>
#include <limits>

#include "io/surface_builder.h"

namespace yawara::io {

namespace {

using Face = std::array<int, 4>;  // corners of a cell, counted around; the last is -1 for a triangle

std::span<const Face> faces_of(std::size_t corners)
{
    static constexpr Face kPyramid[] = {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}};
    static constexpr Face kWedge[] = {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
    static constexpr Face kHexahedron[] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                           {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    if (corners == 5) return kPyramid;
    if (corners == 6) return kWedge;
    return kHexahedron;
}

}  // namespace

void VolumeBuilder::add_vertex(std::int64_t number, const Vec3d& position, std::size_t offset)
{
    check_coordinates(position, vertex_place_, offset);
    if (!numbers_.empty() && (number <= numbers_.back() || number - 1 != numbers_.back())) consecutive_ = false;
    mesh_.vertices.push_back(position);
    numbers_.push_back(number);
    vertex_offsets_.push_back(offset);
}

void VolumeBuilder::add_tet(const std::array<std::int64_t, 4>& corners, std::int64_t label, std::size_t offset)
{
    using Label = std::numeric_limits<std::int32_t>;
    if (label < Label::min() || label > Label::max()) {
        fail(tet_place_.at(offset),
             "a tetrahedron has the region " + std::to_string(label) + "; expected a 32-bit number");
    }
    tets_.push_back({corners, offset});
    mesh_.materials.push_back(static_cast<std::int32_t>(label));
}

void VolumeBuilder::add_cell(std::span<const std::int64_t> corners, std::int64_t label, std::size_t offset)
{
    if (corners.size() == 4) return add_tet({corners[0], corners[1], corners[2], corners[3]}, label, offset);
    const std::int64_t apex = std::ranges::min(corners);
    for (const Face& face : faces_of(corners.size())) {
        std::array<std::int64_t, 4> ring{};
        const std::size_t sides = face[3] < 0 ? 3 : 4;
        for (std::size_t k = 0; k < sides; ++k) ring[k] = corners[static_cast<std::size_t>(face[k])];
        if (std::find(ring.begin(), ring.begin() + sides, apex) != ring.begin() + sides) continue;
        std::rotate(ring.begin(), std::min_element(ring.begin(), ring.begin() + sides), ring.begin() + sides);
        for (std::size_t k = 1; k + 1 < sides; ++k) {
            const std::array tet{apex, ring[0], ring[k], ring[k + 1]};
            // Cells with less corners than they have room for are written with some of them twice.
            if (tet[1] == tet[2] || tet[1] == tet[3] || tet[2] == tet[3]) continue;
            add_tet(tet, label, offset);
            tets_.back().from_cell = true;
        }
    }
}

void VolumeBuilder::sort_numbers()
{
    by_number_.reserve(numbers_.size());
    for (std::size_t i = 0; i < numbers_.size(); ++i) by_number_.push_back({numbers_[i], static_cast<std::int32_t>(i)});
    std::ranges::stable_sort(by_number_, {}, &Numbered::number);
    const auto twice = std::ranges::adjacent_find(by_number_, {}, &Numbered::number);
    if (twice == by_number_.end()) return;
    fail(vertex_place_.at(vertex_offsets_[(twice + 1)->row]),
         "vertex " + std::to_string(twice->number) + " is given twice");
}

std::int32_t VolumeBuilder::row_of(std::int64_t number, std::size_t offset) const
{
    const auto count = static_cast<std::int64_t>(numbers_.size());
    if (consecutive_) {
        const std::int64_t first = numbers_.front();
        if (number >= first && number <= numbers_.back()) return static_cast<std::int32_t>(number - first);
        fail(tet_place_.at(offset), "a tetrahedron uses vertex " + std::to_string(number) + "; expected " +
                                        std::to_string(first) + " to " + std::to_string(first + count - 1));
    }
    const auto found = std::ranges::lower_bound(by_number_, number, {}, &Numbered::number);
    if (found != by_number_.end() && found->number == number) return found->row;
    fail(tet_place_.at(offset), "a tetrahedron uses vertex " + std::to_string(number) + ", which none of the " +
                                    std::to_string(count) + " vertices is");
}

std::string VolumeBuilder::what_instead() const
{
    if (others_.empty()) return "";
    std::string text = "; the file has ";
    const char* comma = "";
    for (const auto& [kind, count] : others_) {
        text += comma + std::to_string(count) + " " + kind;
        comma = ", ";
    }
    return text;
}

void VolumeBuilder::check_vertices()
{
    const auto refuse = [&](const char* what) { fail(vertex_place_.at(vertex_place_.text.size()), what); };
    if (mesh_.vertices.empty()) refuse("no vertices found; expected a volume mesh");
    if (mesh_.vertices.size() > std::numeric_limits<std::int32_t>::max()) refuse("more than 2^31 vertices");
    if (!consecutive_) sort_numbers();
}

std::vector<Vec3d> VolumeBuilder::finish_vertices()
{
    check_vertices();
    return std::move(mesh_.vertices);
}

TetMesh VolumeBuilder::finish()
{
    check_vertices();
    if (tets_.empty()) {
        fail(tet_place_.at(tet_place_.text.size()),
             "no tetrahedra found; expected a mesh of tetrahedra" + what_instead());
    }
    mesh_.tets.reserve(tets_.size());
    for (const Tet& tet : tets_) {
        Int4 rows;
        for (std::size_t k = 0; k < 4; ++k) rows[k] = row_of(tet.corners[k], tet.offset);
        const auto& v = mesh_.vertices;
        if (tet.from_cell && dot(cross(v[rows[1]] - v[rows[0]], v[rows[2]] - v[rows[0]]), v[rows[3]] - v[rows[0]]) < 0)
            std::swap(rows[2], rows[3]);  // formats count around a wedge in either direction
        mesh_.tets.push_back(rows);
    }
    if (std::ranges::all_of(mesh_.materials, [](std::int32_t label) { return label == 0; })) mesh_.materials.clear();
    return std::move(mesh_);
}

}  // namespace yawara::io
