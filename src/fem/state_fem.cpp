// Between the state of a body and the front that carries it: what a step takes from the state, and what it leaves
// there. advance (fem/advance.cpp) comes here at both ends of a step.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "fem/advance.h"

namespace yawara::fem {
namespace {

/// Sums over all nodes, in double, relative to a moving origin.
struct WholeMotion {
    double mass = 0;
    Vec3d moment, linear, angular;
};
template <class Vector>
WholeMotion whole_motion(std::span<const double> masses, const std::vector<Vec3>& positions,
                         const std::vector<Vector>& velocities, Vec3d origin, Vec3d velocity)
{
    WholeMotion all;
    for (std::size_t n = 0; n < masses.size(); ++n) {
        const Vec3d p = positions[n].as<double>() - origin;
        const Vec3d momentum = (velocities[n].template as<double>() - velocity) * masses[n];
        all.mass += masses[n];
        all.moment += p * masses[n];
        all.linear += momentum;
        all.angular += cross(p, momentum);
    }
    return all;
}

/// Lists the nodes that hard grips hold, and the midpoints that have to be free for it, being held off the middle of
/// their edges.
void take_grips(const FemModel& model, const StepInput& input, const BodyState& state, Workspace& work)
{
    const TetForest& forest = model.forest;
    for (const std::int32_t n : work.fixed_nodes) work.gripped[std::size_t(n)] = 0;
    work.fixed_nodes.clear();
    work.fixed_velocities.clear();
    work.required.clear();
    if (std::none_of(input.grips.begin(), input.grips.end(), is_hard)) return;
    work.gripped.resize(forest.node_count(), 0);
    work.grip_targets.resize(forest.node_count());
    for (const Grip& grip : input.grips) {
        if (!is_hard(grip)) continue;
        for_each_held(grip, forest.node_count(), [&](std::size_t i, Vec3 target, Vec3) {
            const Vec3 displacement = (target - state.positions[i]) / float(input.grip_steps);
            if (!work.gripped[i]) {
                work.fixed_nodes.push_back(std::int32_t(i));
                work.fixed_velocities.push_back(displacement * float(1 / input.dt));
            }
            work.gripped[i] = 1;
            work.grip_targets[i] = input.grip_steps == 1 ? target : state.positions[i] + displacement;
        });
    }
    for (const std::int32_t n : work.fixed_nodes) {
        const ForestNode& node = forest.node(n);
        if (node.a < 0) continue;
        const bool led = work.gripped[std::size_t(node.a)] && work.gripped[std::size_t(node.b)];
        const Vec3 middle = (work.grip_targets[std::size_t(node.a)] + work.grip_targets[std::size_t(node.b)]) * 0.5f;
        if (!led || length(work.grip_targets[std::size_t(n)] - middle) > 1e-5f * float(model.size)) {
            work.required.push_back(n);
            work.gripped[std::size_t(n)] = 2;
        }
    }
}

bool rebuild_if_changed(const FemModel& model, const FemSettings& settings, const BodyState& state, Workspace& work)
{
    const auto same = [&] {
        for (std::size_t t = 0; t < state.fem.front.size(); ++t)
            if ((state.fem.front[t] != 0) != (work.front_splits[t] != 0)) return false;
        return true;
    };
    if (work.front_splits.size() == state.fem.front.size() && work.front_lumped == settings.lumped_mass &&
        !work.front.used.empty() && same())
        return false;
    work.front.rebuild(model, state.fem.front, settings.lumped_mass);
    work.front_lumped = settings.lumped_mass;
    work.front_splits.resize(state.fem.front.size());
    for (std::size_t t = 0; t < state.fem.front.size(); ++t) work.front_splits[t] = state.fem.front[t] != 0;
    return true;
}

/// Velocities that others gave to nodes that are not free in the front go to the free ones, without loss of momentum.
void hand_over_velocities(const FemModel& model, std::span<const double> masses, const BodyState& state,
                          Workspace& work)
{
    const TetForest& forest = model.forest;
    float fastest = 0;
    for (const std::int32_t n : work.front.used) fastest = std::max(fastest, length(state.velocities[std::size_t(n)]));
    std::vector<Vec3>& off = work.hat_loads;  // zero between uses
    off.resize(forest.node_count());
    bool any = false;
    // Ascending: `off` first holds the velocity the front gives, then the difference.
    for (std::int32_t n = 0; n < std::int32_t(forest.node_count()); ++n) {
        const ForestNode& node = forest.node(n);
        const bool own = node.a < 0 || work.front.is_free_node(forest, n);
        off[std::size_t(n)] =
            own ? state.velocities[std::size_t(n)] : (off[std::size_t(node.a)] + off[std::size_t(node.b)]) * 0.5f;
    }
    for (std::size_t n = 0; n < off.size(); ++n) {
        off[n] = state.velocities[n] - off[n];
        any |= length(off[n]) > 1e-5f * fastest;
    }
    if (any) {
        for (auto n = std::int32_t(forest.node_count()) - 1; n >= 0; --n) {
            const auto k = std::size_t(n);
            off[k] = off[k] * float(masses[k]);
        }
        for (auto n = std::int32_t(forest.node_count()) - 1; n >= 0; --n) {
            const ForestNode& node = forest.node(n);
            if (node.a < 0 || work.front.is_free_node(forest, n)) continue;
            off[std::size_t(node.a)] += off[std::size_t(n)] * 0.5f;
            off[std::size_t(node.b)] += off[std::size_t(n)] * 0.5f;
        }
        work.scratch.assign(4 * work.front.used.size(), 0.0f);
        for (std::size_t k = 0; k < work.front.used.size(); ++k)
            put(work.force, k, work.front.is_free[k] ? off[std::size_t(work.front.used[k])] : Vec3{});
        work.mass.solve(work.front, work.force, work.fixed, 1e-6, work.scratch);
        for (std::size_t k = 0; k < work.front.used.size(); ++k)
            if (work.front.is_free[k]) add(work.v, k, get(work.scratch, k));
    }
    std::fill(off.begin(), off.end(), Vec3{});
}

/// The state may come from elsewhere: where fine nodes were moved off their edges by more than `allowed` the front has
/// to follow, and what was done to their velocities is handed to the free nodes without loss of momentum.
void take_state(const FemModel& model, std::span<const double> masses, const FemSettings& settings, bool is_ours,
                BodyState& state, Workspace& work)
{
    const TetForest& forest = model.forest;
    const float allowed = std::max(1e-4f, float(settings.tolerance)) * float(model.size);
    for (int pass = 0; pass < forest.levels(); ++pass) {
        work.wanted.assign(state.fem.front.begin(), state.fem.front.end());
        bool any = false;
        if (is_full(model, settings)) {
            for (std::int32_t& split : work.wanted) any |= split == 0, split = std::max(split, 1);
        } else {
            for (const std::int32_t n : work.required) any |= split_star(forest, n, work.wanted);
            for (std::int32_t n = 0; !is_ours && n < std::int32_t(forest.node_count()); ++n) {
                const ForestNode& node = forest.node(n);
                if (node.a < 0 || work.front.is_free_node(forest, n)) continue;
                const Vec3 middle =
                    (state.positions[std::size_t(node.a)] + state.positions[std::size_t(node.b)]) * 0.5f;
                if (length(state.positions[std::size_t(n)] - middle) > allowed)
                    any |= split_star(forest, n, work.wanted);
            }
        }
        if (!any) break;
        state.fem.front = work.wanted;
        rebuild_if_changed(model, settings, state, work);
    }
    load(state, work);
    if (!is_ours && forest.levels() > 0) hand_over_velocities(model, masses, state, work);
    work.front.interpolate(work.x);
    work.front.interpolate(work.v);
}

/// Angular velocity, about the centre of mass, that makes up for what rounding the positions did to the spin.
struct SpinRepair {
    Vec3d spin, center;
};
SpinRepair repair_spin(std::span<const double> masses, const Correction& correction, Vec3d origin, Vec3d velocity,
                       const std::vector<Vec3>& positions, const std::vector<Vec3d>& velocities)
{
    if (correction.inertia.c0.x == 0) return {};
    const WholeMotion all = whole_motion(masses, positions, velocities, origin, velocity);
    const Vec3d center = all.moment / all.mass, angular = all.angular - cross(center, all.linear);
    return {solve_symmetric(correction.inertia, correction.angular - angular), origin + center};
}

/// The corrected motion of all forest nodes. Returns zero, unless something is not finite.
float store_nodes(const FemModel& model, std::span<const double> masses, const Correction& correction, BodyState& state,
                  Workspace& work)
{
    const Front& front = work.front;
    std::vector<Vec3d>& exact = work.exact_velocities;
    exact.resize(state.velocities.size());
    const Vec3d velocity = work.frame.velocity + correction.drift, origin = work.frame.origin + correction.shift;
    for (std::int32_t n = 0; n < std::int32_t(model.forest.node_count()); ++n) {
        const ForestNode& node = model.forest.node(n);
        const auto i = std::size_t(n), a = std::size_t(std::max(node.a, 0)), b = std::size_t(std::max(node.b, 0));
        if (const std::int32_t place = front.used_index(n); place >= 0 && front.is_free[std::size_t(place)]) {
            const auto k = std::size_t(place);
            const Vec3d x = get(work.x, k).as<double>(), v = get(work.v, k).as<double>();
            exact[i] = velocity + cross(correction.spin, x - correction.center) + v;
            state.positions[i] = (origin + x).as<float>();
            state.fem.accelerations[i] = get(work.a, k);
        } else {
            exact[i] = (exact[a] + exact[b]) * 0.5;
            state.positions[i] = (state.positions[a] + state.positions[b]) * 0.5f;
            state.fem.accelerations[i] = (state.fem.accelerations[a] + state.fem.accelerations[b]) * 0.5f;
        }
    }
    const SpinRepair spin_repair = repair_spin(masses, correction, origin, velocity, state.positions, exact);
    constexpr std::size_t kChains =
        4;  // through which nodes hand on what they lose by rounding; several, so that the processor need not wait
    Vec3d rounded[kChains];
    float sound = 0;  // a sum of zeros, unless something is not finite
    for (std::size_t i = 0; i < exact.size(); ++i) {
        Vec3d& carried = rounded[i % kChains];
        const Vec3d mended = exact[i] + cross(spin_repair.spin, state.positions[i].as<double>() - spin_repair.center);
        const Vec3d wanted = mended + carried * (1 / masses[i]);
        state.velocities[i] = wanted.as<float>();
        carried = (wanted - state.velocities[i].as<double>()) * masses[i];
        const Vec3 sum = state.velocities[i] + state.positions[i];
        sound += 0.0f * (sum.x + sum.y + sum.z);
    }
    return sound;
}

/// The same of a body that is held and has no finer nodes: it stands in the world, and nothing is rounded.
float store_as_it_is(BodyState& state, const Workspace& work)
{
    float sound = 0;
    for (std::size_t k = 0; k < work.front.used.size(); ++k) {
        const auto i = std::size_t(work.front.used[k]);
        state.positions[i] = get(work.x, k) + Vec3{};  // no negative zeros
        state.velocities[i] = get(work.v, k) + Vec3{};
        state.fem.accelerations[i] = get(work.a, k);
        const Vec3 sum = state.velocities[i] + state.positions[i];
        sound += 0.0f * (sum.x + sum.y + sum.z);
    }
    return sound;
}

}  // namespace

int repair_state(const FemModel& model, BodyState& state)
{
    int repaired = 0;
    Vec3d middle, rest_middle;
    std::size_t good = 0;
    for (std::size_t i = 0; i < state.positions.size(); ++i) {
        const bool sound = is_finite(state.positions[i]) && is_finite(state.velocities[i]);
        if (!sound) ++repaired;
        if (is_finite(state.positions[i])) middle += state.positions[i].as<double>(), ++good;
        rest_middle += model.forest.rest()[i];
    }
    if (repaired == 0) return 0;
    if (good > 0) middle = middle / double(good);
    rest_middle = rest_middle / double(state.positions.size());
    for (std::size_t i = 0; i < state.positions.size(); ++i) {
        if (!is_finite(state.positions[i]))
            state.positions[i] = (middle + model.forest.rest()[i] - rest_middle).as<float>();
        if (!is_finite(state.velocities[i])) state.velocities[i] = {};
        if (!is_finite(state.fem.accelerations[i])) state.fem.accelerations[i] = {};
    }
    return repaired;
}

bool is_stored(const BodyState& state, const Workspace& work)
{
    const auto same = [](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
        return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3)) == 0;
    };
    return same(state.positions, work.stored.positions) && same(state.velocities, work.stored.velocities);
}

void place_frame(std::span<const double> masses, const BodyState& state, bool falls, Workspace& work)
{
    work.frame = {};
    if (!falls) return;
    const Vec3d origin = state.positions[0].as<double>();
    const Vec3d one = state.velocities[0].as<double>();  // sums of differences: exact if there are none
    const WholeMotion all = whole_motion(masses, state.positions, state.velocities, origin, one);
    const Vec3d drift = all.linear / all.mass;
    work.frame = {true, origin, one + drift, all.moment / all.mass, all.angular - cross(all.moment, drift)};
}

void load(const BodyState& state, Workspace& work)
{
    const Front& front = work.front;
    for (Nodal* values : {&work.x, &work.v, &work.a, &work.force, &work.raw_force})
        values->resize(4 * front.used.size());
    for (std::size_t k = 0; k < front.used.size(); ++k) {
        const auto n = std::size_t(front.used[k]);
        put(work.x, k, (state.positions[n].as<double>() - work.frame.origin).as<float>());
        put(work.v, k, (state.velocities[n].as<double>() - work.frame.velocity).as<float>());
        put(work.a, k, state.fem.accelerations[n]);
        work.x[4 * k + 3] = work.v[4 * k + 3] = work.a[4 * k + 3] = 0;
    }
    work.fixed.clear();
    if (work.fixed_nodes.empty()) return;
    work.fixed.assign(front.used.size(), 0);
    for (const std::int32_t n : work.fixed_nodes)
        if (const std::int32_t k = front.used_index(n); k >= 0 && front.is_free[std::size_t(k)])
            work.fixed[std::size_t(k)] = 1;
}

void start_state(const FemModel& model, BodyState& state)
{
    state.fem.front.assign(model.forest.inner_count(), 0);
    state.fem.accelerations.assign(model.forest.node_count(), Vec3{});
    state.fem.shear.assign(model.surface_nodes.size(), Vec3{});
    state.fem.plastic.assign(model.plastic ? 6 * model.forest.count_of(model.forest.levels()) : 0, 0.0f);
}

void prepare_step(const FemModel& model, std::span<const double> masses, const FemSettings& settings,
                  const StepInput& input, bool moves, bool stored, BodyState& state, Workspace& work)
{
    take_grips(model, input, state, work);
    place_frame(masses, state, moves && work.fixed_nodes.empty(), work);
    const bool rebuilt = rebuild_if_changed(model, settings, state, work);
    take_state(model, masses, settings, !rebuilt && stored, state, work);
    for (Vec3& shear : state.fem.shear)
        if (!is_finite(shear)) shear = {};
    work.shear = state.fem.shear;
    if (!model.plastic) return;
    repair_plastic(model, state.fem.plastic);
    work.plastic = state.fem.plastic;
    work.front.take_plastic(model, work.plastic);
}

Correction missing_momentum(const FemModel& model, const Momentum& wanted, Workspace& work)
{
    const Momentum is = work.tally.momentum(work.front, work.x, work.v, wanted.center);
    const Vec3d shift = wanted.center - is.center;
    const Vec3d about_own = is.angular + cross(shift, is.linear);
    return {shift,
            (wanted.linear - is.linear) / model.total_mass,
            solve_symmetric(is.inertia, wanted.angular - about_own),
            is.center,
            wanted.angular,
            is.inertia};
}

void store(const FemModel& model, std::span<const double> masses, const StepInput& input, const Correction& correction,
           BodyState& state, Workspace& work)
{
    const Front& front = work.front;
    const bool as_it_is =
        !work.fixed.empty() && model.forest.levels() == 0 && front.used.size() == model.forest.node_count();
    const float sound = as_it_is ? store_as_it_is(state, work) : store_nodes(model, masses, correction, state, work);
    bool held = false;
    for (const Grip& grip : input.grips) {
        if (!is_hard(grip)) continue;
        for_each_held(grip, state.positions.size(), [&](std::size_t i, Vec3, Vec3 its_velocity) {
            if (!front.is_free_node(model.forest, std::int32_t(i))) return;
            state.positions[i] = work.grip_targets[i];
            state.velocities[i] = its_velocity;
            held = true;
        });
    }
    for (std::int32_t n = 0; held && n < std::int32_t(model.forest.node_count()); ++n) {
        if (front.is_free_node(model.forest, n)) continue;
        const ForestNode& node = model.forest.node(n);
        const auto a = std::size_t(node.a), b = std::size_t(node.b), k = std::size_t(n);
        state.positions[k] = (state.positions[a] + state.positions[b]) * 0.5f;
        state.velocities[k] = (state.velocities[a] + state.velocities[b]) * 0.5f;
    }
    work.stored.positions.clear(), work.stored.velocities.clear();
    if (sound == 0 && !held) work.stored.positions = state.positions, work.stored.velocities = state.velocities;
}

}  // namespace yawara::fem
