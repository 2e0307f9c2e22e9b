// Stretch as it is drawn, against stretches that are known.
#include <doctest/doctest.h>

#include <algorithm>

#include "yawara/quantities.h"
#include "yawara/mesh.h"

using namespace yawara;

TEST_CASE("the principal stretch is the one farthest from 1, with its sign, however the body is turned")
{
    const Mat3d turn = rotation(Vec3d{1, 2, 3}, 0.7), other = rotation(Vec3d{-1, 0.5, 0.2}, 1.9);
    const auto stretched = [&](double a, double b, double c) {
        return principal_stretch(turn * Mat3d{{a, 0, 0}, {0, b, 0}, {0, 0, c}} * other);
    };
    CHECK(principal_stretch(turn) == doctest::Approx(0));
    CHECK(stretched(1.3, 0.9, 1) == doctest::Approx(0.3));
    CHECK(stretched(1.1, 0.6, 1) == doctest::Approx(-0.4));
    CHECK(stretched(2, 2, 2) == doctest::Approx(1));
    CHECK(stretched(0, 1, 1) == doctest::Approx(-1));
}

TEST_CASE("a bar pulled along one axis has the same stretch everywhere")
{
    const TetMesh bar = make_bar({2, 1, 1}, {4, 2, 2});
    std::vector<Vec3> positions;
    for (const Vec3d& p : bar.vertices) positions.push_back(Vec3d{1.25 * p.x, p.y, p.z}.as<float>());
    std::vector<float> stretch(positions.size());
    StretchGauge(bar).measure(positions, stretch);
    for (const float s : stretch) CHECK(s == doctest::Approx(0.25).epsilon(1e-4));
}

TEST_CASE("the tets of a lattice fill its cells and are all turned the right way")
{
    const std::vector<Int3> cells{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
    const Domain domain = make_lattice({0, 0, 0}, 0.5, cells);
    const TetMesh tets = solid_of(domain);
    CHECK(tets.tets.size() == 24);
    CHECK(volume(tets) == doctest::Approx(4 * 0.125));
    for (const Int4& tet : tets.tets) CHECK(signed_volume(tets, tet) > 0);
    // Faces of neighbours match: the outer surface is that of the cells, 18 squares.
    CHECK(boundary_surface(tets).triangles.size() == 36);
}

TEST_CASE("every common quantity can be measured, and an unknown name leaves the values alone")
{
    BodySpec spec;
    spec.solid = Matching{make_bar({1, 1, 1}, {2, 2, 2})};
    const BodyModel model = build(spec).value();
    BodyState state = initial_state(model, {.move = {0, 2, 0}}, {3, 0, 4});
    QuantityGauge gauge(model, initial_state(model).positions);
    std::vector<float> values(model.particle_count(), -7.0f);
    CHECK_FALSE(gauge.measure("sped", state, values));
    CHECK(values[0] == -7.0f);
    for (const Quantity& quantity : gauge.quantities()) {
        std::ranges::fill(values, -7.0f);
        CHECK_MESSAGE(gauge.measure(quantity.name, state, values), quantity.name);
        for (const float v : values) CHECK_MESSAGE(v != -7.0f, quantity.name);
    }
    gauge.measure("speed", state, values);
    CHECK(values[3] == doctest::Approx(5));
    gauge.measure("displacement", state, values);
    CHECK(values[3] == doctest::Approx(2));
    CHECK(label_of("speed") == "speed (m/s)");
    CHECK(label_of("dents") == "dents");
}
