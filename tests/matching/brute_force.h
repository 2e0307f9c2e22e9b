// The matching pass written once more from the equations, in double, one region after the other with an SVD.
#pragma once

#include <Eigen/Dense>
#include <set>
#include <vector>

#include "yawara/mesh.h"
#include "yawara/stretch.h"

namespace brute {

using Eigen::Matrix3d;
using Eigen::Vector3d;

inline Vector3d eigen(yawara::Vec3d v)
{
    return {v.x, v.y, v.z};
}

inline std::vector<std::set<int>> rings(const yawara::TetMesh& mesh)
{
    std::vector<std::set<int>> out(mesh.vertices.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i].insert(int(i));
    for (const yawara::Int4& tet : mesh.tets)
        for (const int a : tet)
            for (const int b : tet) out[std::size_t(a)].insert(b);
    return out;
}

inline Matrix3d signed_polar_rotation(const Matrix3d& A)
{
    const Eigen::JacobiSVD<Matrix3d> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Matrix3d flip = Matrix3d::Identity();
    flip(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
    return svd.matrixU() * flip * svd.matrixV().transpose();
}

/// Goals of all particles; `stretch` per region or empty.
inline std::vector<Vector3d> goals(const std::vector<std::set<int>>& regions, const std::vector<Vector3d>& rest,
                                   const std::vector<double>& masses, const std::vector<Vector3d>& x,
                                   const std::vector<Matrix3d>& stretch = {})
{
    std::vector<int> holders(rest.size(), 0);
    for (const auto& region : regions)
        for (const int i : region) ++holders[std::size_t(i)];
    std::vector<Vector3d> g(rest.size(), Vector3d::Zero());
    for (std::size_t r = 0; r < regions.size(); ++r) {
        double mass = 0;
        Vector3d c0 = Vector3d::Zero(), c = Vector3d::Zero();
        for (const int member : regions[r]) {
            const auto i = std::size_t(member);
            const double m = masses[i] / holders[i];
            mass += m;
            c0 += m * rest[i];
            c += m * x[i];
        }
        c0 /= mass;
        c /= mass;
        const Matrix3d T = stretch.empty() ? Matrix3d::Identity() : stretch[r];
        Matrix3d A = Matrix3d::Zero();
        for (const int member : regions[r]) {
            const auto i = std::size_t(member);
            A += masses[i] / holders[i] * (x[i] - c) * (T * (rest[i] - c0)).transpose();
        }
        const Matrix3d R = signed_polar_rotation(A);
        for (const int member : regions[r]) {
            const auto i = std::size_t(member);
            g[i] += (R * T * (rest[i] - c0) + c) / holders[i];
        }
    }
    return g;
}

}  // namespace brute
