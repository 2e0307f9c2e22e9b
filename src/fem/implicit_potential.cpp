#include "fem/implicit_potential.h"

#include <algorithm>
#include <cmath>

namespace yawara::fem {
namespace {

using Obstacle = ImplicitWork::Obstacle;

constexpr double kSlow = 1e-3;  // 1/s: speed below which friction is viscous, likewise
// Share of the negative curvature of sliding friction that counts where friction is not foreseen: with all of it full
// steps would go too far.
constexpr double kSliding = 0.9;

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

/// Derivatives of friction, as those at `rubs_at` foretell them for a node that has moved by `along`.
struct FrictionModel {
    Vec3d gradient;
    Mat3d hessian;
};
FrictionModel friction_model(const Obstacle& o, Vec3d along, double slow, double sliding)
{
    const double distance = length(o.rubs_at), per_distance = o.friction * o.pressed / std::max(distance, slow);
    Mat3d hessian = (Mat3d{} - outer(o.normal, o.normal)) * per_distance;
    if (distance > slow)
        hessian = hessian - outer(o.rubs_at, o.rubs_at) * (sliding * per_distance / (distance * distance));
    return {o.rubs_at * per_distance + hessian * (along - o.rubs_at), hessian};
}

double normal_force(const Obstacle& o, Vec3d p)
{
    const double depth = o.depth(p);
    return o.force(depth, o.reach(depth));
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
        sum += o.spring.energy(o.depth(p), o.lift);
        if (o.friction * o.pressed > 0) {
            const Rubbing r = rubbing(o, p, slow_);
            sum += o.friction * o.pressed *
                   (r.distance < slow_ ? r.distance * r.distance / (2 * slow_) : r.distance - slow_ / 2);
        }
    }
    return {sum, of_tets.elastic};
}

IncrementalPotential::Energy IncrementalPotential::find_slope(const std::vector<Vec3d>& x)
{
    const ElementEnergy of_tets = own_.tets.find_slopes(x);
    const Energy result = energy(x, of_tets);
    sum_gradient();
    return result;
}

/// Of inertia, loads and tets, whose own gradients are known.
void IncrementalPotential::sum_gradient()
{
    for (std::size_t row = 0; row < own_.matrix.rows(); ++row)
        own_.gradient[row] = own_.mass_off[row] * per_h2_ - own_.loads[row];
    own_.matrix.add_corners(own_.tets.gradients(), own_.gradient);
}

void IncrementalPotential::differentiate(const std::vector<Vec3d>& x)
{
    BlockMatrix& matrix = own_.matrix;
    own_.tets.differentiate(x);
    measure_inertia(x);
    sum_gradient();
    matrix.assemble(own_.tets.hessians(), per_h2_);
    for (const ImplicitWork::Spring& spring : own_.springs)
        add(spring.at, (mean(spring.at, x) - spring.target) * spring.stiffness, identity_times(spring.stiffness));
    for (Obstacle& o : own_.obstacles) {
        const Vec3d p = mean(o.at, x);
        o.foreseen = o.reach(o.depth(p));
        differentiate(o, p);
    }
    matrix.finish(x);
    for (std::size_t row = 0; row < matrix.rows(); ++row) own_.drive[row] = -own_.gradient[row];
}

/// What slides and would be carried back past where it came from sticks there; what sticks and would be carried away
/// slides. Returns whether it does either.
bool IncrementalPotential::foresee_friction(Obstacle& o, Vec3d now, Vec3d then)
{
    if (!foresees_friction_ || !(o.friction * o.pressed > 0)) return false;
    const Rubbing to = rubbing(o, then, slow_);
    const bool slides = length(o.rubs_at) > slow_;
    if (slides ? dot(o.rubs_at, to.along) >= 0 : to.distance <= slow_) return false;
    const Vec3d along = rubbing(o, now, slow_).along;
    const FrictionModel before = friction_model(o, along, slow_, 1);
    o.rubs_at = slides ? Vec3d{} : to.along;
    const FrictionModel after = friction_model(o, along, slow_, 1);
    for_each_row(o.at, [&](std::int32_t row, double weight) {
        own_.drive[std::size_t(row)] += (before.gradient - after.gradient) * weight;
        for_each_row(o.at, [&](std::int32_t column, double other) {
            own_.matrix.add(row, column, (after.hessian - before.hessian) * (weight * other));
        });
    });
    return true;
}

bool IncrementalPotential::foresee(const std::vector<Vec3d>& x, const std::vector<Vec3d>& there)
{
    bool changed = false;
    for (Obstacle& o : own_.obstacles) {
        const Vec3d now = mean(o.at, x), then = mean(o.at, there);
        changed |= foresee_friction(o, now, then);
        const double depth = o.depth(now);
        const int reach = std::max(o.reach(depth), o.reach(o.depth(then)));
        if (reach == o.foreseen) continue;
        const double force = o.force(depth, reach) - o.force(depth, o.foreseen);
        const double slope = o.spring.slope(reach) - o.spring.slope(o.foreseen);
        o.foreseen = reach;
        changed = true;
        for_each_row(o.at, [&](std::int32_t row, double weight) {
            own_.drive[std::size_t(row)] += o.normal * (force * weight);
            for_each_row(o.at, [&](std::int32_t column, double other) {
                own_.matrix.add(row, column, outer(o.normal, o.normal) * (slope * weight * other));
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

void IncrementalPotential::differentiate(Obstacle& o, Vec3d p)
{
    const double pressed = normal_force(o, p), rubbed = o.friction * o.pressed;
    if (pressed <= 0 && rubbed <= 0) return;
    Vec3d gradient = o.normal * -pressed;
    Mat3d hessian = outer(o.normal, o.normal) * o.spring.slope(o.reach(o.depth(p)));
    if (rubbed > 0) {
        o.rubs_at = rubbing(o, p, slow_).along;
        const FrictionModel friction = friction_model(o, o.rubs_at, slow_, foresees_friction_ ? 1 : kSliding);
        gradient += friction.gradient;
        hessian = hessian + friction.hessian;
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
    for (const Obstacle& o : own_.obstacles) sum += o.spring.energy(o.depth(mean(o.at, x)));
    return sum;
}

}  // namespace yawara::fem
