#include "fem/implicit_potential.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace yawara::fem {
namespace {

using Obstacle = ImplicitWork::Obstacle;

constexpr double kSlow = 1e-3;    // 1/s: speed below which friction is viscous, likewise
constexpr double kSliding = 0.9;  // share of the negative curvature of sliding friction that counts

Mat3d identity_times(double s)
{
    return {{s, 0, 0}, {0, s, 0}, {0, 0, s}};
}

/// Tangential motion of a node along an obstacle, and what friction makes of it.
struct Rubbing {
    Vec3d along;  ///< m
    double distance, least;
};
Rubbing rubbing(const Obstacle& obstacle, Vec3d x, double least)
{
    const Vec3d moved = x - obstacle.start;
    const Vec3d along = moved - obstacle.normal * dot(obstacle.normal, moved);
    return {along, length(along), least};
}

double normal_force(const Obstacle& o, Vec3d p)
{
    return o.stiffness * std::max(0.0, o.depth(p) + o.lift);
}

}  // namespace

Vec3d mean(const Support& at, const std::vector<Vec3d>& x)
{
    Vec3d sum;
    for (std::int32_t k = 0; k < at.count; ++k) sum += x[std::size_t(at.on[k])] * double(at.weight[k]);
    return sum;
}

void interpolate(const Front& front, std::vector<Vec3d>& x)
{
    for (const Front::HangingNode& s : front.hanging_nodes)
        x[std::size_t(s.node)] = (x[std::size_t(s.a)] + x[std::size_t(s.b)]) * 0.5;
}

IncrementalPotential::IncrementalPotential(const FemModel& model, const Front& front, ImplicitWork& own, double h)
    : front_(front), own_(own), per_h2_(1 / (h * h)), slow_(kSlow * model.size * h)
{
}

template <class Then>
void IncrementalPotential::for_each_row(const Support& at, const Then& then) const
{
    for (std::int32_t k = 0; k < at.count; ++k)
        for (const Front::WeightedNode& m : front_.free_nodes_of(std::size_t(at.on[k])))
            if (const std::int32_t row = own_.matrix.row_of(std::size_t(m.node)); row >= 0)
                then(row, double(at.weight[k]) * double(m.weight));
}

IncrementalPotential::Energy IncrementalPotential::energy(const std::vector<Vec3d>& x)
{
    return energy(x, own_.tets.energy(x));
}

IncrementalPotential::Energy IncrementalPotential::energy(const std::vector<Vec3d>& x, const ElementEnergy& of_tets)
{
    double sum = of_tets.all();
    measure_inertia(x);
    sum += own_.matrix.dot(own_.off, own_.mass_off) / 2 * per_h2_;
    for (std::size_t row = 0; row < own_.matrix.rows(); ++row) {
        const auto node = std::size_t(own_.matrix.node_of(row));
        sum -= dot(own_.loads[row], x[node] - own_.start[node]);
    }
    for (const ImplicitWork::Spring& spring : own_.springs) {
        const Vec3d stretch = mean(spring.at, x) - spring.target;
        sum += spring.stiffness / 2 * dot(stretch, stretch);
    }
    for (const Obstacle& o : own_.obstacles) {
        const Vec3d p = mean(o.at, x);
        const double depth = std::max(0.0, o.depth(p) + o.lift);
        sum += o.stiffness / 2 * depth * depth;
        if (o.friction * o.pressed > 0) {
            const Rubbing r = rubbing(o, p, slow_);
            sum += o.friction * o.pressed *
                   (r.distance < slow_ ? r.distance * r.distance / (2 * slow_) : r.distance - slow_ / 2);
        }
    }
    return {sum, of_tets.elastic};
}

void IncrementalPotential::differentiate(const std::vector<Vec3d>& x)
{
    BlockMatrix& matrix = own_.matrix;
    own_.tets.differentiate(x);
    measure_inertia(x);
    const std::span<const Vec3d> corners = own_.tets.gradients();
    for_each_chunk(matrix.rows(), kImplicitNodesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row) {
            Vec3d sum = own_.mass_off[row] * per_h2_ - own_.loads[row];
            for (const BlockMatrix::Use& use : matrix.uses(row))
                sum += corners[std::size_t(use.corner)] * double(use.weight);
            own_.gradient[row] = sum;
        }
    });
    matrix.assemble(own_.tets.hessians(), per_h2_);
    for (const ImplicitWork::Spring& spring : own_.springs)
        add(spring.at, (mean(spring.at, x) - spring.target) * spring.stiffness, identity_times(spring.stiffness));
    for (Obstacle& o : own_.obstacles) {
        o.foreseen = false;
        differentiate(o, mean(o.at, x));
    }
    matrix.finish(x);
    for (std::size_t row = 0; row < matrix.rows(); ++row) own_.drive[row] = -own_.gradient[row];
}

bool IncrementalPotential::foresee(const std::vector<Vec3d>& x, const std::vector<Vec3d>& there)
{
    bool changed = false;
    for (Obstacle& o : own_.obstacles) {
        const double depth = o.depth(mean(o.at, x)) + o.lift;
        if (depth > 0) continue;
        const bool touches = o.depth(mean(o.at, there)) + o.lift > 0;
        if (touches == o.foreseen) continue;
        o.foreseen = touches;
        changed = true;
        const double stiffness = touches ? o.stiffness : -o.stiffness;
        for_each_row(o.at, [&](std::int32_t row, double weight) {
            own_.drive[std::size_t(row)] += o.normal * (stiffness * depth * weight);
            for_each_row(o.at, [&](std::int32_t column, double other) {
                own_.matrix.add(row, column, outer(o.normal, o.normal) * (stiffness * weight * other));
            });
        });
    }
    if (changed) own_.matrix.finish(x);
    return changed;
}

void IncrementalPotential::press(const std::vector<Vec3d>& x)
{
    for (Obstacle& o : own_.obstacles) o.pressed = normal_force(o, mean(o.at, x));
}

Vec3d IncrementalPotential::force(const Obstacle& o, Vec3d p) const
{
    const Rubbing r = rubbing(o, p, slow_);
    return o.normal * normal_force(o, p) - r.along * (o.friction * o.pressed / std::max(r.distance, slow_));
}

void IncrementalPotential::measure_inertia(const std::vector<Vec3d>& x)
{
    for (std::size_t row = 0; row < own_.matrix.rows(); ++row) {
        const auto node = std::size_t(own_.matrix.node_of(row));
        own_.off[row] = x[node] - own_.inertial[node];
    }
    own_.matrix.multiply_mass(own_.off, own_.mass_off);
}

void IncrementalPotential::differentiate(const Obstacle& o, Vec3d p)
{
    const double pressed = normal_force(o, p), rubbed = o.friction * o.pressed;
    if (pressed <= 0 && rubbed <= 0) return;
    Vec3d gradient = o.normal * -pressed;
    Mat3d hessian = pressed > 0 ? outer(o.normal, o.normal) * o.stiffness : Mat3d::zero();
    if (rubbed > 0) {
        const Rubbing r = rubbing(o, p, slow_);
        const double per_distance = rubbed / std::max(r.distance, slow_);
        gradient += r.along * per_distance;
        // Almost the second derivative: that of what slides is zero along its path, and full steps would go too
        // far.
        hessian = hessian + (Mat3d{} - outer(o.normal, o.normal)) * per_distance;
        if (r.distance > slow_)
            hessian = hessian - outer(r.along, r.along) * (kSliding * per_distance / (r.distance * r.distance));
    }
    add(o.at, gradient, hessian);
}

/// Adds derivatives by a node that rests on others.
void IncrementalPotential::add(const Support& at, Vec3d gradient, const Mat3d& hessian)
{
    for_each_row(at, [&](std::int32_t row, double weight) {
        own_.gradient[std::size_t(row)] += gradient * weight;
        for_each_row(
            at, [&](std::int32_t column, double other) { own_.matrix.add(row, column, hessian * (weight * other)); });
    });
}

double IncrementalPotential::outer_energy(const std::vector<Vec3d>& x) const
{
    double sum = 0;
    for (const ImplicitWork::Spring& spring : own_.springs) {
        const Vec3d stretch = mean(spring.at, x) - spring.target;
        sum += spring.stiffness / 2 * dot(stretch, stretch);
    }
    for (const Obstacle& o : own_.obstacles) {
        const double depth = std::max(0.0, o.depth(mean(o.at, x)));
        sum += o.stiffness / 2 * depth * depth;
    }
    return sum;
}

}  // namespace yawara::fem
