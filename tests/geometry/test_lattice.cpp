// Lattices against sets of integer coordinates.
#include <doctest/doctest.h>

#include <random>
#include <set>

#include "yawara/lattice.h"

using namespace yawara;

TEST_CASE("the nodes of a lattice are the corners of its cells, each once, sorted by z, y, x")
{
    std::mt19937 random(5);
    std::uniform_int_distribution<int> coordinate(-4, 4);
    std::vector<Int3> occupied(200);
    for (Int3& c : occupied) c = {coordinate(random), coordinate(random), coordinate(random)};
    const Lattice lattice = make_lattice({1, 2, 3}, 0.5, occupied);

    const std::set<Int3> cells(occupied.begin(), occupied.end());
    std::set<Int3> corners;  // as (z, y, x)
    for (const Int3& c : cells) {
        for (int k = 0; k < 8; ++k) corners.insert({c[2] + (k >> 2), c[1] + (k >> 1 & 1), c[0] + (k & 1)});
    }
    REQUIRE(lattice.nodes.size() == corners.size());
    std::size_t n = 0;
    for (const Int3& c : corners) CHECK(lattice.nodes[n++] == Int3{c[2], c[1], c[0]});

    REQUIRE(lattice.cells.size() == cells.size());
    for (const Int8& cell : lattice.cells) {
        const Int3 low = lattice.nodes[static_cast<std::size_t>(cell[0])];
        CHECK(cells.count(low) == 1);
        for (int k = 0; k < 8; ++k) {
            const Int3 corner = lattice.nodes[static_cast<std::size_t>(cell[static_cast<std::size_t>(k)])];
            CHECK(corner == Int3{low[0] + (k & 1), low[1] + (k >> 1 & 1), low[2] + (k >> 2)});
        }
    }
    const int first = lattice.cells[0][0];
    const Int3 node = lattice.nodes[static_cast<std::size_t>(first)];
    CHECK(lattice.position(first).x == doctest::Approx(1 + 0.5 * node[0]));
}

TEST_CASE("a lattice of a shape holds exactly the cells with a corner or the centre inside")
{
    Box3 box;
    box.add({-1, -1, -1});
    box.add({1, 1, 1});
    const auto ball = [](Vec3d p) { return length(p - Vec3d{0.1, 0, 0}) < 0.7; };
    const double cell = 0.23;
    const Lattice lattice = make_lattice(box, cell, ball);
    std::set<Int3> expected, found;
    for (int z = 0; z < 9; ++z) {
        for (int y = 0; y < 9; ++y) {
            for (int x = 0; x < 9; ++x) {
                bool in = ball(box.low + Vec3d{x + 0.5, y + 0.5, z + 0.5} * cell);
                for (int k = 0; k < 8; ++k) {
                    in = in || ball(box.low +
                                    Vec3d{double(x + (k & 1)), double(y + (k >> 1 & 1)), double(z + (k >> 2))} * cell);
                }
                if (in) expected.insert({x, y, z});
            }
        }
    }
    for (const Int8& c : lattice.cells) found.insert(lattice.nodes[static_cast<std::size_t>(c[0])]);
    CHECK(found == expected);
}

TEST_CASE("a full box of whole cells gains none by rounding, and nonsense gives an empty lattice")
{
    Box3 box;
    box.add({0, 0, 0});
    box.add({0.3, 0.6, 0.1});
    const auto all = [](Vec3d) { return true; };
    CHECK(make_lattice(box, 0.1, all).cells.size() == 3 * 6 * 1);
    CHECK(make_lattice(box, 0.0, all).cells.empty());
    CHECK(make_lattice(box, -1.0, all).cells.empty());
    CHECK(make_lattice(box, std::nan(""), all).cells.empty());
    CHECK(make_lattice(Box3{}, 0.1, all).cells.empty());
    CHECK(make_lattice({0, 0, 0}, 1, std::span<const Int3>{}).nodes.empty());
}
