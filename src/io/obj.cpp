// Wavefront OBJ: vertices (with colours), texture coordinates, faces and the names of their materials (see mtl.cpp);
// everything else is passed over.
#include <charconv>
#include <cstring>
#include <unordered_map>

#include "io/formats.h"
#include "io/skin_reader.h"
#include "io/surface_builder.h"
#include "io/text_writer.h"

namespace yawara::io {

namespace {

class ObjReader {
public:
    ObjReader(std::string_view text, const std::string& name) : in_(text, name, {.comment = '#'}), mesh_(in_.place(), 1)
    {
    }

    TriMesh read(ObjMaterials* materials = nullptr)
    {
        while (in_.more()) {
            const std::size_t offset = in_.offset();
            const std::string_view key = in_.word();
            if (key == "v") {
                read_vertex(offset);
            } else if (key == "vt") {
                read_uv();
            } else if (key == "f" || key == "fo") {
                read_face(offset);
            } else if (materials && key == "mtllib") {
                materials->libraries.emplace_back(in_.rest_of_line());
                continue;
            } else if (materials && key == "usemtl") {
                use(std::string(in_.rest_of_line()), materials->names);
                continue;
            }
            in_.next_line();
        }
        return mesh_.finish(materials ? &materials->material_of : nullptr);
    }

private:
    // x y z, with a weight or a colour behind it: x y z w, x y z r g b, x y z w r g b.
    void read_vertex(std::size_t offset)
    {
        Vec3d position;
        position.x = in_.real_on_line("the x coordinate of a vertex");
        position.y = in_.real_on_line("the y coordinate of a vertex");
        position.z = in_.real_on_line("the z coordinate of a vertex");
        mesh_.add_vertex(position, offset);
        double extra[4];
        int count = 0;
        while (count < 4 && in_.more_on_line()) extra[count++] = in_.real("a colour or weight of a vertex");
        if (count < 3) return;
        const double* rgb = extra + (count - 3);
        mesh_.set_color({rgb[0], rgb[1], rgb[2]});
    }

    void read_uv()
    {
        const double u = in_.real_on_line("the u of a texture coordinate");
        const double v = in_.more_on_line() ? in_.real("the v of a texture coordinate") : 0.0;
        uvs_.push_back({u, v});
    }

    void read_face(std::size_t offset)
    {
        mesh_.begin_polygon(offset);
        while (in_.more_on_line()) read_corner();
    }

    void use(const std::string& material, std::vector<std::string>& names)
    {
        const auto [entry, is_new] = materials_.try_emplace(material, std::int32_t(names.size()));
        if (is_new) names.push_back(material);
        mesh_.set_material(entry->second);
    }

    // v, v/vt, v//vn or v/vt/vn; the normal is not used.
    void read_corner()
    {
        const std::string_view corner = in_.word();
        const char* at = corner.data();
        const char* end = at + corner.size();
        const auto index = [&](std::int64_t& value) {
            const auto [stop, error] = std::from_chars(at, end, value);
            if (error != std::errc{}) in_.fail_expected("a corner of a face such as 7, 7/2, 7//3 or 7/2/3");
            at = stop;
        };
        std::int64_t vertex = 0, uv = 0, normal = 0;
        index(vertex);
        if (at != end && *at == '/') {
            ++at;
            if (at != end && *at != '/') index(uv);
            if (at != end && *at == '/') {
                ++at;
                if (at != end) index(normal);
            }
        }
        if (at != end) in_.fail_expected("a corner of a face such as 7, 7/2, 7//3 or 7/2/3");
        if (vertex == 0) in_.fail("a face uses vertex 0; OBJ counts from 1, or from -1 backwards");
        mesh_.add_corner(absolute(vertex, mesh_.vertex_count()));
        if (uv == 0) return;
        const std::int64_t k = absolute(uv, uvs_.size());
        if (k < 0 || k >= static_cast<std::int64_t>(uvs_.size())) {
            in_.fail("a face uses texture coordinate " + std::to_string(uv) + " of " + std::to_string(uvs_.size()));
        }
        const auto [u, v] = uvs_[static_cast<std::size_t>(k)];
        mesh_.set_uv(u, v);
    }

    // From 1, or backwards from what has been read so far. 0 and what is too far back are negative, and refused later.
    static std::int64_t absolute(std::int64_t index, std::size_t count)
    {
        if (index == 0) return -1;
        return index > 0 ? index - 1 : static_cast<std::int64_t>(count) + index;
    }

    TextReader in_;
    SurfaceBuilder mesh_;
    std::vector<std::array<double, 2>> uvs_;
    std::unordered_map<std::string, std::int32_t> materials_;  ///< numbers of their names
};

struct BitsOfUv {
    std::size_t operator()(const Vec2& uv) const
    {
        std::uint64_t bits;
        static_assert(sizeof uv == sizeof bits);
        std::memcpy(&bits, &uv, sizeof bits);
        return static_cast<std::size_t>((bits ^ (bits >> 29)) * 0x9E3779B97F4A7C15ull);
    }
};

}  // namespace

TriMesh read_obj(std::string_view text, const std::string& name)
{
    return ObjReader(text, name).read();
}

ObjMaterials read_obj_materials(std::string_view text, const std::string& name)
{
    ObjMaterials materials;
    if (text.find("mtllib") == std::string_view::npos) return materials;
    ObjReader(text, name).read(&materials);
    return materials;
}

std::string write_obj(const TriMesh& mesh)
{
    std::string out;
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        out += "v ";
        append_vector(out, mesh.vertices[i]);
        if (!mesh.colors.empty()) {
            out += ' ';
            append_vector(out, mesh.colors[i]);
        }
        out += '\n';
    }
    std::unordered_map<Vec2, std::size_t, BitsOfUv> uv_numbers;
    const auto uv_number = [&](const Vec2& uv) {
        const auto [entry, is_new] = uv_numbers.try_emplace(uv, uv_numbers.size() + 1);
        if (is_new) {
            out += "vt ";
            append_number(out, uv.x);
            out += ' ';
            append_number(out, uv.y);
            out += '\n';
        }
        return entry->second;
    };
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        std::size_t uvs[3] = {};
        if (!mesh.corner_uvs.empty()) {
            for (int i = 0; i < 3; ++i) uvs[i] = uv_number(mesh.corner_uvs[t][i]);
        }
        out += 'f';
        for (int i = 0; i < 3; ++i) {
            out += ' ';
            append_number(out, mesh.triangles[t][i] + 1);
            if (uvs[i] == 0) continue;
            out += '/';
            append_number(out, uvs[i]);
        }
        out += '\n';
    }
    return out;
}

}  // namespace yawara::io
