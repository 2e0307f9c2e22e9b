// Muscles are found again from the motion they make.
#include <doctest/doctest.h>

#include <cmath>

#include "../sim/bodies.h"
#include "yawara/fit_muscles.h"

using namespace yawara;
using namespace yawara::test;

namespace {

struct Truth {
    FieldsSpec fields;
    Charts charts;
    double speed;
};

BodyModel body_of(const TetMesh& mesh, const Truth& truth)
{
    BodySpec spec;
    spec.solid =
        Matching{.domain = mesh,
                 .stretch = {active(make_fields(truth.fields, mesh).value(), truth.charts, truth.speed).value()}};
    return build(spec).value();
}

FieldsSpec along_x()
{
    FieldsSpec fields;
    fields.direction = std::function<Vec3d(Vec3d)>([](Vec3d) { return Vec3d{1, 0, 0}; });
    return fields;
}

BodySettings firm()
{
    BodySettings settings;
    settings.matching.passes = 8;
    settings.matching.accelerate = true;
    settings.matching.region_damping = 0.1f;
    return settings;
}

Scene scene_of(bool floor)
{
    SceneSettings settings;
    settings.dt = 1.0 / 60;
    settings.substeps = 2;
    if (!floor) settings.gravity = {};
    Scene scene(settings);
    if (floor) scene.add(Collider{.shape = Plane{}, .friction = 0.6f});
    return scene;
}

MotionTarget motion_of(Scene& scene, BodyId body, double seconds)
{
    MotionTarget target;
    while (scene.time() < seconds) {
        scene.step();
        target.times.push_back(scene.time());
        target.positions.push_back(scene.state(body).positions);
    }
    return target;
}

/// How far the fit is from the truth: of the charts, as a share of the range of the first; of the amplitude; and of the
/// delay, as a share of the period.
struct Errors {
    double charts, amplitude, delay;
};

Errors errors_of(const MuscleFit& fit, const Truth& truth, const TetMesh& mesh)
{
    const ActiveFields fields = make_fields(truth.fields, mesh).value();
    Errors errors{};
    double low = 1, high = 1, shift = 0, weight = 0;
    const double period = truth.charts.period;
    // A beat that begins later with places that are less late is the same motion.
    for (std::size_t r = 0; r < mesh.vertices.size(); ++r) {
        const double a = std::abs(fields.amplitude[r]);
        shift += a * (fit.phase(mesh.vertices[r]) / fit.layer.speed - fields.phase[r] / truth.speed);
        weight += a;
    }
    shift /= weight;
    double sum = 0;
    for (int k = 0; k < 200; ++k) {
        const double time = period * k / 200, is = chart_value(truth.charts, 0, time);
        low = std::min(low, is), high = std::max(high, is);
        sum += std::pow(chart_value(fit.layer.charts, 0, time + shift) - is, 2) / 200;
    }
    errors.charts = std::sqrt(sum) / (high - low);
    for (std::size_t r = 0; r < mesh.vertices.size(); ++r) {
        const double late = fit.phase(mesh.vertices[r]) / fit.layer.speed - shift, is = fields.phase[r] / truth.speed;
        errors.delay += std::abs(fields.amplitude[r]) * std::pow((late - is) / period, 2) / weight;
        errors.amplitude +=
            std::pow(fit.amplitude(mesh.vertices[r]) - fields.amplitude[r], 2) / double(mesh.vertices.size());
    }
    errors.delay = std::sqrt(errors.delay);
    errors.amplitude = std::sqrt(errors.amplitude);
    return errors;
}

/// What the body knows of its muscles before: their directions.
Truth blank(const Truth& truth)
{
    Truth none{along_x(), {}, 1};
    none.charts.period = truth.charts.period;
    return none;
}

}  // namespace

TEST_CASE("the muscles of a caterpillar are found from its crawl to 5 %")
{
    const TetMesh mesh = make_bar({1.6, 0.3, 0.3}, {16, 3, 3}, {-0.8, 0, -0.15});
    Truth truth{along_x(), {}, 0.9};
    truth.fields.phase = [](Vec3d p) { return 0.5 + p.x / 1.6; };
    truth.charts.period = 1.2;
    truth.charts.directions[0] = {{{0, 1}, {0.2, 0.75}, {0.5, 0.75}, {0.8, 1}}, true};
    truth.charts = truth.charts.preserving_volume();

    Scene made = scene_of(true);
    const MotionTarget target = motion_of(made, made.add(body_of(mesh, truth), firm()), 3.6);
    Scene scene = scene_of(true);
    const BodyId body = scene.add(body_of(mesh, blank(truth)), firm());
    int rounds = 0;
    MuscleFitOptions options;
    options.progress = [&](const MuscleFitProgress& told) { rounds = told.round; };
    const MuscleFit fit = fit_muscles(scene, body, target, options).value();
    const Errors errors = errors_of(fit, truth, mesh);
    MESSAGE("residual " << fit.residual << " in " << rounds << " rounds; charts " << errors.charts << " amplitude "
                        << errors.amplitude << " delay " << errors.delay);
    CHECK(fit.residual < 0.05);
    CHECK(errors.charts < 0.05);
    CHECK(errors.amplitude < 0.05);
    CHECK(errors.delay < 0.05);
    CHECK(rounds == fit.rounds);
    CHECK(scene.time() == 0);
}

TEST_CASE("a snake's amplitude of both signs is found from its bends, and a fit can be stopped")
{
    const TetMesh mesh = make_bar({2, 0.2, 0.5}, {16, 2, 5}, {-1, 0, -0.25});
    Truth truth{along_x(), {}, 1.1};
    truth.fields.phase = [](Vec3d p) { return 0.5 + p.x / 2; };
    truth.fields.amplitude = [](Vec3d p) { return 4 * p.z; };
    truth.charts.period = 1;
    truth.charts.directions[0] = {{{0, 1.2}, {0.5, 1 / 1.2}}, true};
    Scene made = scene_of(false);
    const MotionTarget target = motion_of(made, made.add(body_of(mesh, truth), firm()), 3);
    Scene scene = scene_of(false);
    const BodyId body = scene.add(body_of(mesh, blank(truth)), firm());
    const MuscleFit fit = fit_muscles(scene, body, target, {}).value();
    MuscleFit turned = fit;  // the other sign of both is the same motion
    if (fit.amplitude({0, 0.1, 0.2}) < 0) {
        for (auto& term : turned.amplitude.terms) term.coefficient *= -1;
        for (Chart& chart : turned.layer.charts.directions)
            for (ChartKey& key : chart.keys) key.value = 1 / key.value;
    }
    const Errors errors = errors_of(turned, truth, mesh);
    MESSAGE("residual " << fit.residual << " in " << fit.rounds << " rounds; charts " << errors.charts << " amplitude "
                        << errors.amplitude << " delay " << errors.delay);
    CHECK(errors.charts < 0.05);
    CHECK(errors.amplitude < 0.05);
    CHECK(errors.delay < 0.05);

    int asked = 0;
    MuscleFitOptions options;
    options.cancelled = [&] { return ++asked > 200; };
    const auto stopped = fit_muscles(scene, body, target, options);
    REQUIRE(stopped);
    CHECK(stopped->cancelled);
    CHECK(stopped->rounds < 4);
}

TEST_CASE("a single shape is a pose that is taken in the middle of every period")
{
    const TetMesh mesh = make_bar({1.5, 0.3, 0.3}, {10, 2, 2}, {-0.75, 0, -0.15});
    // Longer at one end, shorter at the other, thinner and thicker so that the volume stays.
    MotionTarget pose{{0.0}, {{}}};
    for (const Vec3d p : mesh.vertices) {
        const double s = p.x / 0.75, log = 0.15 * s, across = std::exp(-0.5 * log);
        pose.positions[0].push_back(Vec3d{p.x + 0.75 * 0.15 * s * s / 2, across * p.y, across * p.z}.as<float>());
    }
    const auto extent = [](std::span<const Vec3> at) {
        double low = 1e9, high = -1e9;
        for (const Vec3& p : at) low = std::min(low, double(p.x)), high = std::max(high, double(p.x));
        return high - low;
    };
    Scene scene = scene_of(false);
    Truth blank{along_x(), {}, 1};
    blank.charts.period = 2;
    const BodyId body = scene.add(body_of(mesh, blank), firm());
    const MuscleFit fit = fit_muscles(scene, body, pose, {}).value();
    CHECK(fit.residual < 0.1);
    while (scene.time() < 3 - 1e-6) scene.step();
    // Free of where it is and how it is turned: distances between far particles.
    const auto& now = scene.state(body).positions;
    double most = 0, off = 0;
    for (std::size_t i = 0; i < now.size(); i += 7)
        for (std::size_t j = 0; j < i; j += 5) {
            const double wanted = double(length(pose.positions[0][i] - pose.positions[0][j]));
            const double rest = length(mesh.vertices[i] - mesh.vertices[j]);
            most = std::max(most, std::abs(wanted - rest));
            off = std::max(off, std::abs(double(length(now[i] - now[j])) - wanted));
        }
    CHECK(off < 0.15 * most);
    while (scene.time() < 4 - 1e-6) scene.step();
    CHECK(extent(scene.state(body).positions) == doctest::Approx(1.5).epsilon(0.01));
}

TEST_CASE("a fit refuses a target of another body, one shorter than the period and a body without muscles")
{
    const TetMesh mesh = make_bar({1, 0.2, 0.2}, {4, 1, 1});
    Scene scene = scene_of(false);
    Truth still{along_x(), {}, 1};
    BodySpec without;
    without.solid = Matching{.domain = mesh};
    const BodyId body = scene.add(body_of(mesh, still)), plain = scene.add(build(std::move(without)).value());
    MotionTarget target;
    for (int k = 0; k < 30; ++k) {
        target.times.push_back(k / 30.0);
        target.positions.push_back(scene.state(body).positions);
    }
    CHECK(fit_muscles(scene, body, target, {}).error().message().find("less than the period") != std::string::npos);
    MuscleFitOptions shorter;
    shorter.period = 0.5;
    CHECK(fit_muscles(scene, body, target, shorter).error().message().find("does not move") != std::string::npos);
    CHECK(fit_muscles(scene, plain, target, shorter).error().message().find("has no muscles") != std::string::npos);
    target.positions[3].pop_back();
    CHECK(fit_muscles(scene, body, target, shorter).error().message().find("particles") != std::string::npos);
}
