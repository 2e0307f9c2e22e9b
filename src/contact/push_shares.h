// How touches share a push along one normal, so that it turns nothing: as evenly as can be, through a centre.
#pragma once

#include <cmath>

#include "yawara/math.h"

namespace yawara::contact {

class PushShares {
public:
    /// For each of `count` touches `arm_of(k)` is where it is, from the centre, m. All alike if some would have to
    /// pull.
    template <class ArmOf>
    PushShares(std::size_t count, Vec3d normal, const ArmOf& arm_of)
    {
        const Vec3d axis = std::abs(normal.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
        u_ = normalized(cross(normal, axis));
        v_ = cross(normal, u_);
        double size2 = 0;
        for (std::size_t k = 0; k < count; ++k) size2 += dot(arm_of(k), arm_of(k)) / double(count);
        u_ = u_ / std::sqrt(size2 + 1e-300);
        v_ = v_ / std::sqrt(size2 + 1e-300);
        Mat3d sums = Mat3d{} * 1e-9;
        for (std::size_t k = 0; k < count; ++k) sums = sums + outer(row(arm_of(k)), row(arm_of(k)));
        const double det = determinant(sums);
        weights_ = Vec3d{1 / double(count), 0, 0};
        if (!(det > 0)) return;
        const Vec3d balanced = cross(sums.c1, sums.c2) / det;  // what solves sums * weights = (1, 0, 0)
        for (std::size_t k = 0; k < count; ++k)
            if (dot(balanced, row(arm_of(k))) < 0) return;
        weights_ = balanced;
    }
    double of(Vec3d arm) const { return dot(weights_, row(arm)); }

private:
    Vec3d row(Vec3d arm) const { return {1, dot(u_, arm), dot(v_, arm)}; }

    Vec3d u_, v_, weights_;
};

}  // namespace yawara::contact
