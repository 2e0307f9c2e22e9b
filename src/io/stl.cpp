// STL, text and binary. The format repeats a vertex for each of its triangles: vertices with exactly the same
// coordinates become one, in the order of their first appearance.
#include <cstring>
#include <unordered_map>

#include "io/binary.h"
#include "io/formats.h"
#include "io/surface_builder.h"

namespace yawara::io {

namespace {

constexpr std::size_t kHeader = 80;    // bytes before the number of triangles
constexpr std::size_t kTriangle = 50;  // normal, three vertices, two bytes of attributes

struct BitsOfPosition {
    std::size_t operator()(const Vec3d& p) const
    {
        std::uint64_t hash = 0;
        for (int i = 0; i < 3; ++i) {
            const double coordinate = p[i] + 0.0;  // -0 and 0 are equal
            std::uint64_t bits;
            std::memcpy(&bits, &coordinate, sizeof bits);
            hash = (hash ^ bits ^ (bits >> 32)) * 0x9E3779B97F4A7C15ull;
            hash ^= hash >> 29;
        }
        return static_cast<std::size_t>(hash);
    }
};

class Welder {
public:
    explicit Welder(SurfaceBuilder& mesh) : mesh_(mesh) {}
    void add_corner(const Vec3d& position, std::size_t offset)
    {
        check_coordinates(position, mesh_.place(), offset);  // a nan would never be found again
        const auto [entry, is_new] = numbers_.try_emplace(position, static_cast<std::int64_t>(numbers_.size()));
        if (is_new) mesh_.add_vertex(position, offset);
        mesh_.add_corner(entry->second);
    }

private:
    SurfaceBuilder& mesh_;
    std::unordered_map<Vec3d, std::int64_t, BitsOfPosition> numbers_;
};

// The words that matter are "outer loop" and "vertex x y z"; a loop may have more than three vertices.
TriMesh read_text(std::string_view text, const std::string& name)
{
    TextReader in(text, name);
    SurfaceBuilder mesh(in.place());
    Welder welder(mesh);
    bool in_loop = false;
    while (in.more()) {
        const std::size_t offset = in.offset();
        const std::string key = lower(in.word());
        if (key == "solid" || key == "endsolid") {
            in.next_line();         // its name may be anything
        } else if (key == "end") {  // some write "end solid", "end facet", "end loop"
            in_loop = in_loop && lower(in.word()) != "loop";
            in.next_line();
        } else if (key == "loop") {
            mesh.begin_polygon(offset);
            in_loop = true;
        } else if (key == "endloop") {
            in_loop = false;
        } else if (key == "vertex") {
            if (!in_loop) in.fail("found a vertex outside of a loop; expected \"outer loop\" before it");
            Vec3d position;
            position.x = in.real("the x coordinate of a vertex");
            position.y = in.real("the y coordinate of a vertex");
            position.z = in.real("the z coordinate of a vertex");
            welder.add_corner(position, offset);
        } else if (key == "normal") {
            for (int k = 0; k < 3; ++k) in.word();  // often wrong or nan; the vertices say it better
        } else if (key != "facet" && key != "outer" && key != "endfacet") {
            in.fail_expected("facet, outer loop, vertex, endloop, endfacet or endsolid");
        }
    }
    if (in_loop) in.fail("the file ends within a loop; expected endloop");
    return mesh.finish();
}

TriMesh read_binary(std::string_view content, const std::string& name)
{
    SurfaceBuilder mesh(Place{name, content, true});
    Welder welder(mesh);
    ByteReader in(content, name);
    in.take(kHeader, "the header of a binary STL");
    const auto triangles = in.get<std::uint32_t>("the number of triangles");
    in.check_room(triangles, kTriangle, "triangles");
    for (std::uint32_t t = 0; t < triangles; ++t) {
        in.take(3 * sizeof(float), "a normal");
        mesh.begin_polygon(in.offset());
        for (int k = 0; k < 3; ++k) {
            const std::size_t offset = in.offset();
            Vec3d position;
            for (int i = 0; i < 3; ++i) position[i] = in.get<float>("a coordinate");
            welder.add_corner(position, offset);
        }
        in.take(2, "the attributes of a triangle");
    }
    return mesh.finish();
}

// Many binary files start with "solid" too; their size gives them away. Text may start with a byte order mark:
// TextReader says what it thinks of it.
bool is_binary(std::string_view content)
{
    const bool is_short = content.size() < kHeader + 4;
    if (!is_short && content.size() == kHeader + 4 + kTriangle * decode<std::uint32_t>(content.data() + kHeader))
        return true;
    if (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF")) return false;
    if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
    const std::size_t start = content.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || lower(content.substr(start, 5)) != "solid") return true;
    return !is_short && content.substr(0, kHeader + 4).find('\0') != std::string_view::npos;
}

}  // namespace

TriMesh read_stl(std::string_view content, const std::string& name)
{
    return is_binary(content) ? read_binary(content, name) : read_text(content, name);
}

std::string write_stl(const TriMesh& mesh)
{
    std::string out = "binary STL, no colours";
    out.resize(kHeader, ' ');
    append(out, static_cast<std::uint32_t>(mesh.triangles.size()));
    for (const Int3& t : mesh.triangles) {
        const Vec3d a = mesh.vertices[t[0]], b = mesh.vertices[t[1]], c = mesh.vertices[t[2]];
        for (const Vec3d& v : {normalized(cross(b - a, c - a)), a, b, c}) {
            for (int i = 0; i < 3; ++i) append(out, static_cast<float>(v[i]));
        }
        append(out, std::uint16_t{0});
    }
    return out;
}

}  // namespace yawara::io
