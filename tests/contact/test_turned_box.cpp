// Boxes that turn with bodies, against the particles in them.
#include <doctest/doctest.h>

#include "contact/turned_box.h"
#include "contact_bodies.h"

using namespace yawara;
using namespace yawara::contact;
using namespace yawara::test;

TEST_CASE("turned boxes never deny that two bodies are near, and tell those apart whose upright boxes overlap")
{
    std::mt19937 random(11);
    std::uniform_real_distribution<double> any(-1, 1);
    int near = 0, told_apart = 0, upright = 0;
    for (int k = 0; k < 400; ++k) {
        const auto placed = [&] {
            const Mat3d turn = rotation(Vec3d{any(random), any(random), any(random) + 0.1}, 3 * any(random));
            const Vec3d move{0.25 * any(random), 0.25 * any(random), 0.25 * any(random)};
            return Placement{turn, move};
        };
        SteppedBody a(make_bar({0.3, 0.1, 0.2}, {3, 1, 2}, {-0.15, -0.05, -0.1}), placed());
        SteppedBody b(ball_of_tets(0.1, 3), placed());
        for (Vec3& x : b.positions) x.y *= 1.2f;  // sheared by its turn
        const float apart = 0.05f * float(1 + any(random));
        const std::vector<float> room_a(a.positions.size(), 0.01f), room_b(b.positions.size(), 0.0f);
        const TurnedBox box_a = box_around(a.surface, a.positions, room_a),
                        box_b = box_around(b.surface, b.positions, room_b);
        double closest = 1e300;
        FloatBox of_a{a.positions[0], a.positions[0]}, of_b{b.positions[0], b.positions[0]};
        for (const Vec3& p : a.positions) of_a = {min(of_a.low, p), max(of_a.high, p)};
        for (const Vec3& q : b.positions) of_b = {min(of_b.low, q), max(of_b.high, q)};
        for (const Vec3& p : a.positions)
            for (const Vec3& q : b.positions) closest = std::min(closest, double(length(p - q)));
        const bool meet = box_a.meets(box_b, apart);
        CHECK(meet == box_b.meets(box_a, apart));
        if (closest < double(apart) + 0.01) {
            ++near;
            CHECK(meet);
        }
        if (of_a.meets(of_b, apart + 0.01f)) {
            ++upright;
            told_apart += !meet;
        }
    }
    CHECK(near > 50);
    CHECK(told_apart > upright / 10);
}
