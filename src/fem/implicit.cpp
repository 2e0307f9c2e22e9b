// One linearly implicit Euler step, (M + h B + h^2 K) dv = h (f - h K v), with what would make K indefinite left out
// and conjugate gradients without a matrix: stable at any length of the step, at the price of some damping.
#include <algorithm>
#include <cmath>

#include "contact/shapes.h"
#include "fem/advance.h"
#include "fem/element.h"

namespace yawara::fem {
namespace {

using Block = Eigen::Matrix<float, 12, 12>;
using Vector12 = Eigen::Matrix<float, 12, 1>;

constexpr double kTolerance = 1e-5;
constexpr int kMostRounds = 400;

/// h^2 K + h B of every active tet.
struct Stiffness {
    std::vector<Block> blocks;

    void apply(const Front& front, const Nodal& v, Nodal& out) const
    {
        for (std::size_t t = 0; t < blocks.size(); ++t) {
            Vector12 local;
            for (int a = 0; a < 4; ++a) {
                const Vec3 p = get(v, std::size_t(front.corners[t][std::size_t(a)]));
                local.segment<3>(3 * a) << p.x, p.y, p.z;
            }
            const Vector12 f = blocks[t] * local;
            for (int a = 0; a < 4; ++a)
                add(out, std::size_t(front.corners[t][std::size_t(a)]), {f[3 * a], f[3 * a + 1], f[3 * a + 2]});
        }
    }
};

/// A spring against an obstacle that is in touch, or will be at the end of the step.
struct Touch {
    const Candidate* at;
    Vec3 normal;
    float stiffness;  ///< times h^2
};

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

    Stiffness elastic, both;  // h^2 K alone, for its product with v; h^2 K + h B
    elastic.blocks.resize(front.active.size());
    both.blocks.resize(front.active.size());
    Nodal diagonal(4 * n, 0.0f), rhs(4 * n, 0.0f), product(4 * n), direction(4 * n, 0.0f), residual(4 * n, 0.0f);
    for (std::size_t t = 0; t < front.active.size(); ++t) {
        const std::int32_t id = front.active[t];
        const auto material = std::size_t(model.material_of[std::size_t(id)]);
        Element element{shape_of(model.forest.corners(id)), to_eigen(model.elasticities[material]),
                        settings.barrier ? double(model.constants[std::size_t(id)].barrier) : 0.0};
        Forces x;
        for (int a = 0; a < 4; ++a) {
            const Vec3 p = get(work.x, std::size_t(front.corners[t][std::size_t(a)]));
            x.col(a) << double(p.x), double(p.y), double(p.z);
        }
        const Tangent K = element_tangent(element, x, true) * (h * h);
        elastic.blocks[t] = K.cast<float>();
        both.blocks[t] = elastic.blocks[t];
        if (model.viscous)
            both.blocks[t] +=
                (element_viscous_tangent(element.shape, to_eigen(model.viscosities[material]), x) * h).cast<float>();
        for (int a = 0; a < 4; ++a)
            for (const Front::Master& m : front.masters(std::size_t(front.corners[t][std::size_t(a)])))
                add(diagonal, std::size_t(m.node),
                    Vec3{both.blocks[t](3 * a, 3 * a), both.blocks[t](3 * a + 1, 3 * a + 1),
                         both.blocks[t](3 * a + 2, 3 * a + 2)} *
                        (m.weight * m.weight));
    }
    for (std::size_t k = 0; k < n; ++k) {
        const float m = front.mass_diagonal[k];
        add(diagonal, k, {m, m, m});
    }

    // f - h K v, everything at the start of the step
    front.forces(model, work.x, work.v, settings.barrier, work.force, &work.corner_forces);
    work.raw_force = work.force;
    if (!input.pushes.empty() && work.push.size() == 4 * n)
        for (std::size_t k = 0; k < n; ++k) {
            add(work.force, k, get(work.push, k));
            impulse.linear += get(work.push, k).as<double>() * h;
            impulse.angular += cross(get(work.x, k).as<double>() - impulse.about, get(work.push, k).as<double>() * h);
        }
    std::vector<Touch> touches;
    int contacts = 0;
    for (Candidate& c : work.candidates) {
        Vec3 x, v;
        for (std::int32_t k = 0; k < c.count; ++k) {
            x += get(work.x, std::size_t(c.on[k])) * c.weight[k];
            v += get(work.v, std::size_t(c.on[k])) * c.weight[k];
        }
        const Vec3 in_world = work.to_world(x);
        v = work.velocity_in_world(v);
        c.force = {};
        for (const Collider& collider : input.colliders) {
            const contact::Sample here = contact::sample(collider, in_world);
            const Vec3 normal = here.normal.as<float>();
            if (!(here.distance + double(dot(normal, v + input.gravity * dt)) * h < 0)) continue;
            const float pressed = c.stiffness * float(-here.distance);
            const Vec3 along = v - normal * dot(normal, v);
            const float speed = length(along);
            const float rubbed = std::min(collider.friction * std::max(pressed, 0.0f), c.mass * speed / dt);
            c.force += normal * pressed;
            if (speed > 0) c.force -= along * (rubbed / speed);
            touches.push_back({&c, normal, c.stiffness * dt * dt});
            report.deepest = std::max(report.deepest, float(-here.distance));
            ++contacts;
        }
        for (std::int32_t k = 0; k < c.count; ++k) add(work.force, std::size_t(c.on[k]), c.force * c.weight[k]);
    }
    report.contacts = std::max(report.contacts, contacts);
    const auto add_touches = [&](const Nodal& v, Vec3 common, Nodal& out) {
        for (const Touch& touch : touches) {
            float towards = dot(common, touch.normal);
            for (std::int32_t k = 0; k < touch.at->count; ++k)
                towards += dot(get(v, std::size_t(touch.at->on[k])), touch.normal) * touch.at->weight[k];
            for (std::int32_t k = 0; k < touch.at->count; ++k)
                add(out, std::size_t(touch.at->on[k]),
                    touch.normal * (touch.stiffness * towards * touch.at->weight[k]));
        }
    };
    for (const Touch& touch : touches)
        for (std::int32_t k = 0; k < touch.at->count; ++k)
            for (const Front::Master& m : front.masters(std::size_t(touch.at->on[k]))) {
                const float s = touch.stiffness * touch.at->weight[k] * touch.at->weight[k] * m.weight;
                add(diagonal, std::size_t(m.node), {s, s, s});
            }

    std::fill(product.begin(), product.end(), 0.0f);
    elastic.apply(front, work.v, product);
    add_touches(work.v, frame_velocity, product);
    for (std::size_t k = 0; k < n; ++k) put(rhs, k, get(work.force, k) * dt - get(product, k));
    front.restrict_to_free(rhs);
    // Gravity: h M g, held nodes included, since they do not move.
    Nodal fall(4 * n, 0.0f);
    for (std::size_t k = 0; k < n; ++k) put(fall, k, gravity * dt);
    front.apply_mass(fall, product);
    for (std::size_t k = 0; k < n; ++k) add(rhs, k, get(product, k));

    Nodal dv(4 * n, 0.0f), mass_part(4 * n);
    const auto apply = [&](const Nodal& v) {
        std::fill(product.begin(), product.end(), 0.0f);
        both.apply(front, v, product);
        add_touches(v, {}, product);
        front.restrict_to_free(product);
        front.apply_mass(v, mass_part);
        for (std::size_t k = 0; k < n; ++k) add(product, k, get(mass_part, k));
    };
    const auto precondition = [&](std::size_t k, Vec3 r) {
        const Vec3 d = get(diagonal, k);
        return Vec3{r.x / d.x, r.y / d.y, r.z / d.z};
    };
    Nodal preconditioned(4 * n, 0.0f);
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
        apply(direction);
        const double curvature = inner(front, work.fixed, direction, product);
        if (!(curvature > 0)) break;
        const auto way = float(square / curvature);
        for (std::size_t k = 0; k < n; ++k)
            if (is_open(k)) {
                add(dv, k, get(direction, k) * way);
                add(residual, k, get(product, k) * -way);
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
    for (const Touch& touch : touches) {
        float towards = dot(frame_velocity, touch.normal);
        Vec3 x;
        for (std::int32_t k = 0; k < touch.at->count; ++k) {
            towards += dot(get(work.v, std::size_t(touch.at->on[k])), touch.normal) * touch.at->weight[k];
            x += get(work.x, std::size_t(touch.at->on[k])) * touch.at->weight[k];
        }
        const Vec3d j =
            touch.at->force.as<double>() * h - touch.normal.as<double>() * double(touch.stiffness * towards);
        impulse.linear += j;
        impulse.angular += cross(x.as<double>() - impulse.about, j);
    }
}

}  // namespace yawara::fem
