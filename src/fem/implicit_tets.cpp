#include "fem/implicit_tets.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "core/parallel.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kTetsInTask = 64;
constexpr int kFirst[6] = {0, 1, 2, 0, 0, 1}, kSecond[6] = {0, 1, 2, 1, 2, 2};

double product(const Six& a, const Six& b)
{
    double sum = 0;
    for (std::size_t I = 0; I < 6; ++I) sum += (I < 3 ? 1 : 2) * a[I] * b[I];
    return sum;
}

Six difference(const Six& a, const Six& b)
{
    Six d;
    for (std::size_t I = 0; I < 6; ++I) d[I] = a[I] - b[I];
    return d;
}

Mat3d matrix(const Six& s)
{
    return {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}};
}

/// The part of a symmetric matrix that pulls: its negative eigenvalues set to zero.
Mat3d tensile(const Mat3d& s)
{
    const double minor = s.c0.x * s.c1.y - s.c1.x * s.c1.x;
    if (s.c0.x >= 0 && minor >= 0 && determinant(s) >= 0 && s.c1.y >= 0 && s.c2.z >= 0) return s;
    Eigen::Matrix3d m;
    m << s.c0.x, s.c1.x, s.c2.x, s.c1.x, s.c1.y, s.c2.y, s.c2.x, s.c2.y, s.c2.z;
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    solver.computeDirect(m);
    Mat3d sum = Mat3d::zero();
    for (int k = 0; k < 3; ++k) {
        const auto v = solver.eigenvectors().col(k);
        const Vec3d axis{v.x(), v.y(), v.z()};
        if (const double value = solver.eigenvalues()[k]; value > 0) sum = sum + outer(axis, axis) * value;
    }
    return sum;
}

Mat3d cofactor(const Mat3d& F)
{
    return {cross(F.c1, F.c2), cross(F.c2, F.c0), cross(F.c0, F.c1)};
}

const Vec3d& column(const Mat3d& m, int k)
{
    return k == 0 ? m.c0 : k == 1 ? m.c1 : m.c2;
}

}  // namespace

Six ImplicitTets::Tensor::stress(const Six& e) const
{
    Six s{};
    if (isotropic) {
        const double trace = lambda * (e[0] + e[1] + e[2]);
        for (std::size_t I = 0; I < 6; ++I) s[I] = (I < 3 ? trace : 0.0) + 2 * mu * e[I];
        return s;
    }
    for (std::size_t I = 0; I < 6; ++I)
        for (std::size_t J = 0; J < 6; ++J) s[I] += c[6 * I + J] * (J < 3 ? e[J] : 2 * e[J]);
    return s;
}

void ImplicitTets::reserve(std::size_t tets)
{
    tets_.reserve(tets), gradients_.reserve(4 * tets), hessians_.reserve(kTetBlocks * tets);
    start_.reserve(tets), plastic_.reserve(tets);
    sums_.reserve(chunk_count(tets, kTetsInTask));
}

void ImplicitTets::begin(const FemModel& model, Front& front, bool barrier, double h,
                         std::span<const Vec3d> positions)
{
    barrier_ = barrier, viscous_ = model.viscous;
    laws_ = model.law ? &front.laws : nullptr;
    if (laws_) return laws_->start_step(positions, h);
    if (model_ != &model || revision_ != front.revision) {
        model_ = &model, revision_ = front.revision;
        tets_.resize(front.active.size());
        for_each_chunk(tets_.size(), kTetsInTask, [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t t = first; t < last; ++t) {
                const std::int32_t id = front.active[t];
                const TetShape shape = shape_of(model.forest.corners(id));
                tets_[t] = {front.corners[t],
                            {shape.g[1], shape.g[2], shape.g[3]},
                            shape.volume,
                            double(model.constants[std::size_t(id)].barrier),
                            model.material_of[std::size_t(id)]};
            }
        });
        gradients_.resize(4 * tets_.size()), hessians_.resize(kTetBlocks * tets_.size());
        sums_.resize(chunk_count(tets_.size(), kTetsInTask));
    }
    const auto take = [&](const std::vector<Elasticity>& from, double factor, std::vector<Tensor>& to) {
        to.resize(from.size());
        for (std::size_t m = 0; m < from.size(); ++m) {
            to[m].isotropic = model.isotropic, to[m].zero = from[m] == Elasticity{};
            for (std::size_t k = 0; k < 36; ++k) to[m].c[k] = from[m].c[k] * factor;
            to[m].lambda = to[m].c[1], to[m].mu = to[m].c[21];
        }
    };
    take(model.elasticities, 1, elastic_);
    take(model.viscosities, 1 / h, viscous_over_h_);
    together_ = elastic_;
    for (std::size_t m = 0; m < together_.size(); ++m) {
        for (std::size_t k = 0; k < 36; ++k) together_[m].c[k] += viscous_over_h_[m].c[k];
        together_[m].lambda += viscous_over_h_[m].lambda, together_[m].mu += viscous_over_h_[m].mu;
    }
    if (viscous_) {
        start_.resize(tets_.size());
        for (std::size_t t = 0; t < tets_.size(); ++t) start_[t] = strained(tets_[t], positions).strain;
    }
    plastic_.resize(front.plastic.size());
    for (std::size_t t = 0; t < plastic_.size(); ++t)  // kept as twice the Green strain
        for (std::size_t I = 0; I < 6; ++I) plastic_[t][I] = double(front.plastic[t].mean[I]) / 2;
}

ImplicitTets::Strained ImplicitTets::strained(const Tet& tet, std::span<const Vec3d> x) const
{
    const Vec3d& origin = x[std::size_t(tet.corners[0])];
    Mat3d F = Mat3d::zero();
    for (std::size_t a = 0; a < 3; ++a) {
        const Vec3d edge = x[std::size_t(tet.corners[a + 1])] - origin;
        F.c0 += edge * tet.g[a].x, F.c1 += edge * tet.g[a].y, F.c2 += edge * tet.g[a].z;
    }
    Strained s{F, {}, determinant(F)};
    for (std::size_t I = 0; I < 6; ++I)
        s.strain[I] = (dot(column(F, kFirst[I]), column(F, kSecond[I])) - (I < 3 ? 1.0 : 0.0)) / 2;
    return s;
}

double ImplicitTets::squeezed(const Tet& tet, double volume) const
{
    return barrier_ && tet.barrier > 0 ? std::max(0.0, double(kBarrierVolume) - volume) : 0.0;
}

double ImplicitTets::energy_of(std::size_t t, std::span<const Vec3d> x, bool viscous) const
{
    const Tet& tet = tets_[t];
    const Strained s = strained(tet, x);
    const auto material = std::size_t(tet.material);
    const Six e = plastic_.empty() ? s.strain : difference(s.strain, plastic_[t]);
    double density = product(elastic_[material].stress(e), e) / 2;
    if (viscous && !viscous_over_h_[material].zero) {
        const Six change = difference(s.strain, start_[t]);
        density += product(viscous_over_h_[material].stress(change), change) / 2;
    }
    const double short_of = squeezed(tet, s.volume);
    return tet.volume * density + tet.barrier / 2 * short_of * short_of;
}

double ImplicitTets::sum_energy(std::span<const Vec3d> x, bool viscous)
{
    if (laws_) return laws_->energy(x, barrier_, viscous);
    for_each_chunk(tets_.size(), kTetsInTask, [&](std::size_t c, std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t t = first; t < last; ++t) sum += energy_of(t, x, viscous);
        sums_[c] = sum;
    });
    double sum = 0;
    for (const double part : sums_) sum += part;
    return sum;
}

void ImplicitTets::differentiate(std::span<const Vec3d> x)
{
    if (laws_) return laws_->differentiate(x, barrier_, viscous_, true);
    for_each_chunk(tets_.size(), kTetsInTask, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t) differentiate_one(t, x);
    });
}

/// P = F S, S = C : E; of a motion u of corner b, dP g_a = F (C : sym(F^T u g_b^T)) g_a + u (g_b . S g_a).
void ImplicitTets::differentiate_one(std::size_t t, std::span<const Vec3d> x)
{
    const Tet& tet = tets_[t];
    const Strained s = strained(tet, x);
    const Mat3d& F = s.F;
    const auto material = std::size_t(tet.material);
    const Tensor& C = together_[material];
    Six stress = elastic_[material].stress(plastic_.empty() ? s.strain : difference(s.strain, plastic_[t]));
    if (viscous_ && !viscous_over_h_[material].zero) {
        const Six resistance = viscous_over_h_[material].stress(difference(s.strain, start_[t]));
        for (std::size_t I = 0; I < 6; ++I) stress[I] += resistance[I];
    }
    const Mat3d S = matrix(stress);
    Mat3d P = F * S * tet.volume;
    const double short_of = squeezed(tet, s.volume);
    const Mat3d cof = short_of > 0 ? cofactor(F) : Mat3d::zero();
    if (short_of > 0) P = P - cof * (tet.barrier * short_of);
    Vec3d* const gradient = &gradients_[4 * t];
    gradient[0] = {};
    for (int a = 0; a < 3; ++a) {
        gradient[a + 1] = P * tet.g[a];
        gradient[0] -= gradient[a + 1];
    }

    const Mat3d pull = tensile(S);
    Mat3d K[3][3];
    if (C.isotropic) {
        const Mat3d FFt = F * transpose(F);
        Vec3d q[3];
        for (int a = 0; a < 3; ++a) q[a] = F * tet.g[a];
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b)
                K[a][b] = (outer(q[a], q[b]) * C.lambda + (outer(q[b], q[a]) + FFt * dot(tet.g[a], tet.g[b])) * C.mu) *
                          tet.volume;
    } else {
        Vec3d B[3][6], CB[3][6];  // of the strain with doubled shear by each corner, and the stress of that
        for (int a = 0; a < 3; ++a) {
            for (int I = 0; I < 6; ++I) {
                const int i = kFirst[I], j = kSecond[I];
                B[a][I] = column(F, i) * tet.g[a][j];
                if (I >= 3) B[a][I] += column(F, j) * tet.g[a][i];
            }
            for (std::size_t I = 0; I < 6; ++I) {
                CB[a][I] = {};
                for (std::size_t J = 0; J < 6; ++J) CB[a][I] += B[a][J] * C.c[6 * I + J];
            }
        }
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b) {
                K[a][b] = Mat3d::zero();
                for (int I = 0; I < 6; ++I) K[a][b] = K[a][b] + outer(B[a][I], CB[b][I]) * tet.volume;
            }
    }
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b) {
            const double tension = tet.volume * dot(tet.g[a], pull * tet.g[b]);
            K[a][b].c0.x += tension, K[a][b].c1.y += tension, K[a][b].c2.z += tension;
            if (short_of > 0) K[a][b] = K[a][b] + outer(cof * tet.g[a], cof * tet.g[b]) * tet.barrier;
            if (b > a) K[b][a] = transpose(K[a][b]);
        }
    // Corner 0 moves as the opposite of the three others.
    Mat3d* const out = &hessians_[kTetBlocks * t];
    Mat3d all = Mat3d::zero();
    for (int b = 0; b < 3; ++b) {
        const Mat3d sum = K[0][b] + K[1][b] + K[2][b];
        out[upper_block(0, b + 1)] = sum * -1.0;
        all = all + sum;
        for (int a = 0; a <= b; ++a) out[upper_block(a + 1, b + 1)] = K[a][b];
    }
    out[0] = all;
}

}  // namespace yawara::fem
