// Medit .mesh as text (INRIA, also written by Gmsh, Mmg and TetGen): vertices and cells with their references.
#include <algorithm>

#include "io/formats.h"
#include "io/text_writer.h"
#include "io/volume_builder.h"

namespace yawara::io {

namespace {

void read_vertices(TextReader& in, VolumeBuilder& mesh)
{
    const std::size_t count = in.count("the number of vertices", 8);  // "0 0 0 0\n"
    mesh.reserve_vertices(mesh.vertex_count() + count);
    for (std::size_t i = 0; i < count; ++i) {
        Vec3d position;
        position.x = in.real("the x coordinate of a vertex");
        const std::size_t offset = in.word_offset();
        position.y = in.real("the y coordinate of a vertex");
        position.z = in.real("the z coordinate of a vertex");
        mesh.add_vertex(static_cast<std::int64_t>(mesh.vertex_count()) + 1, position, offset);
        in.real("the reference of a vertex");
    }
}

struct CellKind {
    std::string_view key;
    std::size_t nodes, corners;
};
constexpr CellKind kCells[] = {
    {"Tetrahedra", 4, 4}, {"TetrahedraP2", 10, 4}, {"Hexahedra", 8, 8}, {"Prisms", 6, 6}, {"Pyramids", 5, 5}};

void read_cells(TextReader& in, const CellKind& kind, VolumeBuilder& mesh)
{
    const std::size_t count = in.count("the number of " + lower(kind.key), 2 * (kind.nodes + 1));
    for (std::size_t t = 0; t < count; ++t) {
        std::array<std::int64_t, 8> corners{};
        std::size_t offset = 0;
        for (std::size_t k = 0; k < kind.nodes; ++k) {
            const std::int64_t vertex = in.integer("a vertex of one of the " + lower(kind.key));
            if (k == 0) offset = in.word_offset();
            if (k < kind.corners) corners[k] = vertex;
        }
        const std::int64_t reference = in.integer("the reference of one of the " + lower(kind.key));
        mesh.add_cell(std::span(corners).first(kind.corners), reference, offset);
    }
}

bool starts_number(std::string_view word)
{
    return word.find_first_of("0123456789") == word.find_first_not_of("+-.");
}

// Everything up to the next keyword.
void skip_numbers(TextReader& in)
{
    while (in.more()) {
        const std::size_t start = in.offset();
        if (starts_number(in.word())) continue;
        in.seek(start);
        return;
    }
}

}  // namespace

bool starts_medit(std::string_view start)
{
    return start.find("MeshVersionFormatted") != start.npos;
}

TetMesh read_medit(std::string_view text, const std::string& name)
{
    TextReader in(text, name, {.comment = '#'});
    VolumeBuilder mesh(in.place());
    if (in.word() != "MeshVersionFormatted") in.fail_expected("the word MeshVersionFormatted (Medit as text)");
    in.integer("the version of the format");
    while (in.more()) {
        const std::string key(in.word());
        if (key == "Dimension") {
            if (in.integer("the dimension") != 3) in.fail_expected("3, the dimension");
        } else if (key == "Vertices") {
            read_vertices(in, mesh);
        } else if (const auto cells = std::ranges::find(kCells, key, &CellKind::key); cells != std::end(kCells)) {
            read_cells(in, *cells, mesh);
        } else if (key == "End") {
            break;
        } else if (starts_number(key)) {
            in.fail_expected("a keyword such as Vertices or Tetrahedra");
        } else {
            if (key == "Triangles" || key == "Quadrilaterals") mesh.count_other("lists of " + key);
            skip_numbers(in);
        }
    }
    return mesh.finish();
}

std::string write_medit(const TetMesh& mesh)
{
    std::string out = "MeshVersionFormatted 2\nDimension 3\nVertices\n" + std::to_string(mesh.vertices.size()) + "\n";
    for (const Vec3d& v : mesh.vertices) {
        append_vector(out, v);
        out += " 0\n";
    }
    out += "Tetrahedra\n" + std::to_string(mesh.tets.size()) + "\n";
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        for (const std::int32_t v : mesh.tets[t]) {
            append_number(out, v + 1);
            out += ' ';
        }
        append_number(out, mesh.materials.empty() ? 0 : mesh.materials[t]);
        out += '\n';
    }
    return out + "End\n";
}

}  // namespace yawara::io
