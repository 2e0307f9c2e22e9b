// Shapes that follow some points as rigidly as they can (Sorkine and Alexa 2007, on all edges of a solid): alternates
// between the rotation of every particle's surroundings and the positions that follow from them.
#pragma once

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "yawara/domain.h"
#include "yawara/rotation.h"

namespace yawara {

using SolidEdges = std::vector<std::pair<int, int>>;  ///< particles, the smaller first; sorted

template <class Cells>
SolidEdges edges_of_cells(const Cells& cells)
{
    SolidEdges edges;
    for (const auto& cell : cells)
        for (std::size_t a = 0; a < cell.size(); ++a)
            for (std::size_t b = 0; b < a; ++b) edges.emplace_back(std::minmax(cell[a], cell[b]));
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}
SolidEdges edges_of(const Domain& domain);

class AsRigid {
public:
    using Sparse = Eigen::SparseMatrix<double>;
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3>;
    /// What an edge is like, turned back as its ends are: from b to a, at a and at b.
    struct Edge {
        Vec3d at_a, at_b;
    };

    /// `followers`: a row for each point that is led, by the particles; `weight`: of such a point against that of an edge.
    AsRigid(std::vector<Vec3d> rest, SolidEdges edges, Sparse followers, double weight);

    /// Where it is, and how it is turned there.
    struct Shape {
        Rows x;
        std::vector<Mat3d> turns;
        std::vector<Quat> quats;
    };
    Shape at_rest() const;
    /// Up to `rounds` more from a shape, until none moves by more than `settled` times the size. `wanted`: of every edge;
    /// none: as at rest. `turns`: `near` ones are found from those before, many times as quick, and right where little changes.
    enum class Turns { exact, near };
    void follow(const Rows& targets, int rounds, double settled, Shape& shape, std::span<const Edge> wanted = {},
                Turns turns = Turns::exact) const;
    /// Edges as a pose has them.
    std::vector<Edge> edges_in(std::span<const Vec3d> pose) const;

    const std::vector<Vec3d>& rest() const { return rest_; }
    const SolidEdges& edges() const { return edges_; }
    static std::vector<Vec3d> points_of(const Shape& shape);

private:
    std::vector<Mat3d> moments(const Rows& x, std::span<const Edge> wanted) const;

    std::vector<Vec3d> rest_;
    SolidEdges edges_;
    Sparse followers_;
    double weight_, size_;
    Rows start_;  ///< pulls parts that nothing leads to where they are
    Eigen::SimplicialLDLT<Sparse> solver_;
};

}  // namespace yawara
