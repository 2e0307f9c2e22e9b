// From one front to another. Refining leaves the motion as it is: new nodes start in the middle of their edges, or,
// where the children are stiffer than their parent was, slide towards equilibrium until the energy is what it was.
// Merging projects positions and velocities in the mass metric; energy that this would add is taken from the relative
// motion, and what that does not have by sliding too.
#include <algorithm>
#include <cmath>

#include "fem/advance.h"

namespace yawara::fem {
namespace {

constexpr double kRounding = 1e-6;  // of the energies compared: what single precision leaves undecided

void resize_nodal(Workspace& work)
{
    const std::size_t count = 4 * work.front.used.size();
    for (Nodal* values : {&work.x, &work.v, &work.a, &work.force, &work.raw_force}) values->resize(count);
}

/// Keeps the present front and its values in work.old and builds that of these splits in its stead.
void go_over(const FemModel& model, const FemSettings& settings, std::span<const std::int32_t> splits, Workspace& work)
{
    std::swap(work.front, work.old.front);
    work.x.swap(work.old.x), work.v.swap(work.old.v), work.a.swap(work.old.a);
    work.front.rebuild(model, splits, settings.lumped_mass);
    if (!work.plastic.empty()) work.front.take_plastic(model, work.plastic);
    if (!model.muscles.empty()) work.front.laws.set_time(model, work.old.front.laws.time());
    resize_nodal(work);
}

void go_back(Workspace& work)
{
    std::swap(work.front, work.old.front);
    work.x.swap(work.old.x), work.v.swap(work.old.v), work.a.swap(work.old.a);
    resize_nodal(work);
}

void copy4(const Nodal& from, std::size_t i, Nodal& to, std::size_t k)
{
    std::copy_n(&from[4 * i], 4, &to[4 * k]);
}

void mark_fixed(Workspace& work)
{
    work.fixed.clear();
    if (work.fixed_nodes.empty()) return;
    work.fixed.assign(work.front.used.size(), 0);
    for (const std::int32_t n : work.fixed_nodes)
        if (const std::int32_t k = work.front.used_index(n); k >= 0 && work.front.is_free[std::size_t(k)])
            work.fixed[std::size_t(k)] = 1;
}

/// Elastic energy; gravity does not count, since the centre of mass stays where it is.
double potential(const FemModel& model, const FemSettings& settings, Workspace& work)
{
    return work.tally.elastic_energy(model, work.front, work.x, settings.barrier);
}

Momentum motion(Workspace& work)
{
    return work.tally.momentum(work.front, work.x, work.v, get(work.x, 0).as<double>());
}

/// Lets some free nodes go towards their equilibrium until the elastic energy is no more than `target`. Steps are the
/// forces over a stiffness that is never too small, so that the energy falls.
double slide(const FemModel& model, const FemSettings& settings, const std::vector<std::uint8_t>& movable,
             double target, int rounds, Workspace& work)
{
    constexpr int kSearchHalvings = 24;
    Front& front = work.front;
    Nodal &still = work.scratch, &start = work.raw_force;
    std::vector<float>& stiffness = work.transfer.stiffness;
    still.assign(4 * front.used.size(), 0.0f);
    stiffness.assign(front.used.size(), 0.0f);
    for (std::size_t t = 0; t < front.active.size(); ++t) {
        const TetConstants& c = model.constants[std::size_t(front.active[t])];
        const float* const entry = c.inverse_edges;
        Vec3 g[4] = {{}, {entry[0], entry[1], entry[2]}, {0, entry[3], entry[4]}, {0, 0, entry[5]}};
        g[0] = -(g[1] + g[2] + g[3]);
        for (std::size_t a = 0; a < 4; ++a)
            for (const Front::WeightedNode& m : front.free_nodes_of(std::size_t(front.corners[t][a])))
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
        for (int h = 0; h < kSearchHalvings && !(next < energy); ++h) next = go(share /= 2);
        if (!(next < energy)) return go(0);
        if (next < target) {  // past the mark: back to it, from below
            double low = 0, high = share;
            for (int h = 0; h < kSearchHalvings; ++h) {
                const double middle = (low + high) / 2;
                (go(middle) > target ? low : high) = middle;
            }
            next = go(high);
        }
        energy = next;
    }
    return energy;
}

/// What a change of the front has to leave as it was.
struct Kept {
    double energy;  ///< J, elastic and kinetic
    Momentum motion;
    Vec3d about;  ///< of its angular momentum
};

Kept kept_now(const FemModel& model, const FemSettings& settings, Workspace& work)
{
    const Momentum now = motion(work);
    return {potential(model, settings, work) + now.kinetic, now, get(work.x, 0).as<double>()};
}

/// Sets the centre of mass and both momenta to what they were, by a rigid motion.
void restore_motion(const FemModel& model, const Kept& kept, Workspace& work)
{
    if (!work.fixed.empty()) return;
    const Momentum& was = kept.motion;
    const Momentum is = work.tally.momentum(work.front, work.x, work.v, was.center);
    const Vec3d shift = was.center - is.center, drift = (was.linear - is.linear) / model.total_mass;
    const Vec3d spin_was = was.angular - cross(was.center - kept.about, was.linear);
    const Vec3d spin = solve_symmetric(is.inertia, spin_was - is.angular - cross(shift, is.linear));
    for (std::size_t k = 0; k < work.front.used.size(); ++k) {
        if (!work.front.is_free[k]) continue;
        const Vec3d x = get(work.x, k).as<double>(), v = get(work.v, k).as<double>();
        put(work.x, k, (x + shift).as<float>());
        put(work.v, k, (v + drift + cross(spin, x - is.center)).as<float>());
    }
    work.front.interpolate(work.x);
    work.front.interpolate(work.v);
}

/// Takes away what a change has added: from the relative motion, or else by letting all nodes slide. Returns the energy
/// that is left of it.
double take_excess(const FemModel& model, const FemSettings& settings, const Kept& kept, Workspace& work)
{
    constexpr int kRounds = 4;
    restore_motion(model, kept, work);
    std::vector<std::uint8_t>& movable = work.transfer.movable;
    for (int round = 0; round < kRounds; ++round) {
        const double excess = potential(model, settings, work) + motion(work).kinetic - kept.energy;
        if (excess <= 0) return 0;
        const double left = take_energy(model, excess, work);
        if (left <= kRounding * kept.energy) return std::max(left, 0.0);
        movable.resize(work.front.used.size());
        for (std::size_t k = 0; k < movable.size(); ++k)
            movable[k] = work.front.is_free[k] && (work.fixed.empty() || !work.fixed[k]);
        slide(model, settings, movable, potential(model, settings, work) - left, 400, work);
        restore_motion(model, kept, work);
    }
    return std::max(0.0, potential(model, settings, work) + motion(work).kinetic - kept.energy);
}

/// New nodes in the middle of their edges; returns the energy that could not be kept.
double refine(const FemModel& model, const FemSettings& settings, const std::vector<std::int32_t>& splits,
              const BodyState& state, Workspace& work)
{
    Front& front = work.front;
    bool softened = false;
    for (std::size_t t = 0; t < splits.size(); ++t) softened |= splits[t] && !state.fem.front[t] && model.softened[t];
    const double target = softened ? potential(model, settings, work) : 0;
    const Kept kept = softened ? kept_now(model, settings, work) : Kept{};
    go_over(model, settings, splits, work);
    const Front& before = work.old.front;
    std::vector<std::uint8_t>& fresh = work.transfer.movable;
    fresh.assign(front.used.size(), 0);
    for (std::size_t k = 0; k < front.used.size(); ++k) {
        const std::int32_t n = front.used[k];
        const std::int32_t known = before.used_index(n);
        fresh[k] = front.is_free[k] && !(known >= 0 && before.is_free[std::size_t(known)]);
        const std::array<std::pair<const Nodal*, Nodal*>, 3> fields{
            {{&work.old.x, &work.x}, {&work.old.v, &work.v}, {&work.old.a, &work.a}}};
        if (known >= 0) {
            for (const auto& [from, to] : fields) copy4(*from, std::size_t(known), *to, k);
            continue;
        }
        const ForestNode& node = model.forest.node(n);  // ends of its edge are used, and come first
        const auto a = std::size_t(front.used_index(node.a)), b = std::size_t(front.used_index(node.b));
        for (const auto& [from, to] : fields) {
            put(*to, k, (get(*to, a) + get(*to, b)) * 0.5f);
            (*to)[4 * k + 3] = 0;
        }
    }
    mark_fixed(work);
    if (!softened) return 0;
    slide(model, settings, fresh, target, 40, work);
    return take_excess(model, settings, kept, work);  // new nodes that are not free cannot yield: others have to
}

/// Adds to y, on the new front, what the nodes that lost their freedom had of it: the projection in the mass metric.
/// What the new front cannot follow, z = y - T y, sits on those nodes; T^T M z is the load, M summed over the old tets.
void project(const FemModel& model, const Nodal& old_values, Workspace& work, Nodal& y)
{
    const Front &front = work.front, &old = work.old.front;
    std::vector<Vec3d>&on = work.transfer.on, &off = work.transfer.off, &load = work.transfer.load;
    const std::size_t count = old.used.size();
    on.resize(count), off.assign(count, {}), load.assign(count, {});
    const auto is_kept = [&](std::size_t k) { return front.is_free_node(model.forest, old.used[k]); };
    const auto parents = [&](std::size_t k) {
        const ForestNode& node = model.forest.node(old.used[k]);
        return std::array{std::size_t(old.used_index(node.a)), std::size_t(old.used_index(node.b))};
    };
    for (std::size_t k = 0; k < count; ++k) {
        on[k] = get(old_values, k).as<double>();
        if (is_kept(k)) continue;
        const auto [a, b] = parents(k);
        const Vec3d middle = (on[a] + on[b]) * 0.5;
        off[k] = on[k] - middle;
        on[k] = middle;
    }
    for (std::size_t t = 0; t < old.active.size(); ++t) {
        const auto& m = model.tet_masses[std::size_t(old.active[t])];
        std::size_t e = 0;
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = 0; b <= a; ++b, ++e) {
                const auto i = std::size_t(old.corners[t][a]), j = std::size_t(old.corners[t][b]);
                load[i] += off[j] * m[e];
                if (a != b) load[j] += off[i] * m[e];
            }
    }
    for (std::size_t k = count; k-- > 0;) {
        if (is_kept(k)) continue;
        for (const std::size_t parent : parents(k)) load[parent] += load[k] * 0.5;
    }
    Nodal &rhs = work.force, &change = work.raw_force;
    std::fill(rhs.begin(), rhs.end(), 0.0f);
    std::fill(change.begin(), change.end(), 0.0f);
    for (std::size_t k = 0; k < front.used.size(); ++k)
        if (front.is_free[k]) put(rhs, k, load[std::size_t(old.used_index(front.used[k]))].as<float>());
    work.mass.solve(front, rhs, work.fixed, 1e-6, change);
    for (std::size_t k = 0; k < front.used.size(); ++k)
        if (front.is_free[k]) add(y, k, get(change, k));
}

/// Merges; false if the energy would rise and nothing could be taken for it: then all is as before.
bool merge(const FemModel& model, const FemSettings& settings, const std::vector<std::int32_t>& splits, Workspace& work,
           double& jump)
{
    Front& front = work.front;
    const Kept kept = kept_now(model, settings, work);
    go_over(model, settings, splits, work);
    const Front& old = work.old.front;
    for (std::size_t k = 0; k < front.used.size(); ++k) {
        const auto place = std::size_t(old.used_index(front.used[k]));
        copy4(work.old.x, place, work.x, k);
        copy4(work.old.v, place, work.v, k);
        copy4(work.old.a, place, work.a, k);
    }
    mark_fixed(work);
    if (!settings.lumped_mass) {
        project(model, work.old.x, work, work.x);
        project(model, work.old.v, work, work.v);
    }
    front.interpolate(work.x);
    front.interpolate(work.v);
    front.interpolate(work.a);

    const double left = take_excess(model, settings, kept, work);
    if (left > kRounding * kept.energy) {
        go_back(work);
        mark_fixed(work);
        return false;
    }
    jump += left;
    return true;
}

}  // namespace

double take_energy(const FemModel& model, double excess, Workspace& work)
{
    Front& front = work.front;
    const Momentum m = motion(work);
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

void change_front(const FemModel& model, const FemSettings& settings, BodyState& state, Workspace& work,
                  FemReport& report)
{
    std::vector<std::int32_t>& wanted = work.wanted;
    bool grows = false, shrinks = false;
    int merges = 0;
    std::vector<std::int32_t>& both = work.transfer.both;
    both = wanted;
    for (std::size_t t = 0; t < wanted.size(); ++t) {
        const bool is = state.fem.front[t] != 0, will = wanted[t] != 0;
        grows |= will && !is;
        shrinks |= is && !will;
        report.splits += will && !is;
        merges += is && !will;
        if (is && !will) both[t] = state.fem.front[t];
    }
    if (grows) {
        report.energy_jumps += refine(model, settings, both, state, work);
        state.fem.front = both;
    }
    if (shrinks) {
        if (merge(model, settings, wanted, work, report.energy_jumps)) {
            report.merges += merges;
            state.fem.front = wanted;
        } else {
            for (std::size_t t = 0; t < wanted.size(); ++t)
                if (state.fem.front[t] != 0 && wanted[t] == 0) state.fem.front[t] = 1;  // try again after a while
        }
    }
    find_supports(model, work);
}

}  // namespace yawara::fem
