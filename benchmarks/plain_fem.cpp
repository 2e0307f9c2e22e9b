#include "plain_fem.h"

#include <Eigen/LU>

namespace yawara::bench {

PlainFem::PlainFem(const TetMesh& mesh, const Elasticity& elasticity, bool isotropic) : isotropic_(isotropic)
{
    for (const Vec3d& v : mesh.vertices) positions.emplace_back(float(v.x), float(v.y), float(v.z));
    forces.resize(positions.size());
    for (const Int4& t : mesh.tets) {
        Tet tet;
        Eigen::Matrix3f edges;
        for (int a = 0; a < 4; ++a) tet.node[a] = t[std::size_t(a)];
        for (int a = 0; a < 3; ++a)
            edges.col(a) = positions[std::size_t(tet.node[a + 1])] - positions[std::size_t(tet.node[0])];
        tet.inverse_edges = edges.inverse();
        tet.half_volume = edges.determinant() / 12;
        tet.lambda = float(elasticity(0, 1));
        tet.mu = float(elasticity(3, 3));
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) tet.elasticity(i, j) = float(elasticity(i, j));
        tets_.push_back(tet);
    }
}

void PlainFem::evaluate()
{
    for (Eigen::Vector3f& f : forces) f.setZero();
    for (const Tet& tet : tets_) {
        const Eigen::Vector3f& origin = positions[std::size_t(tet.node[0])];
        Eigen::Matrix3f edges;
        for (int a = 0; a < 3; ++a) edges.col(a) = positions[std::size_t(tet.node[a + 1])] - origin;
        const Eigen::Matrix3f F = edges * tet.inverse_edges;
        const Eigen::Matrix3f strain = F.transpose() * F - Eigen::Matrix3f::Identity();
        Eigen::Matrix3f stress;
        if (isotropic_) {
            stress = 2 * tet.mu * strain + tet.lambda * strain.trace() * Eigen::Matrix3f::Identity();
        } else {
            Eigen::Matrix<float, 6, 1> e;
            e << strain(0, 0), strain(1, 1), strain(2, 2), 2 * strain(0, 1), 2 * strain(0, 2), 2 * strain(1, 2);
            const Eigen::Matrix<float, 6, 1> s = tet.elasticity * e;
            stress << s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2];
        }
        const Eigen::Matrix3f H = -tet.half_volume * F * stress * tet.inverse_edges.transpose();
        for (int a = 0; a < 3; ++a) forces[std::size_t(tet.node[a + 1])] += H.col(a);
        forces[std::size_t(tet.node[0])] -= H.rowwise().sum();
    }
}

}  // namespace yawara::bench
