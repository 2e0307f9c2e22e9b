// Stanford PLY: text, little- and big-endian, any number types. Takes x y z, colours and texture coordinates of the
// element "vertex", and vertex lists and texture coordinates of the element "face"; other elements and properties are
// passed over.
#include <algorithm>
#include <cmath>
#include <optional>

#include "io/formats.h"
#include "io/number_type.h"
#include "io/surface_builder.h"

namespace yawara::io {

namespace {

struct Property {
    std::string name;
    NumberType type;
    std::optional<NumberType> list_size;  ///< type of the length, if this is a list
};

struct Element {
    std::string name;
    std::size_t count;
    std::vector<Property> properties;
};

struct PlyHeader {
    bool binary = false;
    std::endian order = std::endian::little;
    std::vector<Element> elements;
};

NumberType read_type(TextReader& in)
{
    struct Name {
        std::string_view text;
        NumberType type;
    };
    static constexpr Name kNames[] = {
        {"char", NumberType::i8},     {"uchar", NumberType::u8},   {"short", NumberType::i16},
        {"ushort", NumberType::u16},  {"int", NumberType::i32},    {"uint", NumberType::u32},
        {"float", NumberType::f32},   {"double", NumberType::f64}, {"int8", NumberType::i8},
        {"uint8", NumberType::u8},    {"int16", NumberType::i16},  {"uint16", NumberType::u16},
        {"int32", NumberType::i32},   {"uint32", NumberType::u32}, {"float32", NumberType::f32},
        {"float64", NumberType::f64},
    };
    const std::string_view word = in.word();
    for (const Name& name : kNames) {
        if (name.text == word) return name.type;
    }
    in.fail_expected("a number type such as uchar, int or float");
}

PlyHeader read_ply_header(TextReader& in)
{
    PlyHeader header;
    if (in.word() != "ply") in.fail_expected("the word ply");
    bool has_format = false;
    for (;;) {
        in.next_line();
        const std::string_view key = in.word();
        if (key == "format") {
            const std::string_view format = in.word();
            header.binary = format != "ascii";
            header.order = format == "binary_big_endian" ? std::endian::big : std::endian::little;
            if (header.binary && !format.starts_with("binary_")) {
                in.fail_expected("ascii, binary_little_endian or binary_big_endian");
            }
            has_format = true;
        } else if (key == "element") {
            Element element;
            element.name = in.word();
            element.count = in.count("the number of " + element.name + " elements", 0);
            header.elements.push_back(std::move(element));
        } else if (key == "property") {
            if (header.elements.empty()) in.fail("found a property before any element");
            Property property{};
            const std::size_t start = in.offset();
            if (in.word() == "list") {
                property.list_size = read_type(in);
                if (is_real(*property.list_size)) in.fail_expected("a whole number type for the length of a list");
            } else {
                in.seek(start);
            }
            property.type = read_type(in);
            property.name = in.word();
            header.elements.back().properties.push_back(std::move(property));
        } else if (key == "end_header") {
            break;
        } else if (key != "comment" && key != "obj_info") {
            in.fail_expected("format, element, property, comment or end_header");
        }
    }
    if (!has_format) in.fail("the header has no line \"format\"");
    in.next_line();
    return header;
}

std::size_t list_length(NumberReader& in, const Property& list)
{
    return in.count(*list.list_size, "the length of a list " + list.name, size_of(list.type));
}

void skip(NumberReader& in, const Property& property)
{
    const std::size_t length = property.list_size ? list_length(in, property) : 1;
    in.skip(length, property.type, "a property " + property.name);
}

constexpr std::size_t kColor = 3;  // slots 0..2 are x y z, 3..5 red green blue, 6..7 u v

int slot_of(const std::string& name)
{
    static constexpr std::string_view kNames[][4] = {{"x"},
                                                     {"y"},
                                                     {"z"},
                                                     {"red", "r"},
                                                     {"green", "g"},
                                                     {"blue", "b"},
                                                     {"u", "s", "texture_u", "s0"},
                                                     {"v", "t", "texture_v", "t0"}};
    for (int slot = 0; slot < 8; ++slot) {
        if (std::ranges::find(kNames[slot], name) != std::end(kNames[slot])) return slot;
    }
    return -1;
}

/// Reads the vertices; returns their texture coordinates if they have any.
std::vector<std::array<double, 2>> read_vertices(const Element& element, NumberReader& in, SurfaceBuilder& mesh)
{
    std::vector<int> slots;
    bool given[8] = {};
    double scale = 1.0;  // of colours
    for (const Property& property : element.properties) {
        const int slot = property.list_size || property.name.empty() ? -1 : slot_of(property.name);
        slots.push_back(slot);
        if (slot < 0) continue;
        given[slot] = true;
        if (slot == kColor && property.type == NumberType::u8) scale = 1.0 / 255.0;
        if (slot == kColor && property.type == NumberType::u16) scale = 1.0 / 65535.0;
    }
    if (!given[0] || !given[1] || !given[2]) in.fail("the element vertex has no properties x, y and z");
    const bool has_colors = given[3] && given[4] && given[5], has_uvs = given[6] && given[7];

    std::vector<std::array<double, 2>> uvs;
    mesh.reserve_vertices(element.count);
    for (std::size_t i = 0; i < element.count; ++i) {
        const std::size_t offset = in.offset();
        double value[8] = {};
        for (std::size_t k = 0; k < slots.size(); ++k) {
            if (slots[k] < 0) {
                skip(in, element.properties[k]);
            } else {
                value[slots[k]] = in.real(element.properties[k].type, "a number of a vertex");
            }
        }
        mesh.add_vertex({value[0], value[1], value[2]}, offset);
        if (has_colors) mesh.set_color(Vec3d{value[3], value[4], value[5]} * scale);
        if (has_uvs) uvs.push_back({value[6], value[7]});
    }
    return uvs;
}

void read_faces(const Element& element, NumberReader& in, const std::vector<std::array<double, 2>>& vertex_uvs,
                SurfaceBuilder& mesh)
{
    const auto is_vertex_list = [](const Property& p) {
        return p.list_size && (p.name == "vertex_indices" || p.name == "vertex_index");
    };
    if (std::ranges::none_of(element.properties, is_vertex_list)) {
        in.fail("the element face has no list vertex_indices or vertex_index");
    }
    std::vector<std::int64_t> corners;
    std::vector<double> corner_uvs;
    for (std::size_t f = 0; f < element.count; ++f) {
        const std::size_t offset = in.offset();
        corners.clear();
        corner_uvs.clear();
        for (const Property& property : element.properties) {
            if (is_vertex_list(property)) {
                const std::size_t length = list_length(in, property);
                for (std::size_t k = 0; k < length; ++k)
                    corners.push_back(in.integer(property.type, "a vertex of a face"));
            } else if (property.list_size && property.name == "texcoord") {
                const std::size_t length = list_length(in, property);
                for (std::size_t k = 0; k < length; ++k)
                    corner_uvs.push_back(in.real(property.type, "a texture coordinate"));
            } else {
                skip(in, property);
            }
        }
        mesh.begin_polygon(offset);
        for (std::size_t k = 0; k < corners.size(); ++k) {
            mesh.add_corner(corners[k]);
            const auto vertex = static_cast<std::size_t>(corners[k]);
            if (corner_uvs.size() == 2 * corners.size()) {
                mesh.set_uv(corner_uvs[2 * k], corner_uvs[2 * k + 1]);
            } else if (corners[k] >= 0 && vertex < vertex_uvs.size()) {
                mesh.set_uv(vertex_uvs[vertex][0], vertex_uvs[vertex][1]);
            }
        }
    }
}

}  // namespace

TriMesh read_ply(std::string_view content, const std::string& name)
{
    TextReader text(content, name);
    const PlyHeader header = read_ply_header(text);
    NumberReader in(text, header.binary, header.order);
    SurfaceBuilder mesh(text.place());
    if (header.binary) mesh.set_binary();

    std::vector<std::array<double, 2>> vertex_uvs;
    for (const Element& element : header.elements) {
        std::size_t least = 0;  // bytes per element
        for (const Property& p : element.properties) least += size_of(p.list_size ? *p.list_size : p.type);
        in.check_room(element.count, least, element.name + " elements");
        if (element.name == "vertex") {
            vertex_uvs = read_vertices(element, in, mesh);
        } else if (element.name == "face") {
            read_faces(element, in, vertex_uvs, mesh);
        } else if (!element.properties.empty()) {
            for (std::size_t i = 0; i < element.count; ++i) {
                for (const Property& property : element.properties) skip(in, property);
            }
        }
    }
    return mesh.finish();
}

std::string write_ply(const TriMesh& mesh)
{
    std::string out = "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(mesh.vertices.size()) +
                      "\nproperty double x\nproperty double y\nproperty double z\n";
    if (!mesh.colors.empty()) out += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
    out += "element face " + std::to_string(mesh.triangles.size()) + "\nproperty list uchar int vertex_indices\n";
    if (!mesh.corner_uvs.empty()) out += "property list uchar float texcoord\n";
    out += "end_header\n";
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        for (int k = 0; k < 3; ++k) append(out, mesh.vertices[i][k]);
        for (int k = 0; !mesh.colors.empty() && k < 3; ++k) {
            append(out, static_cast<std::uint8_t>(std::lround(std::clamp(mesh.colors[i][k], 0.0f, 1.0f) * 255.0f)));
        }
    }
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        append(out, std::uint8_t{3});
        for (const std::int32_t v : mesh.triangles[t]) append(out, v);
        if (mesh.corner_uvs.empty()) continue;
        append(out, std::uint8_t{6});
        for (const Vec2& uv : mesh.corner_uvs[t]) {
            append(out, uv.x);
            append(out, uv.y);
        }
    }
    return out;
}

}  // namespace yawara::io
