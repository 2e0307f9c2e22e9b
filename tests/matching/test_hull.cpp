// Nearest points of convex hulls, against all faces tried one after the other.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <random>

#include "matching/hull.h"

using namespace yawara::matching;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The point nearest to x in the hull of the columns of V: of the nearest points of all affine hulls of some columns,
/// the nearest one that lies between these.
VectorXd nearest_by_faces(const MatrixXd& V, const VectorXd& x)
{
    VectorXd best;
    for (unsigned face = 1; face < 1u << V.cols(); ++face) {
        std::vector<Eigen::Index> corners;
        for (Eigen::Index k = 0; k < V.cols(); ++k)
            if (face >> k & 1) corners.push_back(k);
        const auto n = Eigen::Index(corners.size());
        MatrixXd D(V.rows(), n - 1);
        for (Eigen::Index k = 1; k < n; ++k) D.col(k - 1) = V.col(corners[std::size_t(k)]) - V.col(corners[0]);
        const VectorXd w =
            n == 1 ? VectorXd() : VectorXd(D.completeOrthogonalDecomposition().solve(x - V.col(corners[0])));
        if (n > 1 && (w.minCoeff() < 0 || w.sum() > 1)) continue;
        const VectorXd point = n == 1 ? VectorXd(V.col(corners[0])) : VectorXd(V.col(corners[0]) + D * w);
        if (best.size() == 0 || (point - x).norm() < (best - x).norm()) best = point;
    }
    return best;
}

/// Examples are the columns of L; the rest shape is the origin.
struct Problem {
    MatrixXd L;
    VectorXd x;

    std::vector<double> solve() const
    {
        const GramMatrix gram = L.transpose() * L;
        const VectorXd b = L.transpose() * x;
        std::vector<double> weights(static_cast<std::size_t>(L.cols()));
        nearest_in_hull(gram, {b.data(), std::size_t(b.size())}, weights);
        return weights;
    }
    VectorXd point(const std::vector<double>& weights) const
    {
        return L * Eigen::Map<const VectorXd>(weights.data(), L.cols());
    }
    MatrixXd vertices() const
    {
        MatrixXd V(L.rows(), L.cols() + 1);
        V << VectorXd::Zero(L.rows()), L;
        return V;
    }
};

Problem random_problem(Eigen::Index dimensions, Eigen::Index examples, std::mt19937& random)
{
    std::normal_distribution<double> normal;
    Problem problem{MatrixXd(dimensions, examples), VectorXd(dimensions)};
    for (double& value : problem.L.reshaped()) value = normal(random);
    for (double& value : problem.x.reshaped()) value = normal(random);
    return problem;
}

bool are_convex(const std::vector<double>& weights)
{
    double sum = 0;
    for (const double w : weights) {
        if (!(w >= 0)) return false;
        sum += w;
    }
    return sum <= 1 + 1e-12;
}

}  // namespace

TEST_CASE("the nearest point of a hull is the best of all its faces, in few dimensions and in many")
{
    std::mt19937 random(1);
    for (Eigen::Index dimensions : {1, 2, 3, 5, 9})
        for (Eigen::Index examples = 1; examples <= 6; ++examples)
            for (int k = 0; k < 20; ++k) {
                const Problem problem = random_problem(dimensions, examples, random);
                const std::vector<double> weights = problem.solve();
                CHECK(are_convex(weights));
                const VectorXd expected = nearest_by_faces(problem.vertices(), problem.x);
                CHECK((problem.point(weights) - expected).norm() < 1e-9);
            }
}

TEST_CASE("examples that repeat each other, lie on a line, or are the rest shape do not move the nearest point")
{
    std::mt19937 random(2);
    for (int k = 0; k < 50; ++k) {
        const Problem plain = random_problem(4, 3, random);
        Problem padded{MatrixXd(4, 6), plain.x};
        padded.L << plain.L.col(0), VectorXd::Zero(4), plain.L.col(1), (plain.L.col(0) + plain.L.col(1)) / 2,
            plain.L.col(2), plain.L.col(0);
        const std::vector<double> weights = padded.solve();
        CHECK(are_convex(weights));
        CHECK((padded.point(weights) - plain.point(plain.solve())).norm() < 1e-9);
    }
}

TEST_CASE("a state in the hull is met, and the scale of the coordinates does not matter")
{
    std::mt19937 random(3);
    std::exponential_distribution<double> share;
    for (const double scale : {1e-6, 1.0, 1e6})
        for (int k = 0; k < 20; ++k) {
            Problem problem = random_problem(6, 5, random);
            problem.L *= scale;
            VectorXd w(6);
            for (double& value : w) value = share(random);
            problem.x = problem.L * (w / w.sum()).head(5);
            CHECK((problem.point(problem.solve()) - problem.x).norm() < 1e-9 * scale);
        }
}

TEST_CASE(
    "with as many examples as there may be no corner of the hull is on the near side of the plane through the answer")
{
    std::mt19937 random(4);
    for (const Eigen::Index dimensions : {3, 12, 40}) {
        const Problem problem = random_problem(dimensions, kMostExamples, random);
        const std::vector<double> weights = problem.solve();
        CHECK(are_convex(weights));
        const VectorXd nearest = problem.point(weights), across = problem.x - nearest;
        const MatrixXd V = problem.vertices();
        for (Eigen::Index k = 0; k < V.cols(); ++k) CHECK(across.dot(V.col(k) - nearest) < 1e-9);
    }
}

TEST_CASE("the paper's weights are the point of the unit simplex nearest to those of least squares")
{
    std::mt19937 random(5);
    for (int examples = 1; examples <= 5; ++examples)
        for (int k = 0; k < 20; ++k) {
            const Problem problem = random_problem(8, examples, random);
            const GramMatrix gram = problem.L.transpose() * problem.L;
            const VectorXd b = problem.L.transpose() * problem.x;
            std::vector<double> weights(static_cast<std::size_t>(examples));
            nearest_weights(pseudo_inverse(gram, 1e-12), {b.data(), std::size_t(b.size())}, weights);

            const VectorXd raw = problem.L.colPivHouseholderQr().solve(problem.x);
            VectorXd all(examples + 1);
            all << 1 - raw.sum(), raw;
            const VectorXd expected = nearest_by_faces(MatrixXd::Identity(examples + 1, examples + 1), all);
            for (int e = 0; e < examples; ++e)
                CHECK(weights[std::size_t(e)] == doctest::Approx(expected[e + 1]).epsilon(1e-8));
        }
}

TEST_CASE("the pseudo-inverse of a singular Gram matrix meets the four conditions of Moore and Penrose")
{
    std::mt19937 random(6);
    MatrixXd L = random_problem(7, 5, random).L;
    L.col(3) = L.col(0) - 2 * L.col(1);
    const GramMatrix G = L.transpose() * L, P = pseudo_inverse(G, 1e-9);
    CHECK((G * P * G - G).norm() < 1e-9);
    CHECK((P * G * P - P).norm() < 1e-9);
    CHECK((G * P - (G * P).transpose()).norm() < 1e-9);
    CHECK((P * G - (P * G).transpose()).norm() < 1e-9);
}
