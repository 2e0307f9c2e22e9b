// Bounds of the sub-steps of all tets: each shape that a subdivision repeats is solved once.
#include "fem/frequencies.h"

#include <cmath>
#include <unordered_map>

#include "core/parallel.h"
#include "fem/elasticity.h"

namespace yawara::fem {
namespace {

/// Square roots of the tensors in Kelvin form, one per material.
std::vector<Matrix6> roots_of(const std::vector<Elasticity>& tensors)
{
    std::vector<Matrix6> roots;
    for (const Elasticity& tensor : tensors) {
        const Eigen::SelfAdjointEigenSolver<Matrix6> solver(to_kelvin(to_eigen(tensor)));
        const Vector6 values = solver.eigenvalues().cwiseMax(0).cwiseSqrt();
        roots.push_back(solver.eigenvectors() * values.asDiagonal() * solver.eigenvectors().transpose());
    }
    return roots;
}

/// What a tet's frequencies follow from. A subdivision repeats few shapes, so most tets can take those of another.
struct FrequencyKey {
    std::array<std::int64_t, 19> ratios;  ///< inverse edges and masses over the largest of each
    int gradient_exponent = 0, mass_exponent = 0;
    std::size_t material = 0;

    FrequencyKey(const TetShape& shape, const std::array<double, 10>& masses, std::size_t material_number)
        : material(material_number)
    {
        double steepest = 0, heaviest = 0;
        for (const Vec3d& g : shape.g) steepest = std::max({steepest, std::abs(g.x), std::abs(g.y), std::abs(g.z)});
        for (const double mass : masses) heaviest = std::max(heaviest, std::abs(mass));
        std::frexp(steepest, &gradient_exponent);
        std::frexp(heaviest, &mass_exponent);
        // 2^-40: far above the rounding of the corners, far below that of the frequencies, which are floats.
        const auto rounded = [](double value, int exponent) { return std::llround(std::ldexp(value, 40 - exponent)); };
        std::size_t k = 0;
        for (std::size_t a = 1; a < 4; ++a)
            for (int i = 0; i < 3; ++i) ratios[k++] = rounded(shape.g[a][i], gradient_exponent);
        for (const double mass : masses) ratios[k++] = rounded(mass, mass_exponent);
    }
    bool operator==(const FrequencyKey&) const = default;
};

struct FrequencyHash {
    std::size_t operator()(const FrequencyKey& key) const
    {
        std::uint64_t hash = key.material;
        const auto mix = [&](std::uint64_t value) {
            hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
            hash ^= hash >> 32;
        };
        for (const std::int64_t ratio : key.ratios) mix(std::uint64_t(ratio));
        mix(std::uint64_t(key.gradient_exponent));
        mix(std::uint64_t(key.mass_exponent));
        return std::size_t(hash);
    }
};

/// Frequencies of tets from their shapes, masses and materials.
class FrequencySolver {
public:
    explicit FrequencySolver(const FemModel& model)
        : roots_(roots_of(model.elasticities)), viscous_roots_(roots_of(model.viscosities)), viscous_(model.viscous)
    {
        kelvin_ << 1, 1, 1, std::sqrt(0.5), std::sqrt(0.5), std::sqrt(0.5);
    }

    /// Largest eigenvalue of M^-1 K by the 6x6 matrix C^1/2 (vol B M^-1 B^T) C^1/2, which has the same ones.
    TetFrequency solve(const TetShape& shape, const std::array<double, 10>& masses, std::size_t material) const
    {
        const Eigen::Matrix4d inverse = mass_matrix(masses).inverse();
        const StrainMatrix B = kelvin_.asDiagonal() * strain_matrix(shape);
        StrainMatrix BM = StrainMatrix::Zero();
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b) BM.middleCols<3>(3 * b) += B.middleCols<3>(3 * a) * inverse(a, b);
        const Matrix6 A = shape.volume * BM * B.transpose();
        const auto largest = [&](const Matrix6& root) {
            const Eigen::SelfAdjointEigenSolver<Matrix6> solver(root * A * root, Eigen::EigenvaluesOnly);
            return std::max(solver.eigenvalues()[5], 0.0);
        };
        Eigen::Matrix<double, 3, 4> G;
        for (std::size_t a = 0; a < 4; ++a) G.col(Eigen::Index(a)) << shape.g[a].x, shape.g[a].y, shape.g[a].z;
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> tension(G * inverse * G.transpose());
        return {float(largest(roots_[material])), float(viscous_ ? largest(viscous_roots_[material]) / 2 : 0.0),
                float(tension.eigenvalues()[2])};
    }

private:
    std::vector<Matrix6> roots_, viscous_roots_;
    bool viscous_;
    Vector6 kelvin_;
};

}  // namespace

Eigen::Matrix4d mass_matrix(const std::array<double, 10>& lower)
{
    Eigen::Matrix4d m;
    std::size_t k = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j <= i; ++j) m(i, j) = m(j, i) = lower[k++];
    return m;
}

void measure_frequencies(FemModel& model)
{
    const TetForest& forest = model.forest;
    const FrequencySolver solver(model);
    model.frequencies.resize(forest.tet_count());
    for_each_task(forest.base_count(), [&](std::size_t base) {
        for (int level = 0; level <= forest.levels(); ++level) {
            std::unordered_map<FrequencyKey, TetFrequency, FrequencyHash> known;
            const std::size_t count = std::size_t(1) << (3 * level);
            const std::size_t first = std::size_t(forest.first_of(level)) + base * count;
            for (std::size_t t = first; t < first + count; ++t) {
                const TetShape shape = shape_of(forest.corners(std::int32_t(t)));
                const auto material = std::size_t(model.material_of[t]);
                const auto [found, is_new] =
                    known.try_emplace(FrequencyKey(shape, model.tet_masses[t], material), TetFrequency{});
                if (is_new) found->second = solver.solve(shape, model.tet_masses[t], material);
                model.frequencies[t] = found->second;
            }
        }
    });
}

}  // namespace yawara::fem
