#include "plain_examples.h"

#include <Eigen/Eigenvalues>

namespace yawara::bench {
namespace {

using Eigen::Matrix3f;
using Eigen::Vector3f;

void polar(const Matrix3f& A, Matrix3f& R, Matrix3f& S)
{
    Eigen::SelfAdjointEigenSolver<Matrix3f> solver;
    solver.computeDirect(A.transpose() * A);
    const Vector3f root = solver.eigenvalues().cwiseMax(1e-12f).cwiseSqrt();
    S = solver.eigenvectors() * root.asDiagonal() * solver.eigenvectors().transpose();
    R = A * (solver.eigenvectors() * root.cwiseInverse().asDiagonal() * solver.eigenvectors().transpose());
}

/// By trying every face of the hull.
Eigen::VectorXf nearest(const Eigen::MatrixXf& G, const Eigen::VectorXf& b)
{
    const int n = int(b.size());
    Eigen::VectorXf best = Eigen::VectorXf::Zero(n);
    float least = 0;
    for (int mask = 1; mask < 2 << n; ++mask) {  // bit n: rest
        std::vector<int> face;
        for (int k = 0; k < n; ++k)
            if (mask >> k & 1) face.push_back(k);
        const int m = int(face.size()), rows = m + (mask >> n & 1 ? 0 : 1);
        if (m == 0) continue;
        Eigen::MatrixXf K = Eigen::MatrixXf::Zero(rows, rows);
        Eigen::VectorXf right = Eigen::VectorXf::Ones(rows);
        for (int j = 0; j < m; ++j) {
            right[j] = b[face[std::size_t(j)]];
            for (int k = 0; k < m; ++k) K(j, k) = G(face[std::size_t(j)], face[std::size_t(k)]);
            if (rows > m) K(j, m) = K(m, j) = 1;
        }
        const Eigen::VectorXf solution = K.partialPivLu().solve(right);
        Eigen::VectorXf w = Eigen::VectorXf::Zero(n);
        for (int j = 0; j < m; ++j) w[face[std::size_t(j)]] = solution[j];
        if (!(w.minCoeff() >= 0) || w.sum() > 1 + 1e-6f) continue;
        const float value = w.dot(G * w) - 2 * b.dot(w);
        if (value < least) least = value, best = w;
    }
    return best;
}

}  // namespace

PlainExamples::PlainExamples(const TetMesh& mesh, const ExampleSet& examples) : body(mesh)
{
    const auto n = Eigen::Index(examples.poses.size());
    gram_.assign(std::size_t(n * n), 0.0f);
    weights.assign(std::size_t(n), 0.0f);
    Eigen::Map<Eigen::MatrixXf> gram(gram_.data(), n, n);
    stretch_.resize(body.regions.size());
    for (const PlainMatching::Region& region : body.regions) {
        Matrix3f sum = Matrix3f::Zero();
        for (const PlainMatching::Member& m : region.members)
            sum += body.particles[std::size_t(m.particle)].shared_mass * m.q * m.q.transpose();
        spread_.push_back(sum);
        inverse_.push_back(sum.inverse());
    }
    for (const ExamplePose& pose : examples.poses) {
        for (std::size_t i = 0; i < body.particles.size(); ++i) {
            const Vec3d& p = pose.positions[i];
            body.particles[i].position = {float(p.x), float(p.y), float(p.z)};
        }
        for (std::size_t r = 0; r < body.regions.size(); ++r)
            stretch_[r].push_back(fit(body.regions[r], inverse_[r]).S);
    }
    for (PlainMatching::Particle& p : body.particles) p.position = p.rest;
    for (std::size_t r = 0; r < body.regions.size(); ++r)
        for (Eigen::Index j = 0; j < n; ++j)
            for (Eigen::Index k = 0; k < n; ++k)
                gram(j, k) += ((stretch_[r][std::size_t(j)] - Matrix3f::Identity()) * spread_[r] *
                               (stretch_[r][std::size_t(k)] - Matrix3f::Identity()))
                                  .trace();
}

PlainExamples::Fit PlainExamples::fit(const PlainMatching::Region& region, const Matrix3f& inverse) const
{
    Fit f{Vector3f::Zero(), Matrix3f::Zero(), Matrix3f::Zero()};
    for (const PlainMatching::Member& m : region.members) {
        const PlainMatching::Particle& p = body.particles[std::size_t(m.particle)];
        f.c += p.shared_mass * p.position;
    }
    f.c /= region.mass;
    for (const PlainMatching::Member& m : region.members) {
        const PlainMatching::Particle& p = body.particles[std::size_t(m.particle)];
        f.A_pq += (p.shared_mass * (p.position - f.c)) * m.q.transpose();
    }
    Matrix3f R;
    polar(f.A_pq * inverse, R, f.S);
    return f;
}

void PlainExamples::step(float dt, float beta)
{
    const auto n = Eigen::Index(weights.size());
    std::vector<Fit> fits;
    Eigen::VectorXf b = Eigen::VectorXf::Zero(n);
    for (std::size_t r = 0; r < body.regions.size(); ++r) {
        fits.push_back(fit(body.regions[r], inverse_[r]));
        const Matrix3f away = spread_[r] * (fits[r].S - Matrix3f::Identity());
        for (Eigen::Index k = 0; k < n; ++k)
            b[k] += ((stretch_[r][std::size_t(k)] - Matrix3f::Identity()) * away).trace();
    }
    const Eigen::VectorXf w = nearest(Eigen::Map<const Eigen::MatrixXf>(gram_.data(), n, n), b);
    weights.assign(w.begin(), w.end());
    for (PlainMatching::Particle& p : body.particles) p.goal.setZero();
    for (std::size_t r = 0; r < body.regions.size(); ++r) {
        Matrix3f T = Matrix3f::Identity();
        for (Eigen::Index k = 0; k < n; ++k) T += beta * w[k] * (stretch_[r][std::size_t(k)] - Matrix3f::Identity());
        Matrix3f R, S;
        polar(fits[r].A_pq * T, R, S);
        const Matrix3f F = R * T;
        for (const PlainMatching::Member& m : body.regions[r].members)
            body.particles[std::size_t(m.particle)].goal += F * m.q + fits[r].c;
    }
    for (PlainMatching::Particle& p : body.particles) {
        p.velocity += (p.goal / float(p.holders) - p.position) / dt;
        p.position += dt * p.velocity;
    }
}

}  // namespace yawara::bench
