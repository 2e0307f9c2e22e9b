// Selections on a grid of points against plain loops.
#include <doctest/doctest.h>

#include "yawara/mesh.h"
#include "yawara/selection.h"

using namespace yawara;

namespace {

/// 11^3 points with coordinates i * 0.1, which are not all the nearest doubles to 0.3, 0.6, 0.7.
std::vector<Vec3d> grid()
{
    std::vector<Vec3d> points;
    for (int z = 0; z <= 10; ++z) {
        for (int y = 0; y <= 10; ++y) {
            for (int x = 0; x <= 10; ++x) points.push_back(Vec3d{double(x), double(y), double(z)} * 0.1);
        }
    }
    return points;
}

Selection make(decltype(Selection::kind) kind)
{
    return {"bodies[0].pins[0].select", std::move(kind)};
}

std::size_t count(decltype(Selection::kind) kind)
{
    return select_particles(make(std::move(kind)), grid()).value().size();
}

}  // namespace

TEST_CASE("shapes select the points inside, borders included")
{
    CHECK(count(SelectEverything{}) == 1331);
    CHECK(count(SelectBox{{{0.3, 0, 0}, {0.7, 1, 0.6}}}) == 5 * 11 * 7);
    CHECK(count(Plane{{0.3, 0, 0}, {-2, 0, 0}}) == 4 * 121);
    CHECK(count(Sphere{{0.5, 0.5, 0.5}, 0.1}) == 7);
    CHECK(count(SelectNearest{{0.72, 0.31, 0}}) == 1);
    CHECK(select_particles(make(SelectNearest{{0.72, 0.31, -5}}), grid()).value().front() == 7 + 11 * 3);
}

TEST_CASE("numbers select themselves once, in order")
{
    CHECK(select_particles(make(SelectVertices{{5, 2, 5}}), grid()).value() == std::vector<std::int32_t>{2, 5});
}

TEST_CASE("any, all and not are the logic of sets")
{
    const Selection left = make(Plane{{0.25, 0, 0}, {-1, 0, 0}});  // x = 0, 0.1, 0.2
    const Selection low = make(Plane{{0, 0.15, 0}, {0, -1, 0}});   // y = 0, 0.1
    CHECK(count(SelectAllOf{{left, low}}) == 3 * 2 * 11);
    CHECK(count(SelectAnyOf{{left, low}}) == (3 * 11 + 2 * 11 - 6) * 11);
    CHECK(count(SelectNotIn{{left}}) == 8 * 121);
    CHECK(count(SelectNotIn{{make(SelectAnyOf{{left, low}})}}) == 8 * 9 * 11);
}

TEST_CASE("an empty selection names the body's box, a wrong number its place")
{
    const auto empty = select_particles(make(Sphere{{5, 5, 5}, 1}), grid());
    REQUIRE(!empty);
    CHECK(empty.error().message() ==
          "bodies[0].pins[0].select: selects no particle; the body at rest, before \"place\", spans [0, 0, 0] to [1, "
          "1, 1]");
    const auto wrong = select_particles(make(SelectNotIn{{make(SelectVertices{{0, 1331}})}}), grid());
    REQUIRE(!wrong);
    CHECK(wrong.error().message() ==
          "bodies[0].pins[0].select.vertices[1]: 1331 is not a particle of the body, which has 0 to 1330");
}
