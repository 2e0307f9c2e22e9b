// From surfaces to solids: volume, fit, parts and counts hold, and damage is reported or refused truthfully.
#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include "meshing/shapes.h"
#include "yawara/solid.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// What must hold for every closed surface.
void check_solid(const Solid& solid, double exact_volume)
{
    CHECK(solid.report.smallest_dihedral >= 10);
    CHECK(dihedral_range(solid.mesh)[0] == doctest::Approx(solid.report.smallest_dihedral));
    CHECK(volume(solid.mesh) == doctest::Approx(exact_volume).epsilon(0.02));
    CHECK(solid.report.volume == doctest::Approx(volume(solid.mesh)));
    CHECK(solid.report.surface_error <= 0.5 * solid.report.cell);
    CHECK(smallest_volume(solid.mesh) > 0);
    CHECK(is_conforming(solid.mesh));
}

bool warns_of(const SolidReport& report, std::string_view word)
{
    return std::any_of(report.warnings.begin(), report.warnings.end(),
                       [&](const std::string& w) { return w.find(word) != std::string::npos; });
}

}  // namespace

TEST_CASE("closed shapes keep their volume and surface and meet the wanted count")
{
    struct Case {
        TriMesh mesh;
        double volume;
    };
    const TriMesh ball = make_ball({5, -3, 2}, 2), torus = make_torus(1, 0.35);
    for (const Case& c : {Case{ball, signed_volume(ball)}, Case{torus, signed_volume(torus)},
                          Case{make_box({0, 0, 0}, {1, 1, 1}), 1}, Case{make_box({-3, 0, 0}, {3, 1, 2}), 12}}) {
        for (const int particles : {500, 3000}) {
            const Solid solid = make_solid(c.mesh, {.particles = particles}).value();
            check_solid(solid, c.volume);
            CHECK(double(solid.mesh.vertices.size()) == doctest::Approx(particles).epsilon(0.1));
            CHECK(solid.report.closed);
            for (const std::string& warning : solid.report.warnings)
                CHECK(warning.find("corners") != std::string::npos);
            CHECK(solid.report.input_volume == doctest::Approx(c.volume));
        }
    }
}

TEST_CASE("round shapes come without a warning, and a needle is kept and reported")
{
    CHECK(make_solid(make_ball({}, 1), {.particles = 800}).value().report.warnings.empty());
    CHECK(make_solid(make_torus(1, 0.35), {.particles = 800}).value().report.warnings.empty());
    // A ball with its pole pulled out to a needle thinner than any voxel, turned off the axes, where no voxel meets it.
    TriMesh needle = make_ball({}, 1, 200);
    needle.vertices[0].z = 4;
    const Mat3d turn = rotation(Vec3d{1, 0.4, 0}, 0.7);
    for (Vec3d& v : needle.vertices) v = turn * v;
    const Solid solid = make_solid(needle, {.particles = 800}).value();
    double nearest = 1e300;
    for (const Vec3d& v : solid.mesh.vertices) nearest = std::min(nearest, length(v - needle.vertices[0]));
    CHECK(nearest < 0.5 * solid.report.cell);
    CHECK(solid.report.output_parts == 1);
    CHECK(solid.report.thickened_parts == 1);
    CHECK(solid.report.thickened_by < 0.5 * solid.report.cell);
    CHECK(warns_of(solid.report, "1 part thinner than a cell was thickened by up to"));
}

TEST_CASE("a cell that is asked for is used")
{
    const Solid solid = make_solid(make_ball({}, 1), {.cell = 0.23}).value();
    CHECK(solid.report.cell == 0.23);
    check_solid(solid, signed_volume(make_ball({}, 1)));
}

TEST_CASE("far away and tiny shapes are meshed like those at the origin")
{
    TriMesh mesh = make_ball({}, 1);
    for (Vec3d& v : mesh.vertices) v = v * 1e-6 + Vec3d{1, 2, 3};
    check_solid(make_solid(mesh, {.particles = 600}).value(), signed_volume(mesh));
}

TEST_CASE("separate parts stay separate, and merged ones are reported")
{
    const TriMesh apart = join(make_ball({-1.3, 0, 0}, 1), make_ball({1.3, 0, 0}, 1));
    const Solid two = make_solid(apart, {.cell = 0.2}).value();
    check_solid(two, signed_volume(apart));
    CHECK(two.report.input_parts == 2);
    CHECK(two.report.output_parts == 2);
    CHECK(two.report.warnings.empty());

    const Solid one = make_solid(join(make_ball({-0.9, 0, 0}, 1), make_ball({0.9, 0, 0}, 1)), {.cell = 0.2}).value();
    CHECK(one.report.output_parts == 1);
    CHECK(warns_of(one.report, "encloses twice"));
    CHECK(warns_of(one.report, "2 pieces"));

    const TriMesh close = join(make_box({0, 0, 0}, {1, 1, 1}), make_box({1.08, 0, 0}, {2, 1, 1}));
    const Solid near = make_solid(close, {.cell = 0.2}).value();
    CHECK((near.report.output_parts == 2 || warns_of(near.report, "became 1")));
}

TEST_CASE("a plate is filled if the count allows, and is thickened if the cell is too coarse for it")
{
    const TriMesh plate = make_box({0, 0, 0}, {1, 1, 0.03});
    const Solid solid = make_solid(plate, {.particles = 4000}).value();
    check_solid(solid, 0.03);
    CHECK(solid.report.output_parts == 1);
    const Solid coarse = make_solid(plate, {.cell = 0.5}).value();
    CHECK(coarse.report.output_parts == 1);
    CHECK(coarse.report.left_out < 0.25);
    CHECK(coarse.report.thickened_by > 0);
    CHECK(warns_of(coarse.report, "thickened by up to"));
}

TEST_CASE("legs thinner than a cell are kept by thickening them, without changing volume or parts")
{
    // A box on four legs and with an ear, all 0.75 cells thick: no lattice point need lie in there.
    TriMesh mesh = make_box({0, 0, 0}, {2, 1, 1});
    const double cell = 0.16, t = 0.75 * cell;
    for (const double x : {0.1, 1.9 - t}) {
        for (const double z : {0.1, 0.9 - t}) mesh = join(mesh, make_box({x, -0.8, z}, {x + t, 0.1, z + t}));
    }
    mesh = join(mesh, make_box({1.9 - t, 0.9, 0.2}, {1.9, 1.6, 0.8}));
    const Solid solid = make_solid(mesh, {.cell = cell}).value();
    const double exact = 2 + 4 * 0.8 * t * t + 0.6 * t * 0.6;
    check_solid(solid, exact);
    CHECK(solid.report.output_parts == 1);
    const Box3 box = bounds(solid.mesh.vertices);
    CHECK(box.low.y < -0.8 + cell);
    CHECK(box.high.y > 1.6 - cell);
    CHECK(warns_of(solid.report, "thickened"));
}

TEST_CASE("what was wrong with the surface is counted")
{
    TriMesh mesh = make_ball({}, 1);
    mesh.vertices.push_back({9, 9, 9});                                         // used by nobody
    mesh.vertices.push_back(mesh.vertices[std::size_t(mesh.triangles[3][0])]);  // the same place again
    mesh.triangles[3][0] = std::int32_t(mesh.vertices.size() - 1);
    mesh.triangles.push_back({1, 1, 2});                      // no area
    std::swap(mesh.triangles[40][0], mesh.triangles[40][1]);  // turned: three edges disagree
    mesh.triangles.erase(mesh.triangles.begin() + 100);       // a hole with three edges
    const SolidReport report = make_solid(mesh, {.particles = 800}).value().report;
    CHECK(report.unreferenced_vertices == 1);
    CHECK(report.duplicate_vertices == 1);
    CHECK(report.degenerate_triangles == 1);
    CHECK(report.flipped_edges == 3);
    CHECK(report.border_edges == 3);
    CHECK(report.nonmanifold_edges == 0);
    CHECK(!report.closed);
    CHECK(warns_of(report, "3 border edges"));
    CHECK(report.volume == doctest::Approx(4.18).epsilon(0.03));
}

TEST_CASE("unwelded triangles are welded")
{
    const TriMesh ball = make_ball({}, 1);
    TriMesh soup;
    for (const Int3& t : ball.triangles) {
        for (const std::int32_t v : t) soup.vertices.push_back(ball.vertices[std::size_t(v)]);
        const auto n = std::int32_t(soup.vertices.size());
        soup.triangles.push_back({n - 3, n - 2, n - 1});
    }
    const Solid solid = make_solid(soup, {.particles = 800}).value();
    CHECK(solid.report.closed);
    CHECK(solid.report.input_parts == 1);
    CHECK(solid.report.duplicate_vertices == int(soup.vertices.size() - ball.vertices.size()));
    check_solid(solid, signed_volume(ball));
}

TEST_CASE("an inside-out ball and a ball with doubled faces are balls")
{
    const TriMesh ball = make_ball({}, 1);
    TriMesh doubled = ball;
    for (const Int3& t : ball.triangles) doubled.triangles.push_back({t[0], t[2], t[1]});
    check_solid(make_solid(inside_out(ball), {.particles = 800}).value(), signed_volume(ball));
    const Solid solid = make_solid(doubled, {.particles = 800}).value();
    check_solid(solid, signed_volume(ball));
    CHECK(warns_of(solid.report, "more than once"));
}

TEST_CASE("sheets are refused because they enclose nothing")
{
    TriMesh flat, strip;
    for (int i = 0; i < 20; ++i) {
        const double a = 2 * std::numbers::pi * i / 20;
        flat.vertices.push_back({std::cos(a), std::sin(a), 0.5});
        if (i > 1) flat.triangles.push_back({0, i - 1, i});
    }
    constexpr int kSteps = 60;
    for (int i = 0; i < kSteps; ++i) {
        const double a = 2 * std::numbers::pi * i / kSteps;
        for (const double side : {-0.3, 0.3}) {
            const double r = 1 + side * std::cos(a / 2);
            strip.vertices.push_back({r * std::cos(a), r * std::sin(a), side * std::sin(a / 2)});
        }
    }
    for (int i = 0; i < kSteps; ++i) {
        const std::int32_t a = 2 * i, b = 2 * i + 1;  // the last step joins with a half turn
        const std::int32_t c = i + 1 < kSteps ? a + 2 : 1, d = i + 1 < kSteps ? b + 2 : 0;
        strip.triangles.push_back({a, c, b});
        strip.triangles.push_back({b, c, d});
    }
    CHECK(make_solid(flat).error().what.find("flat") != std::string::npos);
    CHECK(make_solid(strip).error().what.find("Moebius") != std::string::npos);
}

TEST_CASE("broken input is refused with its place")
{
    TriMesh bad_index = make_ball({}, 1), not_finite = bad_index;
    bad_index.triangles[7][1] = 123456;
    not_finite.vertices[11].y = std::nan("");
    CHECK(make_solid(bad_index).error().where == "triangle 7");
    CHECK(make_solid(not_finite).error().where == "vertex 11");
    CHECK(make_solid(TriMesh{}).error().where == "surface");
    CHECK(make_solid(make_ball({}, 0)).error().where == "surface");
    CHECK(make_solid(make_ball({}, 1), {.cell = -1}).error().where == "cell");
    CHECK(make_solid(make_ball({}, 1), {.cell = 1e-8}).error().where == "cell");
    CHECK(make_solid(make_ball({}, 1), {.particles = 0}).error().where == "particles");
    CHECK(make_solid(make_ball({}, 1), {.cell = 50}).error().where == "cell");
}

TEST_CASE("one thread gives the same bits as several, and progress can stop the work")
{
    TriMesh holed = make_ball({}, 1);
    holed.triangles.resize(holed.triangles.size() - 150);
    for (const TriMesh& mesh : {make_torus(1, 0.4), holed}) {
        const Solid many = make_solid(mesh, {.particles = 1000}).value();
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
        const Solid one = make_solid(mesh, {.particles = 1000}).value();
        CHECK(many.mesh.vertices == one.mesh.vertices);
        CHECK(many.mesh.tets == one.mesh.tets);
    }
    int calls = 0;
    const auto stop_later = [&](std::string_view, double) { return ++calls < 4; };
    const Result<Solid> stopped = make_solid(holed, {.particles = 1000, .progress = stop_later});
    CHECK(stopped.error().what == "cancelled");
    CHECK(calls == 4);
}
