#include "matching/combine.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace yawara::matching {
namespace {

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

}  // namespace

Sym3 combine(const Sym3& a, const Sym3& b)
{
    if (b == Sym3{}) return a;  // a layer that is off changes no bit
    if (a == Sym3{}) return b;
    return exponential(logarithm(a) + logarithm(b));
}

Sym3 without(const Sym3& a, const Sym3& b)
{
    return exponential(logarithm(a) - logarithm(b));
}

}  // namespace yawara::matching
