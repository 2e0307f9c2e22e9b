#include "matching/combine.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace yawara::matching {
namespace {

// ---- one by one, for any stretch -----------------------------------------------------------------------------------

template <class Function>
Eigen::Matrix3d on_eigenvalues(const Eigen::Matrix3d& m, const Function& f)
{
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    solver.computeDirect(m);
    return solver.eigenvectors() * solver.eigenvalues().unaryExpr(f).asDiagonal() * solver.eigenvectors().transpose();
}

Eigen::Matrix3d logarithm(const Sym3& s)
{
    Eigen::Matrix3d m;
    m << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
    return on_eigenvalues(m, [](double v) { return std::log(std::max(v, 1e-3)); });
}

Sym3 exponential(const Eigen::Matrix3d& s)
{
    const Eigen::Matrix3d m = on_eigenvalues(s, [](double v) { return std::exp(v); });
    return {float(m(0, 0)), float(m(1, 1)), float(m(2, 2)), float(m(1, 2)), float(m(0, 2)), float(m(0, 1))};
}

// ---- eight by eight, for stretches that are not far from 1 ---------------------------------------------------------

constexpr std::size_t kEight = 8;
using f8 = float __attribute__((vector_size(32)));

/// Eight symmetric matrices: xx, yy, zz, yz, xz, xy.
struct Eight {
    f8 at[6];
};

Eight load(const Sym3* from, std::size_t count)
{
    Eight out{};
    for (std::size_t k = 0; k < count; ++k) {
        const float* const entry = &from[k].xx;
        for (std::size_t e = 0; e < 6; ++e) out.at[e][k] = entry[e];
    }
    return out;
}
static_assert(sizeof(Sym3) == 6 * sizeof(float));

/// Of two that commute, so that it is symmetric.
Eight product(const Eight& p, const Eight& q)
{
    const f8(&a)[6] = p.at, (&b)[6] = q.at;
    return {{a[0] * b[0] + a[5] * b[5] + a[4] * b[4], a[5] * b[5] + a[1] * b[1] + a[3] * b[3],
             a[4] * b[4] + a[3] * b[3] + a[2] * b[2], a[5] * b[4] + a[1] * b[3] + a[3] * b[2],
             a[0] * b[4] + a[5] * b[3] + a[4] * b[2], a[0] * b[5] + a[5] * b[1] + a[4] * b[3]}};
}
Eight plus(Eight a, const Eight& b, float sign)
{
    for (std::size_t e = 0; e < 6; ++e) a.at[e] += b.at[e] * sign;
    return a;
}
/// scale a + diagonal I
Eight scaled(Eight a, float scale, float diagonal)
{
    for (std::size_t e = 0; e < 6; ++e) a.at[e] = a.at[e] * scale + (e < 3 ? diagonal : 0.0f);
    return a;
}
Eight inverse(const Eight& m)
{
    const f8(&a)[6] = m.at;
    Eight c{{a[1] * a[2] - a[3] * a[3], a[0] * a[2] - a[4] * a[4], a[0] * a[1] - a[5] * a[5], a[4] * a[5] - a[0] * a[3],
             a[3] * a[5] - a[1] * a[4], a[3] * a[4] - a[2] * a[5]}};
    const f8 determinant = a[0] * c.at[0] + a[5] * c.at[5] + a[4] * c.at[4];
    for (f8& entry : c.at) entry /= determinant;
    return c;
}

/// log S = 2 artanh Z, Z = (S - 1) / (S + 1), as a series; `square` is |Z|^2.
Eight logarithm(const Eight& S, f8& square)
{
    const Eight Z = product(scaled(S, 1, -1), inverse(scaled(S, 1, 1)));
    const f8(&z)[6] = Z.at;
    square = z[0] * z[0] + z[1] * z[1] + z[2] * z[2] + (z[3] * z[3] + z[4] * z[4] + z[5] * z[5]) * 2.0f;
    const Eight W = product(Z, Z);
    Eight sum = scaled(W, 1.0f / 9, 1.0f / 7);
    for (const float term : {1.0f / 5, 1.0f / 3, 1.0f}) sum = scaled(product(W, sum), 1, term);
    return scaled(product(Z, sum), 2, 0);
}
constexpr float kNear = 0.07f;  ///< of |Z|^2: what the series leaves out is at most 1e-7

Eight exponential(const Eight& s)
{
    const Eight X = scaled(s, 0.25f, 0);
    Eight sum = scaled(X, 1.0f / 6, 1);
    for (int n = 5; n > 0; --n) sum = scaled(product(X, sum), 1.0f / float(n), 1);
    sum = product(sum, sum);
    return product(sum, sum);
}

/// a = exp(log a + sign log b), or as `one` says where that is not exact.
template <class One>
void for_all(std::span<Sym3> a, std::span<const Sym3> b, float sign, const One& one)
{
    for (std::size_t first = 0; first < a.size(); first += kEight) {
        const std::size_t count = std::min(kEight, a.size() - first);
        f8 far_a, far_b;
        const Eight log_a = logarithm(load(&a[first], count), far_a), log_b = logarithm(load(&b[first], count), far_b);
        const Eight all = exponential(plus(log_a, log_b, sign));
        for (std::size_t k = 0; k < count; ++k) {
            Sym3& out = a[first + k];
            if (!one(out, b[first + k], far_a[k] < kNear && far_b[k] < kNear))
                out = {all.at[0][k], all.at[1][k], all.at[2][k], all.at[3][k], all.at[4][k], all.at[5][k]};
        }
    }
}

}  // namespace

void combine(std::span<Sym3> a, std::span<const Sym3> b)
{
    for_all(a, b, 1, [](Sym3& one, const Sym3& other, bool near) {
        if (other == Sym3{}) return true;  // a layer that is off changes no bit
        if (one == Sym3{})
            one = other;
        else if (near)
            return false;
        else
            one = exponential(logarithm(one) + logarithm(other));
        return true;
    });
}

void without(std::span<Sym3> a, std::span<const Sym3> b)
{
    for_all(a, b, -1, [](Sym3& one, const Sym3& other, bool near) {
        if (!near) one = exponential(logarithm(one) - logarithm(other));
        return !near;
    });
}

}  // namespace yawara::matching
