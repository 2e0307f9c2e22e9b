// TetGen's pair of text files: .node (vertices) and .ele (tetrahedra of 4 or 10 nodes, with a region as first
// attribute).
#include "io/file.h"
#include "io/formats.h"
#include "io/text_writer.h"
#include "io/volume_builder.h"

namespace yawara::io {

namespace fs = std::filesystem;

namespace {

constexpr TextReader::Syntax kSyntax{.comment = '#'};

void read_nodes(TextReader& in, VolumeBuilder& mesh)
{
    const std::size_t count = in.count("the number of nodes", 8);  // "0 0 0 0\n"
    if (in.more_on_line() && in.integer("the dimension") != 3) in.fail_expected("3, the dimension");
    in.next_line();
    mesh.reserve_vertices(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t number = in.integer("the number of a node");
        const std::size_t offset = in.word_offset();
        Vec3d position;
        position.x = in.real_on_line("the x coordinate of a node");
        position.y = in.real_on_line("the y coordinate of a node");
        position.z = in.real_on_line("the z coordinate of a node");
        mesh.add_vertex(number, position, offset);
        in.next_line();  // attributes and boundary marker
    }
}

void read_tets(TextReader& in, VolumeBuilder& mesh)
{
    const std::size_t count = in.count("the number of tetrahedra", 10);  // "0 0 1 2 3\n"
    const std::int64_t nodes = in.more_on_line() ? in.integer("the number of nodes of a tetrahedron") : 4;
    if (nodes != 4 && nodes != 10) in.fail_expected("4 or 10 nodes of a tetrahedron");
    const std::int64_t attributes = in.more_on_line() ? in.integer("the number of attributes") : 0;
    in.next_line();
    for (std::size_t i = 0; i < count; ++i) {
        in.integer("the number of a tetrahedron");
        const std::size_t offset = in.word_offset();
        std::array<std::int64_t, 4> corners{};
        for (std::int64_t k = 0; k < nodes; ++k) {
            const std::int64_t node = in.integer_on_line("a node of a tetrahedron");
            if (k < 4) corners[static_cast<std::size_t>(k)] = node;
        }
        const double region = attributes > 0 ? in.real_on_line("the region of a tetrahedron") : 0.0;
        mesh.add_tet(corners, std::abs(region) < 2e9 ? static_cast<std::int64_t>(region) : 0, offset);
        in.next_line();
    }
}

/// The path with another ending; one in capitals stays in capitals.
fs::path with_ending(fs::path path, std::string_view ending, std::string_view capitals)
{
    const bool small = path.extension().string() == lower_ending(path);
    return path.replace_extension(small ? ending : capitals);
}
fs::path node_file(const fs::path& path)
{
    return lower_ending(path) == ".node" ? path : with_ending(path, ".node", ".NODE");
}
fs::path tet_file(const fs::path& path)
{
    return lower_ending(path) == ".ele" ? path : with_ending(path, ".ele", ".ELE");
}

/// "1180 3 0 0": the first line of either file, whose second number may be omitted.
bool starts_with_counts(std::string_view text, std::string_view second_a, std::string_view second_b)
{
    TextReader in(text, "", kSyntax);
    const std::string_view first = in.word();
    const std::string_view second = in.more_on_line() ? in.word() : second_a;
    return !first.empty() && first.find_first_not_of("0123456789") == std::string_view::npos &&
           (second == second_a || second == second_b);
}

std::string write_nodes(const TetMesh& mesh)
{
    std::string out = std::to_string(mesh.vertices.size()) + " 3 0 0\n";
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        append_number(out, i);
        out += ' ';
        append_vector(out, mesh.vertices[i]);
        out += '\n';
    }
    return out;
}

std::string write_tets(const TetMesh& mesh)
{
    std::string out = std::to_string(mesh.tets.size()) + (mesh.materials.empty() ? " 4 0\n" : " 4 1\n");
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        append_number(out, t);
        for (const std::int32_t v : mesh.tets[t]) {
            out += ' ';
            append_number(out, v);
        }
        if (!mesh.materials.empty()) {
            out += ' ';
            append_number(out, mesh.materials[t]);
        }
        out += '\n';
    }
    return out;
}

}  // namespace

TetMesh load_tetgen(const fs::path& path)
{
    const fs::path nodes = node_file(path), tets = tet_file(path);
    const std::string node_text = read_file(nodes).value(), tet_text = read_file(tets).value();
    TextReader node_reader(node_text, nodes.string(), kSyntax), tet_reader(tet_text, tets.string(), kSyntax);
    VolumeBuilder mesh(node_reader.place(), tet_reader.place());
    read_nodes(node_reader, mesh);
    read_tets(tet_reader, mesh);
    return mesh.finish();
}

std::vector<Vec3d> load_tetgen_nodes(const fs::path& path)
{
    const fs::path nodes = node_file(path);
    const std::string text = read_file(nodes).value();
    TextReader reader(text, nodes.string(), kSyntax);
    VolumeBuilder mesh(reader.place());
    read_nodes(reader, mesh);
    return mesh.finish_vertices();
}

Status save_tetgen(const fs::path& path, const TetMesh& mesh)
{
    fs::path nodes = path, tets = path;
    const Status done = write_file(nodes.replace_extension(".node"), write_nodes(mesh));
    return done ? write_file(tets.replace_extension(".ele"), write_tets(mesh)) : done;
}

bool starts_tetgen_nodes(std::string_view start)
{
    return starts_with_counts(start, "3", "3");
}

bool starts_tetgen_tets(std::string_view start)
{
    return starts_with_counts(start, "4", "10");
}

}  // namespace yawara::io
