// An implicit step: backward Euler as one minimisation. The incremental potential is that of inertia, |x - y|^2 / 2 h^2
// in the mass metric with y = x + h v + h^2 g, plus elasticity, viscosity, soft grips, and obstacles with friction.
// Newton's method with second derivatives that are never negative goes downhill on it, so that no length of the step
// and no stiffness makes it explode. Angular momentum, which backward Euler loses, is put back; energy it could add is
// taken.
#include <algorithm>
#include <cmath>

#include "contact/meeting.h"
#include "core/parallel.h"
#include "fem/advance.h"
#include "fem/implicit_potential.h"

namespace yawara::fem {
namespace {

using Obstacle = ImplicitWork::Obstacle;

constexpr int kMostStiffened = 3;       // times in a step that springs of obstacles are made stiffer
constexpr double kRestStep = 1.0 / 60;  // s, of the matrix at rest; and the steps it is good for
constexpr double kLeastRestStep = kRestStep / 2, kMostRestStep = kRestStep * 2.5;
constexpr double kSoft = 0.003;   // of its size: how deep a spring is no stiffer than the body
constexpr double kOverlap = 5;    // times that: what is deeper at the start of a step is put out by and by
constexpr double kParted = 0.95;  // share of its depth that it may keep in a step
constexpr double kGuard = 1e-6;  // of the energies compared: what single precision leaves undecided

/// Where the obstacles are for the candidates that may meet them in this step.
void find_obstacles(const FemModel& model, const StepInput& input, std::span<const Collider> obstacles, double h,
                    Workspace& work)
{
    ImplicitWork& own = work.implicit;
    own.obstacles.clear();
    const double soft = kSoft * model.size;
    const double slow = 2 * double(length(input.gravity)) * h;  // m/s: what is slower does not bounce
    for (std::size_t i = 0; i < work.candidates.size(); ++i) {
        const Candidate& c = work.candidates[i];
        const Vec3d from = mean(c.support, own.start), to = mean(c.support, own.inertial);
        const Vec3 from_world = work.to_world(from.as<float>()), to_world = work.to_world(to.as<float>());
        for (const Collider& collider : obstacles) {
            const Vec3 start_world = contact::relative_start(collider, from_world).start;
            const bool moves = collider.motion && collider.motion->moves();
            const Vec3d start = moves ? contact::carry(collider, work.frame.origin + from) - work.frame.origin : from;
            contact::Sample at = contact::sample(collider, start_world);
            Vec3 seen = start_world;
            if (at.distance > 0 && !std::holds_alternative<Plane>(collider.shape)) {
                if (const auto entry = contact::first_entry(collider, start_world, to_world, 0)) {
                    seen = start_world + (to_world - start_world) * float(entry->share);
                    at = {0, entry->normal};
                } else {
                    seen = to_world;
                    at = contact::sample(collider, to_world);
                }
            }
            const Vec3d point = seen.as<double>() - work.frame.origin - at.normal * at.distance;
            Obstacle o{std::int32_t(i), c.support, at.normal, point, start, {}, double(collider.friction), 0, 0};
            const double towards = dot(at.normal, to - start), above = -o.depth(start);
            o.spring = {double(c.stiffness), -above > kOverlap * soft ? -kParted * above : soft};
            if (collider.restitution > 0 && towards < -slow * h && above + towards < 0)
                o.lift = std::max(above, 0.0) - double(collider.restitution) * towards;
            o.pressed = o.force(-above, o.reach(-above));
            own.obstacles.push_back(o);
        }
    }
}

/// Springs that have let a node through an obstacle become stiffer. Returns whether there are any.
bool stiffen_passed(const FemModel& model, std::span<const Collider> obstacles, Workspace& work)
{
    constexpr double kStiffer = 100;
    const double least = double(*std::max_element(model.contact_stiffness.begin(), model.contact_stiffness.end()));
    ImplicitWork& own = work.implicit;
    bool any = false;
    for (std::size_t k = 0; k < own.obstacles.size(); ++k) {
        Obstacle& o = own.obstacles[k];
        const Vec3 from = work.to_world(mean(o.at, own.start).as<float>());
        const Vec3 to = work.to_world(mean(o.at, own.x).as<float>());
        const contact::Meeting met = contact::meet(obstacles[k % obstacles.size()], from, to);
        constexpr double kOpposite = -0.5;
        if (!(met.passed && met.distance < 0 && o.depth(mean(o.at, own.x)) > 0)) continue;
        if (dot(met.normal, contact::sample(obstacles[k % obstacles.size()], to).normal) > kOpposite) continue;
        o.spring.stiffness = std::max(o.spring.stiffness, least) * kStiffer;
        any = true;
    }
    return any;
}

void find_springs(const FemModel& model, const StepInput& input, Workspace& work)
{
    std::vector<ImplicitWork::Spring>& springs = work.implicit.springs;
    springs.clear();
    for (const Grip& grip : input.grips) {
        if (is_hard(grip)) continue;
        for_each_held(grip, model.forest.node_count(), [&](std::size_t i, Vec3 target, Vec3) {
            springs.push_back({work.front.support(model.forest, std::int32_t(i)),
                               target.as<double>() - work.frame.origin, double(grip.stiffness)});
        });
    }
}

/// Forces that stay the same during the step: pushes, and what held nodes do through the mass matrix.
void find_loads(const StepInput& input, Vec3d gravity, Workspace& work)
{
    const Front& front = work.front;
    ImplicitWork& own = work.implicit;
    const bool pushed = !input.pushes.empty() && work.push.size() == 4 * front.used.size();
    own.loads.assign(own.matrix.rows(), {});
    if (pushed) {
        work.scratch = work.push;
        front.restrict_to_free(work.scratch);
        for (std::size_t row = 0; row < own.loads.size(); ++row)
            own.loads[row] = get(work.scratch, std::size_t(own.matrix.node_of(row))).as<double>();
    }
    if (work.fixed.empty()) return;
    for (std::size_t row = 0; row < own.loads.size(); ++row) {  // nodes that are held are not accelerated
        const auto node = std::size_t(own.matrix.node_of(row));
        for (std::int32_t e = front.mass_offsets[node]; e < front.mass_offsets[node + 1]; ++e)
            if (work.fixed[std::size_t(front.mass_columns[std::size_t(e)])])
                own.loads[row] += gravity * front.exact_values[std::size_t(e)];
    }
}

/// The rigid part of a free body's motion over a step, by its momenta alone; a body that is held has none.
struct RigidStep {
    RigidMotion start, end;
    Vec3d spin, spin_rate;  ///< rad/s and rad/s^2, in the middle of the step
    Mat3d turn;             ///< from start to end
};
RigidStep rigid_step(const FemModel& model, const Momentum& motion, Vec3d origin, bool held, Vec3d gravity, double h)
{
    RigidStep step;
    step.start.center = motion.center;
    if (!held) {
        const Vec3d angular = motion.angular - cross(motion.center - origin, motion.linear);
        const auto spin_after = [&](const Mat3d& turn) {
            return solve_symmetric(turn * motion.inertia * transpose(turn), angular);
        };
        step.start.velocity = motion.linear / model.total_mass;
        step.start.spin = spin_after({});
        const Mat3d half = turned_by(step.start.spin * (h / 2)), inertia = half * motion.inertia * transpose(half);
        step.spin = spin_after(half);
        step.spin_rate = solve_symmetric(inertia, cross(step.spin, inertia * step.spin)) * -1.0;
        step.turn = turned_by(step.spin * h);
        step.end.spin = spin_after(step.turn);
    }
    step.end.velocity = step.start.velocity + gravity * h;
    step.end.center = step.start.center + step.end.velocity * h;
    return step;
}

/// Momenta about a point; of a body that is held, kinetic energy and centre of mass alone, with the used nodes at x: as
/// exactly as the energies that they are compared with.
Momentum momentum_now(bool held, const std::vector<Vec3d>& x, Vec3d about, Workspace& work)
{
    const Front& front = work.front;
    if (!held || !front.diagonal_mass()) return work.tally.momentum(front, work.x, work.v, about);
    double mass = 0, kinetic = 0;
    Vec3d moment;
    for (std::size_t k = 0; k < front.used.size(); ++k) {
        if (!front.is_free[k]) continue;
        const double m = front.exact_diagonal[k];
        const Vec3d v = get(work.v, k).as<double>();
        mass += m, kinetic += m * dot(v, v);
        moment += (x[k] - about) * m;
    }
    Momentum result;
    result.kinetic = kinetic / 2, result.center = about + moment / mass;
    return result;
}

/// Where the rigid motion carries the nodes, and where inertia alone would, seen from there.
void predict(const RigidStep& step, bool held, double h, Workspace& work)
{
    ImplicitWork& own = work.implicit;
    if (held) {
        const Vec3d shift = step.end.center - step.start.center;
        for (std::size_t k = 0; k < own.start.size(); ++k) {
            own.rigid[k] = own.start[k] + shift;
            own.inertial[k] = own.rigid[k] + get(work.v, k).as<double>() * h;
        }
        return;
    }
    for_each_chunk(own.start.size(), kImplicitNodesPerChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const Vec3d arm = step.turn * (own.start[k] - step.start.center);
            const Vec3d inner = step.turn * (get(work.v, k).as<double>() - step.start.at(own.start[k]));
            const Vec3d fictitious = cross(step.spin_rate, arm) + cross(step.spin, cross(step.spin, arm) + inner * 2.0);
            own.rigid[k] = step.end.center + arm;
            own.inertial[k] = own.rigid[k] + inner * h - fictitious * (h * h);
        }
    });
}

/// A frame that falls would carry nodes through obstacles and away from grips before the step begins: it stops, and the
/// nodes get its velocity.
void stop_frame(const FemModel& model, Workspace& work, Momentum& wanted)
{
    const Vec3d velocity = work.frame.velocity;
    for (std::size_t k = 0; k < work.front.used.size(); ++k)
        put(work.v, k, (get(work.v, k).as<double>() + velocity).as<float>());
    wanted.linear += velocity * model.total_mass;
    wanted.angular += cross(wanted.center, velocity * model.total_mass);
    work.frame.velocity = {};
}

/// Tells what springs and obstacles did at the end of the step: to level selection, and to the report. Returns whether
/// they did anything.
bool report_forces(const FemModel& model, const StepInput& input, const IncrementalPotential& potential, double h,
                   Workspace& work, ContactReport& report)
{
    const ImplicitWork& own = work.implicit;
    work.grip_loads.clear();
    std::size_t spring = 0;
    for (const Grip& grip : input.grips) {
        if (is_hard(grip)) continue;
        for_each_held(grip, model.forest.node_count(), [&](std::size_t i, Vec3, Vec3) {
            const ImplicitWork::Spring& s = own.springs[spring++];
            work.grip_loads.push_back({std::int32_t(i), ((s.target - mean(s.at, own.x)) * s.stiffness).as<float>()});
        });
    }
    int contacts = 0;
    bool touched = !own.springs.empty();
    std::fill(work.shear.begin(), work.shear.end(), Vec3{});  // friction is that of this step
    for (Candidate& c : work.candidates) c.force = {}, c.blow = 0;
    for (const Obstacle& o : own.obstacles) {
        const Vec3d at = mean(o.at, own.x), force = potential.force(o, at);
        // What inertia would have carried into an obstacle was held off, though it may not touch any more.
        touched |= o.depth(mean(o.at, own.inertial)) + o.lift > 0;
        if (force == Vec3d{}) continue;
        touched = true;
        work.candidates[std::size_t(o.candidate)].force += force.as<float>();
        work.contact_impulse += force * h;
        contacts += o.depth(at) + o.lift > 0;
        report.deepest = std::max(report.deepest, float(o.depth(at)));
    }
    report.contacts = std::max(report.contacts, contacts);
    return touched;
}

/// Gives the front the momenta it should have.
void correct_momentum(const FemModel& model, const Momentum& wanted, Workspace& work)
{
    Momentum about_center = wanted;
    about_center.angular -= cross(wanted.center, wanted.linear);
    const Correction c = missing_momentum(model, about_center, work);
    for (std::size_t k = 0; k < work.front.used.size(); ++k) {
        const Vec3d x = get(work.x, k).as<double>(), v = get(work.v, k).as<double>();
        put(work.v, k, (v + c.drift + cross(c.spin, x - c.center)).as<float>());
    }
}

/// Factors the matrix of a body at rest, if it stays at one front: then it pays.
void fit_rest(const FemModel& model, const FemSettings& settings, Workspace& work)
{
    ImplicitWork& own = work.implicit;
    own.rest.clear();
    if (model.law || model.plastic || (model.forest.levels() > 0 && !is_full(model, settings))) return;
    own.at_rest.clear();
    double mass = 0;
    Vec3d moment;
    for (std::size_t k = 0; k < work.front.used.size(); ++k) {
        const double m = work.front.exact_diagonal[k];
        own.at_rest.push_back(model.forest.rest()[std::size_t(work.front.used[k])]);
        mass += m, moment += own.at_rest.back() * m;
    }
    for (Vec3d& p : own.at_rest) p -= moment / mass;
    own.tets.begin(model, work.front, settings.barrier, kRestStep, own.at_rest);
    own.tets.differentiate(own.at_rest);
    own.matrix.assemble(own.tets.hessians(), 1 / (kRestStep * kRestStep));
    std::vector<Vec3d> row_positions(own.matrix.rows());
    for (std::size_t row = 0; row < row_positions.size(); ++row)
        row_positions[row] = own.at_rest[std::size_t(own.matrix.node_of(row))];
    own.rest.factor(own.matrix.block_rows(), row_positions);
    if (own.rest.ready()) own.rest_shrink = measure_rest(model, work.front, kRestStep, !work.fixed.empty(), own);
}

void take_start(Workspace& work)
{
    ImplicitWork& own = work.implicit;
    const std::size_t n = work.front.used.size();
    own.start.resize(n), own.rigid.resize(n), own.inertial.resize(n);
    for (std::size_t k = 0; k < n; ++k) own.start[k] = get(work.x, k).as<double>();
}

/// Positions, velocities and accelerations of the used nodes at the end. Returns whether nodes that are held have
/// moved.
bool take_end(const RigidStep& rigid, Vec3d gravity, double h, Workspace& work)
{
    const ImplicitWork& own = work.implicit;
    bool hands_move = false;
    for (std::size_t k = 0; k < work.front.used.size(); ++k) {
        if (!work.front.is_free[k]) continue;
        if (own.matrix.row_of(k) >= 0) {
            const Vec3 v = (rigid.end.at(own.x[k]) + (own.x[k] - own.rigid[k]) / h).as<float>();
            put(work.a, k, (v - get(work.v, k)) * float(1 / h) - gravity.as<float>());
            put(work.v, k, v);
        } else {
            put(work.a, k, -gravity.as<float>());
            hands_move |= own.x[k] != own.start[k];
        }
        put(work.x, k, own.x[k].as<float>());
    }
    for (Nodal* values : {&work.x, &work.v, &work.a}) work.front.interpolate(*values);
    return hands_move;
}

/// What gravity and pushes make of the motion of the whole. Returns the work of the pushes, J.
double foresee_motion(const FemModel& model, const StepInput& input, Vec3d gravity, double h, const Workspace& work,
                      Momentum& wanted)
{
    const std::vector<Vec3d>& x = work.implicit.x;
    const Vec3d angular = wanted.angular - cross(wanted.center, wanted.linear);  // about the centre
    Vec3d impulse, moment;                                                       // about the origin
    double work_done = 0;
    if (!input.pushes.empty() && work.push.size() == 4 * x.size())
        for (std::size_t k = 0; k < x.size(); ++k) {
            const Vec3d push = get(work.push, k).as<double>();
            impulse += push * h;
            moment += cross(x[k], push * h);
            work_done += dot(push, x[k] - work.implicit.start[k]);
        }
    wanted.linear += gravity * (model.total_mass * h) + impulse;
    wanted.center += wanted.linear * (h / model.total_mass);
    wanted.angular = angular + moment - cross(wanted.center, impulse) + cross(wanted.center, wanted.linear);
    return work_done;
}

/// Takes energy that a step has added, as backward Euler may where the potential is not convex: from the inner motion
/// first, and from all of it if nothing says what the momenta must be.
void guard_energy(const FemModel& model, double excess, bool is_free, Workspace& work, Momentum& wanted,
                  FemReport& report)
{
    double left = take_energy(model, excess, work);
    const double kinetic = !is_free && left > 0 ? work.tally.momentum(work.front, work.x, work.v, {}).kinetic : 0.0;
    if (kinetic > 0) {
        const double taken = std::min(left, kinetic), keep = std::sqrt(1 - taken / kinetic);
        for (std::size_t k = 0; k < work.front.used.size(); ++k)
            if (work.fixed.empty() || !work.fixed[k]) put(work.v, k, get(work.v, k) * float(keep));
        wanted.linear *= keep, wanted.angular *= keep;
        left -= taken;
    }
    report.energy_taken += excess - left;
    report.energy_jumps += left;
}

}  // namespace

void ImplicitWork::reserve(const FemModel& model)
{
    constexpr std::size_t kMost = 200'000;  // nodes or tets; arrays of larger bodies grow as they are needed
    const std::size_t nodes = std::min(model.forest.node_count(), kMost);
    const std::size_t finest = std::min(model.forest.count_of(model.forest.levels()), kMost);
    matrix.reserve(nodes, finest);
    tets.reserve(model, finest);
    for (auto* list : {&start, &rigid, &inertial, &x, &tried, &loads, &gradient, &drive, &direction, &off, &mass_off,
                       &inner_direction})
        list->reserve(nodes);
    obstacles.reserve(model.surface_nodes.size() + nodes);
}

void implicit_substep(const FemModel& model, std::span<const double> masses, const FemSettings& settings,
                      const StepInput& input, double since, double h, Workspace& work, Momentum& wanted,
                      StepReport& report)
{
    ImplicitWork& own = work.implicit;
    if (own.start.capacity() == 0) own.reserve(model);
    find_candidates(model, masses, input, since, h, work);
    const bool pulled = !std::all_of(input.grips.begin(), input.grips.end(), is_hard);
    const bool falls = work.frame.falls && work.candidates.empty() && !pulled;
    if (work.frame.falls && !falls) stop_frame(model, work, wanted);
    const Vec3d gravity = falls ? Vec3d{} : input.gravity.as<double>();

    const bool new_rows = own.matrix.fit(work.front, work.fixed);
    for (auto* list : {&own.gradient, &own.drive, &own.direction, &own.off, &own.mass_off})
        list->resize(own.matrix.rows());
    if (new_rows) fit_rest(model, settings, work);
    take_start(work);
    const bool held = !work.fixed.empty();
    const Momentum before = momentum_now(held, own.start, own.start[0], work);
    const RigidStep rigid = rigid_step(model, before, own.start[0], held, gravity, h);
    predict(rigid, held, h, work);
    own.tets.begin(model, work.front, settings.barrier, h, own.start);
    find_springs(model, input, work);
    const std::span<const Collider> obstacles = obstacles_in(input, since, since + h, work);
    find_obstacles(model, input, obstacles, h, work);
    find_loads(input, gravity, work);
    IncrementalPotential potential(model, work.front, own, h);
    const double elastic_before = own.tets.energy(own.start).elastic;
    const Volumes at_start = model.law ? volumes(model, work) : own.tets.last_volumes();
    report.inverted = std::max(report.inverted, at_start.inverted);
    report.fem.smallest_volume = std::min(report.fem.smallest_volume, at_start.smallest);
    const double energy_before = before.kinetic + potential.outer_energy(own.start) + elastic_before;

    Minimised found;
    const bool alone = own.springs.empty() && own.obstacles.empty();
    if (own.rest.ready() && alone && kLeastRestStep <= h && h <= kMostRestStep)
        found = minimise_by_rest(model, work.front, potential, h, work);
    if (!found.enough) {
        const int rounds = found.rounds;
        const IncrementalPotential::Energy guessed = guess(h, elastic_before, potential, work);
        found = minimise(model, work.front, potential, guessed, h, held, own);
        found.rounds += rounds;
    }
    for (int k = 0; k < kMostStiffened && stiffen_passed(model, obstacles, work); ++k) {
        const Minimised again = minimise(model, work.front, potential, potential.energy(own.x), h, held, own);
        found = {.rounds = found.rounds + again.rounds,
                 .conjugate = found.conjugate + again.conjugate,
                 .elastic = again.elastic,
                 .left = again.left,
                 .enough = again.enough};
    }
    ++report.fem.implicit_substeps;
    report.fem.newton_rounds += found.rounds;
    report.fem.solver_rounds += found.conjugate;
    report.fem.unsolved = std::max(report.fem.unsolved, found.left / h);
    report.fem.cut_short += !found.enough;

    const bool hands_move = take_end(rigid, gravity, h, work);
    const bool touched = report_forces(model, input, potential, h, work, report.contact);
    double work_done = foresee_motion(model, input, gravity, h, work, wanted);
    const Vec3d about = own.start[0];
    if (!held && !touched) correct_momentum(model, wanted, work);
    const Momentum after = momentum_now(held, own.x, about, work);
    if (!held && touched) {  // what grips and obstacles did is known by what became of the motion
        wanted.linear = after.linear, wanted.center = after.center;
        wanted.angular = after.angular + cross(about, after.linear);
    }
    if (falls) {  // along the parabola
        const Vec3d fall = input.gravity.as<double>() * h;
        work.frame.origin += (work.frame.velocity + fall * 0.5) * h;
        work.frame.velocity += fall;
    }
    const bool obstacles_move = touched && std::any_of(obstacles.begin(), obstacles.end(),
                                                       [](const Collider& c) { return c.motion && c.motion->moves(); });
    if (hands_move || obstacles_move) return;  // they may do any work

    work_done += dot(gravity, after.center - before.center) * model.total_mass;
    const double energy_after = after.kinetic + potential.outer_energy(own.x) + found.elastic;
    const double excess = energy_after - energy_before - work_done;
    if (excess > kGuard * (energy_before + std::abs(work_done)))
        guard_energy(model, excess, !held && !touched, work, wanted, report.fem);
}

}  // namespace yawara::fem
