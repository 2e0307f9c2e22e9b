// Shapes by a few of their places mean the same to every mesh of the body.
#include <doctest/doctest.h>

#include <numbers>

#include "yawara/deform.h"
#include "yawara/mesh.h"
#include "yawara/posing.h"

using namespace yawara;

namespace {

double farthest(std::span<const Vec3d> a, std::span<const Vec3d> b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, length(a[i] - b[i]));
    return most;
}

const std::vector<Deformer> kTwist{Twist{1, std::numbers::pi / 2, {}}, Stretch{1, 0.8, false, {}}};

}  // namespace

TEST_CASE("a few samples tell a twist, for the mesh they were taken from and for a finer one")
{
    const TetMesh coarse = make_bar({0.4, 1.6, 0.4}, {4, 16, 4}), fine = make_bar({0.4, 1.6, 0.4}, {7, 23, 7});
    const PoseSamples samples = pose_samples(coarse.vertices, deformed(coarse.vertices, kTwist));
    CHECK(samples.at.size() < coarse.vertices.size());
    CHECK(samples.at.size() <= 400);
    const double size = length(Vec3d{0.4, 1.6, 0.4});
    CHECK(farthest(sampled_pose(samples, coarse.vertices).value(), deformed(coarse.vertices, kTwist)) < 3e-3 * size);
    CHECK(farthest(sampled_pose(samples, fine.vertices).value(), deformed(fine.vertices, kTwist)) < 5e-3 * size);
}

TEST_CASE("samples of an affine shape tell it everywhere, and few of them do")
{
    const TetMesh bar = make_bar({0.4, 1.6, 0.4}, {4, 10, 4});
    std::vector<Vec3d> pose, other, wanted;
    const auto map = [](Vec3d p) { return Vec3d{1.2 * p.x + 0.3 * p.y, 0.8 * p.y - 0.1 * p.z, p.z + 0.2 * p.x}; };
    for (const Vec3d& p : bar.vertices) pose.push_back(map(p));
    const PoseSamples samples = pose_samples(bar.vertices, pose);
    CHECK(samples.at.size() <= 25);
    for (const Vec3d p : {Vec3d{0.1, 0.77, -0.03}, Vec3d{-0.19, -0.2, 0.11}}) other.push_back(p), wanted.push_back(map(p));
    CHECK(farthest(sampled_pose(samples, other).value(), wanted) < 1e-6);
}

TEST_CASE("samples that do not match are refused")
{
    const std::vector<Vec3d> points{{0, 0, 0}};
    CHECK(!sampled_pose({}, points));
    CHECK(!sampled_pose({{{0, 0, 0}, {1, 0, 0}}, {{0, 0, 0}}}, points));
}
