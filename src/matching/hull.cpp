#include "matching/hull.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <functional>

#include "math/dense.h"

namespace yawara::matching {
namespace {

using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMostExamples, 1>;
using Weights = std::array<double, kMostExamples + 1>;  ///< of the vertices of the hull: 0 is rest, k the example k - 1

/// Some vertices of the hull.
class Face {
public:
    explicit Face(std::size_t first) { add(first); }
    const std::size_t* begin() const { return vertices_.data(); }
    const std::size_t* end() const { return vertices_.data() + size_; }
    std::size_t size() const { return size_; }
    std::size_t operator[](std::size_t k) const { return vertices_[k]; }
    void add(std::size_t vertex) { vertices_[size_++] = vertex; }
    void remove(std::size_t vertex)
    {
        size_ = std::size_t(std::remove(vertices_.begin(), vertices_.begin() + size_, vertex) - vertices_.begin());
    }
    bool has(std::size_t vertex) const { return std::find(begin(), end(), vertex) != end(); }

private:
    std::array<std::size_t, kMostExamples + 2> vertices_{};
    std::size_t size_ = 0;
};

class Simplex {
public:
    Simplex(const GramMatrix& gram, std::span<const double> b) : gram_(gram), b_(b) {}

    std::size_t size() const { return b_.size() + 1; }
    double gram(std::size_t j, std::size_t k) const
    {
        return j == 0 || k == 0 ? 0 : gram_(Eigen::Index(j - 1), Eigen::Index(k - 1));
    }
    double b(std::size_t k) const { return k == 0 ? 0 : b_[k - 1]; }

    /// Half the derivative of the squared distance by the weight of vertex k.
    double slope(std::size_t k, const Weights& w) const
    {
        double sum = -b(k);
        for (std::size_t j = 1; j < size(); ++j) sum += gram(k, j) * w[j];
        return sum;
    }

    /// Weights of the point of the affine hull of `face` nearest to the state; false if the face has no area.
    bool nearest_on(const Face& face, Weights& w) const
    {
        w.fill(0.0);
        const std::size_t base = face[0];
        const auto n = Eigen::Index(face.size()) - 1;
        GramMatrix M(n, n);
        SmallVector right(n);
        for (Eigen::Index j = 0; j < n; ++j) {
            const std::size_t p = face[std::size_t(j) + 1];
            right[j] = b(p) - b(base) - gram(p, base) + gram(base, base);
            for (Eigen::Index k = 0; k < n; ++k) {
                const std::size_t q = face[std::size_t(k) + 1];
                M(j, k) = gram(p, q) - gram(p, base) - gram(base, q) + gram(base, base);
            }
        }
        if (n == 0) {
            w[base] = 1;
            return true;
        }
        const Eigen::LDLT<GramMatrix> factors(M);
        if (!(factors.vectorD().minCoeff() > 1e-12 * M.diagonal().maxCoeff())) return false;
        const SmallVector v = factors.solve(right);
        w[base] = 1 - v.sum();
        for (Eigen::Index j = 0; j < n; ++j) w[face[std::size_t(j) + 1]] = v[j];
        return true;
    }

private:
    const GramMatrix& gram_;
    std::span<const double> b_;
};

}  // namespace

void nearest_in_hull(const GramMatrix& gram, std::span<const double> b, std::span<double> weights)
{
    const Simplex simplex(gram, b);
    const std::size_t n = simplex.size();
    const auto distance = [&](std::size_t k) { return simplex.gram(k, k) - 2 * simplex.b(k); };
    std::size_t nearest = 0;
    for (std::size_t k = 1; k < n; ++k)
        if (distance(k) < distance(nearest)) nearest = k;

    Weights w{}, wanted{};
    w[nearest] = 1;
    Face face(nearest);
    const double scale = gram.size() > 0 ? gram.diagonal().maxCoeff() : 0;
    for (std::size_t round = 0; round < 20 * n; ++round) {  // far more than any case needs: rounding must not loop
        double here = 0;
        for (const std::size_t k : face) here += w[k] * simplex.slope(k, w);
        std::size_t best = 0;
        double lowest = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double slope = simplex.slope(k, w) - here;
            if (slope < lowest) lowest = slope, best = k;
        }
        if (lowest >= -1e-13 * scale || face.has(best)) break;
        face.add(best);
        bool stuck = false;
        while (true) {
            if (!simplex.nearest_on(face, wanted)) {  // adds nothing but rounding
                face.remove(best);
                stuck = true;
                break;
            }
            // Go towards it until a weight would become negative; that vertex leaves the face.
            double share = 1;
            std::size_t leaves = n;
            for (const std::size_t k : face)
                if (wanted[k] < 0 && w[k] / (w[k] - wanted[k]) < share) share = w[k] / (w[k] - wanted[k]), leaves = k;
            for (const std::size_t k : face) w[k] += share * (wanted[k] - w[k]);
            if (leaves == n) break;
            w[leaves] = 0;
            face.remove(leaves);
        }
        if (stuck) break;
    }
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) w[k] = std::max(w[k], 0.0), sum += w[k];
    for (std::size_t k = 1; k < n; ++k) weights[k - 1] = w[k] / sum;
}

void nearest_weights(const GramMatrix& inverse, std::span<const double> b, std::span<double> weights)
{
    const auto n = Eigen::Index(b.size());
    Weights w{};
    const SmallVector raw = inverse * Eigen::Map<const SmallVector>(b.data(), n);
    w[0] = 1 - raw.sum();
    std::copy(raw.begin(), raw.end(), w.begin() + 1);

    Weights sorted = w;
    std::sort(sorted.begin(), sorted.begin() + n + 1, std::greater{});
    double sum = 0, shift = 0;
    for (std::size_t k = 0; k <= b.size(); ++k) {
        sum += sorted[k];
        const double candidate = (sum - 1) / double(k + 1);
        if (sorted[k] > candidate) shift = candidate;
    }
    for (std::size_t k = 1; k <= b.size(); ++k) weights[k - 1] = std::max(0.0, w[k] - shift);
}

GramMatrix pseudo_inverse(const GramMatrix& gram, double least)
{
    if (gram.size() == 0) return gram;
    const auto [values, vectors] = symmetric_eigen(gram);
    const Eigen::VectorXd inverse = values.unaryExpr([&](double v) { return v > least ? 1 / v : 0.0; });
    return vectors * inverse.asDiagonal() * vectors.transpose();
}

}  // namespace yawara::matching
