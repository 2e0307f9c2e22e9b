// Level selection. The residual rule asks of every midpoint of an active edge how far it would leave the edge if it
// were released; the strain rule is the paper's. Whole edge stars are refined, since a midpoint moves only when all
// tets around its edge are split.
#include <algorithm>
#include <cmath>

#include "fem/advance.h"
#include "fem/element.h"

namespace yawara::fem {
namespace {

/// One midpoint at a time sees little of what many finer ones would do together: its residual counts this much more for
/// every level below. Without it coarse tets refine too late; on the falling tet it makes the error three times smaller
/// with as many tets.
constexpr float kHidden = 2;

/// A new front costs as much as several sub-steps: when there has to be one, midpoints that are this near the tolerance
/// are released with the others.
constexpr float kSoon = 0.65f;

/// For the same reason tets are merged together: when one in so many would go, or when some have been quiet for so many
/// times as long as they have to.
constexpr std::size_t kWorthMerging = 8;
constexpr std::int32_t kPatience = 4;

/// F from any corners of a forest tet.
Eigen::Matrix3d gradient_of(const FemModel& model, const Workspace& work, std::int32_t t)
{
    Forces x;
    for (int a = 0; a < 4; ++a) {
        const Vec3 p = get(work.x, std::size_t(work.front.used_index(model.forest.tet(t)[std::size_t(a)])));
        x.col(a) << double(p.x), double(p.y), double(p.z);
    }
    return deformation_gradient(shape_of(model.forest.corners(t)), x);
}

/// A strain with doubled shear in a range of its components.
bool within(const Vector6& doubled, const StrainRange& range, float share)
{
    for (std::size_t I = 0; I < 6; ++I) {
        const auto e = float(doubled[Eigen::Index(I)] * (I < 3 ? 1.0 : 0.5));
        if (e > share * range.high[I] || e < share * range.low[I]) return false;
    }
    return true;
}

/// The strain rule: the strain of a forest tet is within its range, and so are the differences of its children's
/// plastic strains from its own.
bool strain_is_within(const FemModel& model, const Workspace& work, std::int32_t t, float share)
{
    const StrainRange& range = model.strain_ranges[std::size_t(t)];
    if (!within(strain_of(gradient_of(model, work, t)), range, share)) return false;
    if (work.plastic.empty()) return true;
    const PlasticTet whole = plastic_tet(model, t, work.plastic);
    if (whole.uniform) return true;
    const std::int32_t first = model.forest.first_child(t);
    for (std::int32_t child = first; child < first + 8; ++child)
        if (!within(plastic_difference(model, whole, child, work.plastic), range, share)) return false;
    return true;
}

/// The forest tet that covers t: t itself, or an ancestor whose parent is split.
std::int32_t covering(const TetForest& forest, std::int32_t t, std::span<const std::int32_t> splits)
{
    for (std::int32_t parent = forest.parent(t); parent >= 0 && !splits[std::size_t(parent)]; parent = forest.parent(t))
        t = parent;
    return t;
}

/// Outer loads on the hat functions of all nodes above those they act on: contact and soft grips, which change from
/// step to step.
void spread_load(const TetForest& forest, std::int32_t n, Vec3 load, Workspace& work)
{
    if (work.hat_loads[std::size_t(n)] == Vec3{}) work.loaded_nodes.push_back(n);
    work.hat_loads[std::size_t(n)] += load;
    if (const ForestNode& node = forest.node(n); node.a >= 0 && !work.front.is_free_node(forest, n)) {
        spread_load(forest, node.a, load * 0.5f, work);
        spread_load(forest, node.b, load * 0.5f, work);
    }
}

void list_edges(const FemModel& model, const Front& front, ActiveEdges& active)
{
    auto& [revision, edges, tets, residuals, number] = active;
    const TetForest& forest = model.forest;
    revision = front.revision;
    edges.clear(), tets.clear();
    for (std::size_t k = 0; k < front.active.size(); ++k) {
        const std::int32_t t = front.active[k];
        if (std::size_t(t) >= forest.inner_count()) continue;
        ActiveEdges::Tet& tet = tets.emplace_back();
        tet.active_index = std::int32_t(k);
        for (std::size_t e = 0; e < 6; ++e) {
            const std::int32_t n = forest.midpoints(t)[e];
            std::int32_t& edge = number[std::size_t(n)];
            if (edge < 0) {
                edge = std::int32_t(edges.size());
                const ForestNode& node = forest.node(n);
                edges.push_back({n, front.used_index(node.a), front.used_index(node.b), front.used_index(n), 0, 0});
            }
            edges[std::size_t(edge)].mass += 1;  // counts the tets for now
            tet.edges[e] = edge;
        }
    }
    residuals.resize(4 * edges.size());
    for (ActiveEdges::Edge& edge : edges) {
        const auto n = std::size_t(edge.midpoint);
        const ForestNode& node = forest.node(edge.midpoint);
        number[n] = -1;
        // The rest of the star belongs to much coarser tets.
        const float seen = (edge.mass + float(front.split_at_edge(edge.midpoint))) / float(node.incident);
        const auto hidden = float(forest.levels() - node.level);
        edge.mass = model.hat_masses[n] * seen;
        edge.per_force = (1 + kHidden * hidden) / (model.midpoint_stiffness[n] * seen);
    }
}

/// Adds the forces that the children of an active tet would exert on its midpoints because their plastic strains differ
/// from its own.
void add_plastic_residuals(const FemModel& model, const ActiveEdges::Tet& tet, Workspace& work)
{
    const TetForest& forest = model.forest;
    const auto k = std::size_t(tet.active_index);
    const std::int32_t t = work.front.active[k];
    const Matrix6& C = model.flow_laws[std::size_t(model.material_of[std::size_t(t)])].elasticity;
    const Eigen::Matrix3d F = gradient_of(model, work, t);
    const std::int32_t first = forest.first_child(t);
    for (std::int32_t child = first; child < first + 8; ++child) {
        const Vector6 more = plastic_difference(model, work.front.plastic[k], child, work.plastic);
        const TetShape shape = shape_of(forest.corners(child));
        const Eigen::Matrix3d P = shape.volume / 2 * F * to_matrix(C * more);
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t e = 0; e < 6; ++e) {
                if (forest.midpoints(t)[e] != forest.tet(child)[a]) continue;
                const Eigen::Vector3d f = P * Eigen::Vector3d(shape.g[a].x, shape.g[a].y, shape.g[a].z);
                add(work.edges.residuals, std::size_t(tet.edges[e]), {float(f.x()), float(f.y()), float(f.z())});
            }
    }
}

/// Marks the nodes that carry one whose landing will press it in further than the tolerance: what goes on there in the
/// first moments of a blow decides on the spin after it, so its edges are refined before.
bool expect_blows(float tolerance, Workspace& work)
{
    bool any = false;
    work.landing.assign(work.front.used.size(), 0);
    for (const Candidate& c : work.candidates) {
        if (!(c.blow > tolerance)) continue;
        any = true;
        for (std::int32_t k = 0; k < c.support.count; ++k) work.landing[std::size_t(c.support.on[k])] = 1;
    }
    return any;
}

/// Predicts how far each midpoint of an active edge would leave it, m: fills work.split_requests with those near the
/// tolerance or beyond, and returns the largest.
float predict(const FemModel& model, float tolerance, Workspace& work)
{
    std::vector<SplitRequest>& split_requests = work.split_requests;
    split_requests.clear();
    const TetForest& forest = model.forest;
    const Front& front = work.front;
    work.hat_loads.resize(forest.node_count());
    if (work.edges.revision != front.revision) list_edges(model, front, work.edges);
    Nodal& residuals = work.edges.residuals;
    std::fill(residuals.begin(), residuals.end(), 0.0f);
    for (const ActiveEdges::Tet& tet : work.edges.tets) {
        // Force of the children on the midpoint if it stayed on its edge: 3/4 of the forces on both ends.
        Four f[4];
        for (std::size_t a = 0; a < 4; ++a)
            f[a] = front.corner_force(work.corner_forces, std::size_t(tet.active_index), a) * splat(0.75f);
        for (std::size_t e = 0; e < 6; ++e) {
            const auto k = std::size_t(tet.edges[e]);
            put4(residuals, k, get4(residuals, k) + f[kEdges[e][0]] + f[kEdges[e][1]]);
        }
        if (!front.plastic.empty() && !front.plastic[std::size_t(tet.active_index)].uniform)
            add_plastic_residuals(model, tet, work);
    }
    for (const Candidate& c : work.candidates)
        if (c.force != Vec3{}) spread_load(forest, c.node, c.force, work);
    for (const Workspace::GripLoad& load : work.grip_loads) spread_load(forest, load.node, load.force, work);

    float largest = 0;  // squared, and so is the limit
    const float limit = kSoon * tolerance * (kSoon * tolerance);
    const bool loaded = !work.loaded_nodes.empty(), pushed = !work.push_loads.empty();
    const bool lands = expect_blows(tolerance, work);
    for (std::size_t k = 0; k < work.edges.edges.size(); ++k) {
        const ActiveEdges::Edge& edge = work.edges.edges[k];
        Four r = get4(residuals, k);
        if (edge.own >= 0)
            r += get4(work.raw_force, std::size_t(edge.own));  // on one side of the edge tets are split already
        r -= (get4(work.a, std::size_t(edge.a)) + get4(work.a, std::size_t(edge.b))) * splat(edge.mass / 2);
        if (loaded) r += four(work.hat_loads[std::size_t(edge.midpoint)]);
        if (pushed) r += four(work.push_loads[std::size_t(edge.midpoint)]);
        const Four squares = r * r;
        const float square = (squares[0] + squares[1] + squares[2]) * (edge.per_force * edge.per_force);
        largest = std::max(largest, square);
        if (lands && (work.landing[std::size_t(edge.a)] || work.landing[std::size_t(edge.b)]))
            split_requests.push_back({std::max(std::sqrt(square), 2 * tolerance), edge.midpoint});
        else if (square > limit)
            split_requests.push_back({std::sqrt(square), edge.midpoint});
    }
    for (const std::int32_t n : work.loaded_nodes) work.hat_loads[std::size_t(n)] = {};
    work.loaded_nodes.clear();
    return std::sqrt(largest);
}

/// True if the eight children of t may go: nothing of what they show would be missed.
bool is_quiet(const FemModel& model, const FemSettings& settings, const Workspace& work, std::int32_t t, float allowed)
{
    const Front& front = work.front;
    for (const std::int32_t m : model.forest.midpoints(t)) {
        if (!work.gripped.empty() && work.gripped[std::size_t(m)] == 2) return false;
        const auto k = std::size_t(front.used_index(m));
        if (!front.is_free[k]) continue;
        const ForestNode& node = model.forest.node(m);
        const auto a = std::size_t(front.used_index(node.a)), b = std::size_t(front.used_index(node.b));
        const Vec3 off = get(work.x, k) - (get(work.x, a) + get(work.x, b)) * 0.5f;
        const Vec3 moving = get(work.v, k) - (get(work.v, a) + get(work.v, b)) * 0.5f;
        const float fastest = allowed * 0.5f * std::sqrt(model.frequencies[std::size_t(t)].square);
        if (dot(off, off) > allowed * allowed || dot(moving, moving) > fastest * fastest) return false;
    }
    return settings.refinement != Refinement::strain || strain_is_within(model, work, t, float(settings.hysteresis));
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
    work.wanted.assign(state.fem.front.begin(), state.fem.front.end());
    const float wished = float(settings.tolerance * model.size);
    float tolerance = wished;
    bool changed = false;
    if (settings.refinement == Refinement::strain) {
        for (const std::int32_t t : front.active) {
            if (std::size_t(t) >= forest.inner_count()) continue;
            if (strain_is_within(model, work, t, 1.0f)) continue;
            work.wanted[std::size_t(t)] = 1;
            changed = true;
        }
        // The tolerance of the residual rule bounds what merging may throw away.
    } else {
        report.largest_residual = std::max(report.largest_residual, double(predict(model, tolerance, work)));
        std::vector<SplitRequest>& split_requests = work.split_requests;
        std::sort(split_requests.begin(), split_requests.end(), [](const SplitRequest& a, const SplitRequest& b) {
            return a.residual != b.residual ? a.residual > b.residual : a.midpoint < b.midpoint;
        });
        if (!split_requests.empty() && !(split_requests[0].residual > tolerance)) split_requests.clear();
        std::size_t active = front.active.size();
        for (const SplitRequest& request : split_requests) {
            const auto more =
                7 * std::size_t(forest.node(request.midpoint).incident - front.split_at_edge(request.midpoint));
            if (settings.most_active > 0 && active + more > std::size_t(settings.most_active)) {
                tolerance =
                    std::max(tolerance, request.residual);  // the budget is full: this is as accurate as it gets
                break;
            }
            active += more;
            changed |= split_star(forest, request.midpoint, work.wanted);
        }
    }
    report.tolerance = std::max(report.tolerance, double(tolerance));

    const float allowed = float(settings.hysteresis) * tolerance;
    const std::int32_t checks = std::clamp(settings.quiet_checks, 1, 1 << 28);
    std::size_t ready = 0;
    bool overdue = false;
    for (const std::int32_t t : front.split) {
        std::int32_t& count = state.fem.front[std::size_t(t)];
        const std::int32_t first = forest.first_child(t);
        bool childless = true;
        if (std::size_t(first) < forest.inner_count())
            for (std::int32_t c = first; c < first + 8; ++c) childless &= work.wanted[std::size_t(c)] == 0;
        const bool quiet = childless && is_quiet(model, settings, work, t, allowed);
        count = quiet ? std::min(count + 1, 1 + kPatience * checks) : 1;
        work.wanted[std::size_t(t)] = count;
        ready += count > checks;
        overdue |= count > kPatience * checks;
    }
    if (ready == 0 || (!overdue && 7 * ready * kWorthMerging < front.active.size())) return changed;
    for (const std::int32_t t : front.split)
        if (state.fem.front[std::size_t(t)] > checks) work.wanted[std::size_t(t)] = 0;
    return true;
}

}  // namespace yawara::fem
