#include "fem/mass.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "fem/voigt.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kTetsInSum = 256;
constexpr std::size_t kNodesInSum = 256;
constexpr int kMostMassRounds = 60;
constexpr std::size_t kMostFactored = 400;  // nodes; above it conjugate gradients are quicker

double total(const std::vector<double>& sums)
{
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

bool MassFactor::is_of(const Front& front, std::span<const std::uint8_t> fixed) const
{
    return revision_ == front.revision && std::equal(fixed.begin(), fixed.end(), fixed_.begin(), fixed_.end());
}

/// Row by row along the elimination tree, as in Davis, Direct Methods for Sparse Linear Systems, 4.
void MassFactor::factor(const Front& front, std::span<const std::uint8_t> fixed)
{
    revision_ = front.revision;
    fixed_.assign(fixed.begin(), fixed.end());
    order_.clear();
    place_.assign(front.used.size(), -1);
    for (std::size_t k = front.used.size(); k-- > 0;)  // later nodes are finer
        if (front.is_free[k] && (fixed.empty() || !fixed[k])) order_.push_back(std::int32_t(k));
    const std::size_t n = order_.size();
    const auto degree = [&](std::int32_t k) {
        return front.mass_offsets[std::size_t(k) + 1] - front.mass_offsets[std::size_t(k)];
    };
    std::sort(order_.begin(), order_.end(),
              [&](std::int32_t a, std::int32_t b) { return degree(a) != degree(b) ? degree(a) < degree(b) : a > b; });
    for (std::size_t k = 0; k < n; ++k) place_[std::size_t(order_[k])] = std::int32_t(k);
    parent_.assign(n, -1);
    counts_.assign(n, 0);
    flags_.assign(n, -1);
    const auto for_each_before = [&](std::size_t k, const auto& then) {
        const auto row = std::size_t(order_[k]);
        for (std::int32_t e = front.mass_offsets[row]; e < front.mass_offsets[row + 1]; ++e) {
            const std::int32_t j = place_[std::size_t(front.mass_columns[std::size_t(e)])];
            if (j >= 0 && std::size_t(j) < k) then(j, front.mass_values[std::size_t(e)]);
        }
    };
    for (std::size_t k = 0; k < n; ++k) {
        flags_[k] = std::int32_t(k);
        for_each_before(k, [&](std::int32_t j, float) {
            for (; flags_[std::size_t(j)] != std::int32_t(k); j = parent_[std::size_t(j)]) {
                if (parent_[std::size_t(j)] < 0) parent_[std::size_t(j)] = std::int32_t(k);
                ++counts_[std::size_t(j)];
                flags_[std::size_t(j)] = std::int32_t(k);
            }
        });
    }
    offsets_.assign(n + 1, 0);
    for (std::size_t k = 0; k < n; ++k) offsets_[k + 1] = offsets_[k] + counts_[k];
    rows_.resize(std::size_t(offsets_[n]));
    values_.resize(rows_.size());
    inverse_diagonal_.resize(n);
    row_.assign(n, 0.0f);
    pattern_.resize(n);
    counts_.assign(n, 0);
    flags_.assign(n, -1);
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t top = n;
        flags_[k] = std::int32_t(k);
        for_each_before(k, [&](std::int32_t j, float value) {
            row_[std::size_t(j)] += value;
            std::size_t length = 0;
            for (; flags_[std::size_t(j)] != std::int32_t(k); j = parent_[std::size_t(j)]) {
                pattern_[length++] = j;
                flags_[std::size_t(j)] = std::int32_t(k);
            }
            while (length > 0) pattern_[--top] = pattern_[--length];
        });
        float diagonal = front.mass_diagonal[std::size_t(order_[k])];
        for (; top < n; ++top) {
            const auto j = std::size_t(pattern_[top]);
            const float y = row_[j];
            row_[j] = 0;
            const std::int32_t end = offsets_[j] + counts_[j];
            for (std::int32_t e = offsets_[j]; e < end; ++e)
                row_[std::size_t(rows_[std::size_t(e)])] -= values_[std::size_t(e)] * y;
            const float l = y * inverse_diagonal_[j];
            diagonal -= l * y;
            rows_[std::size_t(end)] = std::int32_t(k);
            values_[std::size_t(end)] = l;
            ++counts_[j];
        }
        inverse_diagonal_[k] = 1 / diagonal;
    }
}

void MassFactor::solve(const Front& front, const Nodal& b, Nodal& x)
{
    const std::size_t n = order_.size();
    scratch_.resize(4 * n);
    for (std::size_t k = 0; k < n; ++k) {
        const auto row = std::size_t(order_[k]);
        Four sum = get4(b, row);
        if (!fixed_.empty())  // nodes that are held pull by what they are coupled with
            for (std::int32_t e = front.mass_offsets[row]; e < front.mass_offsets[row + 1]; ++e) {
                const auto column = std::size_t(front.mass_columns[std::size_t(e)]);
                if (place_[column] < 0) sum -= get4(x, column) * splat(front.mass_values[std::size_t(e)]);
            }
        put4(scratch_, k, sum);
    }
    kernels().substitute({n, offsets_.data(), rows_.data(), values_.data(), inverse_diagonal_.data(), scratch_.data()});
    for (std::size_t k = 0; k < n; ++k) put4(x, std::size_t(order_[k]), get4(scratch_, k));
}

void MassFactor::reserve(std::size_t nodes)
{
    const std::size_t entries = nodes * (nodes + 1) / 2;
    fixed_.reserve(nodes), place_.reserve(nodes), scratch_.reserve(4 * nodes);
    for (auto* list : {&order_, &parent_, &counts_, &flags_, &pattern_}) list->reserve(nodes);
    offsets_.reserve(nodes + 1), rows_.reserve(entries), values_.reserve(entries);
    inverse_diagonal_.reserve(nodes), row_.reserve(nodes);
}

void MassSolver::reserve(std::size_t nodes)
{
    factor_.reserve(std::min(nodes, kMostFactored));
    if (nodes <= kMostFactored) return;
    for (Nodal* values : {&residual_, &direction_, &product_}) values->reserve(4 * nodes);
    sums_.reserve(chunk_count(nodes, kNodesPerChunk));
}

int MassSolver::solve(const Front& front, const Nodal& b, std::span<const std::uint8_t> fixed, double tolerance,
                      Nodal& x)
{
    const std::size_t n = front.used.size();
    const auto is_open = [&](std::size_t k) { return front.is_free[k] && (fixed.empty() || !fixed[k]); };
    if (front.diagonal_mass()) {
        for_each_chunk(n, kNodesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k)
                if (is_open(k)) put(x, k, get(b, k) * (1 / front.mass_diagonal[k]));
        });
        return 0;
    }
    if (n <= kMostFactored) {
        if (!factor_.is_of(front, fixed)) factor_.factor(front, fixed);
        factor_.solve(front, b, x);
        return 0;
    }
    residual_.resize(4 * n);
    direction_.resize(4 * n);
    product_.resize(4 * n);
    sums_.resize(chunk_count(n, kNodesPerChunk));

    // r = b - M x, z = r / diagonal; |r|^2 in the norm of the inverse diagonal
    front.apply_mass(x, product_);
    double scale = 0;
    for_each_chunk(n, kNodesPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t k = first; k < last; ++k) {
            const Vec3 r = is_open(k) ? get(b, k) - get(product_, k) : Vec3{};
            put(residual_, k, r);
            put(direction_, k, is_open(k) ? r * (1 / front.mass_diagonal[k]) : Vec3{});
            direction_[4 * k + 3] = 0;
            if (is_open(k)) sum += double(dot(get(b, k), get(b, k)) / front.mass_diagonal[k]);
        }
        sums_[c] = sum;
    });
    scale = total(sums_);
    const auto measure = [&] {
        for_each_chunk(n, kNodesPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            double sum = 0;
            for (std::size_t k = first; k < last; ++k)
                if (is_open(k)) sum += double(dot(get(residual_, k), get(residual_, k)) / front.mass_diagonal[k]);
            sums_[c] = sum;
        });
        return total(sums_);
    };
    double square = measure();
    const double enough = tolerance * tolerance * scale;
    int round = 0;
    for (; round < kMostMassRounds && square > enough; ++round) {
        front.apply_mass(direction_, product_);
        for_each_chunk(n, kNodesPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            double sum = 0;
            for (std::size_t k = first; k < last; ++k)
                if (is_open(k)) sum += double(dot(get(direction_, k), get(product_, k)));
            sums_[c] = sum;
        });
        const double curvature = total(sums_);
        if (!(curvature > 0)) break;
        const auto step_length = float(square / curvature);
        for_each_chunk(n, kNodesPerChunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            double sum = 0;
            for (std::size_t k = first; k < last; ++k) {
                if (!is_open(k)) continue;
                add(x, k, get(direction_, k) * step_length);
                const Vec3 r = get(residual_, k) - get(product_, k) * step_length;
                put(residual_, k, r);
                sum += double(dot(r, r) / front.mass_diagonal[k]);
            }
            sums_[c] = sum;
        });
        const double next = total(sums_);
        const auto keep = float(next / square);
        square = next;
        for_each_chunk(n, kNodesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k)
                if (is_open(k))
                    put(direction_, k, get(residual_, k) * (1 / front.mass_diagonal[k]) + get(direction_, k) * keep);
        });
    }
    return round;
}

void Tally::Sums::add(const Sums& other)
{
    mass += other.mass, kinetic += other.kinetic;
    linear += other.linear, angular += other.angular, moment += other.moment;
    second = second + other.second;
}

void Tally::reserve(std::size_t count)
{
    motions_.reserve(chunk_count(count, kTetsInSum));
    energies_.reserve(chunk_count(count, kTetsInSum));
}

Momentum Tally::momentum(const Front& front, const Nodal& x, const Nodal& v, Vec3d about)
{
    const std::size_t count = front.used.size();
    std::vector<Sums>& sums = motions_;
    sums.resize(chunk_count(count, kNodesInSum));
    for_each_chunk(count, kNodesInSum, [&](std::size_t c, std::size_t first, std::size_t last) {
        Sums sum;
        for (std::size_t row = first; row < last; ++row) {
            if (!front.is_free[row]) continue;
            const double diagonal = front.exact_diagonal[row];
            const Vec3d p = get(x, row).as<double>() - about, q = get(v, row).as<double>();
            double mass = diagonal;  // of the row; the others are M (x - about) and M v there
            Vec3d moment = p * diagonal, momentum = q * diagonal;
            for (std::int32_t e = front.mass_offsets[row]; e < front.mass_offsets[row + 1]; ++e) {
                const auto column = std::size_t(front.mass_columns[std::size_t(e)]);
                const double m = front.exact_values[std::size_t(e)];
                mass += m;
                moment += (get(x, column).as<double>() - about) * m;
                momentum += get(v, column).as<double>() * m;
            }
            sum.mass += mass;
            sum.linear += momentum;
            sum.moment += moment;
            sum.angular += cross(p, momentum);
            sum.kinetic += dot(q, momentum) / 2;
            sum.second = sum.second + outer(p, moment);
        }
        sums[c] = sum;
    });
    Sums all;
    for (const Sums& sum : sums) all.add(sum);
    Momentum result;
    result.linear = all.linear;
    result.angular = all.angular;
    result.kinetic = all.kinetic;
    const Vec3d offset = all.moment / all.mass;
    result.center = about + offset;
    const Mat3d second = all.second - outer(offset, offset) * all.mass;
    result.inertia = Mat3d{} * (second.c0.x + second.c1.y + second.c2.z) - second;
    return result;
}

Vec3d solve_symmetric(const Mat3d& m, Vec3d b)
{
    const Vec3d yz = cross(m.c1, m.c2);
    const double determinant = dot(m.c0, yz), third = (m.c0.x + m.c1.y + m.c2.z) / 3;
    if (determinant > 1e-3 * third * third * third)  // far from singular: by Cramer's rule
        return Vec3d{dot(b, yz), dot(m.c0, cross(b, m.c2)), dot(m.c0, cross(m.c1, b))} / determinant;
    Eigen::Matrix3d a;
    a << m.c0.x, m.c1.x, m.c2.x, m.c0.y, m.c1.y, m.c2.y, m.c0.z, m.c1.z, m.c2.z;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver((a + a.transpose()) / 2);
    const double largest = solver.eigenvalues().cwiseAbs().maxCoeff();
    Eigen::Vector3d c = solver.eigenvectors().transpose() * Eigen::Vector3d(b.x, b.y, b.z);
    for (int k = 0; k < 3; ++k) c[k] = solver.eigenvalues()[k] > 1e-9 * largest ? c[k] / solver.eigenvalues()[k] : 0.0;
    const Eigen::Vector3d r = solver.eigenvectors() * c;
    return {r.x(), r.y(), r.z()};
}

double Tally::elastic_energy(const FemModel& model, Front& front, const Nodal& x, bool barrier)
{
    if (model.law) return front.laws.energy(x, barrier);
    std::vector<double>& sums = energies_;
    sums.resize(chunk_count(front.active.size(), kTetsInSum));
    for_each_chunk(front.active.size(), kTetsInSum, [&](std::size_t c, std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t t = first; t < last; ++t) {
            const TetConstants& k = model.constants[std::size_t(front.active[t])];
            const Int4& v = front.corners[t];
            const Vec3d origin = get(x, std::size_t(v[0])).as<double>();
            Vec3d edge[3], F[3];  // by columns
            for (std::size_t a = 0; a < 3; ++a) edge[a] = get(x, std::size_t(v[a + 1])).as<double>() - origin;
            own_gradient(k, edge, F);
            double e[6];
            for (int I = 0; I < 6; ++I) {
                const double product = dot(F[kFirst[I]], F[kSecond[I]]);
                e[I] = I < 3 ? product - 1 : 2 * product;
            }
            if (!front.plastic.empty()) {
                for (std::size_t I = 0; I < 6; ++I) e[I] -= double(front.plastic[t].own[I]);
                sum += front.plastic[t].locked;
            }
            double energy = 0;  // half the volume is in the constants: W = 1/4 e.C.e
            if (model.isotropic) {
                const double trace = e[0] + e[1] + e[2];
                double squares = 0;
                for (int I = 0; I < 3; ++I) squares += 2 * e[I] * e[I] + e[3 + I] * e[3 + I];
                energy = double(k.elasticity[0]) * trace * trace + double(k.elasticity[1]) * squares;
            } else {
                std::size_t n = 0;
                for (int I = 0; I < 6; ++I)
                    for (int J = I; J < 6; ++J) energy += (I == J ? 1 : 2) * double(k.elasticity[n++]) * e[I] * e[J];
            }
            sum += energy / 4;
            if (barrier) {
                const double volume = dot(F[0], cross(F[1], F[2]));
                const double squeezed = std::max(0.0, double(kBarrierVolume) - volume);
                sum += double(k.barrier) / 2 * squeezed * squeezed;
            }
        }
        sums[c] = sum;
    });
    return total(sums);
}

}  // namespace yawara::fem
