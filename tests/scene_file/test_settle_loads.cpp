// Settling honours what a scene does to its bodies: medium, and stiffness that changes by plan.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "yawara/scene_file.h"
#include "yawara/settle.h"

using namespace yawara;

namespace {

/// A cantilever along x of 0.1 x 0.1 x 1 m, density 1000, held at its left end. `rest` stands beside its bodies.
LoadedScene cantilever(const std::string& solid, const std::string& method, const std::string& rest)
{
    return LoadedScene::from_text(
               fmt::format(R"({{ "yawara": 1, "bodies": [ {{ "name": "beam", "density": 1000, "solid": {}, {},
                   "pins": [ {{ "select": {{ "plane": {{ "point": [-0.49, 0, 0], "normal": [-1, 0, 0] }} }} }} ] }} ], {} }})",
                           solid, method, rest),
               ".")
        .value();
}
LoadedScene elastic_beam(const std::string& rest)
{
    return cantilever(R"({ "bar": { "size": [1, 0.1, 0.1], "cells": [10, 1, 1] } })",
                      R"("fem": { "materials": [ { "young": 1e7, "poisson": 0 } ], "cache": false })", rest);
}
LoadedScene lattice_beam(const std::string& rest, const std::string& changes)
{
    return cantilever(R"({ "lattice": { "box": { "size": [1, 0.2, 0.2], "cells": [10, 2, 2] } } })",
                      R"("matching": { "regions": { "law": "young", "range": [1e6, 3e6], )" + changes + "} }", rest);
}

/// Mean way of the free end.
Vec3d end_way(LoadedScene& loaded)
{
    const auto rest = loaded.scene().model(loaded.scene().bodies()[0]).rest_positions();
    Vec3d sum;
    int count = 0;
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (rest[i].x > 0.499)
            sum += loaded.scene().state(loaded.scene().bodies()[0]).positions[i].as<double>() - rest[i], ++count;
    return sum / count;
}

}  // namespace

TEST_CASE("settling knows buoyancy: a beam of half the weight in water sags half as far, one that floats not at all")
{
    const auto sag = [](double density) {
        LoadedScene loaded = elastic_beam(fmt::format(R"("medium": {{ "density": {} }})", density));
        const auto settled = settle(loaded.scene());
        REQUIRE(settled);
        CHECK((*settled)[0].solved);
        return end_way(loaded).y;
    };
    const double dry = sag(0);
    CHECK(dry < -1e-3);
    CHECK(sag(500) / dry == doctest::Approx(0.5).epsilon(0.01));
    CHECK(std::abs(sag(1000)) < 1e-4 * std::abs(dry));
    CHECK(sag(2000) / dry == doctest::Approx(-1).epsilon(0.01));
}

TEST_CASE("settling knows the current: it bends a beam as its pressure on the flank does")
{
    LoadedScene in_current =
        elastic_beam(R"("step": { "gravity": [0, 0, 0] }, "medium": { "drag": 50, "current": [0, 0, 1] })");
    const auto settled = settle(in_current.scene());
    REQUIRE(settled);
    CHECK(!(*settled)[0].solved);
    // Both flanks across the current feel drag times speed squared: as gravity of twice that over density and depth.
    const double pressure = 2 * 50.0;
    LoadedScene pulled = elastic_beam(fmt::format(R"("step": {{ "gravity": [0, 0, {}] }})", pressure / (1000 * 0.1)));
    REQUIRE(settle(pulled.scene()));
    CHECK(end_way(pulled).z > 1e-3);
    CHECK(end_way(in_current).z == doctest::Approx(end_way(pulled).z).epsilon(0.02));
}

TEST_CASE("settling knows stiffness that changes by plan: the body rests as stiff as it is at that time")
{
    const auto sag = [](const std::string& stiffness) {
        LoadedScene loaded = lattice_beam(R"("step": { "gravity": [0, -1, 0] })", stiffness);
        REQUIRE(settle(loaded.scene()));
        return end_way(loaded).y;
    };
    const double soft = sag(R"("stiffness": 0)"), stiff = sag(R"("stiffness": 1)");
    CHECK(stiff < -1e-3);
    CHECK(soft < 2 * stiff);
    CHECK(sag(R"("stiffness": 1, "changes": [ { "from": 0, "select": "all", "value": 0 } ])") ==
          doctest::Approx(soft).epsilon(1e-3));
}
