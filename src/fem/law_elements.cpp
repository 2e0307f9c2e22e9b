#include "fem/law_elements.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "fem/element.h"

namespace yawara::fem {
namespace {

constexpr std::size_t kElementsInTask = 32;
constexpr std::size_t kNodesInTask = 256;
constexpr double kAlike = 2;  // tets whose stiffnesses differ by a larger factor are not averaged

Vec3d to_vec(const Eigen::Vector3d& v)
{
    return {v.x(), v.y(), v.z()};
}
Eigen::Vector3d to_vector(Vec3d v)
{
    return {v.x, v.y, v.z};
}

/// Adds a multiple of the second derivative of det F.
void add_volume_hessian(const Eigen::Matrix3d& F, double factor, Matrix9& H)
{
    for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l) {
            if (j == l) continue;
            const int n = 3 - j - l;
            const Eigen::Vector3d w = F.col(n) * ((l - j + 3) % 3 == 1 ? factor : -factor);
            Eigen::Matrix3d skew;  // by F_ij and F_kl: the sum over m of epsilon_ikm w_m
            skew << 0, w.z(), -w.y(), -w.z(), 0, w.x(), w.y(), -w.x(), 0;
            H.block<3, 3>(3 * j, 3 * l) += skew;
        }
}

Elasticity sum(const Elasticity& a, double fa, const Elasticity& b, double fb)
{
    Elasticity c;
    for (std::size_t k = 0; k < 36; ++k) c.c[k] = a.c[k] * fa + b.c[k] * fb;
    return c;
}

/// What of a tensor tets and nodes have, if strains are taken at the nodes.
Elasticity tet_part(const Elasticity& tensor)
{
    return sum(tensor, kTetShare, volume_part(tensor), -kTetShare);
}
Elasticity node_part(const Elasticity& tensor)
{
    return sum(tensor, 1, tet_part(tensor), -1);
}

}  // namespace

Elasticity volume_part(const Elasticity& tensor)
{
    double bulk;
    if (Lame lame; is_isotropic(tensor, lame)) {
        bulk = lame.lambda + 2 * lame.mu / 3;
    } else {  // 1 / (1 : C^-1 : 1); what has no stiffness at all is given a little
        Matrix6 C = to_kelvin(fem::to_eigen(tensor));
        C.diagonal().array() += 1e-12 * C.diagonal().maxCoeff();
        Vector6 one;
        one << 1, 1, 1, 0, 0, 0;
        bulk = 1 / one.dot(C.ldlt().solve(one));
    }
    Elasticity out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out(i, j) = std::isfinite(bulk) ? bulk : 0;
    return out;
}

void LawElements::reserve(const FemModel& model)
{
    constexpr std::size_t kMost = 200'000;  // arrays of larger bodies grow as they are needed
    const std::size_t tets = std::min(model.forest.count_of(model.forest.levels()), kMost);
    const std::size_t used = std::min(model.forest.node_count(), kMost);
    elements_.reserve(tets), nodes_.reserve(4 * tets), shape_.reserve(4 * tets);
    tensors_.reserve(model.elasticities.size()), hessians_.reserve(10 * tets);
    fibres_.reserve(tets * model.muscles.size()), start_.reserve(model.viscous ? tets : 0);
    gradients_.reserve(4 * tets), corner_offsets_.reserve(used + 1), corners_.reserve(4 * tets);
    sums_.reserve(chunk_count(tets, kElementsInTask)), positions_.reserve(used), velocities_.reserve(used);
    scratch_.place.reserve(used + 1);
}

void LawElements::fit(const FemModel& model, std::span<const std::int32_t> active, std::span<const Int4> corners,
                      std::size_t used)
{
    const bool nodal = model.elements == Elements::nodal;
    law_ = model.law.get(), viscous_ = model.viscous, tets_ = active.size();
    elements_.clear(), nodes_.clear(), shape_.clear(), fibres_.clear(), tensors_.clear(), start_.clear();
    const std::size_t materials = model.elasticities.size();
    const auto add_tensor = [&](const Elasticity& elastic, const Elasticity& viscous) {
        tensors_.push_back({elastic, fem::to_eigen(viscous), viscous != Elasticity{}});
    };
    for (std::size_t m = 0; m < materials; ++m)
        add_tensor(nodal ? tet_part(model.elasticities[m]) : model.elasticities[m],
                   nodal ? tet_part(model.viscosities[m]) : model.viscosities[m]);
    list_tets(model, active, corners);
    if (nodal) {
        for (std::size_t m = 0; m < materials; ++m)
            add_tensor(node_part(model.elasticities[m]), node_part(model.viscosities[m]));
        list_nodes(model, active, corners, used);
    }
    std::size_t blocks = 0;
    for (Element& e : elements_) {
        e.first_block = blocks;
        blocks += std::size_t(e.count * (e.count + 1) / 2);
    }
    gradients_.resize(nodes_.size());
    sums_.resize(chunk_count(elements_.size(), kElementsInTask));
    list_corners(used);
    set_time(model, time_);
}

void LawElements::list_tets(const FemModel& model, std::span<const std::int32_t> active, std::span<const Int4> corners)
{
    for (std::size_t t = 0; t < active.size(); ++t) {
        const auto id = std::size_t(active[t]);
        const TetShape shape = shape_of(model.forest.corners(active[t]));
        Element e{std::int32_t(nodes_.size()),
                  4,
                  model.material_of[id],
                  std::int32_t(fibres_.size()),
                  0,
                  0,
                  shape.volume,
                  double(model.constants[id].barrier)};
        nodes_.insert(nodes_.end(), corners[t].begin(), corners[t].end());
        shape_.insert(shape_.end(), shape.g.begin(), shape.g.end());
        for (std::size_t m = 0; m < model.muscles.size(); ++m)
            if (const MuscleModel::Fibre& fibre = model.muscles[m].fibres[id]; fibre.stiffness > 0)
                fibres_.push_back({to_vector(fibre.direction), fibre.stiffness, 1, std::int32_t(m), fibre.delay});
        e.fibres = std::int32_t(fibres_.size()) - e.first_fibre;
        elements_.push_back(e);
    }
}

/// Around every node the mean over its tets, if their stiffnesses are alike; else one for each kind of stiffness.
void LawElements::list_nodes(const FemModel& model, std::span<const std::int32_t> active, std::span<const Int4> corners,
                             std::size_t used)
{
    std::vector<double> stiffness;
    for (const Elasticity& tensor : model.elasticities) stiffness.push_back(eigenvalues(tensor)[5]);
    const auto stiffness_of = [&](std::int32_t t) {
        return stiffness[std::size_t(model.material_of[std::size_t(active[std::size_t(t)])])];
    };
    auto& [offsets, tets, group, place] = scratch_;
    offsets.assign(used + 1, 0);
    for (const Int4& tet : corners)
        for (const std::int32_t n : tet) ++offsets[std::size_t(n) + 1];
    for (std::size_t n = 0; n < used; ++n) offsets[n + 1] += offsets[n];
    tets.resize(4 * corners.size());
    place.assign(offsets.begin(), offsets.end() - 1);
    for (std::size_t t = 0; t < corners.size(); ++t)
        for (const std::int32_t n : corners[t]) tets[std::size_t(place[std::size_t(n)]++)] = std::int32_t(t);
    place.assign(used, -1);
    for (std::size_t n = 0; n < used; ++n) {
        const std::span around(tets.data() + offsets[n], std::size_t(offsets[n + 1] - offsets[n]));
        std::stable_sort(around.begin(), around.end(),
                         [&](std::int32_t a, std::int32_t b) { return stiffness_of(a) < stiffness_of(b); });
        for (std::size_t first = 0, last = 0; first < around.size(); first = last) {
            while (last < around.size() && stiffness_of(around[last]) <= kAlike * stiffness_of(around[first])) ++last;
            add_node(model, around.subspan(first, last - first), active, corners);
        }
    }
}

void LawElements::add_node(const FemModel& model, std::span<const std::int32_t> tets,
                           std::span<const std::int32_t> active, std::span<const Int4> corners)
{
    Element e{std::int32_t(nodes_.size()), 0, mean_tensor(model, tets, active), 0, 0, 0, 0, 0};
    for (const std::int32_t t : tets) {
        const double quarter = elements_[std::size_t(t)].volume / 4;
        e.volume += quarter;
        for (std::size_t a = 0; a < 4; ++a) {
            const std::int32_t n = corners[std::size_t(t)][a];
            std::int32_t& at = scratch_.place[std::size_t(n)];
            if (at < 0) {
                at = std::int32_t(nodes_.size());
                nodes_.push_back(n), shape_.push_back({});
            }
            shape_[std::size_t(at)] += shape_[4 * std::size_t(t) + a] * quarter;
        }
    }
    e.count = std::int32_t(nodes_.size()) - e.first_corner;
    for (auto k = std::size_t(e.first_corner); k < nodes_.size(); ++k) {
        shape_[k] = shape_[k] / e.volume;
        scratch_.place[std::size_t(nodes_[k])] = -1;
    }
    elements_.push_back(e);
}

std::int32_t LawElements::mean_tensor(const FemModel& model, std::span<const std::int32_t> tets,
                                      std::span<const std::int32_t> active)
{
    const auto own = [&](std::int32_t t) {
        return model.material_of[std::size_t(active[std::size_t(t)])] + std::int32_t(model.elasticities.size());
    };
    if (std::all_of(tets.begin(), tets.end(), [&](std::int32_t t) { return own(t) == own(tets[0]); }))
        return own(tets[0]);
    double volume = 0;
    for (const std::int32_t t : tets) volume += elements_[std::size_t(t)].volume;
    Tensor mean{{}, Matrix6::Zero(), false};
    for (const std::int32_t t : tets) {
        const double share = elements_[std::size_t(t)].volume / volume;
        const Tensor& tensor = tensors_[std::size_t(own(t))];
        mean.elastic = sum(mean.elastic, 1, tensor.elastic, share);
        mean.viscous += tensor.viscous * share;
        mean.is_viscous |= tensor.is_viscous;
    }
    tensors_.push_back(mean);
    return std::int32_t(tensors_.size()) - 1;
}

void LawElements::list_corners(std::size_t used)
{
    corner_offsets_.assign(used + 1, 0);
    for (const std::int32_t n : nodes_) ++corner_offsets_[std::size_t(n) + 1];
    for (std::size_t n = 0; n < used; ++n) corner_offsets_[n + 1] += corner_offsets_[n];
    corners_.resize(nodes_.size());
    scratch_.place.assign(corner_offsets_.begin(), corner_offsets_.end() - 1);
    for (std::size_t k = 0; k < nodes_.size(); ++k)
        corners_[std::size_t(scratch_.place[std::size_t(nodes_[k])]++)] = std::int32_t(k);
}

void LawElements::set_time(const FemModel& model, double time)
{
    time_ = time;
    for (Fibre& fibre : fibres_) {
        const muscles::ChartCurve& curve = model.muscles[std::size_t(fibre.muscle)].curve;
        const double since = time - double(fibre.delay), period = curve.period();
        const auto now = float(since - period * std::floor(since / period));
        fibre.wanted = std::exp(double(curve.logs(now)[0]));
    }
}

// ---- one element

Eigen::Matrix3d LawElements::gradient(const Element& e, std::span<const Vec3d> x) const
{
    const auto first = std::size_t(e.first_corner);
    const Vec3d origin = x[std::size_t(nodes_[first])];
    Mat3d F = Mat3d::zero();
    for (std::size_t k = first + 1; k < first + std::size_t(e.count); ++k) {
        const Vec3d arm = x[std::size_t(nodes_[k])] - origin;
        F.c0 += arm * shape_[k].x, F.c1 += arm * shape_[k].y, F.c2 += arm * shape_[k].z;
    }
    return fem::to_eigen(F);
}

Mat3d LawElements::tet_gradient(std::size_t tet, std::span<const float> x) const
{
    const auto at = [&](std::size_t corner) {
        const auto n = 4 * std::size_t(nodes_[4 * tet + corner]);
        return Vec3{x[n], x[n + 1], x[n + 2]}.as<double>();
    };
    Mat3d F = Mat3d::zero();
    for (std::size_t a = 1; a < 4; ++a) F = F + outer(at(a) - at(0), shape_[4 * tet + a]);
    return F;
}

/// Pa: of viscosity, by the change since the start of the step.
Vector6 LawElements::viscous_stress(std::size_t e, const Eigen::Matrix3d& F) const
{
    return tensors_[std::size_t(elements_[e].tensor)].viscous * (green_strain(F) - start_[e]) * per_h_;
}

double LawElements::energy_of(std::size_t index, std::span<const Vec3d> x, bool barrier, bool viscous) const
{
    const Element& e = elements_[index];
    const Tensor& tensor = tensors_[std::size_t(e.tensor)];
    const Eigen::Matrix3d F = gradient(e, x);
    double density = law_->energy(tensor.elastic, to_mat3(F));
    if (viscous && tensor.is_viscous) density += viscous_stress(index, F).dot(green_strain(F) - start_[index]) / 2;
    for (auto k = std::size_t(e.first_fibre); k < std::size_t(e.first_fibre + e.fibres); ++k) {
        const Fibre& fibre = fibres_[k];
        const double longer = std::max((F * fibre.direction).norm() - fibre.wanted, 0.0);
        density += fibre.stiffness / 2 * longer * longer;
    }
    const double squeezed = barrier && e.barrier > 0 ? std::max(double(kBarrierVolume) - F.determinant(), 0.0) : 0.0;
    return e.volume * density + e.barrier / 2 * squeezed * squeezed;
}

/// Derivative of the elastic energy by F, J.
Eigen::Matrix3d LawElements::stress_of(const Element& e, const Eigen::Matrix3d& F, bool barrier) const
{
    Eigen::Matrix3d P = fem::to_eigen(law_->stress(tensors_[std::size_t(e.tensor)].elastic, to_mat3(F)));
    for (auto k = std::size_t(e.first_fibre); k < std::size_t(e.first_fibre + e.fibres); ++k) {
        const Fibre& fibre = fibres_[k];
        const Eigen::Vector3d along = F * fibre.direction;
        const double stretch = along.norm();
        if (stretch > fibre.wanted)
            P += along * (fibre.stiffness * (1 - fibre.wanted / stretch)) * fibre.direction.transpose();
    }
    P *= e.volume;
    if (const double volume = F.determinant(); barrier && e.barrier > 0 && volume < double(kBarrierVolume))
        P -= cofactor(F) * (e.barrier * (double(kBarrierVolume) - volume));
    return P;
}

Matrix9 LawElements::hessian_of(std::size_t index, const Eigen::Matrix3d& F, bool barrier, bool viscous,
                                bool positive) const
{
    const Element& e = elements_[index];
    const Tensor& tensor = tensors_[std::size_t(e.tensor)];
    const LawHessian elastic = law_->hessian(tensor.elastic, to_mat3(F), positive);
    Matrix9 H = Eigen::Map<const Matrix9>(elastic.h.data());
    if (viscous && tensor.is_viscous)
        add_green_hessian(F, tensor.viscous * per_h_, to_matrix(viscous_stress(index, F)), positive, H);
    for (auto k = std::size_t(e.first_fibre); k < std::size_t(e.first_fibre + e.fibres); ++k) {
        const Fibre& fibre = fibres_[k];
        const Eigen::Vector3d along = F * fibre.direction;
        const double stretch = along.norm();
        if (stretch <= fibre.wanted) continue;
        // Along the fibre its stiffness; across it that of a string under tension.
        const double across = 1 - fibre.wanted / stretch;
        const Eigen::Vector3d n = along / stretch;
        const Eigen::Matrix3d K =
            fibre.stiffness * (across * Eigen::Matrix3d::Identity() + (1 - across) * n * n.transpose());
        for (int j = 0; j < 3; ++j)
            for (int l = 0; l < 3; ++l) H.block<3, 3>(3 * j, 3 * l) += K * (fibre.direction[j] * fibre.direction[l]);
    }
    H *= e.volume;
    if (const double volume = F.determinant(); barrier && e.barrier > 0 && volume < double(kBarrierVolume)) {
        const Eigen::Matrix3d C = cofactor(F);
        const Eigen::Map<const Eigen::Matrix<double, 9, 1>> c(C.data());
        H += e.barrier * c * c.transpose();
        if (!positive) add_volume_hessian(F, -e.barrier * (double(kBarrierVolume) - volume), H);
    }
    return H;
}

void LawElements::put_gradient(const Element& e, const Eigen::Matrix3d& P)
{
    for (auto k = std::size_t(e.first_corner); k < std::size_t(e.first_corner + e.count); ++k)
        gradients_[k] = to_vec(P * to_vector(shape_[k]));
}

void LawElements::put_hessian(const Element& e, const Matrix9& H)
{
    Mat3d* out = &hessians_[e.first_block];
    for (std::int32_t a = 0; a < e.count; ++a) {
        const Vec3d& g = shape_[std::size_t(e.first_corner + a)];
        const Eigen::Matrix<double, 3, 9> GH =
            H.topRows<3>() * g.x + H.middleRows<3>(3) * g.y + H.bottomRows<3>() * g.z;
        for (std::int32_t b = a; b < e.count; ++b) {
            const Vec3d& other = shape_[std::size_t(e.first_corner + b)];
            *out++ = to_mat3(GH.leftCols<3>() * other.x + GH.middleCols<3>(3) * other.y + GH.rightCols<3>() * other.z);
        }
    }
}

// ---- all of them

void LawElements::start_step(std::span<const Vec3d> x, double h)
{
    per_h_ = 1 / h;
    if (!viscous_) return;
    start_.resize(elements_.size());
    for (std::size_t e = 0; e < elements_.size(); ++e) start_[e] = green_strain(gradient(elements_[e], x));
}

double LawElements::energy(std::span<const Vec3d> x, bool barrier, bool viscous)
{
    for_each_chunk(elements_.size(), kElementsInTask, [&](std::size_t c, std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t e = first; e < last; ++e) sum += energy_of(e, x, barrier, viscous && viscous_);
        sums_[c] = sum;
    });
    double sum = 0;
    for (const double part : sums_) sum += part;
    return sum;
}

void LawElements::differentiate(std::span<const Vec3d> x, bool barrier, bool viscous, bool positive)
{
    if (elements_.empty()) return;
    const Element& end = elements_.back();
    hessians_.resize(end.first_block + std::size_t(end.count * (end.count + 1) / 2));
    for_each_chunk(elements_.size(), kElementsInTask, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t index = first; index < last; ++index) {
            const Element& e = elements_[index];
            const Eigen::Matrix3d F = gradient(e, x);
            Eigen::Matrix3d P = stress_of(e, F, barrier);
            const bool resists = viscous && viscous_ && tensors_[std::size_t(e.tensor)].is_viscous;
            if (resists) P += e.volume * F * to_matrix(viscous_stress(index, F));
            put_gradient(e, P);
            put_hessian(e, hessian_of(index, F, barrier, resists, positive));
        }
    });
}

void LawElements::forces(std::span<const float> positions, std::span<const float> velocities, bool barrier,
                         std::span<float> out)
{
    const auto take = [](std::span<const float> from, std::vector<Vec3d>& to) {
        to.resize(from.size() / 4);
        for (std::size_t n = 0; n < to.size(); ++n)
            to[n] = Vec3{from[4 * n], from[4 * n + 1], from[4 * n + 2]}.as<double>();
    };
    take(positions, positions_);
    if (viscous_) take(velocities, velocities_);
    for_each_chunk(elements_.size(), kElementsInTask, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t index = first; index < last; ++index) {
            const Element& e = elements_[index];
            const Tensor& tensor = tensors_[std::size_t(e.tensor)];
            const Eigen::Matrix3d F = gradient(e, positions_);
            Eigen::Matrix3d P = stress_of(e, F, barrier);
            if (viscous_ && tensor.is_viscous)
                P += e.volume * F * to_matrix(tensor.viscous * green_rate(F, gradient(e, velocities_)));
            put_gradient(e, P);
        }
    });
    for_each_chunk(positions_.size(), kNodesInTask, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n) {
            Vec3d sum;
            for (std::int32_t k = corner_offsets_[n]; k < corner_offsets_[n + 1]; ++k)
                sum -= gradients_[std::size_t(corners_[std::size_t(k)])];
            out[4 * n] = float(sum.x), out[4 * n + 1] = float(sum.y), out[4 * n + 2] = float(sum.z);
            out[4 * n + 3] = 0;
        }
    });
}

double LawElements::energy(std::span<const float> positions, bool barrier)
{
    positions_.resize(positions.size() / 4);
    for (std::size_t n = 0; n < positions_.size(); ++n)
        positions_[n] = Vec3{positions[4 * n], positions[4 * n + 1], positions[4 * n + 2]}.as<double>();
    return energy(positions_, barrier, false);
}

}  // namespace yawara::fem
