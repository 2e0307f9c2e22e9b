// Mesh basics against counting, closed formulas and slow twins.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "yawara/mesh.h"

using namespace yawara;

namespace {

Vec3d at(const std::vector<Vec3d>& list, std::int32_t k)
{
    return list[static_cast<std::size_t>(k)];
}

/// The same mesh with its vertices renumbered and its tets in another order.
TetMesh shuffled(const TetMesh& mesh, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<std::int32_t> number(mesh.vertices.size());
    for (std::size_t k = 0; k < number.size(); ++k) number[k] = static_cast<std::int32_t>(k);
    std::shuffle(number.begin(), number.end(), random);
    TetMesh out = mesh;
    for (std::size_t k = 0; k < number.size(); ++k)
        out.vertices[static_cast<std::size_t>(number[k])] = mesh.vertices[k];
    std::shuffle(out.tets.begin(), out.tets.end(), random);
    for (Int4& tet : out.tets) {
        for (std::int32_t& v : tet) v = number[static_cast<std::size_t>(v)];
    }
    return out;
}

}  // namespace

TEST_CASE("a bar has the volume of its box, positive tets and vertices with x running fastest")
{
    const TetMesh bar = make_bar({4, 2, 1}, {8, 3, 2}, {1, -1, 5});
    CHECK(bar.vertices.size() == 9 * 4 * 3);
    CHECK(bar.tets.size() == 5 * 8 * 3 * 2);
    CHECK(volume(bar) == doctest::Approx(8));
    for (const Int4& tet : bar.tets) CHECK(signed_volume(bar, tet) > 0);
    CHECK(bar.vertices[1] == Vec3d{1.5, -1, 5});
    CHECK(bar.vertices[9].y == doctest::Approx(-1 + 2.0 / 3));
    CHECK(bar.vertices[9 * 4].z == doctest::Approx(5.5));
    const Box3 box = bounds(bar.vertices);
    CHECK(box.low == Vec3d{1, -1, 5});
    CHECK(box.high == Vec3d{5, 1, 6});
    CHECK(make_bar({1, 1, 1}, {0, 1, 1}).tets.empty());
}

TEST_CASE("the faces of a bar match: each is shared by two tets or lies on the box")
{
    const TetMesh bar = make_bar({3, 2, 2}, {3, 2, 2});
    std::map<std::set<std::int32_t>, int> uses;
    for (const Int4& t : bar.tets) {
        for (std::size_t skip = 0; skip < 4; ++skip) {
            std::set<std::int32_t> face(t.begin(), t.end());
            face.erase(t[skip]);
            ++uses[face];
        }
    }
    for (const auto& [face, count] : uses) {
        bool on_box = false;
        for (int axis = 0; axis < 3; ++axis) {
            for (const double side : {0.0, axis == 0 ? 3.0 : 2.0}) {
                on_box = on_box || std::all_of(face.begin(), face.end(),
                                               [&](std::int32_t v) { return at(bar.vertices, v)[axis] == side; });
            }
        }
        CHECK(count == (on_box ? 1 : 2));
    }
}

TEST_CASE("the outer surface of a bar is closed, faces outwards and leaves inner vertices out")
{
    const TetMesh bar = shuffled(make_bar({3, 3, 3}, {3, 4, 5}), 1);
    std::vector<std::int32_t> vertex_of;
    const TriMesh surface = boundary_surface(bar, &vertex_of);
    CHECK(surface.triangles.size() == 2 * 2 * (3 * 4 + 4 * 5 + 3 * 5));
    CHECK(surface.vertices.size() == 4 * 5 * 6 - 2 * 3 * 4);
    CHECK(signed_volume(surface) == doctest::Approx(27));
    REQUIRE(vertex_of.size() == surface.vertices.size());
    CHECK(std::is_sorted(vertex_of.begin(), vertex_of.end()));
    for (std::size_t k = 0; k < vertex_of.size(); ++k) CHECK(at(bar.vertices, vertex_of[k]) == surface.vertices[k]);
    std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
    for (const Int3& t : surface.triangles) {
        for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
    }
    for (const auto& [edge, count] : edges) {
        CHECK(count == 1);
        CHECK(edges.count({edge.second, edge.first}) == 1);
    }
}

TEST_CASE("an inverted tet shows its faces outwards all the same")
{
    TetMesh one{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1, 3}}, {}};
    CHECK(signed_volume(one, one.tets[0]) == doctest::Approx(-1.0 / 6));
    CHECK(signed_volume(boundary_surface(one)) == doctest::Approx(1.0 / 6));
}

TEST_CASE("the volume inside a surface does not depend on where it lies and is negative inside out")
{
    TriMesh surface = boundary_surface(make_bar({1, 2, 3}, {2, 2, 2}, {1e6, -1e6, 1e6}));
    CHECK(signed_volume(surface) == doctest::Approx(6).epsilon(1e-9));
    for (Int3& t : surface.triangles) std::swap(t[0], t[1]);
    CHECK(signed_volume(surface) == doctest::Approx(-6).epsilon(1e-9));
}

TEST_CASE("dihedral angles are those of known tets")
{
    const TetMesh regular{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}, {{0, 1, 3, 2}}, {}};
    const double angle = std::acos(1.0 / 3) * 180 / M_PI;
    CHECK(dihedral_range(regular)[0] == doctest::Approx(angle));
    CHECK(dihedral_range(regular)[1] == doctest::Approx(angle));
    const TetMesh corner{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}, {}};
    CHECK(dihedral_range(corner)[0] == doctest::Approx(std::acos(1 / std::sqrt(3)) * 180 / M_PI));
    CHECK(dihedral_range(corner)[1] == doctest::Approx(90));
}

TEST_CASE("parts are counted by shared vertices and unused vertices belong to none")
{
    const std::vector<Int4> tets{{0, 1, 2, 3}, {3, 4, 5, 6}, {8, 9, 10, 11}};
    std::vector<std::int32_t> part;
    CHECK(connected_parts(tets, 12, &part) == 2);
    CHECK(part == std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 0, -1, 1, 1, 1, 1});
    const std::vector<Int3> triangles{{5, 4, 3}, {2, 1, 0}, {2, 3, 6}};
    CHECK(connected_parts(triangles, 7) == 1);
    CHECK(connected_parts(std::span<const Int3>{}, 4) == 0);
    const TetMesh bar = shuffled(make_bar({9, 1, 1}, {40, 6, 6}), 3);
    CHECK(connected_parts(bar.tets, bar.vertices.size()) == 1);
}

TEST_CASE("repair turns inverted tets, removes flat and repeated ones and keeps the vertices and labels")
{
    TetMesh mesh = make_bar({2, 1, 1}, {2, 1, 1});
    const std::size_t count = mesh.tets.size();
    for (std::size_t t = 0; t < count; ++t) mesh.materials.push_back(static_cast<std::int32_t>(t));
    const std::vector<Int4> good = mesh.tets;
    std::swap(mesh.tets[3][0], mesh.tets[3][1]);
    mesh.tets.push_back({good[2][2], good[2][0], good[2][1], good[2][3]});  // a copy, renumbered
    mesh.tets.push_back({0, 1, 3, 4});                                      // all on one face of the box
    mesh.tets.push_back({0, 0, 1, 3});
    mesh.materials.insert(mesh.materials.end(), {90, 91, 92});
    mesh.vertices.push_back({7, 7, 7});

    Result<TetReport> report = repair(mesh);
    REQUIRE(report);
    CHECK(report->turned == 1);
    CHECK(report->duplicate == 1);
    CHECK(report->flat == 2);
    CHECK(report->unused_vertices == 1);
    CHECK(report->messages().size() == 4);
    CHECK(mesh.tets.size() == count);
    CHECK(mesh.vertices.size() == 13);
    for (std::size_t t = 0; t < count; ++t) {
        CHECK(mesh.materials[t] == static_cast<std::int32_t>(t));
        CHECK(signed_volume(mesh, mesh.tets[t]) > 0);
    }
    CHECK(volume(mesh) == doctest::Approx(2));
    CHECK(repair(mesh)->messages().size() == 1);  // only the unused vertex is left to say
}

TEST_CASE("repair keeps thin slivers, at any scale")
{
    for (const double scale : {1e-6, 1.0, 1e6}) {
        TetMesh sliver{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e-6}}, {{0, 1, 2, 3}}, {}};
        for (Vec3d& v : sliver.vertices) v *= scale;
        REQUIRE(repair(sliver));
        CHECK(sliver.tets.size() == 1);
    }
}

TEST_CASE("repair refuses what cannot be repaired and names the place")
{
    const auto refused = [](TetMesh mesh) {
        const Result<TetReport> result = repair(mesh);
        return result ? std::string() : result.error().message();
    };
    const TetMesh bar = make_bar({1, 1, 1}, {1, 1, 1});
    TetMesh bad = bar;
    bad.tets[2][1] = 8;
    CHECK(refused(bad).find("tets[2]: names vertex 8") == 0);
    bad = bar;
    bad.tets[4][0] = -1;
    CHECK(refused(bad).find("tets[4]: names vertex -1") == 0);
    bad = bar;
    bad.vertices[5].y = std::nan("");
    CHECK(refused(bad).find("vertices[5]") == 0);
    bad = bar;
    bad.materials = {1, 2};
    CHECK(refused(bad).find("materials: has 2 entries for 5 tets") == 0);
    bad = bar;
    for (Vec3d& v : bad.vertices) v.z = 0;
    CHECK(refused(bad).find("tets: none of the 5") == 0);
    CHECK(refused(TetMesh{}) == "tets: there are none");
}
