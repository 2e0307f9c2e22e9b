// Hands in a scene: patches of bodies that are pulled, and a ball that pushes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "stream/stage.h"
#include "yawara/scene.h"

namespace yawara::stream {

/// Some particles around one, and how firmly each is held: 1 in the middle, smoothly to 0 at the rim, by their rest
/// positions. Those held about equally are together.
struct Patch {
    struct Ring {
        std::vector<std::int32_t> particles;
        float weight = 1;
    };
    std::vector<Ring> rings;
};
/// `radius` in m; 0: three tenths of the body's largest extent. At least the neighbours of the middle are held.
Patch patch_around(const BodyModel& model, std::int32_t middle, double radius);

/// Pulls a patch by springs that together let the whole body swing on the hand at 5 Hz. Each particle is pulled the
/// same way, so that the patch may turn and bend, and no single one is torn out of the surface. Where an edge of the
/// body comes close to twice its length the hand waits until the rest of the body follows.
class HandPull {
public:
    /// `edges`: of the body's particles.
    HandPull(const BodyModel& model, Patch patch, std::shared_ptr<const Edges> edges);

    /// The grips for a step in which the point in the middle, now at `held`, is wanted at `target`.
    void place(Vec3 held, Vec3 target, const BodyState& state, std::vector<Grip>& grips);
    /// Before each step of `dt` s: looks how far the body is stretched, and keeps what is held from swinging for long.
    void calm(double dt, BodyState& state);

private:
    float largest_stretch(float dt, const BodyState& state) const;

    Patch patch_;
    std::shared_ptr<const Edges> edges_;
    std::vector<float> rest_lengths_;  ///< m, of the edges that are watched
    std::size_t stride_;               ///< of many edges, every which one is watched
    std::vector<Grip> grips_;          ///< one per ring
    float longest_pull_;               ///< m: a hand that is farther away pulls no harder
    float ease_ = 1;                   ///< share of the pull that the body can follow
};

/// An obstacle that is moved by hand: it goes to where it is wanted no faster than bodies can make way.
class MovingBall {
public:
    /// Puts it there at once.
    MovingBall(Scene& scene, const Sphere& ball);
    void remove(Scene& scene) { (void)scene.remove(id_); }
    void want(const Sphere& ball) { wanted_ = ball; }
    const Sphere& wanted() const { return wanted_; }

    /// Before each frame.
    void advance(Scene& scene);

private:
    Collider collider() const;

    Sphere at_, wanted_;
    double larger_ = 0;  ///< m, by which what particles meet is larger, so that no triangle between them cuts the ball
    ColliderId id_;
};

}  // namespace yawara::stream
