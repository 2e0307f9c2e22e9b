// Small meshes, and files of every mesh format built by hand from the formats' descriptions, for the tests of mesh
// files.
#pragma once

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/clip_samples.h"
#include "yawara/io.h"

namespace mesh_files {

using namespace yawara;
using clip_samples::bytes_of;
using clip_samples::put_bytes;
using clip_samples::TempFolder;

/// A cube with coordinates that need all digits, a texture with seams, and colours that fit into bytes.
inline TriMesh cube()
{
    TriMesh mesh;
    for (int i = 0; i < 8; ++i) {
        mesh.vertices.push_back({(i & 1) / 3.0, (i & 2) * 0.1, (i & 4) * 1e-7 - 12345.678901234567});
        mesh.colors.push_back({(i & 1) * 1.0f, 51.0f / 255.0f, i / 255.0f});
    }
    mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                      {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        mesh.corner_uvs.push_back({Vec2{0.1f * t, 0.3f}, Vec2{0.7f, 1.0f / 3.0f}, Vec2{0.0f, 0.1f * t}});
    }
    return mesh;
}

/// A bar with crooked coordinates and three regions in mixed order.
inline TetMesh bar()
{
    TetMesh mesh = make_bar({1.0, 0.5, 1.0 / 3.0}, {3, 2, 1});
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        mesh.vertices[i] += Vec3d{0.01 * std::sin(3.0 * i), 1e-9 * i, -7.0};
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) mesh.materials.push_back(t % 5 == 0 ? 7 : t % 2 == 0 ? 2 : 1);
    return mesh;
}

inline void check_same(const TriMesh& a, const TriMesh& b)
{
    CHECK(a.vertices == b.vertices);
    CHECK(a.triangles == b.triangles);
    CHECK(a.corner_uvs == b.corner_uvs);
    CHECK(a.colors == b.colors);
}

inline void check_same(const TetMesh& a, const TetMesh& b)
{
    CHECK(a.vertices == b.vertices);
    CHECK(a.tets == b.tets);
    CHECK(a.materials == b.materials);
}

inline TriMesh load_tri_text(const std::string& name, const std::string& content)
{
    TempFolder folder;
    put_bytes(folder / name, content);
    return load_tri_mesh(folder / name).value();
}

inline TetMesh load_tet_text(const std::string& name, const std::string& content)
{
    TempFolder folder;
    put_bytes(folder / name, content);
    return load_tet_mesh(folder / name).value();
}

/// Loading must fail at `place` (what follows the file's name, e.g. ":3"), for a reason that says `word`.
inline void check_refused(const std::string& name, const std::string& content, const std::string& place,
                          const std::string& word)
{
    CAPTURE(content.substr(0, 200));
    TempFolder folder;
    const std::string path = (folder / name).string();
    put_bytes(path, content);
    const bool volume = !load_tri_mesh(path) && load_tri_mesh(path).error().what.find("none of") != std::string::npos;
    const Error error = [&] {
        if (volume) {
            const Result<TetMesh> mesh = load_tet_mesh(path);
            return mesh ? Error{"", "accepted"} : mesh.error();
        }
        const Result<TriMesh> mesh = load_tri_mesh(path);
        return mesh ? Error{"", "accepted"} : mesh.error();
    }();
    CHECK(error.where == path + place);
    CAPTURE(error.what);
    CHECK(error.what.find(word) != std::string::npos);
}

// ---- bytes
// ---------------------------------------------------------------------------------------------------------------

/// Writes numbers in a byte order of choice.
struct Bytes {
    std::endian order = std::endian::little;
    std::string out{};

    template <class T>
    Bytes& add(T value)
    {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        if (order != std::endian::native) std::reverse(raw, raw + sizeof(T));
        out.append(raw, sizeof(T));
        return *this;
    }
    Bytes& text(std::string_view words)
    {
        out += words;
        return *this;
    }
};

inline std::string base64(std::string_view bytes)
{
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string code;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            code += i + k <= bytes.size() || k < 2 ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
        if (i + 1 == bytes.size()) code.replace(code.size() - 2, 2, "==");
        if (i + 2 == bytes.size()) code.back() = '=';
    }
    return code;
}

// ---- the bar in formats that are read only
// ----------------------------------------------------------------------------------

inline std::string msh1(const TetMesh& mesh)
{
    std::string out = "$NOD\n" + std::to_string(mesh.vertices.size()) + "\n";
    char line[200];
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const Vec3d v = mesh.vertices[i];
        std::snprintf(line, sizeof line, "%zu %.17g %.17g %.17g\n", 10 * i + 5, v.x, v.y, v.z);
        out += line;
    }
    out += "$ENDNOD\n$ELM\n" + std::to_string(mesh.tets.size() + 1) + "\n1 2 9 9 3 5 15 25\n";
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const Int4 c = mesh.tets[t];
        std::snprintf(line, sizeof line, "%zu 4 %d 1 4 %d %d %d %d\n", t + 2, mesh.materials[t], 10 * c[0] + 5,
                      10 * c[1] + 5, 10 * c[2] + 5, 10 * c[3] + 5);
        out += line;
    }
    return out + "$ENDELM\n";
}

/// Version 2.2, as text or bytes; triangle first, then the tets.
inline std::string msh2(const TetMesh& mesh, bool binary, std::endian order = std::endian::little)
{
    Bytes b{order};
    b.text(binary ? "$MeshFormat\n2.2 1 8\n" : "$MeshFormat\n2.2 0 8\n");
    if (binary) b.add<std::int32_t>(1).text("\n");
    b.text("$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"flesh\"\n$EndPhysicalNames\n$Nodes\n" +
           std::to_string(mesh.vertices.size()) + "\n");
    char line[200];
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const Vec3d v = mesh.vertices[i];
        const auto number = static_cast<std::int32_t>(i + 1);
        std::snprintf(line, sizeof line, "%d %.17g %.17g %.17g\n", number, v.x, v.y, v.z);
        binary ? b.add(number).add(v.x).add(v.y).add(v.z) : b.text(line);
    }
    b.text(binary ? "\n$EndNodes\n" : "$EndNodes\n").text("$Elements\n" + std::to_string(mesh.tets.size() + 1) + "\n");
    if (binary) {
        for (const int number : {2, 1, 2, 1, 9, 9, 1, 2, 3}) b.add(number);  // one triangle with two tags
        for (const int number : {4, static_cast<int>(mesh.tets.size()), 2}) b.add(number);
    } else {
        b.text("1 2 2 9 9 1 2 3\n");
    }
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const Int4 c = mesh.tets[t];
        const int label = mesh.materials[t], number = static_cast<int>(t) + 2;
        std::snprintf(line, sizeof line, "%d 4 2 %d 1 %d %d %d %d\n", number, label, c[0] + 1, c[1] + 1, c[2] + 1,
                      c[3] + 1);
        binary ? b.add(number).add(label).add(1).add(c[0] + 1).add(c[1] + 1).add(c[2] + 1).add(c[3] + 1) : b.text(line);
    }
    return b.text(binary ? "\n$EndElements\n" : "$EndElements\n").out;
}

/// Version 4.1 (or 4.0) as bytes, without regions: one volume of two entities with parametric nodes in the first block.
inline std::string msh4_binary(const TetMesh& mesh, std::endian order, bool version_4_0 = false)
{
    using Count = std::uint64_t;
    const auto tag = [&](Bytes& b, std::size_t value) {
        version_4_0 ? b.add(static_cast<std::int32_t>(value)) : b.add(Count{value});
    };
    const auto entity = [&](Bytes& b, int dimension, int number) {
        version_4_0 ? b.add(number).add(dimension) : b.add(dimension).add(number);
    };
    Bytes b{order};
    b.text(version_4_0 ? "$MeshFormat\n4.0 1 8\n" : "$MeshFormat\n4.1 1 8\n")
        .add<std::int32_t>(1)
        .text("\n$EndMeshFormat\n$Entities\n");
    for (const Count count : {1, 0, 0, 2}) b.add(count);
    b.add(1);  // the point
    for (int k = 0; k < (version_4_0 ? 6 : 3); ++k) b.add(0.5);
    b.add(Count{0});
    for (const int volume : {3, 4}) {
        b.add(volume);
        for (int k = 0; k < 6; ++k) b.add(0.25 * k);
        b.add(Count{1}).add(volume * 11).add(Count{0});
    }
    b.text("\n$EndEntities\n$Nodes\n");
    const std::size_t n = mesh.vertices.size();
    b.add(Count{2}).add(Count{n});
    if (!version_4_0) b.add(Count{1}).add(Count{n});
    const auto nodes = [&](std::size_t first, std::size_t last, int dimension, int parametric) {
        entity(b, dimension, 1);
        b.add(parametric).add(Count{last - first});
        for (std::size_t i = first; !version_4_0 && i < last; ++i) tag(b, i + 1);
        for (std::size_t i = first; i < last; ++i) {
            if (version_4_0) tag(b, i + 1);
            b.add(mesh.vertices[i].x).add(mesh.vertices[i].y).add(mesh.vertices[i].z);
            for (int k = 0; parametric != 0 && k < dimension; ++k) b.add(0.125);
        }
    };
    nodes(0, 2, 1, 1);
    nodes(2, n, 3, 0);
    b.text("\n$EndNodes\n$Elements\n");
    const std::size_t m = mesh.tets.size();
    b.add(Count{2}).add(Count{m});
    if (!version_4_0) b.add(Count{1}).add(Count{m});
    const auto tets = [&](std::size_t first, std::size_t last, int volume) {
        entity(b, 3, volume);
        b.add(4).add(Count{last - first});
        for (std::size_t t = first; t < last; ++t) {
            tag(b, t + 1);
            for (const std::int32_t v : mesh.tets[t]) tag(b, static_cast<std::size_t>(v) + 1);
        }
    };
    tets(0, m / 2, 3);
    tets(m / 2, m, 4);
    return b.text("\n$EndElements\n").out;
}

/// Legacy VTK as text or bytes, in the layout of version 3 or of 5.1.
inline std::string vtk(const TetMesh& mesh, bool binary, bool version_5)
{
    Bytes b{std::endian::big};
    const auto number = [&](auto value) {
        char word[40];
        if constexpr (std::is_floating_point_v<decltype(value)>) {
            std::snprintf(word, sizeof word, "%.17g ", value);
        } else {
            std::snprintf(word, sizeof word, "%lld ", static_cast<long long>(value));
        }
        binary ? b.add(value) : b.text(word);
    };
    const std::size_t n = mesh.vertices.size(), m = mesh.tets.size();
    b.text(version_5 ? "# vtk DataFile Version 5.1\n" : "# vtk DataFile Version 3.0\n")
        .text("a bar\n")
        .text(binary ? "BINARY\n" : "ASCII\n");
    b.text("DATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nTimeValue 1 1 double\n");
    number(0.5);
    b.text("\nPOINTS " + std::to_string(n) + " double\n");
    for (const Vec3d& v : mesh.vertices) {
        number(v.x);
        number(v.y);
        number(v.z);
    }
    if (version_5) {
        b.text("\nMETADATA\nINFORMATION 0\n\nCELLS " + std::to_string(m + 1) + " " + std::to_string(4 * m) +
               "\nOFFSETS vtktypeint64\n");
        for (std::size_t t = 0; t <= m; ++t) number(static_cast<std::int64_t>(4 * t));
        b.text("\nCONNECTIVITY vtktypeint64\n");
        for (const Int4& tet : mesh.tets) {
            for (const std::int32_t v : tet) number(std::int64_t{v});
        }
    } else {
        b.text("\nCELLS " + std::to_string(m) + " " + std::to_string(5 * m) + "\n");
        for (const Int4& tet : mesh.tets) {
            number(std::int32_t{4});
            for (const std::int32_t v : tet) number(v);
        }
    }
    b.text("\nCELL_TYPES " + std::to_string(m) + "\n");
    for (std::size_t t = 0; t < m; ++t) number(std::int32_t{10});
    b.text("\nCELL_DATA " + std::to_string(m) + "\nSCALARS quality float 1\nLOOKUP_TABLE default\n");
    for (std::size_t t = 0; t < m; ++t) number(0.5f);
    b.text("\nSCALARS material int 1\nLOOKUP_TABLE default\n");
    for (const std::int32_t material : mesh.materials) number(material);
    return b.text("\n").out;
}

enum class VtuData { inline_base64, inline_base64_apart, appended_raw, appended_base64 };

/// .vtu with all arrays as bytes; `compressed` in two blocks.
inline std::string vtu(const TetMesh& mesh, VtuData kind, bool compressed, std::endian order = std::endian::little)
{
    std::string appended;
    const bool inside = kind == VtuData::inline_base64 || kind == VtuData::inline_base64_apart;
    const auto stored = [&](const std::string& data) {
        Bytes header{order};
        std::string body = data;
        if (compressed) {
            const std::size_t half = data.size() / 2 + 1;
            const auto squeeze = [](std::string_view part) {
                std::string packed(compressBound(part.size()), '\0');
                uLongf size = packed.size();
                compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(part.data()),
                         part.size());
                packed.resize(size);
                return packed;
            };
            const std::string first = squeeze(std::string_view(data).substr(0, half)),
                              second = squeeze(std::string_view(data).substr(half));
            for (const std::size_t number : {std::size_t{2}, half, data.size() - half, first.size(), second.size()})
                header.add(std::uint64_t{number});
            body = first + second;
        } else {
            header.add(std::uint64_t{data.size()});
        }
        if (kind == VtuData::appended_raw) return header.out + body;
        const bool apart = compressed || kind == VtuData::inline_base64_apart;
        return apart ? base64(header.out) + base64(body) : base64(header.out + body);
    };
    const auto array = [&](const char* type, const char* name, int components, const std::string& data) {
        std::string tag = std::string("<DataArray type=\"") + type + "\" Name=\"" + name + "\" NumberOfComponents=\"" +
                          std::to_string(components) + "\" format=";
        if (inside) return tag + "\"binary\">\n" + stored(data) + "\n</DataArray>\n";
        tag += "\"appended\" offset=\"" + std::to_string(appended.size()) + "\"/>\n";
        appended += stored(data);
        return tag;
    };
    Bytes points{order}, corners{order}, ends{order}, types{order}, labels{order};
    for (const Vec3d& v : mesh.vertices) points.add(v.x).add(v.y).add(v.z);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        for (const std::int32_t v : mesh.tets[t]) corners.add(std::int64_t{v});
        ends.add(static_cast<std::int32_t>(4 * (t + 1)));
        types.add(std::uint8_t{10});
        labels.add(mesh.materials[t]);
    }
    std::string out =
        "<?xml version=\"1.0\"?>\n<!-- a bar -->\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
        "header_type=\"UInt64\" byte_order=\"";
    out += order == std::endian::little ? "LittleEndian\"" : "BigEndian\"";
    out += compressed ? " compressor=\"vtkZLibDataCompressor\">\n" : ">\n";
    out += "<UnstructuredGrid>\n<Piece NumberOfPoints='" + std::to_string(mesh.vertices.size()) + "' NumberOfCells='" +
           std::to_string(mesh.tets.size()) + "'>\n";
    out += "<CellData>\n" + array("Int32", "material", 1, labels.out) + "</CellData>\n<Points>\n" +
           array("Float64", "Points", 3, points.out);
    out += "</Points>\n<Cells>\n" + array("Int64", "connectivity", 1, corners.out) +
           array("Int32", "offsets", 1, ends.out);
    out += array("UInt8", "types", 1, types.out) + "</Cells>\n</Piece>\n</UnstructuredGrid>\n";
    if (!inside) {
        out += std::string("<AppendedData encoding=\"") + (kind == VtuData::appended_raw ? "raw" : "base64") +
               "\">\n_" + appended + "\n</AppendedData>\n";
    }
    return out + "</VTKFile>\n";
}

/// Vega with three materials for the regions 1, 2 and 7 of the bar, called 1, 2 and 3 after their order.
inline std::string vega(const TetMesh& mesh)
{
    std::string out = "# a bar\n*VERTICES\n" + std::to_string(mesh.vertices.size()) + " 3 0 0\n";
    char line[200];
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const Vec3d v = mesh.vertices[i];
        std::snprintf(line, sizeof line, "%zu %.17g %.17g %.17g\n", i + 1, v.x, v.y, v.z);
        out += line;
    }
    out += "\n*ELEMENTS\nTET\n" + std::to_string(mesh.tets.size()) + " 4 0\n";
    std::string second = "*SET second\n", third = "*SET third\n";
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const Int4 c = mesh.tets[t];
        std::snprintf(line, sizeof line, "%zu %d %d %d %d\n", t + 1, c[0] + 1, c[1] + 1, c[2] + 1, c[3] + 1);
        out += line;
        if (mesh.materials[t] == 2) second += std::to_string(t + 1) + ", ";
        if (mesh.materials[t] == 7) third += std::to_string(t + 1) + ",";
    }
    out +=
        "*MATERIAL skin\nENU, 1000, 1e6, 0.45\n*MATERIAL bone\nENU, 1000, 1e8, 0.3\n*MATERIAL fat\nENU, 900, 1e5, "
        "0.45\n";
    return out + second + "\n" + third + "\n*REGION\nallElements, skin\n*REGION\nsecond, bone\n*REGION\nthird, fat\n";
}

enum class TetDialect { words, header, letters };
inline std::string tet_file(const TetMesh& mesh, TetDialect dialect)
{
    const std::string vertices = std::to_string(mesh.vertices.size()), tets = std::to_string(mesh.tets.size());
    const bool letters = dialect == TetDialect::letters;
    std::string out = dialect == TetDialect::words    ? vertices + " vertices\n" + tets + " tets\n"
                      : dialect == TetDialect::header ? "TET\n" + vertices + " " + tets + "\n"
                                                      : "# a bar\n";
    char line[200];
    for (const Vec3d& v : mesh.vertices) {
        std::snprintf(line, sizeof line, "%s%.17g %.17g %.17g\n", letters ? "v " : "", v.x, v.y, v.z);
        out += line;
    }
    for (const Int4& t : mesh.tets) {
        const char* const start = letters ? "t " : dialect == TetDialect::words ? "4 " : "";
        std::snprintf(line, sizeof line, "%s%d %d %d %d\n", start, t[0], t[1], t[2], t[3]);
        out += line;
    }
    return out;
}

// ---- a glTF of one triangle pair
// --------------------------------------------------------------------------------------------

/// Positions of a unit square in xy, and indices of its two triangles as bytes at 48.
inline std::string square_buffer()
{
    Bytes b;
    for (const float c : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 1.f, 0.f}) b.add(c);
    for (const std::uint8_t i : {0, 1, 2, 0, 2, 3, 0, 0}) b.add(i);
    return b.out;
}

/// A document over square_buffer(); `node` and `primitive` are further members, `more` further members at the top.
inline std::string gltf(const std::string& uri, const std::string& node = "",
                        const std::string& primitive = "\"indices\": 1", const std::string& more = "")
{
    const std::string buffer = uri.empty() ? "" : "\"uri\": \"" + uri + "\", ";
    return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
"nodes": [{"mesh": 0)" +
           node + R"(}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, )" +
           primitive + R"(}]}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
              {"bufferView": 1, "componentType": 5121, "count": 6, "type": "SCALAR"}],
"bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 6}],
"buffers": [{)" +
           buffer + R"("byteLength": 56}])" + more + "}";
}

inline std::string data_uri(const std::string& bytes)
{
    return "data:application/octet-stream;base64," + base64(bytes);
}

inline std::string glb(std::string json, const std::string& buffer)
{
    while (json.size() % 4 != 0) json += ' ';
    Bytes b;
    b.text("glTF").add(std::uint32_t{2}).add(static_cast<std::uint32_t>(12 + 8 + json.size() + 8 + buffer.size()));
    b.add(static_cast<std::uint32_t>(json.size())).text("JSON").text(json);
    return b.add(static_cast<std::uint32_t>(buffer.size())).text(std::string_view("BIN\0", 4)).text(buffer).out;
}

}  // namespace mesh_files
