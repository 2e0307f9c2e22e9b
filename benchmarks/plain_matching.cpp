#include "plain_matching.h"

#include <Eigen/Eigenvalues>
#include <set>

namespace yawara::bench {

PlainMatching::PlainMatching(const TetMesh& mesh, double particle_mass)
{
    std::vector<std::set<int>> rings(mesh.vertices.size());
    for (const Int4& tet : mesh.tets)
        for (const int a : tet)
            for (const int b : tet) rings[std::size_t(a)].insert(b);
    for (std::size_t i = 0; i < rings.size(); ++i) {
        const Vec3d& p = mesh.vertices[i];
        const Eigen::Vector3f x(float(p.x), float(p.y), float(p.z));
        const int holders = int(rings[i].size());
        particles.push_back({x, x, Eigen::Vector3f::Zero(), x, float(particle_mass), float(particle_mass / holders), holders});
    }
    for (const std::set<int>& ring : rings) {
        Region region;
        region.mass = 0;
        Eigen::Vector3f c = Eigen::Vector3f::Zero();
        for (const int i : ring) {
            region.mass += particles[std::size_t(i)].shared_mass;
            c += particles[std::size_t(i)].shared_mass * particles[std::size_t(i)].rest;
        }
        c /= region.mass;
        for (const int i : ring) region.members.push_back({i, particles[std::size_t(i)].rest - c});
        regions.push_back(std::move(region));
    }
}

void PlainMatching::step(float dt)
{
    for (Particle& p : particles) p.goal.setZero();
    for (const Region& region : regions) {
        Eigen::Vector3f c = Eigen::Vector3f::Zero();
        Eigen::Matrix3f A = Eigen::Matrix3f::Zero();
        for (const Member& m : region.members) {
            const Particle& p = particles[std::size_t(m.particle)];
            c += p.shared_mass * p.position;
        }
        c /= region.mass;
        for (const Member& m : region.members) {
            const Particle& p = particles[std::size_t(m.particle)];
            A += (p.shared_mass * (p.position - c)) * m.q.transpose();
        }
        // R = A (A^T A)^(-1/2)
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3f> solver;
        solver.computeDirect(A.transpose() * A);
        const Eigen::Vector3f inverse_root = solver.eigenvalues().cwiseMax(1e-12f).cwiseSqrt().cwiseInverse();
        const Eigen::Matrix3f R =
            A * (solver.eigenvectors() * inverse_root.asDiagonal() * solver.eigenvectors().transpose());
        for (const Member& m : region.members) particles[std::size_t(m.particle)].goal += R * m.q + c;
    }
    for (Particle& p : particles) {
        p.velocity += (p.goal / float(p.holders) - p.position) / dt;
        p.position += dt * p.velocity;
    }
}

}  // namespace yawara::bench
