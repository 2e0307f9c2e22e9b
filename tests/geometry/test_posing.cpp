// Poses by hand: handles are met and what is free follows rigidly; brushes are what their equations say; blends begin at
// rest and end in the pose.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "yawara/deform.h"
#include "yawara/mesh.h"
#include "yawara/posing.h"
#include "yawara/rotation.h"

using namespace yawara;

namespace {

/// About the origin.
TetMesh centered_bar(Vec3d size, Int3 cells)
{
    TetMesh bar = make_bar(size, cells);
    const Vec3d middle = bounds(bar.vertices).center();
    for (Vec3d& p : bar.vertices) p -= middle;
    return bar;
}

double farthest(std::span<const Vec3d> a, std::span<const Vec3d> b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, length(a[i] - b[i]));
    return most;
}

double tet_volume(std::span<const Vec3d> x, const TetMesh& mesh, bool* all_positive = nullptr)
{
    double sum = 0;
    for (const Int4& t : mesh.tets) {
        const auto at = [&](std::size_t k) { return x[std::size_t(t[k])]; };
        const double volume = dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)) / 6;
        if (all_positive && volume <= 0) *all_positive = false;
        sum += volume;
    }
    return sum;
}

/// Central differences of the displacement of a brush.
Mat3d slope(const PoseTouch& touch, Vec3d p)
{
    constexpr double kStep = 1e-5;
    Mat3d out;
    for (int k = 0; k < 3; ++k) {
        Vec3d d;
        d[k] = kStep;
        (k == 0 ? out.c0 : k == 1 ? out.c1 : out.c2) = (kelvinlet(touch, p + d) - kelvinlet(touch, p - d)) / (2 * kStep);
    }
    return out;
}

double divergence(const PoseTouch& touch, Vec3d p)
{
    const Mat3d s = slope(touch, p);
    return s.c0.x + s.c1.y + s.c2.z;
}

/// How a brush fades: minus the exponent of the distance, between 20 and 40 radii.
double fading(const PoseTouch& touch)
{
    const Vec3d way = Vec3d{0.6, 0.3, -0.74} * (20 * touch.radius);
    return std::log2(length(kelvinlet(touch, touch.at + way)) / length(kelvinlet(touch, touch.at + way * 2)));
}

const PoseTouch kGrab{PoseTouch::Brush::grab, {0.1, 0.2, -0.1}, 0.3, {0.01, -0.02, 0.005}, 0};
const PoseTouch kTwist{PoseTouch::Brush::twist, {0.1, 0.2, -0.1}, 0.3, {0.1, 0.2, -0.3}, 0};
const PoseTouch kBulge{PoseTouch::Brush::bulge, {0.1, 0.2, -0.1}, 0.3, {}, 0.01};
const PoseTouch kPinch{PoseTouch::Brush::pinch, {0.1, 0.2, -0.1}, 0.3, {0, 1, 0}, 0.01};

}  // namespace

TEST_CASE("handles are met, and what lies between stays whole")
{
    const TetMesh bar = centered_bar({0.3, 1.2, 0.3}, {3, 12, 3});
    const PoseHandle foot{{0, -0.6, 0}, {0, -0.6, 0}, 0.25, {}, {}};
    const PoseHandle head{{0, 0.6, 0}, {0, 0.6, 0}, 0.25, {0.4, -0.2, 0.1}, {0, 0, -1.2}};
    const std::vector<PoseHandle> handles{foot, head};
    const std::vector<Vec3d> pose = Poser::make(bar, bar.vertices, handles)->pose(handles);
    const auto held = held_by(handles, bar.vertices);
    REQUIRE(held[0].size() >= 4);
    REQUIRE(held[1].size() >= 4);
    for (const std::int32_t i : held[0]) CHECK(length(pose[std::size_t(i)] - bar.vertices[std::size_t(i)]) < 1e-4);
    const Mat3d turn = rotation_of(head.turn);
    for (const std::int32_t i : held[1]) {
        const Vec3d wanted = turn * (bar.vertices[std::size_t(i)] - head.at) + head.at + head.move;
        CHECK(length(pose[std::size_t(i)] - wanted) < 1e-4);
    }
    bool whole = true;
    const double volume = tet_volume(pose, bar, &whole);
    CHECK(whole);
    CHECK(volume == doctest::Approx(tet_volume(bar.vertices, bar)).epsilon(0.1));
}

TEST_CASE("handles that move as one move the body as one, by more than half a turn too")
{
    const TetMesh bar = centered_bar({0.3, 1.2, 0.3}, {2, 8, 2});
    for (const double angle : {0.4, 2.0, 4.0}) {
        const Vec3d axis = Vec3d{1, 2, -0.5} / length(Vec3d{1, 2, -0.5}) * angle;
        const Mat3d turn = rotation_of(axis);
        const Vec3d move{0.5, -1, 2};
        std::vector<PoseHandle> handles;
        for (const Vec3d at : {Vec3d{0, -0.6, 0}, Vec3d{0, 0.6, 0}}) {
            handles.push_back({at, at, 0.25, turn * at + move - at, axis});
        }
        const std::vector<Vec3d> pose = Poser::make(bar, bar.vertices, handles)->pose(handles);
        std::vector<Vec3d> wanted;
        for (const Vec3d& p : bar.vertices) wanted.push_back(turn * p + move);
        CHECK(farthest(pose, wanted) < 1e-3);
    }
}

TEST_CASE("a turn of a handle by 200 degrees winds the bar up, the longer way round")
{
    const TetMesh bar = centered_bar({0.3, 1.2, 0.3}, {2, 10, 2});
    const double angle = 200 * std::numbers::pi / 180;
    std::vector<PoseHandle> handles{{{0, -0.6, 0}, {0, -0.6, 0}, 0.22, {}, {}},
                                    {{0, 0.6, 0}, {0, 0.6, 0}, 0.22, {}, {0, angle, 0}}};
    const std::vector<Vec3d> pose = Poser::make(bar, bar.vertices, handles)->pose(handles);
    // Half-way up it has turned by half: by 100 degrees, not by -80.
    for (std::size_t i = 0; i < pose.size(); ++i) {
        const Vec3d p = bar.vertices[i];
        if (std::abs(p.y) > 1e-9 || length(Vec3d{p.x, 0, p.z}) < 0.1) continue;
        const double turned = std::atan2(p.z * pose[i].x - p.x * pose[i].z, p.x * pose[i].x + p.z * pose[i].z);
        CHECK(turned * 180 / std::numbers::pi == doctest::Approx(100).epsilon(0.05));
    }
}

TEST_CASE("a handle that finds nothing left is refused")
{
    const TetMesh bar = centered_bar({0.3, 1.2, 0.3}, {2, 4, 2});
    const PoseHandle all{{}, {}, 10, {}, {}};
    const auto poser = Poser::make(bar, bar.vertices, {all, all});
    REQUIRE(!poser);
    CHECK(poser.error().where == "handles[1]");
    CHECK(!Poser::make(bar, bar.vertices, {}));
}

TEST_CASE("brushes do at their own place what they say")
{
    CHECK(length(kelvinlet(kGrab, kGrab.at) - kGrab.by) < 1e-12);
    const Mat3d twist = slope(kTwist, kTwist.at), bulge = slope(kBulge, kBulge.at), pinch = slope(kPinch, kPinch.at);
    CHECK(length(twist.c0 - cross(kTwist.by, Vec3d{1, 0, 0})) < 1e-7);
    CHECK(length(twist.c1 - cross(kTwist.by, Vec3d{0, 1, 0})) < 1e-7);
    CHECK(length(bulge.c2 - Vec3d{0, 0, kBulge.amount}) < 1e-7);
    CHECK(length(pinch.c1 - Vec3d{0, -kPinch.amount, 0}) < 1e-7);
    CHECK(length(pinch.c0 - Vec3d{kPinch.amount / 2, 0, 0}) < 1e-7);
}

TEST_CASE("brushes keep the volume everywhere, but for the bulge, and fade as their equations say")
{
    for (const Vec3d p : {Vec3d{0.15, 0.25, 0}, Vec3d{-0.4, 0.1, 0.3}, Vec3d{1, -1, 0.5}})
        for (const PoseTouch& touch : {kGrab, kTwist, kPinch}) {
            const Mat3d s = slope(touch, p);
            CHECK(std::abs(divergence(touch, p)) < 1e-6 * (length(s.c0) + length(s.c1) + length(s.c2)) + 1e-10);
        }
    CHECK(divergence(kBulge, kBulge.at) == doctest::Approx(3 * kBulge.amount).epsilon(1e-4));
    CHECK(fading(kGrab) == doctest::Approx(3).epsilon(0.02));
    CHECK(fading(kTwist) == doctest::Approx(2).epsilon(0.02));
    CHECK(fading(kBulge) == doctest::Approx(2).epsilon(0.02));
    CHECK(fading(kPinch) == doctest::Approx(2).epsilon(0.02));
}

TEST_CASE("twist and pinch are derivatives of a load at a point")
{
    // Two opposed forces a little apart are a couple: a difference of Kelvinlets, here those of the force itself. Its
    // antisymmetric part is a twist, whose displacement is the curl of that of the force (de Goes and James, eq. 14).
    const double e = kTwist.radius;
    const auto by_force = [&](Vec3d r, Vec3d f) {
        const double re = std::sqrt(dot(r, r) + e * e);
        return f * (0.5 / re + e * e / (2 * re * re * re)) + r * (0.5 * dot(r, f) / (re * re * re));
    };
    const Vec3d p{0.5, -0.2, 0.25}, r = p - kTwist.at;
    const double step = 1e-5;
    Vec3d couple;  // sum over axes of the difference of forces (by x axis)
    for (int k = 0; k < 3; ++k) {
        Vec3d d;
        d[k] = step;
        const Vec3d f = cross(kTwist.by, d / step);
        couple += (by_force(r + d, f) - by_force(r - d, f)) / (2 * step);
    }
    const Vec3d u = kelvinlet(kTwist, p);
    // The same direction, with a factor that is the same everywhere.
    CHECK(length(cross(u, couple)) < 1e-6 * length(u) * length(couple));
}

TEST_CASE("large touches fold nothing, and a twist and its opposite cancel")
{
    // Volumes of small cubes around many places: positive, however strong the shear.
    const std::vector<Vec3d> places = centered_bar({0.6, 1.2, 0.6}, {7, 13, 7}).vertices;
    for (const PoseTouch& touch : {PoseTouch{PoseTouch::Brush::grab, {0.3, 0, 0}, 0.2, {0.8, 0.3, 0}, 0},
                                  PoseTouch{PoseTouch::Brush::twist, {0, 0.3, 0}, 0.3, {0, 3, 0}, 0},
                                  PoseTouch{PoseTouch::Brush::bulge, {0, 0, 0}, 0.2, {}, 1},
                                  PoseTouch{PoseTouch::Brush::pinch, {0, 0, 0}, 0.3, {1, 0, 0}, 1}}) {
        const std::vector<PoseTouch> touches{touch};
        const std::vector<Vec3d> pose = touched(places, touches).value();
        CHECK(farthest(pose, places) > 0.05);
        constexpr double kStep = 1e-4;
        std::vector<Vec3d> sides[3] = {pose, pose, pose};
        for (int k = 0; k < 3; ++k) {
            std::vector<Vec3d> beside = places;
            for (Vec3d& p : beside) p[k] += kStep;
            beside = touched(beside, touches).value();
            for (std::size_t i = 0; i < pose.size(); ++i) sides[k][i] = (beside[i] - pose[i]) / kStep;
        }
        for (std::size_t i = 0; i < pose.size(); ++i) {
            const double volume = dot(cross(sides[0][i], sides[1][i]), sides[2][i]);
            CHECK(volume > 0);
            if (touch.brush != PoseTouch::Brush::bulge) CHECK(volume == doctest::Approx(1).epsilon(0.02));
        }
    }
    const PoseTouch there{PoseTouch::Brush::twist, {0, 0.3, 0}, 0.3, {0, 1, 0}, 0};
    PoseTouch back = there;
    back.by = there.by * -1.0;
    CHECK(farthest(touched(places, std::vector{there, back}).value(), places) < 1e-3);
    CHECK(!touched(places, std::vector{PoseTouch{PoseTouch::Brush::grab, {}, 0, {1, 0, 0}, 0}}));
}

TEST_CASE("blends begin at rest, end in the pose, and a half twist is half as far")
{
    const TetMesh bar = centered_bar({0.3, 1.2, 0.3}, {2, 10, 2});
    const double angle = 1.5;
    const std::vector<Vec3d> pose = deformed(bar.vertices, std::vector<Deformer>{Twist{1, angle, {}}});
    CHECK(farthest(blended_pose(bar, pose, 1), pose) == 0);
    CHECK(farthest(laid_on(bar.vertices, blended_pose(bar, pose, 0)), bar.vertices) < 1e-6);
    const std::vector<Vec3d> half = laid_on(bar.vertices, blended_pose(bar, pose, 0.5));
    const std::vector<Vec3d> wanted =
        laid_on(bar.vertices, deformed(bar.vertices, std::vector<Deformer>{Twist{1, angle / 2, {}}}));
    // A twist grows with the root of its stretch: the blend is between half and full.
    const double off = farthest(half, bar.vertices), halfway = farthest(wanted, bar.vertices),
                 full = farthest(laid_on(bar.vertices, pose), bar.vertices);
    CHECK(off > 0.8 * halfway);
    CHECK(off < full);
}

TEST_CASE("a mirror image of a mirror image is the shape itself, and lying on it leaves a shape alone")
{
    const TetMesh bar = centered_bar({0.3, 1.2, 0.4}, {2, 4, 3});
    const Box3 box = bounds(bar.vertices);
    for (int axis = 0; axis < 3; ++axis)
        CHECK(farthest(mirrored(mirrored(bar.vertices, axis, box), axis, box), bar.vertices) < 1e-12);
    std::vector<Vec3d> moved;
    for (const Vec3d& p : bar.vertices) moved.push_back(rotation_of({0.3, 1, -2}) * p + Vec3d{1, 2, 3});
    CHECK(farthest(laid_on(bar.vertices, moved), bar.vertices) < 1e-9);
}
