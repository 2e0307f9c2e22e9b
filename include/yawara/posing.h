// Poses by hand: handles that hold and pull parts of a body, brushes that push its shape (Kelvinlets), samples of a shape
// that was caught, shapes between rest and a pose, and mirror images.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "yawara/core.h"
#include "yawara/domain.h"
#include "yawara/math.h"

namespace yawara {

/// What lies within `radius` of a line from `at` to `to` (of a point, if they are one) is moved as if it were rigid:
/// turned about the middle of the line, then moved. With a radius of 0, or where nothing lies so near: the nearest particle.
struct PoseHandle {
    Vec3d at, to;
    double radius = 0;  ///< m
    Vec3d move;         ///< m
    Vec3d turn;         ///< an axis times an angle, rad; may be more than a turn
    friend bool operator==(const PoseHandle&, const PoseHandle&) = default;
};

/// Who is held by each handle, by particles; a particle belongs to the first handle that has it.
std::vector<std::vector<std::int32_t>> held_by(std::span<const PoseHandle> handles, std::span<const Vec3d> points);

/// Moves bodies of one shape by handles at the same places: the rest follows as rigidly as it can, so that details keep
/// their form. The shape is led there in small parts of all moves and turns, so that it depends on the handles alone.
class Poser {
public:
    /// `points`: the shape that is posed, one per particle. Refused: no handles.
    static Result<Poser> make(const Domain& domain, std::span<const Vec3d> points, std::vector<PoseHandle> handles);
    /// `handles`: as they were given, with other moves and turns.
    std::vector<Vec3d> pose(std::span<const PoseHandle> handles) const;
    /// The same for a hand that drags: pose() goes a few rounds on from where it went last, so it is only near the pose,
    /// and many times as quick. Copies share where they are; not for several threads at once.
    Poser dragged() const;

private:
    struct Data;
    struct Drag;
    explicit Poser(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
    std::shared_ptr<const Data> data_;
    std::shared_ptr<Drag> drag_;
};

/// One touch of a brush: the displacement of an elastic solid without bounds under a load that is spread around `at`,
/// regularized Kelvinlets (de Goes and James 2017). Large ones go in small parts, so that the shape never folds.
struct PoseTouch {
    enum class Brush {
        grab,   ///< moves what is at `at` by `by`, m: without change of volume, fading with the cube of the distance
        twist,  ///< turns it about the direction of `by`, by its length, rad
        bulge,  ///< grows it there by exp(amount); below 0 it shrinks
        pinch   ///< draws it together along `by`, a direction, by exp(-amount), and out across it
    };
    Brush brush = Brush::grab;
    Vec3d at;
    double radius = 0.1;  ///< m, of the load
    Vec3d by;
    double amount = 0;
};
/// One touch after the other, each on what those before it left. Refused: a radius that is not above 0.
Result<std::vector<Vec3d>> touched(std::vector<Vec3d> points, std::span<const PoseTouch> touches);
/// Displacement per unit of a load that is so small that nothing moves away from it: what `touched` follows.
Vec3d kelvinlet(const PoseTouch& touch, Vec3d point);

/// A shape by some places of the rest shape and where they are in it; means the same to any mesh of that body.
struct PoseSamples {
    std::vector<Vec3d> at, to;
};
/// As few places as tell where all points are within `tolerance` of their size, `most` at the most.
PoseSamples pose_samples(std::span<const Vec3d> rest, std::span<const Vec3d> pose, double tolerance = 2e-3,
                         std::size_t most = 400);
/// Other points of the same body in the same shape. Refused: no samples, or other counts.
Result<std::vector<Vec3d>> sampled_pose(const PoseSamples& samples, std::span<const Vec3d> points);

/// The shape that is stretched as the pose is, `weight` times as far: 0 is the rest shape, 1 the pose.
std::vector<Vec3d> blended_pose(const Domain& domain, std::span<const Vec3d> pose, double weight);

/// Points with one axis (0, 1, 2) counted the other way about the middle of `box`.
std::vector<Vec3d> mirrored(std::vector<Vec3d> points, int axis, const Box3& box);

/// The pose moved and turned to lie best on the rest shape.
std::vector<Vec3d> laid_on(std::span<const Vec3d> rest, std::vector<Vec3d> pose);

}  // namespace yawara
