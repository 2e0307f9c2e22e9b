// Scenes of the gallery stay sound: no particle has to be repaired, from the start to well after the blow.
#include <doctest/doctest.h>

#include "gallery.h"

using namespace yawara;
using namespace yawara::test;

TEST_CASE("scenes of the gallery need no repair")
{
    for (const auto& [name, frames] : {std::pair{"fem_tet", 150}, {"fem_adaptive", 60}, {"jelly_cube", 90},
                                       {"rubber_sheets", 30}, {"ribbon", 60}, {"through_the_gap", 60}}) {
        CAPTURE(name);
        LoadedScene scene = load(gallery(name));
        int repaired = 0;
        for (int frame = 0; frame < frames; ++frame)
            for (const StepReport& report : scene.step()) repaired += report.repaired_particles;
        CHECK(repaired == 0);
        for (const BodyId body : scene.scene().bodies()) {
            const BodyState& state = scene.scene().state(body);
            float fastest = 0;
            for (const Vec3& v : state.velocities) fastest = std::max(fastest, length(v));
            CHECK(fastest < 20);
        }
    }
}
