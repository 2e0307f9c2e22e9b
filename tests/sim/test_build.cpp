#include <doctest/doctest.h>

#include <array>
#include <numeric>

#include "bodies.h"

using namespace yawara;

namespace {

std::string refusal(BodySpec spec)
{
    const auto result = build(std::move(spec));
    return result ? "" : result.error().message();
}

BodySpec one_tet()
{
    BodySpec spec;
    spec.solid = Matching{TetMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}, {}}};
    return spec;
}

TetMesh& mesh_of(BodySpec& spec)
{
    return std::get<TetMesh>(std::get<Matching>(spec.solid).domain);
}

}  // namespace

TEST_CASE("mass is density times volume, lumped or shared equally, in tets and in cells")
{
    BodySpec spec;
    spec.solid = Matching{make_bar({1, 2, 0.5}, {2, 4, 1})};
    spec.density = 300;
    for (const Masses kind : {Masses::lumped, Masses::uniform}) {
        spec.masses = kind;
        const BodyModel model = build(spec).value();
        CHECK(std::accumulate(model.masses().begin(), model.masses().end(), 0.0) == doctest::Approx(300));
    }
    spec.solid = Matching{make_lattice(Box3{{0, 0, 0}, {1, 1, 1}}, 0.25, [](Vec3d) { return true; })};
    const BodyModel lattice = build(spec).value();
    const double cells = double(std::get<Lattice>(lattice.domain()).cells.size());
    CHECK(std::accumulate(lattice.masses().begin(), lattice.masses().end(), 0.0) ==
          doctest::Approx(300 * cells * 0.25 * 0.25 * 0.25));
}

TEST_CASE("mistakes are refused with what and where")
{
    CHECK(refusal(one_tet()).empty());
    BodySpec spec = one_tet();
    mesh_of(spec).tets[0][2] = 7;
    CHECK(refusal(spec).find("tet 0 uses vertex 7 of 4") != std::string::npos);
    spec = one_tet();
    std::swap(mesh_of(spec).tets[0][0], mesh_of(spec).tets[0][1]);
    CHECK(refusal(spec).find("inverted") != std::string::npos);
    spec = one_tet();
    mesh_of(spec).vertices[1].y = std::nan("");
    CHECK(refusal(spec).find("vertex 1 is not finite") != std::string::npos);
    spec = one_tet();
    mesh_of(spec).tets.clear();
    CHECK(refusal(spec).find("no tetrahedra") != std::string::npos);
    spec = one_tet();
    spec.density = 0;
    CHECK(refusal(spec).find("density") != std::string::npos);
    spec = one_tet();
    spec.particle_masses = {1, 2, -3, 4};
    CHECK(refusal(spec).find("particle 2") != std::string::npos);
    spec = one_tet();
    spec.surface = {{{0, 0, 0}}, {{0, 0, 1}}, {}, {}};
    CHECK(refusal(spec).find("triangle 0") != std::string::npos);
    spec = one_tet();
    std::get<Matching>(spec.solid).hops = 0;
    CHECK(refusal(spec).find("hops") != std::string::npos);
}

TEST_CASE("an unused vertex stays in its place in the order, free, with a warning")
{
    BodySpec spec = one_tet();
    mesh_of(spec).vertices.push_back({5, 5, 5});
    const BodyModel model = build(spec).value();
    CHECK(model.particle_count() == 5);
    REQUIRE(model.warnings().size() == 1);
    Scene scene;
    scene.add(model);
    for (int k = 0; k < 10; ++k) scene.step();
    for (const Vec3& p : scene.state(scene.bodies()[0]).positions) CHECK(is_finite(p));
    CHECK(scene.state(scene.bodies()[0]).positions[4].y < 5);
}

TEST_CASE("a lattice body falls and rests like any other")
{
    BodySpec spec;
    spec.solid = Matching{make_lattice(Box3{{-0.5, 0.2, -0.5}, {0.5, 1.2, 0.5}}, 0.25, [](Vec3d) { return true; })};
    Scene scene;
    scene.add(Collider{});
    scene.add(build(spec).value());
    CHECK(signed_volume(scene.model(scene.bodies()[0]).surface()) ==
          doctest::Approx(std::pow(0.25, 3) *
                          double(std::get<Lattice>(scene.model(scene.bodies()[0]).domain()).cells.size())));
    for (int k = 0; k < 600; ++k) scene.step();  // on a floor its slowest mode halves once a second
    double lowest = 1e9;
    for (const Vec3& p : scene.surface(scene.bodies()[0])) lowest = std::min(lowest, double(p.y));
    CHECK(std::abs(lowest) < 1e-3);
    CHECK(test::fastest(scene) < 0.02);
}

TEST_CASE("masses for bending keep the weight and the centre of every row, and give a bar the second moment it lacks")
{
    const auto masses_of = [](std::vector<Int3> occupied, Masses spread) {
        BodySpec spec;
        spec.solid = Matching{make_lattice({}, 1.0, occupied)};
        spec.density = 1;
        spec.masses = spread;
        return build(spec).value();
    };
    const auto moments = [](const BodyModel& model) {  // of y
        std::array<double, 3> sums{};
        for (std::size_t i = 0; i < model.particle_count(); ++i) {
            CHECK(model.masses()[i] > 0);
            const double y = model.rest_positions()[i].y;
            sums[0] += model.masses()[i];
            sums[1] += model.masses()[i] * y;
            sums[2] += model.masses()[i] * y * y;
        }
        return sums;
    };
    for (const int t : {2, 3, 7}) {
        CAPTURE(t);
        std::vector<Int3> bar;
        for (int x = 0; x < 100; ++x)
            for (int y = 0; y < t; ++y) bar.push_back({x, y, 0});
        const auto sums = moments(masses_of(bar, Masses::bending));
        const double volume = 100.0 * t;
        CHECK(sums[0] == doctest::Approx(volume));
        CHECK(sums[1] == doctest::Approx(volume * t / 2));
        // Curved layers resist as 1/12 of their mass, regions of one link: with that a bar bends as its area does.
        const double about_middle = sums[2] - volume * t * t / 4;
        CHECK(about_middle / volume + 1.0 / 12 == doctest::Approx(t * t / 12.0).epsilon(0.002));
    }
    std::vector<Int3> steps;  // rows of all lengths, not alike at both ends
    for (int x = 0; x < 12; ++x)
        for (int y = 0; y <= x / 2; ++y)
            for (int z = 0; z < 2 + x % 3; ++z) steps.push_back({x, y, z});
    const auto moved = moments(masses_of(steps, Masses::bending)), lumped = moments(masses_of(steps, Masses::lumped));
    CHECK(moved[0] == doctest::Approx(lumped[0]));
    CHECK(moved[1] == doctest::Approx(lumped[1]));
    CHECK(moved[2] < lumped[2]);

    BodySpec tets;
    std::get<Matching>(tets.solid).domain = make_bar({1, 1, 1}, {1, 1, 1});
    tets.masses = Masses::bending;
    const auto refused = build(tets);
    REQUIRE(!refused);
    CHECK(refused.error().message().find("lattice") != std::string::npos);
}

TEST_CASE(
    "a density that differs from place to place gives the mass of its integral, on tets, lattices and finite elements")
{
    const auto density = [](Vec3d p) { return 100 * (1 + p.x); };
    const TetMesh mesh = make_bar({2, 1, 1}, {4, 2, 2});
    std::vector<Int3> cells;
    for (int k = 0; k < 16; ++k) cells.push_back({k % 4, k / 4 % 2, k / 8});
    Fem fem;
    fem.mesh = mesh;
    fem.levels = 1;
    const Domain domain = mesh;
    FemPart part;
    part.elasticity = IsotropicFields{[](Vec3d p) { return 1e5 * (1 + p.x); }, 0.3};
    fem.material = material_of({part}, finest_places(domain, 1).value()).value();
    using Solid = decltype(BodySpec::solid);
    for (const Solid& solid :
         {Solid(Matching{mesh}), Solid(Matching{make_lattice({}, 0.5, cells)}), Solid(fem), Solid(Rigid{mesh})}) {
        BodySpec spec;
        spec.solid = solid;
        spec.density = density;
        const BodyModel model = build(spec).value();
        CHECK(std::accumulate(model.masses().begin(), model.masses().end(), 0.0) == doctest::Approx(400));
        spec.density = Channel{"density", {}};
        CHECK(refusal(spec).find("density: channel \"density\"") != std::string::npos);
        spec.channels = {{"density"}, [](std::string_view, const FieldPlaces& places) {
                             return std::vector<double>(places.points.size(), 150.0);
                         }};
        const BodyModel even = build(spec).value();
        CHECK(std::accumulate(even.masses().begin(), even.masses().end(), 0.0) == doctest::Approx(300));
    }
}
