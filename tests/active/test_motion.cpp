#include <doctest/doctest.h>

#include <numbers>

#include "../matching/brute_force.h"
#include "../sim/bodies.h"
#include "yawara/active.h"

using namespace yawara;
using namespace yawara::test;

namespace {

std::shared_ptr<const StretchLayer> layer_of(const FieldsSpec& spec, const Domain& domain, const Charts& charts, double speed = 1)
{
    return active(make_fields(spec, domain).value(), charts, speed).value();
}

BodyModel muscle(const TetMesh& mesh, const FieldsSpec& spec, const Charts& charts, double speed = 1, double density = 1)
{
    BodySpec body;
    body.density = density;
    Matching& solid = std::get<Matching>(body.solid);
    solid.domain = mesh;
    solid.stretch = {layer_of(spec, mesh, charts, speed)};
    return build(body).value();
}

Charts constant(double c1, double c2 = 1, double c3 = 1)
{
    Charts charts;
    charts.directions[0].keys = {{0, c1}};
    charts.directions[1].keys = {{0, c2}};
    charts.directions[2].keys = {{0, c3}};
    return charts;
}

/// Fibres along x, layers along y.
FieldsSpec along_x()
{
    FieldsSpec spec;
    spec.direction = std::function<Vec3d(Vec3d)>([](Vec3d) { return Vec3d{1, 0, 0}; });
    spec.depth = [](Vec3d p) { return p.y; };
    return spec;
}

Eigen::Matrix3d matrix(const Sym3& t)
{
    Eigen::Matrix3d m;
    m << t.xx, t.xy, t.xz, t.xy, t.yy, t.yz, t.xz, t.yz, t.zz;
    return m;
}

/// [ProcDef] eq. (1) with 5.3, written once more in double.
Eigen::Matrix3d wanted(const ActiveFields& fields, const Charts& charts, double speed, std::size_t r, double time)
{
    const Mat3d& D = fields.frames[r];
    const double tau = time - fields.phase[r] / speed, a = fields.amplitude[r];
    Eigen::Vector3d l;
    for (int j = 0; j < 3; ++j) l[j] = a * std::log(chart_value(charts, j, tau));
    const double sg = fields.gradient_confidence[r], sd = fields.stroke_confidence[r], mean = l.mean();
    const Eigen::Vector3d no_gradient(l[0], (l[1] + l[2]) / 2, (l[1] + l[2]) / 2);
    const Eigen::Vector3d no_stroke((l[0] + l[2]) / 2, l[1], (l[0] + l[2]) / 2);
    const Eigen::Vector3d log = sg * sd * l + (1 - sg) * sd * no_gradient + sg * (1 - sd) * no_stroke +
                                (1 - sg) * (1 - sd) * Eigen::Vector3d(mean, mean, mean);
    Eigen::Matrix3d Q;
    for (int k = 0; k < 3; ++k) {
        const Vec3d c = k == 0 ? D.c0 : k == 1 ? D.c1 : D.c2;
        Q.col(k) << c.x, c.y, c.z;
    }
    return Q * log.array().exp().matrix().asDiagonal() * Q.transpose();
}

/// A lively muscle: everything varies from place to place.
FieldsSpec varied()
{
    FieldsSpec spec;
    spec.direction = std::function<Vec3d(Vec3d)>([](Vec3d p) { return Vec3d{1, 0.4 * std::sin(2 * p.x), 0.3 * p.z}; });
    spec.depth = [](Vec3d p) { return std::hypot(p.y, p.z); };
    spec.amplitude = [](Vec3d p) { return std::cos(2 * p.y + p.x); };
    spec.phase = [](Vec3d p) { return 0.5 + 0.3 * p.x; };
    return spec;
}

Charts lively()
{
    Charts charts;
    charts.period = 0.8;
    charts.directions[0] = {{{0.1, 0.7}, {0.5, 1.3}}, true};
    charts.directions[1] = {{{0.0, 1.2}, {0.3, 0.8}, {0.7, 1.0}}, false};
    charts.directions[2] = {{{0.2, 1.1}}, false};
    return charts;
}

/// Runs until it rests: strong damping, no gravity.
void come_to_rest(Scene& scene, int steps = 500)
{
    for (int k = 0; k < steps; ++k) scene.substep();
}

BodySettings stiff(int passes)
{
    BodySettings settings;
    settings.matching.passes = passes;
    settings.matching.accelerate = passes > 1;
    settings.matching.damping = 0;
    settings.matching.region_damping = 0.15f;
    settings.drag = 8;
    return settings;
}

}  // namespace

TEST_CASE("the wanted stretch is symmetric positive definite and that of the paper, also before and after the first period")
{
    const TetMesh mesh = make_bar({2, 1, 1}, {6, 3, 3}, {-1, -0.5, -0.5});
    const ActiveFields fields = make_fields(varied(), mesh).value();
    const Charts charts = lively();
    const auto layer = active(fields, charts, 0.7).value();
    std::vector<Sym3> T(mesh.vertices.size());
    for (const double time : {-3.21, 0.0, 0.05, 0.4, 0.79999, 0.8, 12.3456}) {
        layer->target(time, T);
        for (std::size_t r = 0; r < T.size(); ++r) {
            const Eigen::Matrix3d expected = wanted(fields, charts, 0.7, r, time);
            CHECK((matrix(T[r]) - expected).norm() < 3e-5);
            CHECK(Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix(T[r])).eigenvalues()[0] > 0.5);
        }
    }
}

TEST_CASE("amplitude 0 rests and amplitude -1 inverts")
{
    const TetMesh mesh = make_bar({1, 1, 1}, {2, 2, 2});
    std::vector<Sym3> plus(mesh.vertices.size()), minus(plus), none(plus);
    for (const auto& [amplitude, out] : {std::pair{1.0, &plus}, {-1.0, &minus}, {0.0, &none}}) {
        FieldsSpec spec = varied();
        spec.amplitude = amplitude;
        layer_of(spec, mesh, lively())->target(0.3, *out);
    }
    for (std::size_t r = 0; r < plus.size(); ++r) {
        CHECK((matrix(plus[r]) * matrix(minus[r]) - Eigen::Matrix3d::Identity()).norm() < 2e-6);
        CHECK((matrix(none[r]) - Eigen::Matrix3d::Identity()).norm() < 1e-6);
    }
}

TEST_CASE("a uniform stretch over a free body makes it that stretched body")
{
    const TetMesh mesh = make_bar({2, 1, 1}, {8, 4, 4}, {-1, -0.5, -0.5});
    Scene scene(weightless(0.01));
    scene.add(muscle(mesh, along_x(), constant(1.5, 0.8, 0.9)), stiff(20));
    come_to_rest(scene);
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const Vec3d p = mesh.vertices[i];
        CHECK(length(scene.state(scene.bodies()[0]).positions[i].as<double>() -
                     Vec3d{1.5 * p.x, 0.8 * p.y, 0.9 * p.z}) < 1e-3);
    }
}

TEST_CASE("a bar with opposite amplitudes bends by the predicted angle")
{
    // Ratios to the angle of a continuous bar, as the reference program measured them, [ProcDef] 4.6.
    const std::pair<int, double> kRatios[] = {{2, 0.603}, {4, 0.843}, {6, 0.921}};
    for (const auto& [cells, ratio] : kRatios)
        for (const double c : {1.5, 1 / 1.5}) {
            const TetMesh mesh = make_bar({4, 1, 0.5}, {4 * cells, cells, cells / 2}, {-2, -0.5, -0.25});
            FieldsSpec spec = along_x();
            Paint paint;
            for (const Vec3d& p : mesh.vertices)
                if (std::abs(p.y) > 0.49) paint.samples.push_back({p, p.y > 0 ? 1.0 : -1.0});
            spec.amplitude = paint;
            Scene scene(weightless(0.01));
            scene.add(muscle(mesh, spec, constant(c)), stiff(84));
            come_to_rest(scene, 400);
            // Turn of the cross-sections from x = -1 to x = 1.
            const auto section = [&](double x) {
                Vec3d up;
                for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
                    if (std::abs(mesh.vertices[i].x - x) < 1e-9)
                        up += scene.state(scene.bodies()[0]).positions[i].as<double>() * mesh.vertices[i].y;
                return std::atan2(up.x, up.y);
            };
            const double a = std::log(c), angle = section(1) - section(-1);
            const double predicted = 2 * 6 * (a * std::cosh(a) - std::sinh(a)) / (a * a);
            CAPTURE(cells);
            CHECK(angle / predicted == doctest::Approx(ratio).epsilon(0.02));
        }
}

TEST_CASE("an active body steps like a twin written from the equations, over 100 steps")
{
    const TetMesh mesh = make_bar({2, 0.8, 0.8}, {6, 2, 2}, {-1, -0.4, -0.4});
    for (const int passes : {1, 3}) {
        const Charts charts = lively();
        const BodyModel model = muscle(mesh, varied(), charts, 0.6);
        Scene scene(weightless(0.01));
        BodySettings settings;
        settings.matching.passes = passes;
        settings.matching.align = false;
        settings.matching.damping = 0;
        scene.add(model, settings);

        const ActiveFields fields = make_fields(varied(), mesh).value();
        const auto regions = brute::rings(mesh);
        std::vector<Eigen::Vector3d> rest, x, v(mesh.vertices.size(), Eigen::Vector3d::Zero());
        for (const Vec3d& p : mesh.vertices) rest.push_back(brute::eigen(p));
        x = rest;
        const std::vector<double> masses(model.masses().begin(), model.masses().end());
        double worst = 0;
        for (int k = 0; k < 100; ++k) {
            std::vector<Eigen::Matrix3d> T;
            for (std::size_t r = 0; r < rest.size(); ++r) T.push_back(wanted(fields, charts, 0.6, r, 0.01 * k));
            std::vector<Eigen::Vector3d> g = x;
            for (int pass = 0; pass < passes; ++pass) g = brute::goals(regions, rest, masses, g, T);
            for (std::size_t i = 0; i < x.size(); ++i) {
                v[i] += (g[i] - x[i]) / 0.01;
                x[i] += 0.01 * v[i];
            }
            scene.substep();
        }
        for (std::size_t i = 0; i < x.size(); ++i)
            worst =
                std::max(worst, (x[i] - brute::eigen(scene.state(scene.bodies()[0]).positions[i].as<double>())).norm());
        CHECK(worst < 2e-3);  // single against double precision over a hundred undamped steps
        CHECK(fastest(scene) > 0.3);
    }
}

TEST_CASE("a free active body keeps its centre of mass and gains no spin")
{
    const TetMesh mesh = make_bar({4, 1, 1}, {12, 3, 3}, {-2, -0.5, -0.5});
    Scene scene(weightless(0.01));
    BodySettings settings = stiff(6);
    settings.matching.accelerate = false;
    scene.add(muscle(mesh, varied(), lively()), settings);
    const Vec3d before = center_of_mass(scene);
    for (int k = 0; k < 500; ++k) scene.substep();
    CHECK(length(center_of_mass(scene) - before) < 2e-6);
    CHECK(length(angular_momentum(scene)) < 2e-3);  // without alignment 0.05 to 0.2
    CHECK(fastest(scene) > 0.1);
}

namespace {

/// A body 10 m long with a pulse of contraction that travels along it.
struct Crawler {
    static constexpr double kLength = 10, kPeriod = 3;
    static Charts pulse(double c)
    {
        Charts charts;
        charts.period = kPeriod;
        charts.directions[0].keys = {{0, 1}, {0.2, c}, {0.4, c}, {0.6, 1}};
        return charts;
    }
    /// Integral of 1 - c1 over a period: straight in the logarithm.
    static double shortening(double c) { return 0.2 * (1 - c) + 0.4 * (1 - (c - 1) / std::log(c)); }

    Crawler(double c, double speed, BodySettings settings, bool floor, float friction = 1.0f)
        : scene({.dt = 0.01, .substeps = 1, .gravity = floor ? Vec3{0, -9.8f, 0} : Vec3{}, .medium = {}, .threads = 1})
    {
        const TetMesh mesh = make_bar({kLength, 1, 1}, {30, 3, 3}, {0, 0, 0});
        FieldsSpec spec = along_x();
        spec.phase = [](Vec3d p) { return p.x / kLength; };
        settings.matching.damping = 0;
        settings.matching.region_damping = 0.1f;
        scene.add(muscle(mesh, spec, pulse(c), speed), settings);
        if (floor) scene.add(Collider{.shape = Plane{}, .friction = friction});
    }
    /// Advance along x in the third period.
    double stride()
    {
        while (scene.time() < 2 * kPeriod) scene.substep();
        const double from = center_of_mass(scene).x;
        while (scene.time() < 3 * kPeriod - 1e-9) scene.substep();
        return center_of_mass(scene).x - from;
    }
    Scene scene;
};

BodySettings plain_passes(int passes)
{
    BodySettings settings;
    settings.matching.passes = passes;
    return settings;
}

}  // namespace

TEST_CASE("a travelling phase moves the contraction at the predicted speed")
{
    for (const double speed : {0.2, 0.4, 0.8}) {
        Crawler crawler(0.7, speed, plain_passes(6), false);
        while (crawler.scene.time() < 2 * Crawler::kPeriod) crawler.scene.substep();
        // First harmonic of the local length over one period; its phase against x is a line.
        constexpr int kCells = 30;
        std::vector<double> c(kCells, 0.0), s(kCells, 0.0);
        const auto rest = crawler.scene.model(crawler.scene.bodies()[0]).rest_positions();
        for (int k = 0; k < 300; ++k) {
            std::vector<double> plane(kCells + 1, 0.0);
            for (std::size_t i = 0; i < rest.size(); ++i)
                plane[std::size_t(std::lround(rest[i].x * 3))] +=
                    double(crawler.scene.state(crawler.scene.bodies()[0]).positions[i].x) / 16;
            const double angle = 2 * std::numbers::pi * k / 300;
            for (std::size_t j = 0; j < kCells; ++j) {
                c[j] += (plane[j + 1] - plane[j]) * std::cos(angle);
                s[j] += (plane[j + 1] - plane[j]) * std::sin(angle);
            }
            crawler.scene.substep();
        }
        double delay = 0, turns = 0;
        std::vector<double> delays;
        for (std::size_t j = 0; j < kCells; ++j) {
            double next = std::atan2(s[j], c[j]) + turns;
            while (j > 0 && next < delay - std::numbers::pi) next += 2 * std::numbers::pi, turns += 2 * std::numbers::pi;
            delays.push_back(delay = next);
        }
        const double seconds = (delays[24] - delays[5]) / (2 * std::numbers::pi) * Crawler::kPeriod;
        CHECK(19.0 / 3 / seconds == doctest::Approx(speed * Crawler::kLength).epsilon(0.03));
    }
}

TEST_CASE("a pulse of shortening walks with the wave, one of lengthening against it, and nothing walks on ice")
{
    const double speed = 0.4, wave = speed * Crawler::kLength;
    // [ProcDef] 4.9: 80 to 99 % of the stride law, the more the stiffer.
    const auto of_law = [&](double c, int passes, float friction) {
        return Crawler(c, speed, plain_passes(passes), true, friction).stride() / (wave * Crawler::shortening(c));
    };
    const double forward = Crawler(0.8, speed, plain_passes(6), true).stride();
    for (const double share :
         {forward / (wave * Crawler::shortening(0.8)), of_law(1.3, 6, 1), of_law(0.8, 30, 1), of_law(0.8, 6, 0.3f)}) {
        CHECK(share > 0.8);
        CHECK(share < 0.99);
    }
    CHECK(forward > 0);
    CHECK(std::abs(Crawler(0.8, speed, plain_passes(6), true, 0.0f).stride()) < 1e-5);
    const double reversed = Crawler(0.8, -speed, plain_passes(6), true).stride();
    CHECK(reversed == doctest::Approx(-forward).epsilon(0.05));
}

TEST_CASE("a snake with belly scales crawls against its wave, by far more than one without goes with it")
{
    // [ProcDef] 12.5: bends run along the body; friction 1 across and 0.1 along it, or 0.5 in all directions.
    const auto crawl = [](float friction, std::optional<float> along) {
        const TetMesh mesh = make_bar({Crawler::kLength, 1, 1}, {30, 3, 3}, {0, 0, 0});
        FieldsSpec spec = along_x();
        spec.amplitude = [](Vec3d p) { return 2 * p.z - 1; };
        spec.phase = [](Vec3d p) { return p.x / Crawler::kLength; };
        Charts charts;
        charts.period = Crawler::kPeriod;
        charts.directions[0] = {{{0, 0.85}, {Crawler::kPeriod / 2, 1 / 0.85}}, true};
        Scene scene({.dt = 0.01, .substeps = 1, .gravity = {0, -9.8f, 0}, .medium = {}, .threads = 1});
        BodySettings settings = plain_passes(6);
        settings.matching.damping = 0;
        settings.matching.region_damping = 0.1f;
        scene.add(muscle(mesh, spec, charts, 0.3), settings);
        scene.add(Collider{.shape = Plane{}, .friction = friction, .friction_along = along});
        while (scene.time() < charts.period) scene.substep();
        const double from = center_of_mass(scene).x;
        while (scene.time() < 3 * charts.period - 1e-9) scene.substep();
        return (center_of_mass(scene).x - from) / 2;
    };
    const double scales = crawl(1.0f, 0.1f), smooth = crawl(0.5f, {});
    CHECK(scales / (0.3 * Crawler::kLength * Crawler::kPeriod) < -0.6);  // of the length of the wave
    CHECK(std::abs(smooth) < -0.3 * scales);
    CHECK(crawl(0.5f, 0.5f) == doctest::Approx(smooth).epsilon(1e-6));
}

TEST_CASE("Young's modulus keeps the stride of the plain passes it stands for, in few passes")
{
    const Crawler probe(0.8, 0.4, plain_passes(1), true);
    for (const int passes : {6, 30}) {
        const double plain = Crawler(0.8, 0.4, plain_passes(passes), true).stride();
        BodySettings settings;
        settings.matching.young = float(passes * probe.scene.model(probe.scene.bodies()[0]).pass_young(0.01));
        Crawler young(0.8, 0.4, settings, true);
        const double fast = young.stride();
        CHECK(fast / plain > 0.93);
        CHECK(fast / plain < 1.07);
        CHECK(young.scene.substep()[0].matching.passes <= (passes == 6 ? 3 : 5));
    }
}

TEST_CASE("a walking body that is pulled comes along, and walks on when let go")
{
    Crawler crawler(0.8, 0.4, plain_passes(6), true);
    Scene& scene = crawler.scene;
    for (int k = 0; k < 100; ++k) scene.substep();
    Grip hand;
    hand.particles = {0, 1, 2, 3};
    for (const std::int32_t i : hand.particles)
        hand.targets.push_back(scene.state(scene.bodies()[0]).positions[std::size_t(i)] + Vec3{-1, 2, 0});
    hand.stiffness = 50;
    scene.grips(scene.bodies()[0]).push_back(hand);
    for (int k = 0; k < 300; ++k) scene.substep();
    CHECK(length(scene.state(scene.bodies()[0]).positions[0] - hand.targets[0]) < 0.5f);
    scene.grips(scene.bodies()[0]).clear();
    for (int k = 0; k < 200; ++k) scene.substep();
    // The third period, as far as one that was never pulled.
    CHECK(crawler.stride() == doctest::Approx(Crawler(0.8, 0.4, plain_passes(6), true).stride()).epsilon(0.1));
    CHECK(inverted_tets(scene) == 0);
}

TEST_CASE("an active body has the same bits for any number of threads")
{
    const TetMesh mesh = make_bar({4, 1, 1}, {24, 6, 6}, {-2, -0.5, -0.5});
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 3}) {
        SceneSettings settings = weightless(0.01);
        settings.threads = threads;
        settings.medium.drag = 5;
        Scene scene(settings);
        BodySettings body = stiff(20);
        body.matching.young = 3000;
        scene.add(muscle(mesh, varied(), lively()), body);
        for (int k = 0; k < 20; ++k) scene.substep();
        hashes.push_back(scene.hash());
    }
    CHECK(hashes[0] == hashes[1]);
    CHECK(hashes[0] == hashes[2]);
}

TEST_CASE("impossible layers are refused with a reason")
{
    const TetMesh mesh = make_bar({1, 1, 1}, {2, 2, 2});
    const ActiveFields fields = make_fields(varied(), mesh).value();
    CHECK(active(fields, lively(), 0).error().where == "speed");
    ActiveFields short_of_one = fields;
    short_of_one.phase.pop_back();
    CHECK(active(short_of_one, lively(), 1).error().where == "fields");
    Charts charts = lively();
    charts.limit = 0.5;
    CHECK(active(fields, charts, 1).error().where == "limit");
}

TEST_CASE("a layer that wants nothing changes nothing: on a slope, on the floor and thrown, to the last bit")
{
    class Nothing : public StretchLayer {
    public:
        void target(double, std::span<Sym3> wanted) const override { std::fill(wanted.begin(), wanted.end(), Sym3{}); }
    };
    const auto run = [](bool layered, double slope, Vec3d velocity) {
        BodySpec spec;
        spec.solid = Matching{.domain = make_bar({0.4, 0.2, 0.4}, {6, 3, 6}, {-0.2, 0, -0.2})};
        if (layered) std::get<Matching>(spec.solid).stretch = {std::make_shared<Nothing>()};
        Scene scene;
        const double angle = std::atan(slope);
        const Vec3d normal{std::sin(angle), std::cos(angle), 0};
        scene.add(Collider{Plane{{}, normal}, 0.5f, 0.3f});
        scene.add(build(spec).value(), {}, {rotation(Vec3d{0, 0, 1}, -angle), normal * 0.001}, velocity);
        for (int k = 0; k < 120; ++k) scene.step();
        return scene.state(scene.bodies()[0]);
    };
    CHECK(run(true, 0.4, {}).matching.resting > 0.5f);
    for (const double slope : {0.0, 0.4, 0.8})
        for (const Vec3d velocity : {Vec3d{}, Vec3d{1, 1, 0}})
            CHECK(run(true, slope, velocity) == run(false, slope, velocity));
}
