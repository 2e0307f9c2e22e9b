// The piles of the gallery do what their descriptions say, and stacks come to rest.
#include <doctest/doctest.h>

#include "gallery.h"
#include "yawara/settle.h"

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

TEST_CASE("a finite-element cube that trembles on a soft block comes to rest on top of it")
{
    LoadedScene loaded = LoadedScene::from_text(R"({ "yawara": 1, "step": { "substeps": 4 }, "bodies": [
            { "name": "block", "solid": { "bar": { "size": [0.8, 0.2, 0.8], "cells": [4, 1, 4] } }, "density": 1000,
              "place": { "translate": [0, 0.2, 0] }, "matching": { "passes": 4, "damping": 0.02 } },
            { "name": "cube", "solid": { "bar": { "size": [0.4, 0.4, 0.4], "cells": [2, 2, 2] } }, "density": 1000,
              "place": { "translate": [0.05, 0.55, 0.05] },
              "fem": { "levels": 0, "materials": [ { "young": 200000, "poisson": 0.3 } ] } } ],
          "obstacles": [ { "plane": { "point": [0, 0, 0], "normal": [0, 1, 0] }, "friction": 0.7 } ] })",
                                                ".")
                              .value();
    const auto settled = settle(loaded.scene());
    REQUIRE(settled);
    CHECK(!(*settled)[1].solved);
    const auto lowest = [&](std::size_t number) {
        const std::span<const Vec3> x = loaded.scene().state(loaded.scene().bodies()[number]).positions;
        return std::ranges::min_element(x, {}, &Vec3::y)->y;
    };
    CHECK(lowest(0) == doctest::Approx(0).epsilon(0.01));
    CHECK(lowest(1) > 0.17f);
    CHECK(lowest(1) < 0.24f);  // the thickness of surfaces keeps them apart
}
