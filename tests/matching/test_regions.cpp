#include <doctest/doctest.h>

#include "brute_force.h"
#include "matching/regions.h"

using namespace yawara;
using namespace yawara::matching;

namespace {

/// Particles within some links of i, by walking all tets again and again.
std::set<int> reached(const TetMesh& mesh, int i, int hops)
{
    std::set<int> in{i};
    for (int hop = 0; hop < hops; ++hop) {
        const std::set<int> before = in;
        for (const Int4& tet : mesh.tets)
            if (std::any_of(tet.begin(), tet.end(), [&](int v) { return before.count(v) > 0; }))
                in.insert(tet.begin(), tet.end());
    }
    return in;
}

}  // namespace

TEST_CASE("one hop is the 1-ring and further hops are rings of rings")
{
    const TetMesh bar = make_bar({1, 2, 1}, {2, 5, 3});
    const Lists neighbours = links(bar);
    for (const int hops : {1, 2, 4}) {
        const Lists regions = neighbourhoods(neighbours, hops).value();
        REQUIRE(regions.size() == bar.vertices.size());
        for (std::size_t i = 0; i < regions.size(); ++i) {
            const std::set<int> expected = reached(bar, int(i), hops);
            CHECK(std::vector<int>(regions[i].begin(), regions[i].end()) ==
                  std::vector<int>(expected.begin(), expected.end()));
        }
    }
}

TEST_CASE("particles of a lattice are linked through common cells, never across a gap")
{
    // Two cells with one empty cell between them: index neighbours, but not linked.
    const Int3 occupied[] = {{0, 0, 0}, {2, 0, 0}};
    const Lattice lattice = make_lattice({}, 1.0, occupied);
    REQUIRE(lattice.nodes.size() == 16);
    const Lists regions = neighbourhoods(links(lattice), 5).value();
    for (std::size_t i = 0; i < regions.size(); ++i) {
        CHECK(regions[i].size() == 8);
        for (const std::int32_t j : regions[i])
            CHECK((lattice.nodes[i][0] < 2) == (lattice.nodes[std::size_t(j)][0] < 2));
    }
}

TEST_CASE("regions with more members than memory holds are refused, and say how many they would have")
{
    // 29,791 particles, each region the whole body
    const auto regions = neighbourhoods(links(make_bar({1, 1, 1}, {30, 30, 30})), 100);
    REQUIRE_FALSE(regions);
    CHECK(regions.error().where == "hops");
    CHECK(regions.error().what.find("888 million members") != std::string::npos);
}

TEST_CASE("inverted lists hold exactly the same pairs")
{
    Lists lists;
    lists.offsets = {0, 2, 2, 5};
    lists.values = {3, 1, 0, 1, 2};
    const Lists back = inverted(lists, 4);
    REQUIRE(back.size() == 4);
    CHECK(std::vector<int>(back[0].begin(), back[0].end()) == std::vector<int>{2});
    CHECK(std::vector<int>(back[1].begin(), back[1].end()) == std::vector<int>{0, 2});
    CHECK(std::vector<int>(back[2].begin(), back[2].end()) == std::vector<int>{2});
    CHECK(std::vector<int>(back[3].begin(), back[3].end()) == std::vector<int>{0});
}
