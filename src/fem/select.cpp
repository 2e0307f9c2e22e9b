// Level selection. The residual rule asks of every midpoint of an active edge how far it would leave the edge if it
// were released; the strain rule is the paper's. Whole edge stars are refined, since a midpoint moves only when all
// tets around its edge are split.
#include <algorithm>
#include <cmath>

#include "fem/advance.h"

namespace yawara::fem {
namespace {

/// One midpoint at a time sees little of what many finer ones would do together: its residual counts this much more for
/// every level below. Without it coarse tets refine too late; on the falling tet it makes the error three times smaller
/// with as many tets.
constexpr float kHidden = 2;

/// Tensor components of eps = F^T F - I in the order xx yy zz xy xz yz, from any corners of a forest tet.
std::array<float, 6> strain(const FemModel& model, const Workspace& work, std::int32_t t)
{
    const TetConstants& k = model.constants[std::size_t(t)];
    const Int4& v = model.forest.tet(t);
    const auto at = [&](std::size_t a) { return get(work.x, std::size_t(work.front.place(v[a]))); };
    float F[3][3]{};
    for (std::size_t a = 0; a < 3; ++a) {
        const Vec3 edge = at(a + 1) - at(0);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) F[i][j] += edge[i] * k.inverse_edges[3 * a + std::size_t(j)];
    }
    constexpr int kFirst[6] = {0, 1, 2, 0, 0, 1}, kSecond[6] = {0, 1, 2, 1, 2, 2};
    std::array<float, 6> e;
    for (std::size_t I = 0; I < 6; ++I) {
        const int i = kFirst[I], j = kSecond[I];
        e[I] = F[0][i] * F[0][j] + F[1][i] * F[1][j] + F[2][i] * F[2][j] - (I < 3 ? 1.0f : 0.0f);
    }
    return e;
}

bool within(const std::array<float, 6>& e, const StrainRange& range, float share)
{
    for (std::size_t I = 0; I < 6; ++I)
        if (e[I] > share * range.high[I] || e[I] < share * range.low[I]) return false;
    return true;
}

int edge_of(const TetForest& forest, std::int32_t t, std::int32_t midpoint)
{
    const auto& mid = forest.midpoints(t);
    return int(std::find(mid.begin(), mid.end(), midpoint) - mid.begin());
}

/// The forest tet that covers t: t itself, or an ancestor whose parent is split.
std::int32_t covering(const TetForest& forest, std::int32_t t, std::span<const std::int32_t> splits)
{
    for (std::int32_t parent = forest.parent(t); parent >= 0 && !splits[std::size_t(parent)]; parent = forest.parent(t))
        t = parent;
    return t;
}

/// Outer loads on the hat functions of all nodes above those they act on; only contact changes from step to step.
void spread_load(const TetForest& forest, std::int32_t n, Vec3 load, Workspace& work)
{
    if (work.hat_loads[std::size_t(n)] == Vec3{}) work.loaded_nodes.push_back(n);
    work.hat_loads[std::size_t(n)] += load;
    if (const ForestNode& node = forest.node(n); node.a >= 0 && !work.front.is_free_node(forest, n)) {
        spread_load(forest, node.a, load * 0.5f, work);
        spread_load(forest, node.b, load * 0.5f, work);
    }
}

/// How far each midpoint of an active edge would leave it: fills work.wishes.
void predict(const FemModel& model, Workspace& work, std::span<const std::int32_t> splits)
{
    std::vector<Wish>& wishes = work.wishes;
    wishes.clear();
    const TetForest& forest = model.forest;
    const Front& front = work.front;
    work.residuals.resize(3 * forest.node_count());
    work.stiffnesses.resize(forest.node_count());
    work.covers.resize(forest.node_count(), 0);
    work.hat_loads.resize(forest.node_count());
    work.touched.clear();
    for (std::size_t k = 0; k < front.active.size(); ++k) {
        const std::int32_t t = front.active[k];
        if (std::size_t(t) >= forest.inner_count()) continue;
        Vec3 f[4];
        const float* entry = &work.corner_forces[front.corner_index(k)];
        for (int a = 1; a < 4; ++a) {
            const float* of = entry + std::size_t(3 * (a - 1)) * kLanes;
            f[a] = {of[0], of[kLanes], of[2 * kLanes]};
            f[0] -= f[a];
        }
        const auto& mid = forest.midpoints(t);
        for (std::size_t e = 0; e < 6; ++e) {
            const auto n = std::size_t(mid[e]);
            // What the children would put on the midpoint if it stayed on its edge: 3/4 of both ends' forces.
            const Vec3 r = (f[kEdges[e][0]] + f[kEdges[e][1]]) * 0.75f;
            float* const sum = &work.residuals[3 * n];
            if (work.covers[n] == 0) {
                work.touched.push_back(std::int32_t(n));
                sum[0] = sum[1] = sum[2] = 0;
                work.stiffnesses[n] = 0;
            }
            sum[0] += r.x, sum[1] += r.y, sum[2] += r.z;
            work.stiffnesses[n] += model.stiffness[6 * std::size_t(t) + e];
            work.covers[n] = std::uint8_t(std::min(work.covers[n] + 1, 255));
        }
    }
    for (const Candidate& c : work.candidates)
        if (c.force != Vec3{}) spread_load(forest, c.node, c.force, work);

    for (const std::int32_t node : work.touched) {
        const auto n = std::size_t(node);
        Vec3 r{work.residuals[3 * n], work.residuals[3 * n + 1], work.residuals[3 * n + 2]};
        float stiffness = work.stiffnesses[n];
        const ForestNode& edge = forest.node(node);
        const std::int32_t split = front.split_at_edge(node);
        if (split > 0) {  // its fine side pulls already
            r += get(work.raw_force, std::size_t(front.place(node)));
            for (const std::int32_t t : forest.tets_at_edge(node))
                if (splits[std::size_t(t)])
                    stiffness += model.stiffness[6 * std::size_t(t) + std::size_t(edge_of(forest, t, node))];
        }
        const float seen = float(work.covers[n] + split) / float(edge.incident);
        const Vec3 a =
            (get(work.a, std::size_t(front.place(edge.a))) + get(work.a, std::size_t(front.place(edge.b)))) * 0.5f;
        r += work.hat_loads[n] - a * (model.hat_masses[n] * seen);
        if (!work.push_loads.empty()) r += work.push_loads[n];
        const auto hidden = float(forest.levels() - edge.level);
        wishes.push_back({length(r) / stiffness * (1 + kHidden * hidden), node});
        work.covers[n] = 0;
    }
    for (const std::int32_t n : work.loaded_nodes) work.hat_loads[std::size_t(n)] = {};
    work.loaded_nodes.clear();
}

/// True if the eight children of t may go: nothing of what they show would be missed.
bool is_quiet(const FemModel& model, const FemSettings& settings, const Workspace& work, std::int32_t t, float allowed)
{
    const Front& front = work.front;
    for (const std::int32_t m : model.forest.midpoints(t)) {
        if (!work.gripped.empty() && work.gripped[std::size_t(m)] == 2) return false;
        const auto k = std::size_t(front.place(m));
        if (!front.is_free[k]) continue;
        const ForestNode& node = model.forest.node(m);
        const auto a = std::size_t(front.place(node.a)), b = std::size_t(front.place(node.b));
        const Vec3 off = get(work.x, k) - (get(work.x, a) + get(work.x, b)) * 0.5f;
        const Vec3 moving = get(work.v, k) - (get(work.v, a) + get(work.v, b)) * 0.5f;
        const float amplitude = length(moving) / (0.5f * float(model.frequencies[std::size_t(t)]));
        if (length(off) > allowed || amplitude > allowed) return false;
    }
    return settings.refinement != Refinement::strain ||
           within(strain(model, work, t), model.strain_ranges[std::size_t(t)], float(settings.hysteresis));
}

}  // namespace

bool split_star(const TetForest& forest, std::int32_t n, std::vector<std::int32_t>& splits)
{
    bool any = false;
    for (const std::int32_t t : forest.tets_at_edge(n)) {
        if (splits[std::size_t(t)]) continue;
        splits[std::size_t(covering(forest, t, splits))] = 1;
        any = true;
    }
    return any;
}

bool select_levels(const FemModel& model, const FemSettings& settings, BodyState& state, Workspace& work,
                   FemReport& report)
{
    const TetForest& forest = model.forest;
    Front& front = work.front;
    work.wanted.assign(state.front.begin(), state.front.end());
    const float wished = float(settings.tolerance * model.size);
    float tolerance = wished;
    bool changed = false;
    if (settings.refinement == Refinement::strain) {
        for (const std::int32_t t : front.active) {
            if (std::size_t(t) >= forest.inner_count()) continue;
            if (within(strain(model, work, t), model.strain_ranges[std::size_t(t)], 1.0f)) continue;
            work.wanted[std::size_t(t)] = 1;
            changed = true;
        }
        // The tolerance of the residual rule bounds what merging may throw away.
    } else {
        predict(model, work, state.front);
        std::vector<Wish>& wishes = work.wishes;
        for (const Wish& wish : wishes)
            report.largest_residual = std::max(report.largest_residual, double(wish.residual));
        wishes.erase(
            std::remove_if(wishes.begin(), wishes.end(), [&](const Wish& w) { return !(w.residual > tolerance); }),
            wishes.end());
        std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) {
            return a.residual != b.residual ? a.residual > b.residual : a.midpoint < b.midpoint;
        });
        std::size_t active = front.active.size();
        for (const Wish& wish : wishes) {
            const auto more = 7 * std::size_t(forest.node(wish.midpoint).incident - front.split_at_edge(wish.midpoint));
            if (settings.most_active > 0 && active + more > std::size_t(settings.most_active)) {
                tolerance = wish.residual;  // the budget is full: this is as accurate as it gets
                break;
            }
            active += more;
            changed |= split_star(forest, wish.midpoint, work.wanted);
        }
    }
    report.tolerance = std::max(report.tolerance, double(tolerance));

    const float allowed = float(settings.hysteresis) * tolerance;
    for (const std::int32_t t : front.split) {
        std::int32_t& count = state.front[std::size_t(t)];
        const std::int32_t first = forest.first_child(t);
        bool childless = true;
        if (std::size_t(first) < forest.inner_count())
            for (std::int32_t c = first; c < first + 8; ++c) childless &= work.wanted[std::size_t(c)] == 0;
        const bool quiet = childless && is_quiet(model, settings, work, t, allowed);
        count = quiet ? std::min(count + 1, 1 + std::max(settings.quiet_checks, 0)) : 1;
        work.wanted[std::size_t(t)] = count;
        if (quiet && count > settings.quiet_checks) {
            work.wanted[std::size_t(t)] = 0;
            changed = true;
        }
    }
    return changed;
}

}  // namespace yawara::fem
