// Lines of finite-element bodies: edges of the surface that are edges of active tets.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

#include "yawara/yawara.h"

using namespace yawara;

TEST_CASE("lines of a surface are those of the front, whatever is below it")
{
    const auto cube = [](TriMesh surface) {
        BodySpec spec;
        Fem fem;
        fem.mesh = make_bar({1, 1, 1}, {1, 1, 1});
        fem.levels = 2;
        fem.material = [](const MaterialPlace&) { return FemMaterial{isotropic(1e5, 0.3).value(), {}, 1000}; };
        spec.solid = fem;
        spec.surface = std::move(surface);
        return build(std::move(spec)).value();
    };
    const BodyModel model = cube({});
    BodyState state = initial_state(model);
    const auto count = [&] {
        int lines = 0;
        for (const std::uint8_t bits : front_lines(model, state)) lines += std::popcount(bits);
        return lines;
    };
    REQUIRE(model.surface().triangles.size() == 12 * 16);
    // 12 edges and 6 diagonals of the cube, four finest edges each, with a triangle on either side.
    CHECK(count() == 18 * 4 * 2);
    std::fill(state.fem.front.begin(), state.fem.front.begin() + 5, 1);
    CHECK(count() == (18 * 4 + 12 * 3 * 2) * 2);
    std::fill(state.fem.front.begin(), state.fem.front.end(), 1);
    CHECK(count() == 3 * 12 * 16);
    // One after the other: those at the corners add what is in their three outer faces, the middle one nothing.
    int added = 0;
    for (std::size_t t = 0; t < 5; ++t) {
        state.fem.front.assign(state.fem.front.size(), 0);
        state.fem.front[t] = 1;
        const int lines = count() - 18 * 4 * 2;
        CHECK((lines == 0 || lines == 3 * 3 * 2 * 2));
        added += lines;
    }
    CHECK(added == 4 * 3 * 3 * 2 * 2);

    // A surface of its own has its own edges.
    TriMesh other = boundary_surface(make_bar({0.7, 0.7, 0.7}, {1, 1, 1}, {0.1, 0.1, 0.1}));
    const BodyModel dressed = cube(other);
    CHECK(front_lines(dressed, initial_state(dressed)).empty());
}
