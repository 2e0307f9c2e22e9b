// Impacts too fast for the shapes: momenta, the speed that is left, and who is struck.
#include <doctest/doctest.h>

#include "contact/strikes.h"
#include "contact_bodies.h"

using namespace yawara;
using namespace yawara::contact;
using namespace yawara::test;

namespace {

constexpr double kDt = 1e-4;

/// Two cubes of 0.2 m, 1 mm apart, that go towards each other along x.
struct Impact {
    std::vector<SteppedBody> bodies;
    std::vector<RigidMotion> before, after;
    Strikes strikes;

    Impact(Vec3d offset, double speed, float restitution, float strike_speed)
    {
        const TetMesh cube = make_bar({0.2, 0.2, 0.2}, {3, 3, 3}, {-0.1, -0.1, -0.1});
        bodies.emplace_back(cube, Placement{{}, {-0.1005, 0, 0}});
        bodies.emplace_back(cube, Placement{{}, Vec3d{0.1005, 0, 0} + offset});
        for (SteppedBody& body : bodies) body.settings.restitution = restitution;
        const auto way = float(speed * kDt / 2);
        bodies[0].go(kDt, [&](Vec3 x, std::size_t) { return x + Vec3{way, 0, 0}; });
        bodies[1].go(kDt, [&](Vec3 x, std::size_t) { return x - Vec3{way, 0, 0}; });
        std::vector<ContactBody> views;
        std::vector<SurfaceBoxes> boxes;
        for (SteppedBody& body : bodies) {
            views.push_back(body.view());
            views.back().strike_speed = strike_speed;
            boxes.emplace_back(body.surface);
            before.push_back(rigid_motion(views.back()));
        }
        NearPairs near;
        near.update(views, boxes);
        REQUIRE(near.pairs().size() == 1);
        NearPair& pair = near.pairs()[0];
        find_candidates(views, boxes, pair);
        pair.law = law_of(views[0], views[1], false, kDt);
        find_touches(views[1], views[0], pair.b_on_a, pair.law, pair.touches);
        pair.b_touches = pair.touches.size();
        find_touches(views[0], views[1], pair.a_on_b, pair.law, pair.touches);
        REQUIRE(pair.touches.size() > 3);
        strikes.solve(views, near.pairs(), float(kDt));
        for (const ContactBody& view : views) after.push_back(rigid_motion(view));
    }

    Vec3d momentum(const std::vector<RigidMotion>& motions) const
    {
        return (motions[0].velocity + motions[1].velocity) / motions[0].inverse_mass;
    }
    /// About the origin.
    Vec3d angular_momentum() const
    {
        Vec3d sum;
        for (const SteppedBody& body : bodies)
            for (std::size_t i = 0; i < body.before.size(); ++i)
                sum += cross(body.before[i].as<double>(), body.velocities[i].as<double>());
        return sum;
    }
};

}  // namespace

TEST_CASE("the rigid motion of a body that turns is its turn")
{
    SteppedBody body(make_bar({0.3, 0.2, 0.1}, {3, 2, 2}), {rotation(Vec3d{1, 2, 3}, 0.5), {1, -2, 3}});
    const Vec3 velocity{1, 2, -3}, spin{4, -5, 6}, center = body.before[7];
    for (std::size_t i = 0; i < body.before.size(); ++i)
        body.velocities[i] = velocity + cross(spin, body.before[i] - center);
    const RigidMotion motion = rigid_motion(body.view());
    CHECK(length(motion.spin - spin.as<double>()) < 1e-4);
    CHECK(length(motion.velocity_at(center.as<double>()) - velocity.as<double>()) < 1e-5);
    CHECK(motion.inverse_mass == doctest::Approx(1.0 / double(body.before.size())));
    body.inverse_masses[0] = 0;
    CHECK(rigid_motion(body.view()).inverse_mass == 0);
}

TEST_CASE("two bodies that strike each other keep the speed their shapes can answer, and as much more as they bounce")
{
    for (const double speed : {30.0, 200.0})
        for (const float restitution : {0.0f, 0.5f, 1.0f}) {
            CAPTURE(speed);
            CAPTURE(restitution);
            const Impact impact({}, speed, restitution, 4);
            const double parting = impact.after[1].velocity.x - impact.after[0].velocity.x;
            CHECK(parting == doctest::Approx(double(restitution) * (speed + 4) - 4).epsilon(1e-3));
            CHECK(length(impact.momentum(impact.after) - impact.momentum(impact.before)) < 1e-4 * speed);
            CHECK(impact.strikes.struck(0));
            CHECK(impact.strikes.struck(1));
        }
}

TEST_CASE("a blow beside the middle keeps the angular momentum, unless it would spin a body too fast")
{
    for (const double speed : {12.0, 200.0}) {
        CAPTURE(speed);
        const Impact impact({0, 0.15, 0}, speed, 0, 10);
        const double spin = length(impact.after[0].spin), arm = 64 * speed / 2 * 0.15;  // mass 64, each half the speed
        CHECK(spin > 1);
        CHECK(spin <= 10 / 0.2 * (1 + 1e-3));
        if (speed < 20) CHECK(std::abs(impact.angular_momentum().z - arm) < 1e-4 * arm);
        CHECK(length(impact.momentum(impact.after)) < 1e-4 * speed * 64);
    }
}

TEST_CASE("bodies that meet no faster than their shapes can answer are not struck")
{
    const Impact impact({}, 3.9, 0, 4);
    CHECK(!impact.strikes.struck(0));
    CHECK(impact.after[0].velocity == impact.before[0].velocity);
}
