#include "fem/plastic.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/parallel.h"
#include "fem/advance.h"
#include "fem/element.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kTetsAtOnce = 256;
constexpr int kHalvings = 6;    // of a flow that would raise the energy
constexpr int kLimitings = 12;  // rounds towards the largest plastic strain

using Eigen::Matrix3d;

Vector6 doubled_shear(const Matrix3d& m)
{
    Vector6 v;
    v << m(0, 0), m(1, 1), m(2, 2), 2 * m(0, 1), 2 * m(0, 2), 2 * m(1, 2);
    return v;
}

double contract(const Matrix3d& a, const Matrix3d& b)
{
    return a.cwiseProduct(b).sum();
}

Matrix3d metric_of(const float* six)
{
    Matrix3d m;
    m << six[0], six[3], six[4], six[3], six[1], six[5], six[4], six[5], six[2];
    return m + Matrix3d::Identity();
}

SixFloats to_floats(const Matrix3d& m)
{
    return {float(m(0, 0)), float(m(1, 1)), float(m(2, 2)), float(m(0, 1)), float(m(0, 2)), float(m(1, 2))};
}

/// False if it is not the metric of any shape.
bool keep_volume(Matrix3d& metric)
{
    const double determinant = metric.determinant();
    if (!(metric(0, 0) > 0 && metric(0, 0) * metric(1, 1) > metric(0, 1) * metric(0, 1) && determinant > 0))
        return false;
    metric /= std::cbrt(determinant);
    return true;
}

/// The part of a stress that wants to change the shape C_p and not its volume.
Matrix3d shape_part(const Matrix3d& stress, const Matrix3d& metric)
{
    const Matrix3d normal = metric.inverse();
    return stress - contract(stress, normal) / normal.squaredNorm() * normal;
}

Matrix3d axes_of(const FemModel& model, std::int32_t t)
{
    const Mat3d axes = own_axes(model.forest.corners(t));
    Matrix3d a;
    for (int i = 0; i < 3; ++i) a.row(i) << axes.c0[i], axes.c1[i], axes.c2[i];
    return a;
}

/// Six floats of the first finest tet in t, and how many there are.
struct Range {
    const float* first;
    std::size_t count;
};
Range range_of(const TetForest& forest, std::int32_t t, std::span<const float> finest)
{
    const auto [begin, end] = forest.finest_in(t);
    return {finest.data() + 6 * std::size_t(begin - forest.first_of(forest.levels())), std::size_t(end - begin)};
}

Matrix3d mean_of(const Range& range)
{
    double sum[6] = {};
    for (std::size_t f = 0; f < range.count; ++f)
        for (std::size_t I = 0; I < 6; ++I) sum[I] += double(range.first[6 * f + I]);
    Vector6 v;
    for (int I = 0; I < 6; ++I) v[I] = sum[I] / double(range.count);
    return to_matrix(v);
}

/// The size of the stress of an active tet, squared, in the units of PlasticTet::stress.
float stress_square(const FemModel& model, const Workspace& work, std::size_t k)
{
    const TetConstants& c = model.constants[std::size_t(work.front.active[k])];
    const Int4& v = work.front.corners[k];
    const Vec3 origin = get(work.x, std::size_t(v[0]));
    Vec3 edge[3], F[3];
    for (std::size_t a = 0; a < 3; ++a) edge[a] = get(work.x, std::size_t(v[a + 1])) - origin;
    own_gradient(c, edge, F);
    const float e[6] = {dot(F[0], F[0]) - 1, dot(F[1], F[1]) - 1, dot(F[2], F[2]) - 1,
                        2 * dot(F[0], F[1]), 2 * dot(F[0], F[2]), 2 * dot(F[1], F[2])};
    float s[6] = {};
    if (model.isotropic) {
        for (int I = 0; I < 3; ++I) {
            s[I] = c.elasticity[0] * (e[0] + e[1] + e[2]) + 2 * c.elasticity[1] * e[I];
            s[3 + I] = c.elasticity[1] * e[3 + I];
        }
    } else {
        const float* entry = c.elasticity;
        for (int I = 0; I < 6; ++I)
            for (int J = I; J < 6; ++J, ++entry) {
                s[I] += *entry * e[J];
                if (J != I) s[J] += *entry * e[I];
            }
    }
    const SixFloats& plastic = work.front.plastic[k].stress;
    float square = 0;
    for (std::size_t I = 0; I < 6; ++I) square += (I < 3 ? 1.0f : 2.0f) * (s[I] - plastic[I]) * (s[I] - plastic[I]);
    return square;
}

/// Flow of the finest tets in active tet k. Returns the energy it took.
double flow_in(const FemModel& model, double time, std::size_t k, Workspace& work)
{
    const TetForest& forest = model.forest;
    const std::int32_t t = work.front.active[k];
    const FlowLaw& law = model.flow_laws[std::size_t(model.material_of[std::size_t(t)])];
    const TetShape shape = shape_of(forest.corners(t));
    Forces x;
    for (int a = 0; a < 4; ++a) {
        const Vec3 p = get(work.x, std::size_t(work.front.corners[k][std::size_t(a)]));
        x.col(a) << double(p.x), double(p.y), double(p.z);
    }
    const Matrix3d F = deformation_gradient(shape, x), deformed = F.transpose() * F;
    if (F.determinant() < double(kBarrierVolume)) return 0;  // what is nearly inverted recovers first
    const auto [begin, end] = forest.finest_in(t);
    const std::int32_t first = forest.first_of(forest.levels());
    const double volume = shape.volume / double(end - begin);
    SixFloats before{}, after{};  // of the last one: its neighbours are often like it
    std::int32_t plasticity = -1;
    double loss = 0, sum = 0;
    for (std::int32_t f = begin; f < end; ++f) {
        float* const six = work.plastic.data() + 6 * std::size_t(f - first);
        const std::int32_t own = model.plasticity_of[std::size_t(f)];
        if (own != plasticity || std::memcmp(six, before.data(), sizeof before) != 0) {
            plasticity = own;
            std::memcpy(before.data(), six, sizeof before);
            after = before;
            const auto flowed = flow_of(law, model.plasticities[std::size_t(own)], deformed, metric_of(six), time);
            loss = flowed ? flowed->loss : 0;
            if (flowed) after = to_floats(flowed->metric - Matrix3d::Identity());
        }
        std::memcpy(six, after.data(), sizeof after);
        sum += loss * volume;
    }
    if (sum > 0) work.front.set_plastic(k, plastic_tet(model, t, work.plastic));
    return sum;
}

}  // namespace

FlowLaw flow_law(const Elasticity& elasticity)
{
    FlowLaw law{to_eigen(elasticity), 0};
    const Matrix6& C = law.elasticity;
    const double all = C.topLeftCorner<3, 3>().sum();
    const double diagonal = C.diagonal().head<3>().sum() + 2 * C.diagonal().tail<3>().sum();
    law.shear = (3 * diagonal - all) / 30;
    return law;
}

std::optional<Flow> flow_of(const FlowLaw& law, const Plasticity& plasticity, const Matrix3d& deformed_metric,
                            const Matrix3d& metric, double time)
{
    if (plasticity.yield <= 0) return std::nullopt;
    const Matrix3d stress = to_matrix(law.elasticity * doubled_shear(deformed_metric - metric));
    const Matrix3d strain = shape_part(stress, metric) / (2 * law.shear);  // of isotropic bodies its deviator
    const double size = strain.norm() / 2;
    if (!(size > plasticity.yield)) return std::nullopt;
    // Along the strain the energy is least after `whole` of it, all of it in an isotropic body.
    const Vector6 six = doubled_shear(strain);
    const double whole = contract(stress, strain) / six.dot(law.elasticity * six);
    double share = whole * -std::expm1(-plasticity.creep * time) * (1 - plasticity.yield / size);
    for (int halving = 0; halving < kHalvings; ++halving, share /= 2) {
        Matrix3d next = metric + share * strain;
        if (!keep_volume(next)) continue;
        for (int round = 0; round < kLimitings; ++round) {
            const Matrix3d plastic = next - Matrix3d::Identity();
            const double most = 2 * plasticity.limit / plastic.norm();
            if (!(most < 1)) break;
            next = Matrix3d::Identity() + most * plastic;
            keep_volume(next);
        }
        const Matrix3d change = next - metric;
        const Vector6 changed = doubled_shear(change);
        const double loss = contract(stress, change) / 4 - changed.dot(law.elasticity * changed) / 8;
        if (loss > 0) return Flow{next, loss};
    }
    return std::nullopt;
}

PlasticTet plastic_tet(const FemModel& model, std::int32_t t, std::span<const float> finest)
{
    PlasticTet tet;
    const Range range = range_of(model.forest, t, finest);
    std::memcpy(tet.mean.data(), range.first, sizeof tet.mean);
    bool alike = true;
    for (std::size_t f = 1; alike && f < range.count; ++f)
        alike = std::memcmp(range.first, range.first + 6 * f, sizeof tet.mean) == 0;
    const auto [begin, end] = model.forest.finest_in(t);
    for (std::int32_t f = begin + 1; tet.uniform && f < end; ++f)
        tet.uniform = model.plasticity_of[std::size_t(f)] == model.plasticity_of[std::size_t(begin)];
    tet.uniform &= alike;
    if (alike && tet.mean == SixFloats{}) return tet;

    const Matrix6& C = model.flow_laws[std::size_t(model.material_of[std::size_t(t)])].elasticity;
    const double volume = shape_of(model.forest.corners(t)).volume;
    if (!alike) {
        const Matrix3d mean = mean_of(range);
        tet.mean = to_floats(mean);
        double farthest = 0;
        for (std::size_t f = 0; f < range.count; ++f) {
            const Vector6 off = doubled_shear(metric_of(range.first + 6 * f) - Matrix3d::Identity() - mean);
            const Vector6 stress = C * off;
            tet.locked += volume / double(8 * range.count) * off.dot(stress);
            farthest = std::max(farthest, to_matrix(stress).norm());
        }
        tet.spread = float(farthest * volume / 2);
    }
    const Matrix3d axes = axes_of(model, t), mean = metric_of(tet.mean.data()) - Matrix3d::Identity();
    const Vector6 own = doubled_shear(axes * mean * axes.transpose());
    for (std::size_t I = 0; I < 6; ++I) tet.own[I] = float(own[Eigen::Index(I)]);
    tet.stress = to_floats(volume / 2 * axes * to_matrix(C * doubled_shear(mean)) * axes.transpose());
    return tet;
}

Vector6 plastic_difference(const FemModel& model, const PlasticTet& parent, std::int32_t child,
                           std::span<const float> finest)
{
    return doubled_shear(mean_of(range_of(model.forest, child, finest)) + Matrix3d::Identity() -
                         metric_of(parent.mean.data()));
}

void repair_plastic(const FemModel& model, std::vector<float>& finest)
{
    const std::size_t count = 6 * model.forest.count_of(model.forest.levels());
    if (finest.size() != count) finest.assign(count, 0.0f);
    float sound = 0;  // a sum of zeros, unless something is not finite
    for (const float p : finest) sound += 0.0f * p;
    if (sound == 0) return;
    for (std::size_t f = 0; f < count; f += 6)
        if (!std::all_of(&finest[f], &finest[f] + 6, [](float p) { return std::isfinite(p); }))
            std::fill_n(&finest[f], 6, 0.0f);
}

double flow(const FemModel& model, double time, Workspace& work)
{
    const std::size_t count = work.front.active.size();
    work.plastic_losses.assign(chunk_count(count, kTetsAtOnce), 0.0);
    for_each_chunk(count, kTetsAtOnce, [&](std::size_t c, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const float bearable =
                model.bearable_stress[std::size_t(work.front.active[k])] - work.front.plastic[k].spread;
            if (bearable > 0 && stress_square(model, work, k) <= bearable * bearable) continue;
            work.plastic_losses[c] += flow_in(model, time, k, work);
        }
    });
    double sum = 0;
    for (const double loss : work.plastic_losses) sum += loss;
    return sum;
}

}  // namespace yawara::fem

namespace yawara {

Status check_plasticity(const Plasticity& plasticity)
{
    const auto refuse = [](const char* where, double value, const char* why) {
        char text[64];
        std::snprintf(text, sizeof text, "%g is not %s", value, why);
        return Error{where, text};
    };
    const auto& [yield, creep, limit] = plasticity;
    if (!(yield >= 0) || !std::isfinite(yield)) return refuse("yield", yield, "a positive number, or 0 for none");
    if (!(creep > 0) || !std::isfinite(creep)) return refuse("creep", creep, "a positive number");
    if (!(limit > 0) || !std::isfinite(limit)) return refuse("limit", limit, "a positive number");
    return Done{};
}

}  // namespace yawara
