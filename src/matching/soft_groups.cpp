#include "matching/soft_groups.h"

#include <Eigen/SparseCholesky>
#include <algorithm>

namespace yawara::matching {
namespace {

/// A share below this counts as nothing.
constexpr double kNothing = 1e-4;

/// M + distance^2 K. Neighbours differ at a price that makes the squared gradient of linear fields right in the mean,
/// whatever the mesh; since no price is negative, shares stay between 0 and 1.
Eigen::SparseMatrix<double> smoothing_matrix(const Lists& links, std::span<const Vec3d> rest,
                                             std::span<const double> masses, double distance)
{
    std::vector<Eigen::Triplet<double>> entries;
    const auto spread = [&](std::size_t i) { return 3 * masses[i] / double(links[i].size()); };
    for (std::size_t i = 0; i < links.size(); ++i) {
        entries.emplace_back(int(i), int(i), masses[i]);
        for (const std::int32_t other : links[i]) {
            const auto j = std::size_t(other);
            if (j == i) continue;
            const Vec3d apart = rest[j] - rest[i];
            const double price = distance * distance * (spread(i) + spread(j)) / dot(apart, apart);
            entries.emplace_back(int(i), int(i), price);
            entries.emplace_back(int(i), int(j), -price);
        }
    }
    Eigen::SparseMatrix<double> matrix{int(links.size()), int(links.size())};
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

}  // namespace

SoftGroups soft_groups(const Lists& links, std::span<const Vec3d> rest, std::span<const double> masses,
                       std::span<const std::int32_t> labels, double distance)
{
    constexpr double kLargest = 100;  // sizes of the body: all weights are the same long before
    const double most = kLargest * length(bounds(rest).size());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(
        smoothing_matrix(links, rest, masses, std::min(distance, most)));
    std::vector<std::vector<SoftGroups::Share>> found(labels.size());
    const std::int32_t groups = *std::ranges::max_element(labels) + 1;
    for (std::int32_t group = 0; group < groups; ++group) {
        if (std::ranges::find(labels, group) == labels.end()) continue;
        Eigen::VectorXd right(Eigen::Index(labels.size()));
        for (std::size_t i = 0; i < labels.size(); ++i)
            right[Eigen::Index(i)] = labels[i] == group ? masses[i] : 0.0;
        const Eigen::VectorXd shares = factors.solve(right);
        for (std::size_t i = 0; i < labels.size(); ++i)
            if (shares[Eigen::Index(i)] > kNothing) found[i].push_back({group, shares[Eigen::Index(i)]});
    }
    SoftGroups out;
    for (const auto& region : found) {
        double sum = 0;
        for (const SoftGroups::Share& s : region) sum += s.share;
        for (const SoftGroups::Share& s : region) out.shares.push_back({s.group, s.share / sum});
        out.offsets.push_back(out.shares.size());
    }
    return out;
}

}  // namespace yawara::matching
