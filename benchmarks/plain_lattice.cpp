#include "plain_lattice.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace yawara::bench {

PlainLattice::PlainLattice(Int3 size, int width, bool brute_force) : size_(size), width_(width), brute_(brute_force)
{
    for (int z = 0; z < size[2]; ++z)
        for (int y = 0; y < size[1]; ++y)
            for (int x = 0; x < size[0]; ++x) {
                const auto reach = [&](int k, int n) {
                    return std::min(k + width, n - 1) - std::max(k - width, 0) + 1;
                };
                rest.emplace_back(float(x) - float(size[0] - 1) / 2, float(y) - float(size[1] - 1) / 2,
                                  float(z) - float(size[2] - 1) / 2);
                holders_.push_back(reach(x, size[0]) * reach(y, size[1]) * reach(z, size[2]));
                shared_mass_.push_back(1 / float(holders_.back()));
            }
    const std::size_t n = rest.size();
    positions = rest;
    velocities.assign(n, Eigen::Vector3f::Zero());
    goal_ = velocities;
    particle_.resize(n);
    region_.resize(n);
    scratch_.resize(n);
    // Region constants by the same sums, of m and m x0 in the first four channels.
    for (std::size_t i = 0; i < n; ++i) {
        particle_[i].setZero();
        particle_[i].head<3>() = shared_mass_[i] * rest[i].array();
        particle_[i][3] = shared_mass_[i];
    }
    box_sum<12>(particle_, scratch_);
    for (std::size_t i = 0; i < n; ++i) {
        region_mass_.push_back(particle_[i][3]);
        rest_center_.emplace_back(particle_[i].head<3>().matrix() / particle_[i][3]);
    }
}

template <std::size_t N>
void PlainLattice::box_sum(Channels<N>& values, Channels<N>& scratch) const
{
    std::size_t step = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const int n = size_[std::size_t(axis)];
        const std::size_t lines = values.size() / std::size_t(n);
        for (std::size_t line = 0; line < lines; ++line) {
            const std::size_t base = line / step * step * std::size_t(n) + line % step;
            const auto at = [&](int k) { return base + std::size_t(k) * step; };
            Eigen::Array<float, int(N), 1> sum = Eigen::Array<float, int(N), 1>::Zero();
            for (int k = 0; k < std::min(width_, n); ++k) sum += values[at(k)];
            for (int k = 0; k < n; ++k) {
                if (k + width_ < n) sum += values[at(k + width_)];
                scratch[at(k)] = sum;
                if (k - width_ >= 0) sum -= values[at(k - width_)];
            }
        }
        std::swap(values, scratch);
        step *= std::size_t(n);
    }
}

void PlainLattice::sums_by_boxes()
{
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const Eigen::Vector3f mx = shared_mass_[i] * positions[i];
        const Eigen::Matrix3f moment = mx * rest[i].transpose();
        particle_[i].head<3>() = mx.array();
        particle_[i].tail<9>() = Eigen::Map<const Eigen::Array<float, 9, 1>>(moment.data());
    }
    box_sum<12>(particle_, scratch_);
}

void PlainLattice::sums_by_lists()
{
    std::size_t r = 0;
    for (int z = 0; z < size_[2]; ++z)
        for (int y = 0; y < size_[1]; ++y)
            for (int x = 0; x < size_[0]; ++x, ++r) {
                Eigen::Vector3f sum = Eigen::Vector3f::Zero();
                Eigen::Matrix3f moment = Eigen::Matrix3f::Zero();
                for (int c = std::max(z - width_, 0); c <= std::min(z + width_, size_[2] - 1); ++c)
                    for (int b = std::max(y - width_, 0); b <= std::min(y + width_, size_[1] - 1); ++b)
                        for (int a = std::max(x - width_, 0); a <= std::min(x + width_, size_[0] - 1); ++a) {
                            const std::size_t i = std::size_t((c * size_[1] + b) * size_[0] + a);
                            const Eigen::Vector3f mx = shared_mass_[i] * positions[i];
                            sum += mx;
                            moment += mx * rest[i].transpose();
                        }
                particle_[r].head<3>() = sum.array();
                particle_[r].tail<9>() = Eigen::Map<const Eigen::Array<float, 9, 1>>(moment.data());
            }
}

void PlainLattice::rotate()
{
    for (std::size_t r = 0; r < rest.size(); ++r) {
        const Eigen::Vector3f sum = particle_[r].head<3>().matrix(), c = sum / region_mass_[r];
        Eigen::Matrix3f A;
        Eigen::Map<Eigen::Array<float, 9, 1>>(A.data()) = particle_[r].tail<9>();
        A -= sum * rest_center_[r].transpose();
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3f> solver;
        solver.computeDirect(A.transpose() * A);
        const Eigen::Vector3f inverse_root = solver.eigenvalues().cwiseMax(1e-12f).cwiseSqrt().cwiseInverse();
        const Eigen::Matrix3f R =
            A * (solver.eigenvectors() * inverse_root.asDiagonal() * solver.eigenvectors().transpose());
        region_[r].head<3>() = (c - R * rest_center_[r]).array();
        region_[r].tail<9>() = Eigen::Map<const Eigen::Array<float, 9, 1>>(R.data());
    }
}

void PlainLattice::goals_by_boxes()
{
    box_sum<12>(region_, scratch_);
    for (std::size_t i = 0; i < rest.size(); ++i) {
        Eigen::Matrix3f R;
        Eigen::Map<Eigen::Array<float, 9, 1>>(R.data()) = region_[i].tail<9>();
        goal_[i] = (R * rest[i] + region_[i].head<3>().matrix()) / float(holders_[i]);
    }
}

void PlainLattice::goals_by_lists()
{
    std::size_t i = 0;
    for (int z = 0; z < size_[2]; ++z)
        for (int y = 0; y < size_[1]; ++y)
            for (int x = 0; x < size_[0]; ++x, ++i) {
                Eigen::Array<float, 12, 1> sum = Eigen::Array<float, 12, 1>::Zero();
                for (int c = std::max(z - width_, 0); c <= std::min(z + width_, size_[2] - 1); ++c)
                    for (int b = std::max(y - width_, 0); b <= std::min(y + width_, size_[1] - 1); ++b)
                        for (int a = std::max(x - width_, 0); a <= std::min(x + width_, size_[0] - 1); ++a)
                            sum += region_[std::size_t((c * size_[1] + b) * size_[0] + a)];
                Eigen::Matrix3f R;
                Eigen::Map<Eigen::Array<float, 9, 1>>(R.data()) = sum.tail<9>();
                goal_[i] = (R * rest[i] + sum.head<3>().matrix()) / float(holders_[i]);
            }
}

void PlainLattice::step(float dt)
{
    brute_ ? sums_by_lists() : sums_by_boxes();
    rotate();
    brute_ ? goals_by_lists() : goals_by_boxes();
    for (std::size_t i = 0; i < rest.size(); ++i) {
        velocities[i] += (goal_[i] - positions[i]) / dt;
        positions[i] += dt * velocities[i];
    }
}

}  // namespace yawara::bench
