// Newton with a line search on the potential energy: elastic energy minus the work of gravity and pushes, plus springs.
// Finite strain; the front is refined between solves where the residual rule asks for it.
#include "fem/settle.h"

#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>

#include "fem/element.h"

namespace yawara::fem {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Points = std::vector<Eigen::Vector3d>;

constexpr int kMostSettlingRounds = 200, kMostRefinements = 24;
constexpr double kBalanced = 1e-9;  // largest unbalanced force, as a share of the largest nodal force or load

Eigen::Vector3d to_eigen3(Vec3 v)
{
    return {double(v.x), double(v.y), double(v.z)};
}

struct HandleSpring {
    std::vector<std::pair<std::size_t, double>> on;  ///< used nodes and weights
    Eigen::Vector3d target;
    double stiffness;
};

class Equilibrium {
public:
    Equilibrium(const FemModel& model, Front& front, const std::vector<std::uint8_t>& fixed, bool barrier)
        : front_(front), by_law_(model.law != nullptr), barrier_(barrier), row_(front.used.size(), -1)
    {
        for (std::size_t k = 0; k < front.used.size(); ++k)
            if (front.is_free[k] && (fixed.empty() || !fixed[k])) row_[k] = count_++;
        loads.assign(front.used.size(), Eigen::Vector3d::Zero());
        if (by_law_) {
            std::vector<Vec3d> rest;
            for (const std::int32_t n : front.used) rest.push_back(model.forest.rest()[std::size_t(n)]);
            front.laws.differentiate(rest, barrier, false, false);
            for (const Vec3d& g : front.laws.gradients()) rest_force_ = std::max(rest_force_, length(g));
            return;
        }
        for (const std::int32_t t : front.active)
            elements_.push_back({shape_of(model.forest.corners(t)),
                                 to_eigen(model.elasticities[std::size_t(model.material_of[std::size_t(t)])]),
                                 barrier ? double(model.constants[std::size_t(t)].barrier) : 0.0});
        for (std::size_t k = 0; k < front.plastic.size(); ++k) {
            Element& e = elements_[k];
            e.plastic = plastic_strain(front.plastic[k]);
            if (e.plastic.isZero(0)) continue;
            Forces rest;
            const auto corners = model.forest.corners(front.active[k]);
            for (int a = 0; a < 4; ++a)
                rest.col(a) << corners[std::size_t(a)].x, corners[std::size_t(a)].y, corners[std::size_t(a)].z;
            rest_force_ = std::max(rest_force_, element_forces(e, rest).cwiseAbs().maxCoeff());
        }
    }

    std::vector<Eigen::Vector3d> loads;  ///< N, on used nodes
    std::vector<HandleSpring> springs;
    Eigen::Index unknowns() const { return 3 * count_; }

    void follow(Points& x) const
    {
        for (const Front::HangingNode& s : front_.hanging_nodes)
            x[std::size_t(s.node)] = (x[std::size_t(s.a)] + x[std::size_t(s.b)]) / 2;
    }
    Points moved(const Points& x, const Eigen::VectorXd& step, double share) const
    {
        Points y = x;
        for (std::size_t k = 0; k < x.size(); ++k)
            if (row_[k] >= 0) y[k] += share * step.segment<3>(3 * row_[k]);
        follow(y);
        return y;
    }

    double potential(const Points& x) const
    {
        double sum = by_law_ ? front_.laws.energy(to_vectors(x), barrier_, false) : 0;
        for (std::size_t t = 0; t < elements_.size(); ++t) sum += element_energy(elements_[t], corners(t, x));
        for (std::size_t k = 0; k < x.size(); ++k) sum -= loads[k].dot(x[k]);
        for (const HandleSpring& s : springs) sum += s.stiffness / 2 * stretch(s, x).squaredNorm();
        return sum;
    }

    /// Unbalanced forces; `scale` gets the largest nodal force that takes part.
    Eigen::VectorXd residual(const Points& x, double& scale) const
    {
        Points f = loads;
        scale = rest_force_;
        for (const auto& load : loads) scale = std::max(scale, load.norm());
        if (by_law_) {
            front_.laws.differentiate(to_vectors(x), barrier_, false, false);
            std::size_t corner = 0;
            for (std::size_t e = 0; e < front_.laws.count(); ++e)
                for (const std::int32_t n : front_.laws.nodes(e)) {
                    const Vec3d& g = front_.laws.gradients()[corner++];
                    f[std::size_t(n)] -= Eigen::Vector3d(g.x, g.y, g.z);
                    scale = std::max(scale, length(g));
                }
        }
        for (std::size_t t = 0; t < elements_.size(); ++t) {
            const Forces e = element_forces(elements_[t], corners(t, x));
            for (int a = 0; a < 4; ++a) {
                f[std::size_t(front_.corners[t][std::size_t(a)])] += e.col(a);
                scale = std::max(scale, e.col(a).norm());
            }
        }
        for (const HandleSpring& s : springs)
            for (const auto& [k, w] : s.on) f[k] -= s.stiffness * w * stretch(s, x);
        for (std::size_t k = front_.hanging_nodes.size(); k-- > 0;) {
            const Front::HangingNode& s = front_.hanging_nodes[k];
            f[std::size_t(s.a)] += f[std::size_t(s.node)] / 2;
            f[std::size_t(s.b)] += f[std::size_t(s.node)] / 2;
        }
        Eigen::VectorXd r(unknowns());
        for (std::size_t k = 0; k < x.size(); ++k)
            if (row_[k] >= 0) r.segment<3>(3 * row_[k]) = f[k];
        return r;
    }

    Sparse tangent(const Points& x, bool positive) const
    {
        std::vector<Eigen::Triplet<double>> entries;
        entries.reserve(144 * elements_.size());
        const auto spread = [&](std::size_t i, std::size_t j, const Eigen::Matrix3d& K) {
            for (const Front::WeightedNode& a : front_.free_nodes_of(i))
                for (const Front::WeightedNode& b : front_.free_nodes_of(j)) {
                    const Eigen::Index row = row_[std::size_t(a.node)], column = row_[std::size_t(b.node)];
                    if (row < 0 || column < 0) continue;
                    for (int r = 0; r < 3; ++r)
                        for (int c = 0; c < 3; ++c)
                            entries.emplace_back(3 * row + r, 3 * column + c,
                                                 double(a.weight) * double(b.weight) * K(r, c));
                }
        };
        if (by_law_) {
            front_.laws.differentiate(to_vectors(x), barrier_, false, positive);
            const Mat3d* block = front_.laws.hessians().data();
            for (std::size_t e = 0; e < front_.laws.count(); ++e) {
                const std::span<const std::int32_t> nodes = front_.laws.nodes(e);
                for (std::size_t a = 0; a < nodes.size(); ++a)
                    for (std::size_t b = a; b < nodes.size(); ++b, ++block) {
                        const Eigen::Matrix3d K = to_eigen(*block);
                        spread(std::size_t(nodes[a]), std::size_t(nodes[b]), K);
                        if (b > a) spread(std::size_t(nodes[b]), std::size_t(nodes[a]), K.transpose());
                    }
            }
        }
        for (std::size_t t = 0; t < elements_.size(); ++t) {
            const Tangent K = element_tangent(elements_[t], corners(t, x), positive);
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 4; ++b)
                    spread(std::size_t(front_.corners[t][std::size_t(a)]),
                           std::size_t(front_.corners[t][std::size_t(b)]), K.block<3, 3>(3 * a, 3 * b));
        }
        for (const HandleSpring& s : springs)
            for (const auto& [i, wi] : s.on)
                for (const auto& [j, wj] : s.on) spread(i, j, Eigen::Matrix3d::Identity() * (s.stiffness * wi * wj));
        Sparse K(unknowns(), unknowns());
        K.setFromTriplets(entries.begin(), entries.end());
        return K;
    }

private:
    Forces corners(std::size_t t, const Points& x) const
    {
        Forces p;
        for (int a = 0; a < 4; ++a) p.col(a) = x[std::size_t(front_.corners[t][std::size_t(a)])];
        return p;
    }
    Eigen::Vector3d stretch(const HandleSpring& s, const Points& x) const
    {
        Eigen::Vector3d sum = -s.target;
        for (const auto& [k, w] : s.on) sum += w * x[k];
        return sum;
    }

    static std::vector<Vec3d> to_vectors(const Points& x)
    {
        std::vector<Vec3d> out;
        for (const Eigen::Vector3d& p : x) out.push_back({p.x(), p.y(), p.z()});
        return out;
    }

    Front& front_;
    bool by_law_, barrier_;  ///< its law elements are asked; what is squeezed is pushed back
    std::vector<Eigen::Index> row_;
    Eigen::Index count_ = 0;
    std::vector<Element> elements_;
    /// N, largest of plastic strain and muscles in the body at rest: what forces in a body that has come to terms with
    /// these are small against.
    double rest_force_ = 0;
};

/// Newton; false if the potential has no minimum that can be reached.
Result<double> solve(const Equilibrium& problem, Points& x, int& rounds)
{
    Eigen::SimplicialLDLT<Sparse> factor;
    double relative = 0;
    for (int round = 0; round < kMostSettlingRounds; ++round, ++rounds) {
        double scale = 0;
        const Eigen::VectorXd r = problem.residual(x, scale);
        relative = scale > 0 ? r.cwiseAbs().maxCoeff() / scale : 0;
        if (relative <= kBalanced) return relative;
        Eigen::VectorXd step;
        bool found = false;
        for (const bool positive : {false, true}) {
            const Sparse K = problem.tangent(x, positive);
            if (round == 0 && !positive) factor.analyzePattern(K);
            factor.factorize(K);
            const auto pivots = factor.vectorD();
            if (factor.info() != Eigen::Success || !(pivots.minCoeff() > 1e-13 * pivots.maxCoeff())) continue;
            step = factor.solve(r);
            found = step.allFinite() && step.dot(r) > 0;
            if (found) break;
        }
        if (!found) return Error{"settle", "what holds the body leaves it free to move, so it has no place to rest"};
        const double before = problem.potential(x), gain = step.dot(r);
        double share = 1;
        Points next = problem.moved(x, step, share);
        // Close to the end the potential cannot tell any more: a full step then.
        const bool fine = gain < 1e-10 * std::abs(before);
        while (!fine && share > 1e-8 && !(problem.potential(next) <= before - 1e-4 * share * gain))
            next = problem.moved(x, step, share /= 2);
        x = std::move(next);
    }
    if (relative < 1e-5) return relative;
    return Error{"settle", "no equilibrium was found within " + std::to_string(kMostSettlingRounds) +
                               " rounds: the loads may be too large for the material"};
}

}  // namespace

Result<SettleReport> settle(const FemModel& model, std::span<const double> masses, const BodySettings& settings,
                            const StepInput& input, BodyState& state, Workspace& work)
{
    const TetForest& forest = model.forest;
    SettleReport report;
    for (Vec3& v : state.velocities) v = {};
    const bool adaptive = settings.fem.refinement == Refinement::residual && !is_full(model, settings.fem) &&
                          model.fronts.empty() && forest.levels() > 0;
    for (int refinement = 0;; ++refinement) {
        FemReport levels;
        prepare_step(model, masses, settings.fem, input, false, is_stored(state, work), state, work);
        if (!model.muscles.empty()) work.front.laws.set_time(model, input.time);
        follow_forced_front(model, masses, settings.fem, input, state, work, levels);
        Front& front = work.front;
        for (const std::int32_t n : work.fixed_nodes)
            if (const std::int32_t k = front.used_index(n); k >= 0)
                put(work.x, std::size_t(k), work.grip_targets[std::size_t(n)]);
        Equilibrium problem(model, front, work.fixed, settings.fem.barrier);
        if (problem.unknowns() == 0) return report;
        std::vector<Vec3d> fine(forest.node_count());  // weights of all nodes, handed to the used ones
        for (std::size_t n = 0; n < fine.size(); ++n) fine[n] = input.gravity.as<double>() * masses[n];
        std::vector<std::int32_t> place(forest.node_count());
        for (auto n = std::int32_t(forest.node_count()) - 1; n >= 0; --n) {
            place[std::size_t(n)] = front.used_index(n);
            if (place[std::size_t(n)] < 0)
                for (const std::int32_t parent : {forest.node(n).a, forest.node(n).b})
                    fine[std::size_t(parent)] += fine[std::size_t(n)] * 0.5;
            else
                problem.loads[std::size_t(place[std::size_t(n)])] = {fine[std::size_t(n)].x, fine[std::size_t(n)].y,
                                                                     fine[std::size_t(n)].z};
        }
        if (!work.push_loads.empty())
            for (std::size_t k = 0; k < front.used.size(); ++k) problem.loads[k] += to_eigen3(get(work.push, k));
        for (const Grip& grip : input.grips) {
            if (grip.stiffness <= 0) continue;
            for (std::size_t k = 0; k < grip.particles.size() && k < grip.targets.size(); ++k) {
                HandleSpring spring{{}, to_eigen3(grip.targets[k]), double(grip.stiffness)};
                const auto add_support = [&](auto&& self, std::int32_t n, double w) -> void {
                    if (place[std::size_t(n)] >= 0) {
                        spring.on.emplace_back(std::size_t(place[std::size_t(n)]), w);
                        return;
                    }
                    self(self, forest.node(n).a, w / 2);
                    self(self, forest.node(n).b, w / 2);
                };
                add_support(add_support, grip.particles[k], 1.0);
                problem.springs.push_back(std::move(spring));
            }
        }
        Points x(front.used.size());
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = to_eigen3(get(work.x, k));
        problem.follow(x);
        const Result<double> balanced = solve(problem, x, report.rounds);
        if (!balanced) return balanced.error();
        report.residual = *balanced;

        for (std::size_t k = 0; k < x.size(); ++k) {
            put(work.x, k, {float(x[k].x()), float(x[k].y()), float(x[k].z())});
            put(work.v, k, {});
            put(work.a, k, -input.gravity);
            state.positions[std::size_t(front.used[k])] = get(work.x, k);
        }
        for (std::int32_t n = 0; n < std::int32_t(forest.node_count()); ++n) {
            state.velocities[std::size_t(n)] = {};
            state.fem.accelerations[std::size_t(n)] = -input.gravity;
            if (front.is_free_node(forest, n)) continue;
            const ForestNode& node = forest.node(n);
            state.positions[std::size_t(n)] =
                (state.positions[std::size_t(node.a)] + state.positions[std::size_t(node.b)]) * 0.5f;
        }
        report.active_tets = int(front.active.size());
        if (!adaptive || refinement == kMostRefinements) return report;

        // Where would midpoints leave their edges? Refine there and solve again; nothing is merged.
        front.forces(model, work.x, work.v, settings.fem.barrier, work.raw_force, &work.corner_forces);
        work.candidates.clear();
        FemSettings only_finer = settings.fem;
        only_finer.quiet_checks = 1 << 30;
        if (!select_levels(model, only_finer, state, work, levels)) return report;
        change_front(model, settings.fem, state, work, levels);
        for (std::size_t k = 0; k < work.front.used.size(); ++k)
            state.positions[std::size_t(work.front.used[k])] = get(work.x, k);
    }
}

}  // namespace yawara::fem
