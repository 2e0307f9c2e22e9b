// Object File Format (Geomview): OFF, NOFF, COFF, STOFF and their mixtures, as text.
#include "io/formats.h"
#include "io/surface_builder.h"
#include "io/text_writer.h"

namespace yawara::io {

namespace {

struct OffHeader {
    bool has_uvs = false, has_colors = false, has_normals = false;
};

// [ST][C][N][4][n]OFF; files without this word start with the counts.
OffHeader read_off_header(TextReader& in)
{
    OffHeader header;
    if (!in.more()) in.fail_expected("the word OFF");
    const std::size_t start = in.offset();
    std::string_view word = in.word();
    if (word.find_first_not_of("0123456789") == std::string_view::npos) {
        in.seek(start);
        return header;
    }
    if (!word.ends_with("OFF")) in.fail_expected("the word OFF");
    word.remove_suffix(3);
    const auto take = [&word](std::string_view prefix) {
        const bool found = word.starts_with(prefix);
        if (found) word.remove_prefix(prefix.size());
        return found;
    };
    header.has_uvs = take("ST");
    header.has_colors = take("C");
    header.has_normals = take("N");
    if (!word.empty()) in.fail_expected("a header among OFF, NOFF, COFF, STOFF (three dimensions)");
    if (in.more_on_line()) {
        const std::size_t before = in.offset();
        if (in.word() == "BINARY") in.fail("the file is binary OFF; expected OFF as text");
        in.seek(before);
    }
    return header;
}

// Colours are 0..1 or, if any is larger, 0..255.
void scale_colors(std::vector<Vec3>& colors)
{
    float largest = 0.0f;
    for (const Vec3& c : colors) largest = std::max({largest, c.x, c.y, c.z});
    if (largest <= 1.0f) return;
    for (Vec3& c : colors) c = c / 255.0f;
}

}  // namespace

TriMesh read_off(std::string_view text, const std::string& name)
{
    TextReader in(text, name, {.comment = '#'});
    SurfaceBuilder mesh(in.place());
    const OffHeader header = read_off_header(in);
    const std::size_t vertices = in.count("the number of vertices", 6);  // "0 0 0\n"
    const std::size_t faces = in.count("the number of faces", 2);
    in.next_line();  // the number of edges, often wrong or left out

    mesh.reserve_vertices(vertices);
    for (std::size_t i = 0; i < vertices; ++i) {
        Vec3d position;
        position.x = in.real("the x coordinate of a vertex");
        const std::size_t offset = in.word_offset();
        position.y = in.real_on_line("the y coordinate of a vertex");
        position.z = in.real_on_line("the z coordinate of a vertex");
        mesh.add_vertex(position, offset);
        for (int k = 0; header.has_normals && k < 3; ++k) in.real_on_line("the normal of a vertex");
        if (header.has_colors) {
            Vec3d rgb;
            for (int k = 0; k < 3; ++k) rgb[k] = in.real_on_line("the colour of a vertex");
            mesh.set_color(rgb);
        }
        in.next_line();
    }
    for (std::size_t f = 0; f < faces; ++f) {
        const std::size_t corners = in.count("the number of corners of a face", 2);
        mesh.begin_polygon(in.word_offset());
        for (std::size_t k = 0; k < corners; ++k) mesh.add_corner(in.integer_on_line("a vertex of a face"));
        in.next_line();  // the colour of the face
    }
    TriMesh result = mesh.finish();
    scale_colors(result.colors);
    return result;
}

std::string write_off(const TriMesh& mesh)
{
    std::string out = mesh.colors.empty() ? "OFF\n" : "COFF\n";
    append_number(out, mesh.vertices.size());
    out += ' ';
    append_number(out, mesh.triangles.size());
    out += " 0\n";
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        append_vector(out, mesh.vertices[i]);
        if (!mesh.colors.empty()) {
            out += ' ';
            append_vector(out, mesh.colors[i]);
            out += " 1";
        }
        out += '\n';
    }
    for (const Int3& t : mesh.triangles) {
        out += '3';
        for (const std::int32_t v : t) {
            out += ' ';
            append_number(out, v);
        }
        out += '\n';
    }
    return out;
}

}  // namespace yawara::io
