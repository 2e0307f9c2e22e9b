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
    Scene scene;
    const BodyId body = scene.add(model);
    QuantityGauge gauge(scene);
    scene.state(body) = initial_state(model, {.move = {0, 2, 0}}, {3, 0, 4});
    std::vector<float> values(model.particle_count(), -7.0f);
    CHECK_FALSE(gauge.measure("sped", scene, body, values));
    CHECK(values[0] == -7.0f);
    for (const Quantity& quantity : common_quantities()) {
        std::ranges::fill(values, -7.0f);
        CHECK_MESSAGE(gauge.measure(quantity.name, scene, body, values), quantity.name);
        for (const float v : values) CHECK_MESSAGE(v != -7.0f, quantity.name);
    }
    gauge.measure("speed", scene, body, values);
    CHECK(values[3] == doctest::Approx(5));
    gauge.measure("displacement", scene, body, values);
    CHECK(values[3] == doctest::Approx(2));
    CHECK(quantity_named("speed").label == "speed (m/s)");
    CHECK(quantity_named("dents").label == "dents");
}

namespace {

BodyModel cube(const std::string& name)
{
    BodySpec spec;
    spec.name = name;
    spec.solid = Matching{make_bar({1, 1, 1}, {4, 4, 4})};
    return build(spec).value();
}

std::vector<float> measured(QuantityGauge& gauge, Scene& scene, BodyId body, const char* name)
{
    std::vector<float> values(scene.model(body).particle_count());
    CHECK(gauge.measure(name, scene, body, values));
    return values;
}

bool has(QuantityGauge& gauge, const Scene& scene, BodyId body, std::string_view name)
{
    const std::span<const Quantity> all = gauge.quantities(scene, body);
    return std::ranges::find(all, name, &Quantity::name) != all.end();
}

}  // namespace

TEST_CASE("contact is seen where bodies touch the ground and each other, and nowhere else")
{
    Scene scene;
    scene.add(Collider{Plane{}});
    const BodyModel model = cube("cube");
    const BodyId low = scene.add(model);
    const BodyId high = scene.add(model, {}, {.move = {0.35, 1.005, 0}});
    const BodyId far = scene.add(model, {}, {.move = {5, 1, 0}});
    QuantityGauge gauge(scene);
    const auto expect = [&](BodyId body, const auto& touches) {
        const std::vector<float> values = measured(gauge, scene, body, "contact");
        const auto& positions = scene.state(body).positions;
        for (std::size_t k = 0; k < values.size(); ++k)
            CHECK_MESSAGE(values[k] == (touches(positions[k]) ? 1.0f : 0.0f), positions[k].x << " " << positions[k].y);
    };
    // The upper cube lies on the right part of the lower one. Particles are 0.25 apart: the left column of the one and
    // the right column of the other belong to no touched triangle.
    expect(low, [](Vec3 p) { return p.y < 0.01f || (p.y > 0.99f && p.x > 0.2f); });
    expect(high, [](Vec3 p) { return p.y < 1.01f && p.x < 1.2f; });
    expect(far, [](Vec3) { return false; });
    // As they stand now, whatever was seen before.
    for (Vec3& p : scene.state(high).positions) p.y += 0.5f;
    expect(high, [](Vec3) { return false; });
    expect(low, [](Vec3 p) { return p.y < 0.01f; });
}

TEST_CASE("stiffness, level and groups are offered by the bodies that have them")
{
    Scene scene;
    BodySpec spec;
    Fem fem;
    fem.mesh = make_bar({2, 1, 1}, {2, 1, 1});
    for (std::size_t t = 0; t < fem.mesh.tets.size(); ++t) fem.mesh.materials.push_back(t % 2 ? 3 : 1);
    fem.levels = 1;
    fem.material = [](const MaterialPlace&) { return FemMaterial{isotropic(2e5, 0.3).value()}; };
    spec.solid = fem;
    const BodyId elements = scene.add(build(spec).value());

    std::vector<Int3> cells;
    for (int x = 0; x < 6; ++x)
        for (int y = 0; y < 4; ++y)
            for (int z = 0; z < 4; ++z) cells.push_back({x, y, z});
    Matching soft{make_lattice({0, 0, 0}, 0.1, cells)};
    const std::size_t n = std::get<Lattice>(soft.domain).nodes.size();
    std::vector<float> stiffness(n);
    for (std::size_t k = 0; k < n; ++k) stiffness[k] = k % 2 ? 0.5f : 0.25f;
    soft.widths.stiffness = stiffness;
    spec.solid = soft;
    const BodyId lattice = scene.add(build(spec).value());
    const BodyId plain = scene.add(cube("plain"));

    QuantityGauge gauge(scene);
    CHECK(has(gauge, scene, elements, "level"));
    CHECK(has(gauge, scene, elements, "stiffness"));
    CHECK_FALSE(has(gauge, scene, elements, "region_size"));
    CHECK(has(gauge, scene, lattice, "stiffness"));
    CHECK(has(gauge, scene, lattice, "region_size"));
    CHECK_FALSE(has(gauge, scene, lattice, "level"));
    for (const char* name : {"level", "stiffness", "group", "example"}) CHECK_FALSE(has(gauge, scene, plain, name));
    for (const char* name : {"stretch", "speed", "contact"}) CHECK(has(gauge, scene, plain, name));

    for (const float young : measured(gauge, scene, elements, "stiffness")) CHECK(young == doctest::Approx(2e5));
    CHECK(has(gauge, scene, elements, "group"));
    for (const float label : measured(gauge, scene, elements, "group")) CHECK((label == 1 || label == 3));
    const std::vector<float> S = measured(gauge, scene, lattice, "stiffness");
    CHECK(S[0] == 0.25f);
    CHECK(S[1] == 0.5f);
}

TEST_CASE("the region of a particle is told for lists and for boxes alike")
{
    std::vector<Int3> cells;
    for (int x = 0; x < 5; ++x)
        for (int y = 0; y < 4; ++y)
            for (int z = 0; z < 3; ++z) cells.push_back({x, y, z});
    BodySpec spec;
    const Lattice lattice = make_lattice({0, 0, 0}, 0.1, cells);
    Matching solid{lattice};
    solid.hops = 2;
    spec.solid = solid;
    const BodyModel model = build(spec).value();
    const BodyState state = initial_state(model);
    const std::vector<float> sizes = region_sizes(model, state, 1.0 / 300);
    for (std::size_t i = 0; i < lattice.nodes.size(); ++i) {
        std::vector<std::int32_t> within;  // two links of a lattice: two steps along each axis
        for (std::size_t j = 0; j < lattice.nodes.size(); ++j) {
            int farthest = 0;
            for (std::size_t axis = 0; axis < 3; ++axis)
                farthest = std::max(farthest, std::abs(lattice.nodes[i][axis] - lattice.nodes[j][axis]));
            if (farthest <= 2) within.push_back(std::int32_t(j));
        }
        CHECK(region_members(model, state, 1.0 / 300, i) == within);
        CHECK(sizes[i] == float(within.size()));
    }
    const BodyModel tets = cube("tets");
    const std::vector<std::int32_t> members = region_members(tets, initial_state(tets), 1.0 / 300, 7);
    CHECK(std::ranges::find(members, 7) != members.end());
    CHECK(region_sizes(tets, initial_state(tets), 1.0 / 300)[7] == float(members.size()));
}
