#include "plain_newton.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>

namespace yawara::bench {

struct PlainNewton::Data {
    struct Tet {
        int node[4];
        Eigen::Matrix3d inverse_edges;
        double volume;
    };
    using Vector = Eigen::VectorXd;

    Data(const TetMesh& mesh, std::span<const double> masses, double lambda, double mu,
         std::span<const std::int32_t> held);
    void step(double h, Eigen::Vector3d gravity, double accuracy);
    double energy(const Vector& x) const;
    void assemble(const Vector& x);
    int place(int node, int axis) const
    {
        return slot[std::size_t(node)] < 0 ? -1 : 3 * slot[std::size_t(node)] + axis;
    }
    Eigen::Matrix3d gradient(const Tet& tet, const Vector& x) const;

    std::vector<Eigen::Vector3d> positions, velocities;
    int rounds = 0;
    std::vector<Tet> tets;
    std::vector<double> masses_;
    std::vector<int> slot;  ///< among the free nodes, or -1
    double lambda_, mu_;
    Vector predicted, inertia, force;
    Eigen::SparseMatrix<double> hessian;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver;
    bool analysed = false;
};

PlainNewton::Data::Data(const TetMesh& mesh, std::span<const double> masses, double lambda, double mu,
                        std::span<const std::int32_t> held)
    : masses_(masses.begin(), masses.end()), slot(mesh.vertices.size(), 0), lambda_(lambda), mu_(mu)
{
    for (const Vec3d& v : mesh.vertices) positions.emplace_back(v.x, v.y, v.z);
    velocities.assign(positions.size(), Eigen::Vector3d::Zero());
    for (const std::int32_t n : held) slot[std::size_t(n)] = -1;
    int free = 0;
    for (int& mine : slot)
        if (mine >= 0) mine = free++;
    predicted.resize(3 * free);
    inertia.resize(3 * free);
    for (const Int4& t : mesh.tets) {
        Tet tet;
        Eigen::Matrix3d edges;
        for (int a = 0; a < 4; ++a) tet.node[a] = t[std::size_t(a)];
        for (int a = 0; a < 3; ++a)
            edges.col(a) = positions[std::size_t(tet.node[a + 1])] - positions[std::size_t(tet.node[0])];
        tet.inverse_edges = edges.inverse();
        tet.volume = edges.determinant() / 6;
        tets.push_back(tet);
    }
}

Eigen::Matrix3d PlainNewton::Data::gradient(const Tet& tet, const Vector& x) const
{
    const auto at = [&](int node) -> Eigen::Vector3d {
        const int first = place(node, 0);
        return first < 0 ? positions[std::size_t(node)] : Eigen::Vector3d(x.segment<3>(first));
    };
    Eigen::Matrix3d edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = at(tet.node[a + 1]) - at(tet.node[0]);
    return edges * tet.inverse_edges;
}

double PlainNewton::Data::energy(const Vector& x) const
{
    double sum = 0.5 * (inertia.array() * (x - predicted).array().square()).sum();
    for (const Tet& tet : tets) {
        const Eigen::Matrix3d F = gradient(tet, x);
        const Eigen::Matrix3d E = 0.5 * (F.transpose() * F - Eigen::Matrix3d::Identity());
        sum += tet.volume * (0.5 * lambda_ * E.trace() * E.trace() + mu_ * E.squaredNorm());
    }
    return sum;
}

void PlainNewton::Data::assemble(const Vector& x)
{
    force = -(inertia.array() * (x - predicted).array()).matrix();
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(tets.size() * 144 + std::size_t(x.size()));
    for (int k = 0; k < x.size(); ++k) entries.emplace_back(k, k, inertia[k]);
    const Eigen::Matrix3d unit = Eigen::Matrix3d::Identity();
    for (const Tet& tet : tets) {
        const Eigen::Matrix3d F = gradient(tet, x);
        const Eigen::Matrix3d E = 0.5 * (F.transpose() * F - unit);
        const Eigen::Matrix3d S = lambda_ * E.trace() * unit + 2 * mu_ * E;
        Eigen::Matrix<double, 4, 3> weights;  // of the corners in F
        weights.bottomRows<3>() = tet.inverse_edges;
        weights.row(0) = -tet.inverse_edges.colwise().sum();
        // dF of corner a along axis i is e_i w_a^T.
        const Eigen::Matrix<double, 3, 4> P = F * S * weights.transpose();
        Eigen::Matrix<double, 12, 12> H;
        for (int b = 0; b < 4; ++b)
            for (int j = 0; j < 3; ++j) {
                const Eigen::Matrix3d dF = Eigen::Vector3d::Unit(j) * weights.row(b);
                const Eigen::Matrix3d dE = 0.5 * (dF.transpose() * F + F.transpose() * dF);
                const Eigen::Matrix3d dS = lambda_ * dE.trace() * unit + 2 * mu_ * dE;
                const Eigen::Matrix<double, 3, 4> column = (dF * S + F * dS) * weights.transpose();
                for (int a = 0; a < 4; ++a) H.block<3, 1>(3 * a, 3 * b + j) = tet.volume * column.col(a);
            }
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 12, 12>> eigen(H);
        H = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
        for (int a = 0; a < 4; ++a)
            for (int i = 0; i < 3; ++i) {
                const int row = place(tet.node[a], i);
                if (row < 0) continue;
                force[row] -= tet.volume * P(i, a);
                for (int b = 0; b < 4; ++b)
                    for (int j = 0; j < 3; ++j)
                        if (const int column = place(tet.node[b], j); column >= 0)
                            entries.emplace_back(row, column, H(3 * a + i, 3 * b + j));
            }
    }
    hessian.resize(x.size(), x.size());
    hessian.setFromTriplets(entries.begin(), entries.end());
}

void PlainNewton::Data::step(double h, Eigen::Vector3d gravity, double accuracy)
{
    Vector x(predicted.size());
    for (std::size_t n = 0; n < positions.size(); ++n) {
        const int first = place(int(n), 0);
        if (first < 0) continue;
        x.segment<3>(first) = positions[n];
        predicted.segment<3>(first) = positions[n] + h * velocities[n] + h * h * gravity;
        inertia.segment<3>(first).setConstant(masses_[n] / (h * h));
    }
    for (int round = 0; round < 50; ++round, ++rounds) {
        assemble(x);
        if (!analysed) solver.analyzePattern(hessian);
        analysed = true;
        solver.factorize(hessian);
        const Vector direction = solver.solve(force);
        if (direction.lpNorm<Eigen::Infinity>() < accuracy) break;
        double share = 1;
        const double before = energy(x);
        while (share > 1e-6 && energy(x + share * direction) > before) share *= 0.5;
        x += share * direction;
    }
    for (std::size_t n = 0; n < positions.size(); ++n) {
        const int first = place(int(n), 0);
        if (first < 0) continue;
        velocities[n] = (x.segment<3>(first) - positions[n]) / h;
        positions[n] = x.segment<3>(first);
    }
}

PlainNewton::PlainNewton(const TetMesh& mesh, std::span<const double> masses, double lambda, double mu,
                         std::span<const std::int32_t> held)
    : data_(std::make_unique<Data>(mesh, masses, lambda, mu, held))
{
}

PlainNewton::~PlainNewton() = default;

void PlainNewton::step(double h, Vec3d gravity, double accuracy)
{
    data_->step(h, {gravity.x, gravity.y, gravity.z}, accuracy);
}

Vec3d PlainNewton::position(std::size_t node) const
{
    const Eigen::Vector3d& p = data_->positions[node];
    return {p.x(), p.y(), p.z()};
}

int PlainNewton::rounds() const
{
    return data_->rounds;
}

}  // namespace yawara::bench
