// A game loop without a picture: a platform that moves, crates and jellies that come and go, a ray that aims, a gate
// that counts, and events that would be sounds. Usage: mini_game [SECONDS]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "yawara/yawara.h"

namespace {

namespace yw = yawara;

constexpr double kFrame = 1.0 / 60;

/// A block about the origin, rigid or soft.
yw::BodyModel make_block(const char* name, double size, bool rigid)
{
    yw::BodySpec spec;
    spec.name = name;
    const yw::Vec3d low{-size / 2, -size / 2, -size / 2};
    if (rigid)
        spec.solid = yw::Rigid{yw::make_bar({size, size, size}, {2, 2, 2}, low)};
    else
        spec.solid = yw::Matching{yw::make_bar({size, size, size}, {4, 4, 4}, low)};
    spec.density = 300;
    return yw::build(std::move(spec)).value();
}

class Game {
public:
    Game() : scene_({.dt = kFrame, .substeps = 5, .sleep = true}), query_(scene_)
    {
        scene_.add(yw::Collider{.shape = yw::Plane{}, .friction = 0.6f});
        platform_ = scene_.add(yw::Collider{.shape = yw::Box{{1.0, 0.1, 0.6}}, .friction = 0.8f});
        // Whatever falls off the platform passes the gate, which stops nothing.
        gate_ = scene_.add(yw::Collider{.shape = yw::Box{{5, 0.05, 5}, {{}, {0, 0.5, 0}}}, .filter = {.sensor = true}});
        // A lamp hangs from the ceiling by a rope, and sways when it is hit.
        lamp_ = scene_.add(make_block("lamp", 0.2, true), {}, {{}, {0, 2.2, 0}});
        scene_.add(yw::Joint{yw::Rope{0.9}, {lamp_, {0, 2.3, 0}}, {std::nullopt, {0, 3.2, 0}}}).value();
    }

    void frame()
    {
        const double time = scene_.time();
        // The program moves the platform; friction carries along what stands on it.
        (void)scene_.move(platform_, {{}, {0.8 * std::sin(time), 1, 0}});
        if (++frames_ % 45 == 1) drop(time);
        scene_.step();
        hear();
        if (frames_ % 30 == 0) aim();
        clear_away();
        draw();
    }

    void tell() const
    {
        std::printf(
            "%.1f s: %zu bodies, %zu triangles, %d dropped, %d hits, hardest %.1f N s, %d through the gate, %d shots, "
            "%d asleep\n",
            scene_.time(), scene_.bodies().size(), triangles_, dropped_, hits_, double(hardest_), through_gate_, shots_,
            asleep_);
    }

private:
    /// Adds a crate or a jelly above the platform.
    void drop(double time)
    {
        const bool rigid = dropped_++ % 2 == 0;
        scene_.add(rigid ? crate_ : jelly_, {.matching = {.alpha = 0.4f}, .contact = {.friction = 0.6f}},
                   {yw::rotation(yw::Vec3d{1, 2, 3}, time), {0.3 * std::sin(7 * time), 2.0, 0.2 * std::cos(5 * time)}});
    }

    /// Events of the frame: sounds and score.
    void hear()
    {
        for (const yw::TouchEvent& touch : scene_.touches()) {
            if (touch.phase != yw::TouchEvent::Phase::began) continue;
            if (touch.sensor) {
                ++through_gate_;
                continue;
            }
            ++hits_;
            hardest_ = std::max(hardest_, touch.impulse);
        }
        for (const yw::SceneEvent& event : scene_.events()) {
            if (event.what == yw::SceneEvent::What::slept) ++asleep_;
            if (event.what == yw::SceneEvent::What::woke) --asleep_;
        }
    }

    /// A ray from the left at the height of the platform's passengers; what it hits is pushed away.
    void aim()
    {
        const auto hit = query_.ray({{-4, 1.3, 0}, {4, 1.3, 0}}, {.obstacles = false});
        if (!hit) return;
        ++shots_;
        for (yw::Vec3& v : scene_.state(hit->body).velocities) v.x += 1.5f;
        scene_.state(hit->body).still = 0;  // it may sleep
    }

    /// What has rested on the ground for long, or is far away, is taken out of the game.
    void clear_away()
    {
        std::vector<yw::BodyId> gone;
        for (const yw::BodyId body : scene_.bodies()) {
            const yw::Vec3 at = scene_.state(body).positions[0];
            const bool away = length(at) > 8, old = scene_.bodies().size() > 12 && at.y < 0.5f;
            if (body != lamp_ && (away || old)) gone.push_back(body);
        }
        for (std::size_t k = 0; k < gone.size(); ++k)
            if (k == 0 || scene_.bodies().size() > 12) (void)scene_.remove(gone[k]);
    }

    /// Where a renderer would fill its buffers: all spans are dense, last_positions give motion vectors.
    void draw()
    {
        triangles_ = 0;
        for (const yw::BodyId body : scene_.bodies()) {
            const yw::Drawing drawing = scene_.drawing(body);
            upload(drawing.positions), upload(drawing.last_positions), upload(drawing.normals);
            upload(drawing.tangents), upload(drawing.uvs), upload(drawing.triangles);
            triangles_ += drawing.triangles.size();
        }
    }
    template <class T>
    static void upload(std::span<const T>)
    {
    }

    yw::Scene scene_;
    yw::SceneQuery query_;
    yw::BodyModel crate_ = make_block("crate", 0.3, true), jelly_ = make_block("jelly", 0.3, false);
    yw::ColliderId platform_, gate_;
    yw::BodyId lamp_;
    int frames_ = 0, dropped_ = 0, hits_ = 0, through_gate_ = 0, shots_ = 0, asleep_ = 0;
    std::size_t triangles_ = 0;
    float hardest_ = 0;
};

}  // namespace

int main(int count, char** arguments)
{
    const double seconds = count > 1 ? std::atof(arguments[1]) : 20;
    Game game;
    for (int k = 0; k < int(seconds / kFrame); ++k) {
        game.frame();
        if (k % 120 == 119) game.tell();
    }
}
