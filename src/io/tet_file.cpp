// .tet as text, in the three ways it is written: counts in words ("12 vertices"), counts behind the word TET, or a
// letter before every line (v, t). Vertices are numbered from 0.
#include <algorithm>

#include "io/formats.h"
#include "io/volume_builder.h"

namespace yawara::io {

namespace {

void read_vertex(TextReader& in, VolumeBuilder& mesh)
{
    Vec3d position;
    position.x = in.real("the x coordinate of a vertex");
    const std::size_t offset = in.word_offset();
    position.y = in.real("the y coordinate of a vertex");
    position.z = in.real("the z coordinate of a vertex");
    mesh.add_vertex(static_cast<std::int64_t>(mesh.vertex_count()), position, offset);
}

void read_tet(TextReader& in, VolumeBuilder& mesh)
{
    std::array<std::int64_t, 4> corners{};
    std::size_t offset = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        corners[k] = in.integer("a vertex of a tetrahedron");
        if (k == 0) offset = in.word_offset();
    }
    mesh.add_tet(corners, 0, offset);
}

void read_lettered(TextReader& in, VolumeBuilder& mesh)
{
    while (in.more()) {
        const std::string letter = lower(in.word());
        if (letter == "v") {
            read_vertex(in, mesh);
        } else if (letter == "t") {
            read_tet(in, mesh);
        } else {
            in.fail_expected("v (a vertex) or t (a tetrahedron) at the start of a line");
        }
        in.next_line();
    }
}

/// `sized`: every tetrahedron begins with its number of corners.
void read_counted(TextReader& in, VolumeBuilder& mesh, std::size_t vertices, std::size_t tets, bool sized)
{
    mesh.reserve_vertices(vertices);
    for (std::size_t i = 0; i < vertices; ++i) read_vertex(in, mesh);
    for (std::size_t t = 0; t < tets; ++t) {
        if (sized && in.integer("4, the number of corners of a tetrahedron") != 4)
            in.fail_expected("4, the number of corners of a tetrahedron");
        read_tet(in, mesh);
    }
}

constexpr std::size_t kShortestVertex = 6, kShortestTet = 8;  // bytes: "0 0 0\n", "0 1 2 3\n"

}  // namespace

bool starts_tet_file(std::string_view start)
{
    TextReader in(start, "", {.comment = '#'});
    const std::string first = lower(in.word());
    if (first == "tet" || first == "v") return true;
    return !first.empty() && std::ranges::all_of(first, [](char c) { return c >= '0' && c <= '9'; }) &&
           lower(in.word()) == "vertices";
}

TetMesh read_tet_file(std::string_view text, const std::string& name)
{
    TextReader in(text, name, {.comment = '#'});
    VolumeBuilder mesh(in.place());
    const std::size_t start = in.offset();
    const std::string first = lower(in.word());
    if (first == "v" || first == "t") {
        in.seek(start);
        read_lettered(in, mesh);
    } else if (first == "tet") {
        const std::size_t vertices = in.count("the number of vertices", kShortestVertex);
        const std::size_t tets = in.count("the number of tetrahedra", kShortestTet);
        read_counted(in, mesh, vertices, tets, false);
    } else {
        in.seek(start);
        const std::size_t vertices = in.count("the number of vertices", kShortestVertex);
        if (lower(in.word()) != "vertices") in.fail_expected("the word vertices");
        const std::size_t tets = in.count("the number of tetrahedra", kShortestTet);
        if (const std::string word = lower(in.word()); word != "tets" && word != "cells" && word != "tetrahedra")
            in.fail_expected("the word tets");
        read_counted(in, mesh, vertices, tets, true);
    }
    return mesh.finish();
}

}  // namespace yawara::io
