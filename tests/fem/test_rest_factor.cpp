// The matrix at rest, factored: against the matrix itself, and what implicit steps make of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fem/dissection.h"
#include "fem/implicit_tets.h"
#include "fem/rest_factor.h"
#include "fem_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

FemMaterial soft()
{
    return {isotropic(1e6, 0.3).value(), {}, 1000};
}

/// The matrix of a body at rest with steps of 1/60 s, and where its rows are.
struct AtRest {
    explicit AtRest(const Fem& spec)
    {
        std::vector<std::string> warnings;
        model = std::move(fem::build_fem(spec, 1.0, warnings).value().model);
        fem::Front front(model);
        front.rebuild(model, {}, false);
        matrix.fit(front, {});
        fem::ImplicitTets tets;
        std::vector<Vec3d> x;
        for (const std::int32_t n : front.used) x.push_back(model.forest.rest()[std::size_t(n)]);
        tets.begin(model, front, true, 1.0 / 60, x);
        tets.differentiate(x);
        matrix.assemble(tets.hessians(), 3600);
        for (std::size_t row = 0; row < matrix.rows(); ++row) positions.push_back(x[std::size_t(matrix.node_of(row))]);
    }

    fem::FemModel model;
    fem::BlockMatrix matrix;
    std::vector<Vec3d> positions;
};

}  // namespace

TEST_CASE("a dissection puts nothing of one half next to the other, and leaves no row out")
{
    const AtRest body(fem_of(make_bar({2, 1, 1}, {10, 5, 5}), 0, soft()));
    const fem::BlockRows rows = body.matrix.block_rows();
    const fem::Dissection cut = fem::dissect(rows, body.positions);
    std::vector<std::size_t> place(body.positions.size(), body.positions.size());
    for (std::size_t k = 0; k < cut.order.size(); ++k) place[std::size_t(cut.order[k])] = k;
    CHECK(std::count(place.begin(), place.end(), body.positions.size()) == 0);
    CHECK(std::size_t(cut.ends.back()) == body.positions.size());
    REQUIRE(cut.half > 0);
    CHECK(double(cut.half) > 0.3 * double(body.positions.size()));
    CHECK(double(cut.both - cut.half) > 0.3 * double(body.positions.size()));
    int across = 0;
    for (std::size_t row = 0; row < place.size(); ++row)
        for (std::int32_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) {
            const std::size_t other = place[std::size_t(rows.columns[e])];
            across += place[row] < cut.half && other >= cut.half && other < cut.both;
        }
    CHECK(across == 0);
}

TEST_CASE("the factor of a matrix at rest undoes it, of a single tet and of a bar that is cut in halves, turned or not")
{
    const Mat3d turn = rotation(Vec3d{1, -2, 0.5}, 2.0);
    std::mt19937 random(3);
    std::normal_distribution<double> any;
    for (const TetMesh& mesh : {unit_tet(), make_bar({1, 0.4, 0.4}, {5, 2, 2}), make_bar({2, 1, 1}, {14, 7, 7})}) {
        AtRest body(fem_of(mesh, 0, soft()));
        const std::size_t rows = body.matrix.rows();
        fem::RestFactor factor;
        factor.factor(body.matrix.block_rows(), body.positions);
        REQUIRE(factor.ready());
        std::vector<Vec3d> x(rows), b(rows), found(rows), turned(rows);
        for (Vec3d& v : x) v = {any(random), any(random), any(random)};
        body.matrix.multiply(x, b);
        factor.solve(b, {}, found);
        for (Vec3d& v : b) v = turn * v;
        factor.solve(b, turn, turned);
        double off = 0, off_turned = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            off = std::max(off, length(found[row] - x[row]));
            off_turned = std::max(off_turned, length(turned[row] - turn * x[row]));
        }
        CAPTURE(rows);
        CHECK(off < 1e-3);
        CHECK(off_turned < 1e-3);
    }
}

TEST_CASE(
    "a bar let go needs little more than one round a step, has velocities as exact as promised, and the same bits "
    "on two threads")
{
    const BodyModel model =
        build_fem_model(fem_of(make_bar({1.7, 0.8, 0.8}, {17, 8, 8}), 0, {isotropic(1e7, 0.3).value(), {}, 1000}));
    const auto scene_of = [&](int threads, double dt) {
        Scene scene({.dt = dt, .substeps = 1, .threads = threads});
        BodySettings settings;
        settings.fem.integration = Integration::implicit_step;
        const BodyId body = scene.add(model, settings);
        Grip wall;
        const double end = bounds(model.rest_positions()).low.x;
        for (std::size_t i = 0; i < model.rest_positions().size(); ++i)
            if (model.rest_positions()[i].x < end + 1e-6) {
                wall.particles.push_back(std::int32_t(i));
                wall.targets.push_back(model.rest_positions()[i].as<float>());
            }
        scene.grips(body).push_back(wall);
        return scene;
    };
    Scene one = scene_of(1, 1.0 / 60), two = scene_of(2, 1.0 / 60);
    int rounds = 0;
    double unsolved = 0;
    constexpr int kSteps = 30;
    for (int k = 0; k < kSteps; ++k) {
        const StepReport report = one.step()[0];
        two.step();
        rounds += report.fem.newton_rounds;
        unsolved = std::max(unsolved, report.fem.unsolved);
        CHECK(report.fem.solver_rounds == 0);
    }
    CHECK(rounds < 1.3 * kSteps);
    CHECK(unsolved < 1e-3 * 3);  // m/s; the size is less than 3 m
    CHECK(one.hash() == two.hash());
}
