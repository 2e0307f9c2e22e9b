#include <doctest/doctest.h>

#include "geometry/drawn_surface.h"

using namespace yawara;

namespace {

struct Drawn {
    explicit Drawn(const TriMesh& mesh) : surface(mesh), faces(mesh.triangles.size())
    {
        for (const std::int32_t v : surface.source()) positions.push_back(mesh.vertices[std::size_t(v)].as<float>());
        normals.resize(positions.size());
        tangents.resize(positions.size());
        draw();
    }
    void draw()
    {
        surface.normals(positions, faces, normals);
        surface.tangents(positions, normals, faces, tangents);
    }
    DrawnSurface surface;
    std::vector<Vec3> positions, faces, normals;
    std::vector<Tangent> tangents;
};

/// A strip of squares over z = 0, each triangle textured by (u, v) of its corners.
template <class Uv>
TriMesh strip(int squares, const Uv& uv)
{
    TriMesh mesh;
    for (int i = 0; i <= squares; ++i)
        for (int j = 0; j < 2; ++j) mesh.vertices.push_back({double(i), double(j), 0});
    for (std::int32_t i = 0; i < squares; ++i) {
        mesh.triangles.push_back({2 * i, 2 * i + 2, 2 * i + 1});
        mesh.triangles.push_back({2 * i + 1, 2 * i + 2, 2 * i + 3});
    }
    for (const Int3& t : mesh.triangles) {
        auto& corners = mesh.corner_uvs.emplace_back();
        for (std::size_t k = 0; k < 3; ++k) corners[k] = uv(mesh.vertices[std::size_t(t[k])], t);
    }
    return mesh;
}

}  // namespace

TEST_CASE("a cube is drawn with sharp edges and right normals, each vertex in the order of the mesh")
{
    const TriMesh cube = boundary_surface(make_bar({1, 1, 1}, {3, 3, 3}));
    const Drawn drawn(cube);
    CHECK(drawn.surface.is_closed());
    CHECK(drawn.surface.vertex_count() == 6 * 16);
    for (const Vec3& n : drawn.normals) CHECK(std::abs(n.x) + std::abs(n.y) + std::abs(n.z) == doctest::Approx(1));
    for (std::size_t k = 1; k < drawn.surface.source().size(); ++k)
        CHECK(drawn.surface.source()[k] >= drawn.surface.source()[k - 1]);
    for (std::size_t t = 0; t < cube.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k)
            CHECK(drawn.surface.source()[std::size_t(drawn.surface.triangles()[t][k])] == cube.triangles[t][k]);

    TriMesh open = cube;
    open.triangles.pop_back();
    CHECK_FALSE(DrawnSurface(open).is_closed());
}

TEST_CASE("without a texture, tangents are some unit vectors at right angles to the normals")
{
    const Drawn drawn(boundary_surface(make_bar({1, 2, 3}, {2, 2, 2})));
    CHECK(drawn.surface.uvs().empty());
    for (std::size_t k = 0; k < drawn.tangents.size(); ++k) {
        CHECK(length(drawn.tangents[k].along) == doctest::Approx(1));
        CHECK(std::abs(dot(drawn.tangents[k].along, drawn.normals[k])) < 1e-6f);
    }
}

TEST_CASE("a seam of the texture parts vertices, and both halves share normal and place")
{
    // Two squares whose common edge has u = 1 on the left and u = 0 on the right.
    const TriMesh mesh = strip(2, [](Vec3d p, const Int3& t) {
        const bool right = t[0] >= 2;
        return Vec2{float(right ? p.x - 1 : p.x), float(p.y)};
    });
    const Drawn drawn(mesh);
    CHECK(drawn.surface.vertex_count() == mesh.vertices.size() + 2);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k)
            CHECK(drawn.surface.uvs()[std::size_t(drawn.surface.triangles()[t][k])] == mesh.corner_uvs[t][k]);
    for (std::size_t k = 0; k < drawn.normals.size(); ++k) {
        CHECK(drawn.normals[k] == Vec3{0, 0, 1});
        CHECK(drawn.tangents[k] == Tangent{{1, 0, 0}, 1});
    }
}

TEST_CASE("tangents follow the u of the texture, its mirror image and a shear of the surface")
{
    // u runs along y, v along x: mirrored.
    Drawn drawn(strip(3, [](Vec3d p, const Int3&) { return Vec2{float(p.y), float(p.x)}; }));
    for (const Tangent& tangent : drawn.tangents) CHECK(tangent == Tangent{{0, 1, 0}, -1});
    // A linear map of the surface maps du/dp with it; the normal stays along z.
    for (Vec3& p : drawn.positions) p = {p.x + 0.5f * p.y, 2 * p.y, 0};
    drawn.draw();
    for (const Tangent& tangent : drawn.tangents) {
        CHECK(length(tangent.along - normalized(Vec3{0.5f, 2, 0})) < 1e-6f);
        CHECK(tangent.side == -1);
    }
}

TEST_CASE("a mirrored half of a texture has vertices of its own along the mirror line")
{
    // u goes up to the middle and down again: the uv of the middle are the same for both halves.
    const Drawn drawn(strip(2, [](Vec3d p, const Int3&) { return Vec2{float(p.x < 1 ? p.x : 2 - p.x), float(p.y)}; }));
    CHECK(drawn.surface.vertex_count() == 6 + 2);
    for (std::size_t k = 0; k < drawn.positions.size(); ++k) {
        if (drawn.positions[k].x < 0.5f) CHECK(drawn.tangents[k] == Tangent{{1, 0, 0}, 1});
        if (drawn.positions[k].x > 1.5f) CHECK(drawn.tangents[k] == Tangent{{-1, 0, 0}, -1});
    }
}
