// Davenport's form of the problem: with R(q) quadratic in the quaternion, tr(R^T A) = q^T K q, so the best q is the
// eigenvector of the largest eigenvalue of a symmetric 4x4 matrix. No case distinction for reflections is needed.
#include "yawara/rotation.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace yawara {
namespace {

Eigen::Matrix4d davenport(const Mat3d& A)
{
    const double xx = A.c0.x, xy = A.c1.x, xz = A.c2.x;
    const double yx = A.c0.y, yy = A.c1.y, yz = A.c2.y;
    const double zx = A.c0.z, zy = A.c1.z, zz = A.c2.z;
    Eigen::Matrix4d K;  // order x, y, z, w
    K << xx - yy - zz, xy + yx, xz + zx, zy - yz,  //
        xy + yx, yy - xx - zz, yz + zy, xz - zx,   //
        xz + zx, yz + zy, zz - xx - yy, yx - xy,   //
        zy - yz, xz - zx, yx - xy, xx + yy + zz;
    return K;
}

/// Infinite or NaN if any entry is.
double sum_of_sizes(const Mat3d& A)
{
    double sum = 0;
    for (const Vec3d& c : {A.c0, A.c1, A.c2}) sum += std::abs(c.x) + std::abs(c.y) + std::abs(c.z);
    return sum;
}

}  // namespace

Mat3d rotation_of(Vec3d axis_times_angle)
{
    const double angle = length(axis_times_angle);
    return angle > 0 ? rotation(axis_times_angle / angle, angle) : Mat3d{};
}

Mat3d to_matrix(const Quat& q)
{
    const double x = q.x, y = q.y, z = q.z, w = q.w;
    return {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
            {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
            {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
}

Quat to_quat(const Mat3d& rotation)
{
    return closest_rotation(rotation, {});
}

Quat closest_rotation(const Mat3d& A, const Quat& previous)
{
    const double scale = sum_of_sizes(A);
    if (!(scale > 0) || !std::isfinite(scale)) return previous;

    // Where two eigenvalues are (nearly) equal a little of the previous rotation decides between their eigenvectors.
    constexpr double kAmbiguous = 1e-5;
    const Mat3d scaled = A * (1 / scale);
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> solver(davenport(scaled));
    if (solver.eigenvalues()[3] - solver.eigenvalues()[2] < kAmbiguous)
        solver.compute(davenport(scaled + to_matrix(previous) * kAmbiguous));
    Eigen::Vector4d q = solver.eigenvectors().col(3);
    if (q.dot(Eigen::Vector4d(previous.x, previous.y, previous.z, previous.w)) < 0) q = -q;
    return {q[0], q[1], q[2], q[3]};
}

}  // namespace yawara
