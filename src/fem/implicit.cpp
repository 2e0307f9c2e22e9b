// One linearly implicit Euler step, (M + h B + h^2 K) dv = h (f - h K v), with what would make K indefinite left out
// and conjugate gradients without a matrix: stable at any length of the step, at the price of some damping.
#include <algorithm>
#include <cmath>
#include <span>

#include "contact/shapes.h"
#include "fem/advance.h"
#include "fem/element.h"

namespace yawara::fem {
namespace {

using Spring = Workspace::Spring;
using Block = Eigen::Matrix<float, 12, 12>;
using Vector12 = Eigen::Matrix<float, 12, 1>;

constexpr double kTolerance = 1e-5;
constexpr int kMostRounds = 400;

Eigen::Map<Block> block(AlignedVector<float>& blocks, std::size_t t)
{
    return Eigen::Map<Block>(&blocks[144 * t]);
}

/// out += blocks v, tet by tet.
void apply(const Front& front, AlignedVector<float>& blocks, const Nodal& v, Nodal& out)
{
    for (std::size_t t = 0; t < front.active.size(); ++t) {
        Vector12 local;
        for (int a = 0; a < 4; ++a) {
            const Vec3 p = get(v, std::size_t(front.corners[t][std::size_t(a)]));
            local.segment<3>(3 * a) << p.x, p.y, p.z;
        }
        const Vector12 f = block(blocks, t) * local;
        for (int a = 0; a < 4; ++a)
            add(out, std::size_t(front.corners[t][std::size_t(a)]), {f[3 * a], f[3 * a + 1], f[3 * a + 2]});
    }
}

/// h^2 K + h B of all active tets at their present shape, and the diagonal of the whole.
void find_tangents(const FemModel& model, bool barrier, double h, Workspace& work)
{
    const Front& front = work.front;
    auto& scratch = work.implicit;
    scratch.elastic.resize(144 * front.active.size());
    scratch.both.resize(144 * front.active.size());
    for (std::size_t t = 0; t < front.active.size(); ++t) {
        const std::int32_t id = front.active[t];
        const auto material = std::size_t(model.material_of[std::size_t(id)]);
        Element element{shape_of(model.forest.corners(id)), to_eigen(model.elasticities[material]),
                        barrier ? double(model.constants[std::size_t(id)].barrier) : 0.0};
        if (!front.plastic.empty()) element.plastic = plastic_strain(front.plastic[t]);
        Forces x;
        for (int a = 0; a < 4; ++a) {
            const Vec3 p = get(work.x, std::size_t(front.corners[t][std::size_t(a)]));
            x.col(a) << double(p.x), double(p.y), double(p.z);
        }
        Eigen::Map<Block> elastic = block(scratch.elastic, t), both = block(scratch.both, t);
        elastic = (element_tangent(element, x, true) * (h * h)).cast<float>();
        both = elastic;
        if (model.viscous)
            both +=
                (element_viscous_tangent(element.shape, to_eigen(model.viscosities[material]), x) * h).cast<float>();
        for (int a = 0; a < 4; ++a)
            for (const Front::Master& m : front.masters(std::size_t(front.corners[t][std::size_t(a)])))
                add(scratch.diagonal, std::size_t(m.node),
                    Vec3{both(3 * a, 3 * a), both(3 * a + 1, 3 * a + 1), both(3 * a + 2, 3 * a + 2)} *
                        (m.weight * m.weight));
    }
    for (std::size_t k = 0; k < front.used.size(); ++k) {
        const float m = front.mass_diagonal[k];
        add(scratch.diagonal, k, {m, m, m});
    }
}

/// Soft grips, and obstacles that are in touch or will be at the end of the step.
void find_springs(const FemModel& model, const StepInput& input, float dt, Workspace& work, ContactReport& report)
{
    std::vector<Spring>& springs = work.implicit.springs;
    springs.clear();
    work.grip_loads.clear();
    for (const Grip& grip : input.grips) {
        if (is_hard(grip)) continue;
        for_each_held(grip, model.forest.node_count(), [&](std::size_t i, Vec3 target, Vec3) {
            const Support at = work.front.support(model.forest, std::int32_t(i));
            const Vec3 pull = (target - work.to_world(at.mean(work.x))) * grip.stiffness;
            springs.push_back({at, {}, pull, grip.stiffness * dt * dt});
            work.grip_loads.push_back({std::int32_t(i), pull});
        });
    }
    int contacts = 0;
    for (Candidate& c : work.candidates) {
        const Vec3 in_world = work.to_world(c.support.mean(work.x));
        const Vec3 v = work.velocity_in_world(c.support.mean(work.v));
        c.force = {};
        for (const Collider& collider : input.colliders) {
            const contact::Sample here = contact::sample(collider, in_world);
            const Vec3 normal = here.normal.as<float>();
            if (!(here.distance + double(dot(normal, v + input.gravity * dt) * dt) < 0)) continue;
            const float pressed = c.stiffness * float(-here.distance);
            const Vec3 along = v - normal * dot(normal, v);
            const float speed = length(along);
            const float rubbed = std::min(collider.friction * std::max(pressed, 0.0f), c.mass * speed / dt);
            Vec3 force = normal * pressed;
            if (speed > 0) force -= along * (rubbed / speed);
            springs.push_back({c.support, normal, force, c.stiffness * dt * dt});
            c.force += force;
            report.deepest = std::max(report.deepest, float(-here.distance));
            ++contacts;
        }
    }
    report.contacts = std::max(report.contacts, contacts);
    for (const Spring& spring : springs)
        for (std::int32_t k = 0; k < spring.at.count; ++k)
            for (const Front::Master& m : work.front.masters(std::size_t(spring.at.on[k]))) {
                const float s = spring.stiffness * spring.at.weight[k] * spring.at.weight[k] * m.weight;
                add(work.implicit.diagonal, std::size_t(m.node), {s, s, s});
            }
}

/// out += resistance of the springs to the velocities common + v.
void add_resistance(std::span<const Spring> springs, const Nodal& v, Vec3 common, Nodal& out)
{
    for (const Spring& spring : springs) spring.at.share_out(spring.resist(common + spring.at.mean(v)), out);
}

double inner(const Front& front, const std::vector<std::uint8_t>& fixed, const Nodal& a, const Nodal& b)
{
    double sum = 0;
    for (std::size_t k = 0; k < front.used.size(); ++k)
        if (front.is_free[k] && (fixed.empty() || !fixed[k])) sum += double(dot(get(a, k), get(b, k)));
    return sum;
}

}  // namespace

void implicit_substep(const FemModel& model, const FemSettings& settings, const StepInput& input, double h,
                      Workspace& work, OuterImpulse& impulse, ContactReport& report)
{
    Front& front = work.front;
    const std::size_t n = front.used.size();
    const auto dt = float(h);
    // In a frame that falls, gravity is the change of its velocity.
    const Vec3 gravity = work.frame.falls ? Vec3{} : input.gravity;
    const Vec3 frame_velocity = work.frame.falls ? work.velocity_in_world(input.gravity * dt) : Vec3{};  // at the end
    const auto is_open = [&](std::size_t k) { return front.is_free[k] && (work.fixed.empty() || !work.fixed[k]); };

    auto& own = work.implicit;
    Nodal &diagonal = own.diagonal, &rhs = own.rhs, &product = own.product, &direction = own.direction,
          &residual = own.residual, &preconditioned = own.preconditioned, &dv = own.dv, &scratch = own.scratch;
    for (Nodal* values : {&diagonal, &rhs, &product, &direction, &residual, &preconditioned, &dv, &scratch})
        values->assign(4 * n, 0.0f);
    find_tangents(model, settings.barrier, h, work);
    find_springs(model, input, dt, work, report);
    const std::span<const Spring> springs = own.springs;

    // f - h K v, everything at the start of the step
    front.forces(model, work.x, work.v, settings.barrier, work.force, &work.corner_forces);
    work.raw_force = work.force;
    if (!input.pushes.empty() && work.push.size() == 4 * n)
        for (std::size_t k = 0; k < n; ++k) {
            add(work.force, k, get(work.push, k));
            impulse.linear += get(work.push, k).as<double>() * h;
            impulse.angular += cross(get(work.x, k).as<double>() - impulse.about, get(work.push, k).as<double>() * h);
        }
    for (const Spring& spring : springs) spring.at.share_out(spring.force, work.force);

    apply(front, own.elastic, work.v, product);
    add_resistance(springs, work.v, frame_velocity, product);
    for (std::size_t k = 0; k < n; ++k) put(rhs, k, get(work.force, k) * dt - get(product, k));
    front.restrict_to_free(rhs);
    // Gravity: h M g, held nodes included, since they do not move.
    for (std::size_t k = 0; k < n; ++k) put(scratch, k, gravity * dt);
    front.apply_mass(scratch, product);
    for (std::size_t k = 0; k < n; ++k) add(rhs, k, get(product, k));

    const auto apply_all = [&](const Nodal& v) {
        std::fill(product.begin(), product.end(), 0.0f);
        apply(front, own.both, v, product);
        add_resistance(springs, v, {}, product);
        front.restrict_to_free(product);
        front.apply_mass(v, scratch);
        for (std::size_t k = 0; k < n; ++k) add(product, k, get(scratch, k));
    };
    const auto precondition = [&](std::size_t k, Vec3 r) {
        const Vec3 d = get(diagonal, k);
        return Vec3{r.x / d.x, r.y / d.y, r.z / d.z};
    };
    for (std::size_t k = 0; k < n; ++k)
        if (is_open(k)) {
            put(residual, k, get(rhs, k));
            put(preconditioned, k, precondition(k, get(rhs, k)));
            put(direction, k, get(preconditioned, k));
        }
    front.interpolate(direction);
    double square = inner(front, work.fixed, residual, preconditioned);
    const double enough = kTolerance * kTolerance * square;
    for (int round = 0; round < kMostRounds && square > enough && square > 0; ++round) {
        apply_all(direction);
        const double curvature = inner(front, work.fixed, direction, product);
        if (!(curvature > 0)) break;
        const auto step_length = float(square / curvature);
        for (std::size_t k = 0; k < n; ++k)
            if (is_open(k)) {
                add(dv, k, get(direction, k) * step_length);
                add(residual, k, get(product, k) * -step_length);
                put(preconditioned, k, precondition(k, get(residual, k)));
            }
        const double next = inner(front, work.fixed, residual, preconditioned);
        const auto keep = float(next / square);
        square = next;
        for (std::size_t k = 0; k < n; ++k)
            if (is_open(k)) put(direction, k, get(preconditioned, k) + get(direction, k) * keep);
        front.interpolate(direction);
    }

    for (std::size_t k = 0; k < n; ++k) {
        if (!front.is_free[k]) continue;
        if (is_open(k)) {
            add(work.v, k, get(dv, k));
            put(work.a, k, get(dv, k) * (1 / dt) - gravity);
        } else {
            put(work.a, k, -gravity);
        }
        add(work.x, k, get(work.v, k) * dt);
    }
    front.interpolate(work.x);
    front.interpolate(work.v);
    // What the springs did to the body, at the velocities they ended with.
    for (const Spring& spring : springs) {
        const Vec3 resisted = spring.resist(frame_velocity + spring.at.mean(work.v));
        const Vec3d j = spring.force.as<double>() * h - resisted.as<double>();
        impulse.linear += j;
        impulse.angular += cross(spring.at.mean(work.x).as<double>() - impulse.about, j);
    }
}

}  // namespace yawara::fem
