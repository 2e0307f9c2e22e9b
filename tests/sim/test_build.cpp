#include <doctest/doctest.h>

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
    for (const Vec3& p : scene.state(0).positions) CHECK(is_finite(p));
    CHECK(scene.state(0).positions[4].y < 5);
}

TEST_CASE("a lattice body falls and rests like any other")
{
    BodySpec spec;
    spec.solid = Matching{make_lattice(Box3{{-0.5, 0.2, -0.5}, {0.5, 1.2, 0.5}}, 0.25, [](Vec3d) { return true; })};
    Scene scene;
    scene.add(Collider{});
    scene.add(build(spec).value());
    CHECK(signed_volume(scene.model(0).surface()) == doctest::Approx(
        std::pow(0.25, 3) * double(std::get<Lattice>(scene.model(0).domain()).cells.size())));
    for (int k = 0; k < 600; ++k) scene.step();  // on a floor its slowest mode halves once a second
    double lowest = 1e9;
    for (const Vec3& p : scene.surface(0)) lowest = std::min(lowest, double(p.y));
    CHECK(std::abs(lowest) < 1e-3);
    CHECK(test::fastest(scene) < 0.02);
}
