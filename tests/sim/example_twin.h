// The example-based method in double, straight from its equations ([Examples] 3): slow, and shares no code with the
// engine.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <set>
#include <vector>

#include "yawara/body.h"
#include "yawara/deform.h"

namespace yawara {

inline ExamplePose pose(const TetMesh& mesh, const std::string& name, std::vector<Deformer> deformers)
{
    return {name, deformed(mesh.vertices, deformers)};
}

struct ExampleTwin {
    using V = Eigen::Vector3d;
    using M = Eigen::Matrix3d;

    TetMesh mesh;
    std::vector<double> masses;
    ExampleSet set;
    double h = 1.0 / 300, alpha = 1, beta = 0.995, kappa = 0.03;
    V gravity{0, -9.8, 0};
    double floor = -1e9, friction = 0.5, restitution = 0;
    std::vector<int> pins;

    std::vector<V> x, v, rest;
    std::vector<std::vector<int>> members;             // of each region: the 1-ring unless given before prepare()
    std::vector<double> counts, alphas;                // of each region: how much it counts, how far it pulls; empty: 1
    M layer = M::Identity();                           // what another layer wants of all regions
    std::vector<double> share;                         // m / d, d being the sum of the counts
    std::vector<std::vector<M>> example_stretch;       // [example][region]
    std::vector<std::vector<std::vector<V>>> offsets;  // [example][region][member], rest last
    std::vector<std::vector<double>> weights;          // [group][rest, examples...], of the last goals
    bool use_offsets = false;
    std::vector<std::vector<double>> group_shares;  // [region][group], of soft borders; empty: one group each
    std::vector<double> controls;                   // per cue; of others than controls nothing
    std::vector<std::vector<double>> heard;         // [cue][group]
    std::vector<std::vector<double>> kept;          // [group][example], if plastic

    static void polar(const M& A, M& R, M& S)
    {
        const Eigen::JacobiSVD<M> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
        M U = svd.matrixU();
        V sigma = svd.singularValues();
        if ((U * svd.matrixV().transpose()).determinant() < 0) {
            U.col(2) *= -1;
            sigma[2] *= -1;
        }
        R = U * svd.matrixV().transpose();
        S = svd.matrixV() * sigma.asDiagonal() * svd.matrixV().transpose();
    }

    struct Fit {
        V c;
        M A_pq, A_qq, A, R, S;
    };
    std::vector<V> about_rest_center(std::size_t r) const
    {
        V c = V::Zero();
        double m = 0;
        for (const int i : members[r]) c += share[i] * rest[i], m += share[i];
        std::vector<V> q;
        for (const int i : members[r]) q.push_back(rest[i] - c / m);
        return q;
    }
    Fit fit(std::size_t r, const std::vector<V>& at) const
    {
        Fit f;
        const std::vector<V> q = about_rest_center(r);
        f.c.setZero();
        double m = 0;
        for (const int i : members[r]) f.c += share[i] * at[i], m += share[i];
        f.c /= m;
        f.A_pq.setZero();
        f.A_qq.setZero();
        for (std::size_t k = 0; k < q.size(); ++k) {
            const int i = members[r][k];
            f.A_pq += share[i] * (at[i] - f.c) * q[k].transpose();
            f.A_qq += share[i] * q[k] * q[k].transpose();
        }
        f.A = f.A_pq * f.A_qq.inverse();
        polar(f.A, f.R, f.S);
        return f;
    }

    double product(const M& a, const M& b, const M& A_qq, double count) const
    {
        if (set.metric == ExampleMetric::energy) return count * (a * A_qq * b).trace();
        double sum = (a * b).trace();
        if (set.metric == ExampleMetric::plain6) sum -= a(1, 2) * b(1, 2) + a(0, 2) * b(0, 2) + a(0, 1) * b(0, 1);
        return sum;
    }

    void prepare()
    {
        rest.clear();
        for (const Vec3d& p : mesh.vertices) rest.push_back({p.x, p.y, p.z});
        x = rest;
        v.assign(x.size(), V::Zero());
        std::vector<std::set<int>> near(members.empty() ? x.size() : 0);
        for (std::size_t i = 0; i < near.size(); ++i) near[i].insert(int(i));
        if (members.empty())
            for (const Int4& tet : mesh.tets)
                for (const int a : tet)
                    for (const int b : tet) near[std::size_t(a)].insert(b);
        for (const auto& s : near) members.emplace_back(s.begin(), s.end());
        share.assign(x.size(), 0);
        counts.resize(members.size(), 1);
        alphas.resize(members.size(), 1);
        for (std::size_t r = 0; r < members.size(); ++r)
            for (const int i : members[r]) share[std::size_t(i)] += counts[r];
        for (std::size_t i = 0; i < x.size(); ++i) share[i] = masses[i] / share[i];
        for (const ExamplePose& pose : set.poses) {
            std::vector<V> at;
            for (const Vec3d& p : pose.positions) at.push_back({p.x, p.y, p.z});
            example_stretch.emplace_back();
            offsets.emplace_back();
            for (std::size_t r = 0; r < members.size(); ++r) {
                const Fit f = fit(r, at);
                example_stretch.back().push_back(f.S);
                offsets.back().emplace_back();
                for (const int i : members[r]) offsets.back().back().push_back(f.R.transpose() * (at[i] - f.c));
            }
        }
    }

    /// A function of the eigenvalues of a symmetric matrix.
    template <class F>
    static M apply(const M& m, const F& f)
    {
        const Eigen::SelfAdjointEigenSolver<M> eigen(m);
        const V values{f(eigen.eigenvalues()[0]), f(eigen.eigenvalues()[1]), f(eigen.eigenvalues()[2])};
        return eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
    }
    static M log(const M& m)
    {
        return apply(m, [](double v) { return std::log(v); });
    }
    static M exp(const M& m)
    {
        return apply(m, [](double v) { return std::exp(v); });
    }

    /// Nearest point of the hull by trying every face.
    static Eigen::VectorXd nearest(const Eigen::MatrixXd& G, const Eigen::VectorXd& b)
    {
        const int n = int(b.size());
        Eigen::VectorXd best = Eigen::VectorXd::Zero(n);
        double least = 0;
        for (int mask = 1; mask < (1 << (n + 1)); ++mask) {  // bit n: rest
            std::vector<int> face;
            for (int k = 0; k < n; ++k)
                if (mask >> k & 1) face.push_back(k);
            const bool with_rest = mask >> n & 1;
            const int m = int(face.size()), rows = m + (with_rest ? 0 : 1);
            if (m == 0) continue;
            Eigen::MatrixXd K = Eigen::MatrixXd::Zero(rows, rows);
            Eigen::VectorXd right = Eigen::VectorXd::Zero(rows);
            for (int j = 0; j < m; ++j) {
                right[j] = b[face[std::size_t(j)]];
                for (int k = 0; k < m; ++k) K(j, k) = G(face[std::size_t(j)], face[std::size_t(k)]);
                if (!with_rest) K(j, m) = K(m, j) = 1;
            }
            if (!with_rest) right[m] = 1;
            const Eigen::VectorXd solution = K.completeOrthogonalDecomposition().solve(right);
            Eigen::VectorXd w = Eigen::VectorXd::Zero(n);
            for (int j = 0; j < m; ++j) w[face[std::size_t(j)]] = solution[j];
            if (w.minCoeff() < -1e-12 || w.sum() > 1 + 1e-12) continue;
            const double value = w.dot(G * w) - 2 * b.dot(w);
            if (value < least) least = value, best = w;
        }
        return best;
    }

    static Eigen::VectorXd finite(const Eigen::MatrixXd& G, const Eigen::VectorXd& b)
    {
        const Eigen::VectorXd raw = G.completeOrthogonalDecomposition().solve(b);
        std::vector<double> w{1 - raw.sum()};
        w.insert(w.end(), raw.begin(), raw.end());
        std::vector<bool> zeroed(w.size(), false);
        while (true) {  // subtract only from weights never zeroed, and divide by how many those are
            const auto lowest = std::min_element(w.begin(), w.end());
            if (*lowest >= -1e-15) break;
            const double debt = -*lowest;
            zeroed[std::size_t(lowest - w.begin())] = true;
            *lowest = 0;
            const auto open = double(std::count(zeroed.begin(), zeroed.end(), false));
            for (std::size_t k = 0; k < w.size(); ++k)
                if (!zeroed[k]) w[k] -= debt / open;
        }
        Eigen::VectorXd out(b.size());
        for (int k = 0; k < out.size(); ++k) out[k] = std::max(0.0, w[std::size_t(k) + 1]);
        return out;
    }

    std::vector<int> group_of_regions() const
    {
        std::vector<int> group(members.size(), 0);
        for (std::size_t r = 0; r < members.size(); ++r) {
            if (set.each_region) group[r] = int(r);
            // Given as a function, since that is what can be asked without the code under test.
            if (set.groups)
                group[r] = int(std::get<Field<std::int32_t>::Function>(set.groups->source())(mesh.vertices[r]));
        }
        return group;
    }

    /// [Examples] 12.11, by a dense solution: labels smoothed over a distance.
    void soften()
    {
        const std::vector<int> group = group_of_regions();
        const auto n = Eigen::Index(x.size());
        Eigen::MatrixXd smooth = Eigen::MatrixXd::Zero(n, n),
                        labels(n, 1 + *std::max_element(group.begin(), group.end()));
        labels.setZero();
        for (std::size_t i = 0; i < x.size(); ++i) {
            labels(Eigen::Index(i), group[i]) = masses[i];
            smooth(Eigen::Index(i), Eigen::Index(i)) += masses[i];
            for (const int j : members[i]) {
                if (j == int(i)) continue;
                const auto near = [&](std::size_t a) { return 3 * masses[a] / double(members[a].size() - 1); };
                const double price = set.border * set.border * (near(i) + near(std::size_t(j))) /
                                     (rest[i] - rest[std::size_t(j)]).squaredNorm();
                smooth(Eigen::Index(i), Eigen::Index(i)) += price;
                smooth(Eigen::Index(i), j) -= price;
            }
        }
        const Eigen::MatrixXd shares = smooth.fullPivLu().solve(labels);
        group_shares.clear();
        for (Eigen::Index r = 0; r < n; ++r) group_shares.emplace_back(shares.row(r).begin(), shares.row(r).end());
    }
    double group_share(std::size_t r, std::size_t g, const std::vector<int>& group) const
    {
        return group_shares.empty() ? double(std::size_t(group[r]) == g) : group_shares[r][g];
    }
    /// Weights of all groups together by small steps downhill, each followed by the nearest point of the simplices.
    static std::vector<Eigen::VectorXd> nearest_together(const Eigen::MatrixXd& G, const Eigen::VectorXd& b, int n)
    {
        const auto groups = int(b.size()) / n;
        Eigen::VectorXd w = Eigen::VectorXd::Zero(b.size());
        const double step = 1 / G.norm();
        for (int round = 0; round < 4000; ++round) {
            w += step * (b - G * w);
            for (int g = 0; g < groups; ++g)
                w.segment(g * n, n) = nearest(Eigen::MatrixXd::Identity(n, n), w.segment(g * n, n));
        }
        std::vector<Eigen::VectorXd> out;
        for (int g = 0; g < groups; ++g) out.emplace_back(w.segment(g * n, n));
        return out;
    }

    /// [Examples] 12.12: what is heard at the start of a step.
    void hear()
    {
        const std::vector<int> group = group_of_regions();
        for (std::size_t c = 0; c < set.cues.size(); ++c)
            for (std::size_t g = 0; g < heard[c].size(); ++g) {
                double mass = 0, energy = 0;
                for (std::size_t i = 0; i < x.size(); ++i)
                    if (std::size_t(group[i]) == g) mass += masses[i], energy += masses[i] * v[i].squaredNorm();
                const CueSource source = set.cues[c].source;
                const double now = source == CueSource::control ? controls[c]
                                   : source == CueSource::speed ? std::sqrt(energy / mass)
                                                                : 0;
                heard[c][g] = now + (heard[c][g] - now) * std::exp(-h / set.cues[c].fade);
            }
    }
    void hear_contact(const std::vector<V>& before)
    {
        const std::vector<int> group = group_of_regions();
        for (std::size_t c = 0; c < set.cues.size(); ++c)
            for (std::size_t g = 0; g < heard[c].size() && set.cues[c].source == CueSource::contact; ++g) {
                double mass = 0, impulse = 0;
                for (std::size_t i = 0; i < x.size(); ++i)
                    if (std::size_t(group[i]) == g) mass += masses[i], impulse += masses[i] * (v[i] - before[i]).norm();
                heard[c][g] += impulse / mass;
            }
    }
    /// [Examples] 12.14.
    void creep()
    {
        for (std::size_t g = 0; g < kept.size(); ++g) {
            double away = 0, sum = 0;
            for (std::size_t k = 0; k < kept[g].size(); ++k) away += std::pow(weights[g][k + 1] - kept[g][k], 2);
            away = std::sqrt(away);
            for (std::size_t k = 0; k < kept[g].size(); ++k) {
                if (away > set.plasticity->yield)
                    kept[g][k] += (1 - std::exp(-set.plasticity->rate * h)) * (1 - set.plasticity->yield / away) *
                                  (weights[g][k + 1] - kept[g][k]);
                kept[g][k] *= std::exp(-set.plasticity->recovery * h);
                sum += kept[g][k];
            }
            for (double& k : kept[g]) k *= std::min(1.0, set.plasticity->bound / sum);
        }
    }

    /// The variational form, [Examples] 12.6, and its energy in kg m^2: weights and rotations in turn until they
    /// settle.
    std::vector<V> variational_goals(const std::vector<V>& at, double& energy)
    {
        const int n = int(set.poses.size());
        const std::vector<int> group = group_of_regions();
        const auto groups = std::size_t(1 + *std::max_element(group.begin(), group.end()));
        std::vector<Fit> fits;
        std::vector<M> R;
        std::vector<std::vector<std::vector<V>>> away(members.size());  // [region][example][member]: o - q
        std::vector<std::vector<V>> q;
        for (std::size_t r = 0; r < members.size(); ++r) {
            fits.push_back(fit(r, at));
            R.push_back(fits[r].R);
            q.push_back(about_rest_center(r));
            for (int k = 0; k < n; ++k) {
                away[r].emplace_back();
                for (std::size_t j = 0; j < q[r].size(); ++j)
                    away[r].back().push_back(use_offsets ? V(offsets[std::size_t(k)][r][j] - q[r][j])
                                                         : V(example_stretch[std::size_t(k)][r] * q[r][j] - q[r][j]));
            }
        }
        std::vector<Eigen::VectorXd> w(groups);
        const auto wanted = [&](std::size_t r, std::size_t j) {
            V o = q[r][j];
            for (int k = 0; k < n; ++k) o += w[std::size_t(group[r])][k] * away[r][std::size_t(k)][j];
            return o;
        };
        for (int round = 0; round < 12; ++round) {
            std::vector<Eigen::MatrixXd> G(groups, Eigen::MatrixXd::Zero(n, n));
            std::vector<Eigen::VectorXd> b(groups, Eigen::VectorXd::Zero(n));
            for (std::size_t r = 0; r < members.size(); ++r)
                for (std::size_t j = 0; j < q[r].size(); ++j) {
                    const int i = members[r][j];
                    const V p = R[r].transpose() * (at[i] - fits[r].c) - q[r][j];
                    for (int k = 0; k < n; ++k) {
                        b[std::size_t(group[r])][k] += share[i] * p.dot(away[r][std::size_t(k)][j]);
                        for (int l = 0; l < n; ++l)
                            G[std::size_t(group[r])](k, l) +=
                                share[i] * away[r][std::size_t(k)][j].dot(away[r][std::size_t(l)][j]);
                    }
                }
            for (std::size_t g = 0; g < groups; ++g) w[g] = nearest(G[g], b[g]);
            for (std::size_t r = 0; r < members.size(); ++r) {
                M fitted = M::Zero(), S;
                for (std::size_t j = 0; j < q[r].size(); ++j) {
                    const int i = members[r][j];
                    fitted += share[i] * (at[i] - fits[r].c) * wanted(r, j).transpose();
                }
                polar(fitted, R[r], S);
            }
        }
        weights.clear();
        for (const Eigen::VectorXd& g : w) {
            weights.push_back({1 - g.sum()});
            weights.back().insert(weights.back().end(), g.begin(), g.end());
        }
        energy = 0;
        std::vector<V> sum(at.size(), V::Zero());
        std::vector<double> holders(at.size(), 0);
        for (std::size_t r = 0; r < members.size(); ++r) {
            M plain, S;
            polar(fits[r].A_pq, plain, S);
            for (std::size_t j = 0; j < q[r].size(); ++j) {
                const int i = members[r][j];
                const V p = at[i] - fits[r].c, a = R[r] * wanted(r, j), b = plain * q[r][j];
                sum[i] += fits[r].c + beta * a + (1 - beta) * b;
                holders[i] += 1;
                energy += 0.5 * share[i] * (beta * (a - p).squaredNorm() + (1 - beta) * (b - p).squaredNorm());
            }
        }
        for (std::size_t i = 0; i < at.size(); ++i) sum[i] /= holders[i];
        return sum;
    }

    std::vector<V> goals(const std::vector<V>& at)
    {
        double energy;
        if (set.rotation == ExampleRotation::joint) return variational_goals(at, energy);
        const int n = int(set.poses.size());
        std::vector<Fit> fits;
        for (std::size_t r = 0; r < members.size(); ++r) {
            fits.push_back(fit(r, at));
            if (!layer.isIdentity()) fits[r].S = exp(log(fits[r].S) - log(layer));  // what the layer does not explain
        }
        const std::vector<int> group = group_of_regions();
        const int groups = 1 + *std::max_element(group.begin(), group.end());
        std::vector<Eigen::MatrixXd> G(std::size_t(groups), Eigen::MatrixXd::Zero(n, n));
        std::vector<Eigen::VectorXd> b(std::size_t(groups), Eigen::VectorXd::Zero(n)), w(b);
        Eigen::MatrixXd together = Eigen::MatrixXd::Zero(n * groups, n * groups);  // with soft borders
        for (std::size_t r = 0; r < members.size(); ++r)
            for (int j = 0; j < n; ++j) {
                const M Lj = example_stretch[std::size_t(j)][r] - M::Identity();
                const double along = product(Lj, fits[r].S - M::Identity(), fits[r].A_qq, counts[r]);
                for (std::size_t g = 0; g < std::size_t(groups); ++g) b[g][j] += group_share(r, g, group) * along;
                for (int k = 0; k < n; ++k) {
                    const double square =
                        product(Lj, example_stretch[std::size_t(k)][r] - M::Identity(), fits[r].A_qq, counts[r]);
                    G[std::size_t(group[r])](j, k) += square;
                    for (int g = 0; g < groups && !group_shares.empty(); ++g)
                        for (int l = 0; l < groups; ++l)
                            together(g * n + j, l * n + k) +=
                                group_share(r, std::size_t(g), group) * group_share(r, std::size_t(l), group) * square;
                }
            }
        const std::vector<Eigen::MatrixXd> shapes = G;
        const Eigen::MatrixXd shapes_together = together;
        for (std::size_t c = 0; c < set.cues.size(); ++c)
            for (std::size_t g = 0; g < std::size_t(groups); ++g) {
                const ExampleCue& cue = set.cues[c];
                if (cue.group && std::size_t(*cue.group) != g) continue;
                int k = 0;
                while (set.poses[std::size_t(k)].name != cue.pose) ++k;
                const Eigen::Index at_k = Eigen::Index(g) * n + k;
                const double strength =
                    cue.strength * (group_shares.empty() ? shapes[g](k, k) : shapes_together(at_k, at_k));
                const double from = kept.empty() ? 0 : kept[g][std::size_t(k)];
                const double asked = std::clamp((heard[c][g] - cue.low) / (cue.high - cue.low), 0.0, 1.0);
                G[g](k, k) += strength;
                together(at_k, at_k) += strength;
                b[g][k] += strength * (from + (1 - from) * asked);
            }
        if (!group_shares.empty()) {
            Eigen::VectorXd all(n * groups);
            for (int g = 0; g < groups; ++g) all.segment(g * n, n) = b[std::size_t(g)];
            w = nearest_together(together, all, n);
        }
        weights.clear();
        for (std::size_t g = 0; g < std::size_t(groups); ++g) {
            if (group_shares.empty())
                w[g] = set.weights == ExampleWeights::exact ? nearest(G[g], b[g]) : finite(G[g], b[g]);
            weights.push_back({1 - w[g].sum()});
            weights.back().insert(weights.back().end(), w[g].begin(), w[g].end());
        }
        std::vector<V> sum(at.size(), V::Zero());
        std::vector<double> holders(at.size(), 0);
        for (std::size_t r = 0; r < members.size(); ++r) {
            Eigen::VectorXd weight = Eigen::VectorXd::Zero(n);  // times beta: what is wanted
            for (std::size_t g = 0; g < std::size_t(groups); ++g)
                for (int k = 0; k < n; ++k)
                    weight[k] += group_share(r, g, group) *
                                 (w[g][k] + (kept.empty() ? 0 : (1 / beta - 1) * kept[g][std::size_t(k)]));
            const std::vector<V> q = about_rest_center(r);
            M T = M::Identity();
            for (int k = 0; k < n; ++k) T += beta * weight[k] * (example_stretch[std::size_t(k)][r] - M::Identity());
            if (!layer.isIdentity()) T = exp(log(layer) + log(T));
            M fitted = M::Zero(), R, S;
            std::vector<V> o;
            for (std::size_t j = 0; j < q.size(); ++j) {
                V shape = T * q[j];
                if (use_offsets) {
                    shape = (1 - beta * weight.sum()) * q[j];
                    for (int k = 0; k < n; ++k) shape += beta * weight[k] * offsets[std::size_t(k)][r][j];
                }
                o.push_back(shape);
                const int i = members[r][j];
                fitted += share[i] * (at[i] - fits[r].c) * shape.transpose();
            }
            polar(fitted, R, S);
            if (set.rotation == ExampleRotation::fitted) R = fits[r].R;
            for (std::size_t j = 0; j < q.size(); ++j) {
                const auto i = std::size_t(members[r][j]);
                sum[i] += counts[r] * (alphas[r] * (fits[r].c + R * o[j]) + (1 - alphas[r]) * at[i]);
                holders[i] += counts[r];
            }
        }
        for (std::size_t i = 0; i < at.size(); ++i) sum[i] /= holders[i];
        return sum;
    }

    /// Takes a share of what is not rigid off the velocities; pins have no say.
    void damp()
    {
        std::vector<double> moving = masses;
        for (const int i : pins) moving[std::size_t(i)] = 0;
        double mass = 0;
        V c = V::Zero(), p = V::Zero(), l = V::Zero();
        for (std::size_t i = 0; i < x.size(); ++i) {
            mass += moving[i];
            c += moving[i] * x[i];
            p += moving[i] * v[i];
        }
        c /= mass;
        M inertia = M::Zero();
        for (std::size_t i = 0; i < x.size(); ++i) {
            const V d = x[i] - c;
            l += moving[i] * d.cross(v[i]);
            inertia += moving[i] * (d.dot(d) * M::Identity() - d * d.transpose());
        }
        const V spin = inertia.ldlt().solve(l);
        for (std::size_t i = 0; i < x.size(); ++i)
            if (moving[i] > 0) v[i] += kappa * (p / mass + spin.cross(x[i] - c) - v[i]);
    }

    void step()
    {
        hear();
        const std::vector<V> g = goals(x), before = x, v_before = v;
        creep();
        damp();
        for (std::size_t i = 0; i < x.size(); ++i) v[i] += alpha * (g[i] - x[i]) / h + h * gravity;
        const std::vector<V> v_untouched = v;
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += h * v[i];
            if (x[i].y() >= floor) continue;
            const V way = x[i] - before[i];
            const double inside = std::min(1.0, (floor - x[i].y()) / std::max(1e-300, -way.y()));  // share of the way
            x[i].y() = floor;
            const double bounce = v_before[i].y() < 0 ? restitution : 0;
            const double change = (1 + bounce) * std::max(0.0, -v[i].y());
            if (v[i].y() < 0) v[i].y() *= -bounce;
            const double slide = std::hypot(v[i].x(), v[i].z());
            const double keep = slide > 0 ? std::max(0.0, 1 - friction * change / slide) : 1;
            x[i].x() -= (1 - keep) * inside * way.x();
            x[i].z() -= (1 - keep) * inside * way.z();
            v[i].x() *= keep;
            v[i].z() *= keep;
        }
        hear_contact(v_untouched);
        for (const int i : pins) x[std::size_t(i)] = rest[std::size_t(i)], v[std::size_t(i)].setZero();
    }
};

}  // namespace yawara
