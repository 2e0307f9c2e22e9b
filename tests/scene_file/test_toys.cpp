// The creatures and toys of the gallery that are volume models do what their descriptions say, and none needs repair.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <vector>

#include "gallery.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// A scene of the gallery that is watched: bodies by number, particles by where they are at rest.
struct Toy {
    LoadedScene loaded;
    int repaired = 0;

    explicit Toy(const nlohmann::json& scene) : loaded(load(scene)) {}

    BodyId body(std::size_t number) { return loaded.scene().bodies()[number]; }
    const std::vector<Vec3>& positions(std::size_t number) { return loaded.scene().state(body(number)).positions; }

    Vec3d center(std::size_t number)
    {
        const auto masses = loaded.scene().model(body(number)).masses();
        Vec3d sum;
        double mass = 0;
        for (std::size_t i = 0; i < masses.size(); ++i) {
            sum += positions(number)[i].as<double>() * masses[i];
            mass += masses[i];
        }
        return sum / mass;
    }

    /// The particle for which a number of its place at rest is largest.
    std::size_t most(std::size_t number, const std::function<double(Vec3d)>& of)
    {
        const auto rest = loaded.scene().model(body(number)).rest_positions();
        std::size_t best = 0;
        for (std::size_t i = 0; i < rest.size(); ++i)
            if (of(rest[i]) > of(rest[best])) best = i;
        return best;
    }

    void run(int frames, const std::function<void()>& look = {})
    {
        for (int k = 0; k < frames; ++k) {
            for (const StepReport& report : loaded.step()) repaired += report.repaired_particles;
            if (look) look();
        }
    }
};

}  // namespace

TEST_CASE("the clownfish swims against the stream about as fast as that carries it, and faster than its length without")
{
    nlohmann::json still = gallery("fish");
    still["medium"].erase("current");
    for (const auto& [scene, least, most] : {std::tuple{gallery("fish"), -0.6, 0.6}, {still, 1.2, 4.0}}) {
        Toy fish(scene);
        fish.run(60);
        const double from = fish.center(0).x;
        fish.run(240);
        CHECK(fish.center(0).x - from > least);
        CHECK(fish.center(0).x - from < most);
        CHECK(fish.repaired == 0);
    }
}

TEST_CASE("the caterpillar with feet walks, head first")
{
    Toy caterpillar(gallery("caterpillar_face"));
    caterpillar.run(60);
    const double from = caterpillar.center(0).x;
    caterpillar.run(192);  // two periods
    CHECK(caterpillar.center(0).x - from > 0.3);
    CHECK(caterpillar.repaired == 0);
}

TEST_CASE("the octopus lifts its arms, and sits where it is")
{
    Toy octopus(gallery("octopus"));
    const Vec3d from = octopus.center(0);
    const std::size_t tip = octopus.most(0, [](Vec3d p) {  // of the arm at 22.5 degrees
        return 0.924 * p.x + 0.383 * p.z - 5 * std::abs(0.383 * p.x - 0.924 * p.z);
    });
    float highest = 0;
    octopus.run(190, [&] { highest = std::max(highest, octopus.positions(0)[tip].y); });
    CHECK(highest > 0.5);  // it lies at 0.12
    CHECK(length(octopus.center(0) - from) < 0.3);
    CHECK(octopus.repaired == 0);
}

TEST_CASE("the elephant rolls its trunk up by half of its length, and lets it down again")
{
    Toy elephant(gallery("elephant_trunk"));
    const std::size_t tip = elephant.most(0, [](Vec3d p) { return -p.y; });
    float highest = -10, lowest = 10;
    elephant.run(240, [&] {
        highest = std::max(highest, elephant.positions(0)[tip].y);
        lowest = std::min(lowest, elephant.positions(0)[tip].y);
    });
    CHECK(highest - lowest > 0.9);
    CHECK(lowest < -1.4);
    CHECK(elephant.repaired == 0);
}

TEST_CASE("the sea nettle holds its own in the stream, and its arms stay on")
{
    Toy nettle(gallery("sea_nettle"));
    const Vec3d bell = nettle.center(0), arms = nettle.center(1);
    nettle.run(150);
    CHECK(length(nettle.center(0) - bell) < 0.6);
    CHECK(std::abs(length(nettle.center(1) - nettle.center(0)) - length(arms - bell)) < 0.4);
    CHECK(nettle.repaired == 0);
}

TEST_CASE("the plush bear bounces higher than the rim it was dropped on, twice, and stays on the trampoline")
{
    Toy bear(gallery("plush_bear"));
    double lowest = 10, highest = 0, before = bear.center(0).y;
    int turns = 0;
    bool rises = false;
    bear.run(200, [&] {
        const double y = bear.center(0).y;
        lowest = std::min(lowest, y);
        if (rises && y < before && y > 1.1) ++turns;
        rises = y > before;
        before = y;
        if (lowest < 1) highest = std::max(highest, y);
    });
    CHECK(lowest < 0.9);
    CHECK(highest > 1.5);
    CHECK(turns >= 2);
    CHECK(std::hypot(bear.center(0).x, bear.center(0).z) < 1.2);
    CHECK(bear.repaired == 0);
}

TEST_CASE("the jelly gives way to the spoon, and comes back to the middle of its plate")
{
    Toy jelly(gallery("jelly_on_a_plate"));
    jelly.run(30);
    const Vec3d from = jelly.center(0);
    double farthest = 0;
    jelly.run(110, [&] { farthest = std::min(farthest, jelly.center(0).x - from.x); });
    CHECK(farthest < -0.04);
    CHECK(length(jelly.center(0) - from) < 0.15);
    CHECK(jelly.repaired == 0);
}

TEST_CASE("the hand squeezes the ball, which is round again afterwards")
{
    Toy hand(gallery("stress_ball"));
    const auto width = [&] {
        const auto [low, high] = std::ranges::minmax(hand.positions(1), {}, &Vec3::x);
        return high.x - low.x;
    };
    const float round = width();
    float least = round;
    hand.run(80, [&] { least = std::min(least, width()); });
    CHECK(least < 0.9f * round);
    hand.run(55);  // open again
    CHECK(width() == doctest::Approx(round).epsilon(0.06));
    CHECK(hand.repaired == 0);
}

TEST_CASE("a steak hangs down across its grain, and sticks out along it")
{
    Toy steaks(gallery("steaks"));
    const std::size_t end = steaks.most(0, [](Vec3d p) { return p.x; });
    const float from = steaks.positions(0)[end].y;
    steaks.run(180);
    const float along = from - steaks.positions(0)[end].y, across = from - steaks.positions(1)[end].y;
    CHECK(along < 0.6f);
    CHECK(across > 2 * along);
    CHECK(steaks.repaired == 0);
}
