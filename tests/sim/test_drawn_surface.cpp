// What is drawn of a body beyond its solid stays out of obstacles.
#include <doctest/doctest.h>

#include "yawara/yawara.h"

using namespace yawara;

TEST_CASE("a surface that is larger than its solid lies on the floor, and sinks into one that the body does not meet")
{
    for (const bool meets : {true, false}) {
        BodySpec spec;
        Matching matching;
        matching.domain = make_bar({1, 1, 1}, {3, 3, 3});
        spec.solid = matching;
        spec.surface = boundary_surface(make_bar({1, 1, 1}, {3, 3, 3}));
        for (Vec3d& p : spec.surface.vertices) p = p * 1.1 - Vec3d{0.05, 0.05, 0.05};
        Scene scene;
        scene.add(Collider{});
        Collider low{.shape = Plane{{0, -0.03, 0}, {0, 1, 0}}};
        BodySettings settings;
        if (!meets) {  // the solid lies on another floor
            REQUIRE(scene.replace(scene.collider_ids()[0], Collider{.filter = {.groups = 2, .mask = 0}}));
            scene.add(low);
        }
        const BodyId body = scene.add(build(spec).value(), settings, {.move = {0, 0.2, 0}});
        for (int frame = 0; frame < 120; ++frame) scene.step();
        float lowest = 1;
        for (const Vec3& p : scene.surface(body)) lowest = std::min(lowest, p.y);
        CHECK(lowest == doctest::Approx(meets ? 0.0 : -0.03).epsilon(1e-5));
    }
}
