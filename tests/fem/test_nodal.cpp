// Elements of other laws, with fibres of muscles, and with strains taken at the nodes: derivatives against differences,
// patch tests, beams against Timoshenko's formula, and motion.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "fem/mass.h"
#include "fem_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

FemMaterial material(double young, double poisson, double viscous_time = 0)
{
    FemMaterial m{isotropic(young, poisson).value(), {}, 1000};
    m.viscosity = m.elasticity * viscous_time;
    return m;
}

FemMuscle muscle(Vec3d direction, double stiffness, double shortest, double period)
{
    FemMuscle m;
    m.direction = direction;
    m.stiffness = stiffness;
    m.chart = {{{0, 1}, {period / 2, shortest}}, true};
    m.period = period;
    return m;
}

struct Fitted {
    explicit Fitted(const Fem& spec) : model(built(spec)), front(model)
    {
        const std::vector<std::int32_t> splits(model.forest.inner_count(), 1);
        front.rebuild(model, splits, false);
        for (const std::int32_t n : front.used) rest.push_back(model.forest.rest()[std::size_t(n)]);
    }
    static fem::FemModel built(const Fem& spec)
    {
        std::vector<std::string> warnings;
        return std::move(fem::build_fem(spec, 1.0, warnings).value().model);
    }

    fem::FemModel model;
    fem::Front front;
    std::vector<Vec3d> rest;
};

double& entry(Vec3d& v, std::size_t k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/// Holds some nodes of a body where a function puts them, and finds the equilibrium.
template <class Where>
BodyState held(const BodyModel& model, const std::vector<std::int32_t>& nodes, const Where& where,
               std::vector<Push> pushes = {})
{
    Grip grip;
    grip.particles = nodes;
    for (const std::int32_t n : nodes)
        grip.targets.push_back(where(model.rest_positions()[std::size_t(n)]).template as<float>());
    BodyState state = initial_state(model);
    Workspace work(model);
    StepInput input;
    input.gravity = {};
    input.grips = std::span(&grip, 1);
    input.pushes = pushes;
    const auto settled = settle(model, {}, input, state, work);
    REQUIRE_MESSAGE(settled, (settled ? "" : settled.error().message()));
    return state;
}

/// A bar of cells, each cut into six tets along its diagonal: those that lock most.
TetMesh six_tet_bar(Vec3d size, Int3 cells)
{
    TetMesh mesh;
    const auto number = [&](int i, int j, int k) { return (i * (cells[1] + 1) + j) * (cells[2] + 1) + k; };
    for (int i = 0; i <= cells[0]; ++i)
        for (int j = 0; j <= cells[1]; ++j)
            for (int k = 0; k <= cells[2]; ++k)
                mesh.vertices.push_back({size.x * i / cells[0], size.y * j / cells[1], size.z * k / cells[2]});
    for (int i = 0; i < cells[0]; ++i)
        for (int j = 0; j < cells[1]; ++j)
            for (int k = 0; k < cells[2]; ++k) {
                std::array<int, 3> order{0, 1, 2};
                do {  // along the axes in any order
                    std::array<int, 3> at{i, j, k};
                    Int4 tet{number(i, j, k)};
                    for (std::size_t step = 0; step < 3; ++step) {
                        ++at[std::size_t(order[step])];
                        tet[step + 1] = number(at[0], at[1], at[2]);
                    }
                    if (signed_volume(mesh, tet) < 0) std::swap(tet[2], tet[3]);
                    mesh.tets.push_back(tet);
                } while (std::next_permutation(order.begin(), order.end()));
            }
    return mesh;
}

/// Tip of a cantilever 4 x 1 x 1 m of 16 x 4 x 4 cells under a small force at its end, over that of Timoshenko's beam.
double tip(double poisson, Elements elements, std::shared_ptr<const ElasticLaw> law = {})
{
    constexpr double kYoung = 1e5, kLength = 4, kForce = 1;
    Fem spec = fem_of(six_tet_bar({kLength, 1, 1}, {16, 4, 4}), 0, material(kYoung, poisson));
    spec.elements = elements;
    spec.law = std::move(law);
    const BodyModel model = build_fem_model(std::move(spec));
    std::vector<std::int32_t> wall;
    std::vector<Push> pushes;
    double shares = 0, sum = 0;
    std::vector<std::pair<std::int32_t, double>> end;
    for (std::int32_t n = 0; n < std::int32_t(model.particle_count()); ++n) {
        const Vec3d p = model.rest_positions()[std::size_t(n)];
        if (p.x < 1e-9) wall.push_back(n);
        if (p.x < kLength - 1e-9) continue;
        const auto share = [](double a) { return std::abs(a - 0.5) > 0.499 ? 0.5 : 1.0; };
        end.emplace_back(n, share(p.y) * share(p.z));
        shares += end.back().second;
    }
    for (const auto& [n, share] : end) pushes.push_back({{n}, {0, 0, float(-kForce * share / shares)}, {}});
    const BodyState state = held(
        model, wall, [](Vec3d p) { return p; }, pushes);
    for (const auto& [n, share] : end)
        sum += share / shares * (model.rest_positions()[std::size_t(n)].z - double(state.positions[std::size_t(n)].z));
    const double shear = kYoung / (2 * (1 + poisson)), factor = 10 * (1 + poisson) / (12 + 11 * poisson);
    return sum / (kForce * kLength * kLength * kLength / (3 * kYoung / 12) + kForce * kLength / (factor * shear));
}

}  // namespace

TEST_CASE("forces and second derivatives of law elements are differences of their energy")
{
    std::mt19937 random(1);
    std::normal_distribution<double> any(0, 0.08);
    for (const std::string_view law : law_names())
        for (const Elements elements : {Elements::linear, Elements::nodal}) {
            CAPTURE(law);
            CAPTURE(int(elements));
            Fem spec = fem_of(make_bar({1, 0.5, 0.5}, {2, 1, 1}), 0);
            // Three kinds: two are alike and averaged around a node, the third is not.
            spec.material = [](const MaterialPlace& at) {
                return material(at.base_tet % 3 == 0 ? 10 : at.base_tet % 3 == 1 ? 1 : 1.5, 0.4, 0.01);
            };
            spec.law = law_named(law);
            spec.elements = elements;
            spec.muscles = {muscle({1, 0.5, 0}, 2, 0.7, 1), muscle({0, 0, 1}, 3, 0.5, 2)};
            Fitted body(spec);
            fem::LawElements& laws = body.front.laws;
            REQUIRE(laws.count() > body.front.active.size() * (elements == Elements::nodal ? 2 : 0));
            laws.set_time(body.model, 0.4);
            std::vector<Vec3d> x = body.rest;
            for (Vec3d& p : x) p += {any(random), any(random), any(random)};
            laws.start_step(x, 0.02);
            for (Vec3d& p : x) p += {any(random), any(random), any(random)};
            x[3] = x[3] * 0.2 + x[0] * 0.8;  // so that the barrier acts

            const auto gradient = [&] {
                laws.differentiate(x, true, true, false);
                std::vector<Vec3d> sum(x.size());
                std::size_t corner = 0;
                for (std::size_t e = 0; e < laws.count(); ++e)
                    for (const std::int32_t n : laws.nodes(e)) sum[std::size_t(n)] += laws.gradients()[corner++];
                return sum;
            };
            const std::vector<Vec3d> g = gradient();
            const auto n3 = Eigen::Index(3 * x.size());
            Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n3, n3);
            const Mat3d* block = laws.hessians().data();
            for (std::size_t e = 0; e < laws.count(); ++e)
                for (std::size_t a = 0; a < laws.nodes(e).size(); ++a)
                    for (std::size_t b = a; b < laws.nodes(e).size(); ++b, ++block) {
                        const Eigen::Matrix3d m = fem::to_eigen(*block);
                        const Eigen::Index i = 3 * laws.nodes(e)[a], j = 3 * laws.nodes(e)[b];
                        K.block<3, 3>(i, j) += m;
                        if (a != b) K.block<3, 3>(j, i) += m.transpose();
                    }
            const double scale = K.cwiseAbs().maxCoeff();
            constexpr double kStep = 1e-6;
            for (std::size_t k = 0; k < 3 * x.size(); ++k) {
                double& at = entry(x[k / 3], k % 3);
                const double here = at;
                at = here + kStep;
                const double more = laws.energy(x, true, true);
                const std::vector<Vec3d> after = gradient();
                at = here - kStep;
                const double less = laws.energy(x, true, true);
                const std::vector<Vec3d> before = gradient();
                at = here;
                CHECK(std::abs((more - less) / (2 * kStep) - g[k / 3][int(k % 3)]) < 1e-6 * scale);
                double worst = 0;
                for (std::size_t m = 0; m < 3 * x.size(); ++m)
                    worst =
                        std::max(worst, std::abs((after[m / 3][int(m % 3)] - before[m / 3][int(m % 3)]) / (2 * kStep) -
                                                 K(Eigen::Index(m), Eigen::Index(k))));
                CHECK(worst < 1e-5 * scale);
            }
        }
}

TEST_CASE("law elements of St. Venant-Kirchhoff have the forces and the energy of the fast tets")
{
    std::mt19937 random(2);
    std::normal_distribution<double> any(0, 0.05);
    Fem spec = fem_of(make_bar({1, 0.5, 0.5}, {4, 2, 2}), 0);
    std::vector<Elasticity> tensors;
    for (int k = 0; k < 3; ++k) tensors.push_back(random_elasticity(random));
    spec.material = [=](const MaterialPlace& at) -> FemMaterial {
        const Elasticity& c = tensors[std::size_t(at.base_tet % 3)];
        return {c, c * 0.01, 1};
    };
    Fitted fast(spec);
    spec.muscles = {muscle({1, 0, 0}, 1e-12, 0.5, 1)};  // too soft to be seen, but there
    Fitted plain(spec);
    CHECK(!fast.model.law);
    REQUIRE(plain.model.law);
    fem::Nodal x(4 * fast.rest.size()), v(x.size()), f(x.size()), f2(x.size());
    for (std::size_t n = 0; n < fast.rest.size(); ++n) {
        fem::put(x, n, (fast.rest[n] + Vec3d{any(random), any(random), any(random)}).as<float>());
        fem::put(v, n, Vec3d{any(random), any(random), any(random)}.as<float>());
    }
    AlignedVector<float> corners, corners2;
    fast.front.forces(fast.model, x, v, true, f, &corners);
    plain.front.forces(plain.model, x, v, true, f2, &corners2);
    for (std::size_t k = 0; k < f.size(); ++k) CHECK(std::abs(f[k] - f2[k]) < 1e-5);
    for (std::size_t t = 0; t < fast.front.active.size(); ++t)
        for (std::size_t a = 0; a < 4; ++a)
            for (int i = 0; i < 3; ++i)
                CHECK(std::abs(fast.front.corner_force(corners, t, a)[i] -
                               plain.front.corner_force(corners2, t, a)[i]) < 1e-5f);
    fem::Tally tally;
    CHECK(tally.elastic_energy(plain.model, plain.front, x, true) ==
          doctest::Approx(tally.elastic_energy(fast.model, fast.front, x, true)).epsilon(1e-6));
}

TEST_CASE("nodal elements of any law pass the patch test")
{
    TetMesh mesh = make_bar({1, 1, 1}, {3, 3, 3});
    std::mt19937 random(3);
    std::normal_distribution<double> any(0, 0.03);
    std::vector<std::int32_t> outside;
    for (std::size_t n = 0; n < mesh.vertices.size(); ++n) {
        Vec3d& p = mesh.vertices[n];
        if (std::max({std::abs(p.x - 0.5), std::abs(p.y - 0.5), std::abs(p.z - 0.5)}) > 0.499)
            outside.push_back(std::int32_t(n));
        else
            p += {any(random), any(random), any(random)};
    }
    REQUIRE(outside.size() == 56);
    const Mat3d F{{1.2, 0.1, 0}, {-0.05, 0.9, 0.1}, {0.1, 0, 1.1}};
    for (const std::string_view law : law_names()) {
        CAPTURE(law);
        Fem spec = fem_of(mesh, 0, material(1e4, 0.45));
        spec.law = law_named(law);
        spec.elements = Elements::nodal;
        const BodyModel model = build_fem_model(std::move(spec));
        const BodyState state = held(model, outside, [&](Vec3d p) { return F * p; });
        for (std::size_t n = 0; n < state.positions.size(); ++n)
            CHECK(length(state.positions[n].as<double>() - F * model.rest_positions()[n]) < 1e-5);
    }
}

TEST_CASE("a cantilever of nodal elements bends as Timoshenko's beam at any Poisson's ratio")
{
    for (const double poisson : {0.3, 0.45, 0.49, 0.499, 0.4999}) {
        const double nodal = tip(poisson, Elements::nodal);
        CAPTURE(poisson);
        CAPTURE(nodal);
        CHECK(nodal > 0.9);
        CHECK(nodal < 1.1);
    }
    CHECK(tip(0.499, Elements::linear) < 0.2);  // what they are for
    for (const std::string_view law : law_names()) CHECK(tip(0.499, Elements::nodal, law_named(law)) > 0.9);
}

TEST_CASE("muscles pull with their stiffness times what they are longer than their chart says")
{
    // A bar of no cross-contraction held at one end: k (s - c) + E (s - 1) = 0 for the corotational law.
    constexpr double kYoung = 1e4, kStiffness = 3e4, kShortest = 0.7;
    Fem spec = fem_of(make_bar({2, 0.5, 0.5}, {4, 1, 1}), 0, material(kYoung, 0));
    spec.law = corotational_law();
    spec.muscles = {muscle({-2, 0, 0}, kStiffness, kShortest, 1)};
    const BodyModel model = build_fem_model(spec);
    const auto length_at = [&](double time) {
        Grip wall;
        for (std::int32_t n = 0; n < std::int32_t(model.particle_count()); ++n) {
            const Vec3d p = model.rest_positions()[std::size_t(n)];
            if (p.x > 1e-9) continue;
            wall.particles.push_back(n), wall.targets.push_back(p.as<float>());
        }
        BodyState state = initial_state(model);
        Workspace work(model);
        StepInput input;
        input.gravity = {}, input.time = time, input.grips = std::span(&wall, 1);
        const auto settled = settle(model, {}, input, state, work);
        REQUIRE_MESSAGE(settled, (settled ? "" : settled.error().message()));
        float right = 0;
        for (const Vec3& p : state.positions) right = std::max(right, p.x);
        return double(right);
    };
    CHECK(length_at(0) == doctest::Approx(2).epsilon(1e-5));
    const double contracted = 2 * (kYoung + kStiffness * kShortest) / (kYoung + kStiffness);
    CHECK(length_at(0.5) == doctest::Approx(contracted).epsilon(1e-5));
    CHECK(length_at(17.5) == doctest::Approx(contracted).epsilon(1e-4));
}

TEST_CASE("implicit steps with viscosity and a muscle come as near to explicit ones as they are short")
{
    for (const Elements elements : {Elements::linear, Elements::nodal}) {
        CAPTURE(int(elements));
        Fem spec = fem_of(make_bar({1, 0.4, 0.4}, {3, 1, 1}), 0, material(2e4, 0.4, 0.01));
        spec.law = neo_hookean_law();
        spec.elements = elements;
        spec.muscles = {muscle({1, 0, 0.3}, 1e4, 0.6, 0.4)};
        const BodyModel model = build_fem_model(std::move(spec));
        const auto after = [&](double dt, Integration integration) {
            BodySettings settings;
            settings.fem.integration = integration;
            settings.fem.safety = 0.1;
            Scene scene({.dt = dt, .substeps = 1, .gravity = {}});
            const BodyId body = scene.add(model, settings, initial_state(model));
            for (int k = 0; k < int(std::lround(0.2 / dt)); ++k) scene.step();
            return scene.state(body).positions;
        };
        const std::vector<Vec3> exact = after(0.01, Integration::explicit_steps);
        const auto error = [&](double dt) {
            const std::vector<Vec3> is = after(dt, Integration::implicit_step);
            double worst = 0;
            for (std::size_t n = 0; n < is.size(); ++n) worst = std::max(worst, double(length(is[n] - exact[n])));
            return worst;
        };
        const double coarse = error(0.01), half = error(0.005), quarter = error(0.0025);
        CAPTURE(coarse);
        CAPTURE(half);
        CAPTURE(quarter);
        double moved = 0;
        for (std::size_t n = 0; n < exact.size(); ++n)
            moved = std::max(moved, double(length(exact[n] - model.rest_positions()[n].as<float>())));
        CHECK(moved > 0.03);
        CHECK(coarse < 0.3 * moved);
        CHECK(coarse / half > 1.6);  // first order
        CHECK(half / quarter > 1.6);
    }
}

TEST_CASE(
    "a nearly incompressible bar of nodal elements falls, lands and rests in implicit steps without gaining energy")
{
    Fem spec = fem_of(make_bar({1.2, 0.6, 0.6}, {4, 2, 2}), 0, material(1e5, 0.499));
    spec.law = neo_hookean_law();
    spec.elements = Elements::nodal;
    const BodyModel model = build_fem_model(std::move(spec));
    BodySettings settings;
    settings.measure = true;
    settings.fem.integration = Integration::implicit_step;
    Scene scene({.dt = 1.0 / 60, .substeps = 1, .gravity = {0, -9.8f, 0}});
    scene.add(Collider{});
    const BodyId body = scene.add(model, settings, initial_state(model, {rotation(Vec3d{0, 0, 1}, 0.6), {0, 1, 0}}));
    double most = 0, volume = 1;
    for (int k = 0; k < 150; ++k) {
        const StepReport report = scene.step()[0];
        REQUIRE(report.repaired_particles == 0);
        const double mass = 1000 * 1.2 * 0.6 * 0.6;
        const double energy =
            report.kinetic_energy + report.elastic_energy + report.fem.contact_energy + mass * 9.8 * report.center.y;
        if (k == 0) most = energy;
        CHECK(energy < most * 1.001);
        volume = std::min(volume, report.fem.smallest_volume);
    }
    CHECK(volume > 0.3);
    float fastest = 0;
    for (const Vec3& v : scene.state(body).velocities) fastest = std::max(fastest, length(v));
    CHECK(fastest < 0.05f);
}

TEST_CASE(
    "a neo-Hookean tet adapts: it ends near where it does at full resolution, and its level changes add no energy")
{
    Fem spec = fem_of(unit_tet(), 2);
    spec.law = neo_hookean_law();
    const BodyModel model = build_fem_model(std::move(spec));
    const auto run = [&](Refinement refinement, double& jumps, int& most) {
        BodySettings settings;
        settings.fem.refinement = refinement;
        settings.fem.tolerance = 2e-3;
        Scene scene({.dt = 1.0 / 60, .substeps = 1, .gravity = {0, -1, 0}});
        scene.add(Collider{});
        const BodyId body = scene.add(model, settings, initial_state(model, {{}, {0, 0.05, 0}}, {0, -1, 0}));
        for (int k = 0; k < 20; ++k) {
            const StepReport report = scene.step()[0];
            REQUIRE(report.repaired_particles == 0);
            jumps = std::max(jumps, report.fem.energy_jumps), most = std::max(most, report.fem.active_tets);
        }
        return scene.state(body).positions;
    };
    double jumps = 0, full_jumps = 0;
    int most = 0, all = 0;
    const std::vector<Vec3> adaptive = run(Refinement::residual, jumps, most),
                            full = run(Refinement::full, full_jumps, all);
    CHECK(all == 64);
    CHECK(most > 1);
    double squares = 0;
    for (std::size_t n = 0; n < full.size(); ++n) squares += double(dot(full[n] - adaptive[n], full[n] - adaptive[n]));
    CHECK(std::sqrt(squares / double(full.size())) < 0.03);
    CHECK(jumps < 1e-9);  // its kinetic energy is 3e-7 J
}

TEST_CASE("what does not go with a law, with nodal elements or with muscles is refused in words")
{
    const auto refusal = [](const auto& change) {
        BodySpec spec;
        Fem fem = fem_of(unit_tet(), 1, material(1e4, 0.3));
        change(fem);
        spec.solid = std::move(fem);
        const auto built = build(std::move(spec));
        return built ? std::string() : built.error().message();
    };
    const auto contains = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    FemMaterial clay = material(1e4, 0.3);
    clay.plasticity.yield = 0.01;
    const auto of_clay = [clay](const MaterialPlace&) { return clay; };
    const auto of_wood = [](const MaterialPlace&) -> FemMaterial {
        return {transversely_isotropic({2e4, 1e4, 0.3, 0.3, 4e3, {1, 0, 0}}).value(), {}, 1000};
    };
    CHECK(refusal([](Fem& f) { f.law = neo_hookean_law(); }).empty());
    CHECK(contains(refusal([&](Fem& f) { f.law = neo_hookean_law(), f.material = of_clay; }), "plasticity"));
    CHECK(contains(refusal([&](Fem& f) { f.elements = Elements::nodal, f.material = of_clay; }), "plasticity"));
    CHECK(contains(refusal([&](Fem& f) { f.law = corotational_law(), f.material = of_wood; }), "isotropic"));
    CHECK(refusal([&](Fem& f) { f.elements = Elements::nodal, f.material = of_wood; }).empty());
    CHECK(contains(refusal([](Fem& f) { f.law = neo_hookean_law(), f.strain_tolerances = true; }), "strain rule"));
    CHECK(contains(refusal([](Fem& f) { f.elements = Elements::nodal, f.fronts = {{}}; }), "fronts"));
    FemMuscle bad = muscle({1, 0, 0}, 1e3, 0.5, 1);
    bad.chart.keys[0].value = -1;
    CHECK(contains(refusal([&](Fem& f) { f.muscles = {bad}; }), "chart"));
    bad = muscle({1, 0, 0}, -5, 0.5, 1);
    CHECK(contains(refusal([&](Fem& f) { f.muscles = {bad}; }), "stiffness"));
}
