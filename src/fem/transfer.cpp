// From one front to another. Refining leaves the motion as it is: new nodes start in the middle of their edges, or,
// where the children are stiffer than their parent was, slide towards equilibrium until the energy is what it was.
// Merging projects positions and velocities in the mass metric; energy that this would add is taken from the relative
// motion.
#include <algorithm>
#include <cmath>

#include "fem/advance.h"

namespace yawara::fem {
namespace {

constexpr double kRounding = 1e-6;  // of the energies compared: what single precision leaves undecided

void store(const Front& front, const Workspace& work, BodyState& state)
{
    for (std::size_t k = 0; k < front.used.size(); ++k) {
        const auto n = std::size_t(front.used[k]);
        state.positions[n] = get(work.x, k);
        state.velocities[n] = get(work.v, k);
        for (std::size_t i = 0; i < 3; ++i) state.rotations[3 * n + i] = work.a[4 * k + i];
    }
}

void resize_nodal(Workspace& work, std::size_t count)
{
    for (Nodal* values : {&work.x, &work.v, &work.a, &work.force, &work.raw_force}) values->resize(4 * count);
}

void load(const Front& front, const BodyState& state, Workspace& work)
{
    resize_nodal(work, front.used.size());
    for (std::size_t k = 0; k < front.used.size(); ++k) {
        const auto n = std::size_t(front.used[k]);
        put(work.x, k, state.positions[n]);
        put(work.v, k, state.velocities[n]);
        for (std::size_t i = 0; i < 3; ++i) work.a[4 * k + i] = state.rotations[3 * n + i];
        work.x[4 * k + 3] = work.v[4 * k + 3] = work.a[4 * k + 3] = 0;
    }
}

void mark_fixed(Workspace& work)
{
    work.fixed.clear();
    if (work.fixed_nodes.empty()) return;
    work.fixed.assign(work.front.used.size(), 0);
    for (const std::int32_t n : work.fixed_nodes)
        if (const std::int32_t k = work.front.place(n); k >= 0 && work.front.is_free[std::size_t(k)])
            work.fixed[std::size_t(k)] = 1;
}

/// Elastic energy; gravity does not count, since the centre of mass stays where it is.
double potential(const FemModel& model, const FemSettings& settings, const Workspace& work)
{
    return elastic_energy(model, work.front, work.x, settings.barrier);
}

/// Slows the motion that is not rigid so that this much energy goes; returns what could not be taken.
double take_energy(const FemModel& model, double excess, Workspace& work)
{
    Front& front = work.front;
    const Momentum m = momentum_of(model, front, work.x, work.v, get(work.x, 0).as<double>());
    double rigid = 0;
    Vec3d drift, spin;
    if (work.fixed.empty()) {
        drift = m.linear / model.total_mass;
        const Vec3d about_center = m.angular - cross(m.center - get(work.x, 0).as<double>(), m.linear);
        spin = solve_symmetric(m.inertia, about_center);
        rigid = dot(m.linear, drift) / 2 + dot(spin, about_center) / 2;
    }
    const double relative = m.kinetic - rigid;
    if (!(relative > 0)) return excess;
    const double taken = std::min(excess, relative);
    const double keep = std::sqrt(std::max(0.0, 1 - taken / relative));
    for (std::size_t k = 0; k < front.used.size(); ++k) {
        if (!front.is_free[k] || (!work.fixed.empty() && work.fixed[k])) continue;
        const Vec3d solid = drift + cross(spin, get(work.x, k).as<double>() - m.center);
        put(work.v, k, (solid + (get(work.v, k).as<double>() - solid) * keep).as<float>());
    }
    front.interpolate(work.v);
    return excess - taken;
}

/// Lets some free nodes go towards their equilibrium until the elastic energy is no more than `target`. Steps are the
/// forces over a stiffness that is never too small, so that the energy falls.
double slide(const FemModel& model, const FemSettings& settings, const std::vector<std::uint8_t>& movable,
             double target, int rounds, Workspace& work)
{
    constexpr int kHalvings = 24;
    Front& front = work.front;
    Nodal still(4 * front.used.size(), 0.0f), start;
    std::vector<float> stiffness(front.used.size(), 0.0f);
    for (std::size_t t = 0; t < front.active.size(); ++t) {
        const TetConstants& c = model.constants[std::size_t(front.active[t])];
        Vec3 g[4];
        for (std::size_t a = 1; a < 4; ++a) {
            const float* row = c.inverse_edges + 3 * (a - 1);
            g[a] = {row[0], row[1], row[2]};
            g[0] -= g[a];
        }
        for (std::size_t a = 0; a < 4; ++a)
            for (const Front::Master& m : front.masters(std::size_t(front.corners[t][a])))
                stiffness[std::size_t(m.node)] += c.barrier / 2 * dot(g[a], g[a]) * m.weight;
    }
    double energy = potential(model, settings, work);
    for (int round = 0; round < rounds && energy > target; ++round) {
        front.forces(model, work.x, still, settings.barrier, work.force, nullptr);
        front.restrict_to_free(work.force);
        start = work.x;
        const auto go = [&](double share) {
            for (std::size_t k = 0; k < front.used.size(); ++k)
                if (movable[k]) put(work.x, k, get(start, k) + get(work.force, k) * (float(share) / stiffness[k]));
            front.interpolate(work.x);
            return potential(model, settings, work);
        };
        double share = 1, next = go(share);
        for (int h = 0; h < kHalvings && !(next < energy); ++h) next = go(share /= 2);
        if (!(next < energy)) return go(0);
        if (next < target) {  // past the mark: back to it, from below
            double low = 0, high = share;
            for (int h = 0; h < kHalvings; ++h) {
                const double middle = (low + high) / 2;
                (go(middle) > target ? low : high) = middle;
            }
            next = go(high);
        }
        energy = next;
    }
    return energy;
}

/// New nodes in the middle of their edges; returns the energy that could not be kept.
double refine(const FemModel& model, const FemSettings& settings, const std::vector<std::int32_t>& splits,
              BodyState& state, Workspace& work)
{
    Front& front = work.front;
    bool softened = false;
    for (std::size_t t = 0; t < splits.size(); ++t) softened |= splits[t] && !state.front[t] && model.softened[t];
    const double target = softened ? potential(model, settings, work) : 0;
    const std::vector<std::int32_t> known = front.used;
    std::vector<std::uint8_t> was_free(front.is_free.begin(), front.is_free.end());
    store(front, work, state);
    front.rebuild(model, splits, settings.lumped_mass);
    std::size_t k = 0;
    std::vector<std::uint8_t> fresh(front.used.size(), 0);
    for (std::size_t u = 0; u < front.used.size(); ++u) {
        const std::int32_t n = front.used[u];
        while (k < known.size() && known[k] < n) ++k;
        const bool old = k < known.size() && known[k] == n;
        fresh[u] = front.is_free[u] && !(old && was_free[k]);
        if (old) continue;
        const ForestNode& node = model.forest.node(n);
        const auto a = std::size_t(node.a), b = std::size_t(node.b), m = std::size_t(n);
        state.positions[m] = (state.positions[a] + state.positions[b]) * 0.5f;
        state.velocities[m] = (state.velocities[a] + state.velocities[b]) * 0.5f;
        for (std::size_t i = 0; i < 3; ++i)
            state.rotations[3 * m + i] = (state.rotations[3 * a + i] + state.rotations[3 * b + i]) / 2;
    }
    load(front, state, work);
    mark_fixed(work);
    if (!softened) return 0;
    double excess = slide(model, settings, fresh, target, 40, work) - target;
    if (excess > 0) excess = take_energy(model, excess, work);
    if (excess <= 0) return 0;
    // New nodes that hang cannot give way: then their neighbours have to.
    const double left = potential(model, settings, work) - excess;
    for (std::size_t u = 0; u < fresh.size(); ++u)
        fresh[u] = front.is_free[u] && (work.fixed.empty() || !work.fixed[u]);
    return std::max(0.0, slide(model, settings, fresh, left, 400, work) - left);
}

/// Merges; false if the energy would rise and nothing could be taken for it: then all is as before.
bool merge(const FemModel& model, const FemSettings& settings, const std::vector<std::int32_t>& splits,
           BodyState& state, Workspace& work, double& jump)
{
    Front& front = work.front;
    const double before = potential(model, settings, work) +
                          momentum_of(model, front, work.x, work.v, get(work.x, 0).as<double>()).kinetic;
    store(front, work, state);
    const Nodal old_x = work.x, old_v = work.v;
    const std::vector<std::int32_t> used = front.used, active = front.active;
    const std::vector<Int4> corners = front.corners;
    front.rebuild(model, splits, settings.lumped_mass);

    // What the new front cannot follow, z = y - T y, sits on nodes that lost their freedom. T^T M z is the load of the
    // projection; M is summed over the old tets.
    const auto is_kept = [&](std::int32_t n) { return front.is_free_node(model.forest, n); };
    std::vector<Vec3d> off_x(used.size()), off_v(used.size()), load_x(used.size()), load_v(used.size());
    std::vector<Vec3d> on_x(used.size()), on_v(used.size());
    const auto old_place = [&](std::int32_t n) {
        return std::size_t(std::lower_bound(used.begin(), used.end(), n) - used.begin());
    };
    for (std::size_t k = 0; k < used.size(); ++k) {
        const Vec3d x = get(old_x, k).as<double>(), v = get(old_v, k).as<double>();
        on_x[k] = x, on_v[k] = v;
        if (is_kept(used[k])) continue;
        const ForestNode& node = model.forest.node(used[k]);
        const std::size_t a = old_place(node.a), b = old_place(node.b);
        on_x[k] = (on_x[a] + on_x[b]) * 0.5;
        on_v[k] = (on_v[a] + on_v[b]) * 0.5;
        off_x[k] = x - on_x[k];
        off_v[k] = v - on_v[k];
    }
    for (std::size_t t = 0; t < active.size(); ++t) {
        const auto& m = model.tet_masses[std::size_t(active[t])];
        std::size_t e = 0;
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = 0; b <= a; ++b, ++e) {
                const auto i = std::size_t(corners[t][a]), j = std::size_t(corners[t][b]);
                const auto mass = double(m[e]);
                load_x[i] += off_x[j] * mass;
                load_v[i] += off_v[j] * mass;
                if (a != b) {
                    load_x[j] += off_x[i] * mass;
                    load_v[j] += off_v[i] * mass;
                }
            }
    }
    for (std::size_t k = used.size(); k-- > 0;) {
        if (is_kept(used[k])) continue;
        const ForestNode& node = model.forest.node(used[k]);
        for (const std::int32_t parent : {node.a, node.b}) {
            const std::size_t p = old_place(parent);
            load_x[p] += load_x[k] * 0.5;
            load_v[p] += load_v[k] * 0.5;
        }
    }
    load(front, state, work);
    mark_fixed(work);
    Nodal rhs(4 * front.used.size(), 0.0f), change(4 * front.used.size(), 0.0f);
    const auto project = [&](const std::vector<Vec3d>& from, Nodal& y) {
        for (std::size_t k = 0; k < front.used.size(); ++k)
            if (front.is_free[k]) put(rhs, k, from[old_place(front.used[k])].as<float>());
        std::fill(change.begin(), change.end(), 0.0f);
        work.mass.solve(front, rhs, work.fixed, 1e-6, change);
        for (std::size_t k = 0; k < front.used.size(); ++k)
            if (front.is_free[k]) add(y, k, get(change, k));
        front.interpolate(y);
    };
    if (!settings.lumped_mass) {
        project(load_x, work.x);
        project(load_v, work.v);
    }
    front.interpolate(work.x);
    front.interpolate(work.v);
    front.interpolate(work.a);

    const double after = potential(model, settings, work) +
                         momentum_of(model, front, work.x, work.v, get(work.x, 0).as<double>()).kinetic;
    const double excess = after - before;
    if (excess > 0) {
        const double left = take_energy(model, excess, work);
        if (left > kRounding * before) {
            front.rebuild(model, state.front, settings.lumped_mass);
            load(front, state, work);
            mark_fixed(work);
            return false;
        }
        jump += std::max(left, 0.0);
    }
    return true;
}

}  // namespace

void change_front(const FemModel& model, const FemSettings& settings, BodyState& state, Workspace& work,
                  FemReport& report)
{
    std::vector<std::int32_t>& wanted = work.wanted;
    bool grows = false, shrinks = false;
    int merges = 0;
    std::vector<std::int32_t> both(wanted);
    for (std::size_t t = 0; t < wanted.size(); ++t) {
        const bool is = state.front[t] != 0, will = wanted[t] != 0;
        grows |= will && !is;
        shrinks |= is && !will;
        report.splits += will && !is;
        merges += is && !will;
        if (is && !will) both[t] = state.front[t];
    }
    if (grows) {
        report.energy_jumps += refine(model, settings, both, state, work);
        state.front = both;
    }
    if (shrinks) {
        if (merge(model, settings, wanted, state, work, report.energy_jumps)) {
            report.merges += merges;
            state.front = wanted;
        } else {
            for (std::size_t t = 0; t < wanted.size(); ++t)
                if (state.front[t] != 0 && wanted[t] == 0) state.front[t] = 1;  // try again after a while
        }
    }
    hang_candidates(model, work);
}

}  // namespace yawara::fem
