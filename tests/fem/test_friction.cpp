// Friction of finite-element bodies on obstacles: it holds, it slides as Coulomb says, and what it does to a blow
// depends neither on the sub-steps nor, beyond the tolerance, on the front.
#include <doctest/doctest.h>

#include <numbers>

#include "fem_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

constexpr double kGravity = 9.8;

/// How far a block of jelly on a slope of 20 degrees slides along it from 1.5 s on, m, and its speed then, m/s.
struct Slide {
    double way, speed;
};
Slide slide(float friction, double seconds)
{
    const double slope = 20 * std::numbers::pi / 180;
    const BodyModel model = build_fem_model(fem_of(make_bar({0.4, 0.2, 0.4}, {4, 2, 4}, {-0.2, 0, -0.2}), 0,
                                                   {isotropic(1e5, 0.3).value(), isotropic(500, 0.3).value(), 1000}));
    Scene scene({.dt = 1.0 / 60, .substeps = 1});
    scene.settings().gravity = Vec3d{kGravity * std::sin(slope), -kGravity * std::cos(slope), 0}.as<float>();
    scene.add(Collider{.friction = friction});
    const BodyId body = scene.add(model);
    const auto run = [&](double time) {
        for (int frame = 0; frame < int(time * 60); ++frame) scene.step();
        return center(model, scene.state(body)).x;
    };
    const double first = run(1.5);
    double mass = 0;
    for (const double m : model.masses()) mass += m;
    const double speed = momentum(model, scene.state(body)).x / mass;
    return {run(seconds) - first, speed};
}

/// The tet of the gallery in 66 frames: it lands on a tip at 3.4 m/s, is thrown up with a spin, and lands again.
std::vector<BodyState> bounce(const BodyModel& model, const FemSettings& fem)
{
    Scene scene({.dt = 1.0 / 60, .substeps = 1});
    scene.add(Collider{.friction = 0.4f, .restitution = 0.8f});
    BodySettings settings;
    settings.fem = fem;
    const Mat3d turn = rotation(normalized(Vec3d{0.9, 0.2, 0.4}), 75 * std::numbers::pi / 180);
    const BodyId body = scene.add(model, settings, {.turn = turn, .move = {0, 1.1, 0}});
    std::vector<BodyState> frames;
    for (int frame = 0; frame < 66; ++frame) {
        scene.step();
        frames.push_back(scene.state(body));
    }
    return frames;
}

double tilt_degrees(const BodyModel& model, const BodyState& a, const BodyState& b)
{
    const Vec3d from = center(model, a), to = center(model, b);
    Mat3d moment = Mat3d::zero();
    for (std::size_t i = 0; i < model.masses().size(); ++i)
        moment = moment + outer(b.positions[i].as<double>() - to, a.positions[i].as<double>() - from);
    const Quat turn = closest_rotation(moment, {});
    const double sine = std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    return 2 * std::atan2(sine, std::abs(turn.w)) * 180 / std::numbers::pi;
}

double largest_tilt(const BodyModel& model, const std::vector<BodyState>& a, const std::vector<BodyState>& b)
{
    double largest = 0;
    for (std::size_t frame = 0; frame < a.size(); ++frame)
        largest = std::max(largest, tilt_degrees(model, a[frame], b[frame]));
    return largest;
}

BodyModel gallery_tet()
{
    TetMesh mesh = unit_tet();
    const Vec3d middle = (mesh.vertices[0] + mesh.vertices[1] + mesh.vertices[2] + mesh.vertices[3]) / 4;
    for (Vec3d& p : mesh.vertices) p -= middle;
    return build_fem_model(fem_of(mesh, 3));
}

}  // namespace

TEST_CASE("a block on a slope that friction can hold stays where it is, and does not creep")
{
    CHECK(std::abs(slide(0.5f, 3).way) < 1e-5);
}

TEST_CASE("a block on a slope that friction cannot hold slides down as Coulomb says")
{
    const double slope = 20 * std::numbers::pi / 180, time = 1;
    const Slide slid = slide(0.2f, time);
    const double expected = kGravity * (std::sin(slope) - 0.2 * std::cos(slope));
    CHECK(2 * (slid.way - slid.speed * time) / (time * time) == doctest::Approx(expected).epsilon(0.02));
}

TEST_CASE("the spin that friction gives to a bouncing body hardly depends on the sub-steps")
{
    const BodyModel model = gallery_tet();
    FemSettings fem;
    fem.refinement = Refinement::full;
    const std::vector<BodyState> longer = bounce(model, fem);
    fem.safety /= 2;
    const double tilt = largest_tilt(model, longer, bounce(model, fem));
    MESSAGE("largest tilt between two lengths of sub-steps: ", tilt, " degrees");
    CHECK(tilt < 0.5);
}

TEST_CASE("the tilt of an adaptive body against the full one stays within two degrees over two bounces")
{
    const BodyModel model = gallery_tet();
    FemSettings full;
    full.refinement = Refinement::full;
    const std::vector<BodyState> reference = bounce(model, full);
    FemSettings adaptive;
    adaptive.tolerance = 5e-4;
    const double tilt = largest_tilt(model, bounce(model, adaptive), reference);
    adaptive.tolerance = 2e-3;
    const double coarser = largest_tilt(model, bounce(model, adaptive), reference);
    MESSAGE("largest tilt: ", tilt, " degrees, ", coarser, " at four times the tolerance");
    CHECK(tilt < 2);
    CHECK(coarser > tilt);
}
