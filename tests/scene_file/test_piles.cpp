// The piles of the gallery do what their descriptions say.
#include <doctest/doctest.h>

#include "gallery.h"

using namespace yawara;
using namespace yawara::test;

TEST_CASE("letters that fall on each other do not sink in")
{
    nlohmann::json scene = gallery("letters_in_a_bowl");
    auto& bodies = scene["bodies"];
    while (bodies.size() > 16) bodies.erase(bodies.size() - 1);
    LoadedScene loaded = load(scene);
    int touches = 0;
    float overlap = 0;
    for (int frame = 0; frame < 75; ++frame)
        for (const StepReport& report : loaded.step()) {
            touches = std::max(touches, report.contact.touches);
            overlap = std::max(overlap, report.contact.overlap);
        }
    CHECK(touches > 20);
    CHECK(overlap < 0.01f);
}
