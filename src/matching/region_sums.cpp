#include "matching/region_sums.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace yawara::matching {
namespace {

Vec3d mean_of(std::span<const Vec3d> points)
{
    Vec3d sum;
    for (const Vec3d& p : points) sum += p;
    return sum / double(points.size());
}

}  // namespace

RegionSums::RegionSums(const Regions& regions, std::shared_ptr<const BoxClasses> classes,
                       std::span<const double> masses)
    : regions_(&regions), classes_(std::move(classes)), shares_(masses.begin(), masses.end())
{
    for (std::size_t i = 0; i < shares_.size(); ++i) {
        if (classes_)
            shares_[i] = double(classes_->shared_masses()[i]) * classes_->mass_unit();
        else
            shares_[i] /= double(regions.holders()[i].size());
    }
    if (classes_) masses_ = classes_->over_regions(shares_);
}

RegionSums::RegionSums(const Regions& regions, const WidthPlan& plan, std::span<const float> stiffness, double dt,
                       std::span<const double> masses)
    : RegionSums(regions,
                 plan.even() ? nullptr
                             : std::make_shared<const BoxClasses>(regions.shared_boxes()->shared_grid(), plan.classes(),
                                                                  plan.rule(), plan.choose(stiffness, dt), masses),
                 masses)
{
}

template <class Value>
std::vector<double> RegionSums::over(const Value& value) const
{
    std::vector<double> values(shares_.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = shares_[i] * value(i);
    return classes_->over_regions(values);
}

template <class Then>
void RegionSums::for_each_list(std::span<const Vec3d> a, std::span<const Vec3d> b, const Then& then) const
{
    for (std::size_t r = 0; r < regions_->region_count(); ++r) {
        double mass = 0;
        Vec3d middle_a, middle_b;
        for (const std::int32_t member : regions_->lists()[r]) {
            const auto i = std::size_t(member);
            mass += shares_[i];
            middle_a += a[i] * shares_[i];
            middle_b += b[i] * shares_[i];
        }
        for (const std::int32_t member : regions_->lists()[r]) {
            const auto i = std::size_t(member);
            then(r, shares_[i], a[i] - middle_a / mass, b[i] - middle_b / mass);
        }
    }
}

std::vector<Mat3d> RegionSums::covariances(std::span<const Vec3d> a, std::span<const Vec3d> b) const
{
    std::vector<Mat3d> sums(regions_->region_count(), Mat3d::zero());
    if (!classes_) {
        for_each_list(a, b, [&](std::size_t r, double m, Vec3d p, Vec3d q) { sums[r] = sums[r] + outer(p * m, q); });
        return sums;
    }
    const bool same = a.data() == b.data();
    const Vec3d mean_a = mean_of(a), mean_b = mean_of(b);  // small numbers cancel less
    std::vector<double> first_a[3], first_b[3];
    for (int k = 0; k < 3; ++k) {
        first_a[k] = over([&](std::size_t i) { return a[i][k] - mean_a[k]; });
        first_b[k] = same ? first_a[k] : over([&](std::size_t i) { return b[i][k] - mean_b[k]; });
    }
    for (int row = 0; row < 3; ++row)
        for (int column = same ? row : 0; column < 3; ++column) {
            const std::vector<double> second =
                over([&](std::size_t i) { return (a[i][row] - mean_a[row]) * (b[i][column] - mean_b[column]); });
            for (std::size_t r = 0; r < sums.size(); ++r) {
                Vec3d* const columns[3] = {&sums[r].c0, &sums[r].c1, &sums[r].c2};
                const double value = second[r] - first_a[row][r] * first_b[column][r] / masses_[r];
                (*columns[column])[row] = value;
                if (same) (*columns[row])[column] = value;
            }
        }
    // A region of one particle has nothing but rounding.
    const double least = 1e-9 * classes_->grid().cell() * classes_->grid().cell();
    for (std::size_t r = 0; same && r < sums.size(); ++r)
        if (sums[r].c0.x + sums[r].c1.y + sums[r].c2.z < least * masses_[r]) sums[r] = Mat3d::zero();
    return sums;
}

std::vector<double> RegionSums::squares(std::span<const Vec3d> a) const
{
    if (!classes_) {
        std::vector<double> sums(regions_->region_count());
        for_each_list(a, a, [&](std::size_t r, double m, Vec3d p, Vec3d) { sums[r] += m * dot(p, p); });
        return sums;
    }
    const Vec3d mean = mean_of(a);
    std::vector<double> sums = over([&](std::size_t i) { return dot(a[i] - mean, a[i] - mean); });
    for (int k = 0; k < 3; ++k) {
        const std::vector<double> first = over([&](std::size_t i) { return a[i][k] - mean[k]; });
        for (std::size_t r = 0; r < sums.size(); ++r) sums[r] -= first[r] * first[r] / masses_[r];
    }
    return sums;
}

std::vector<std::int32_t> RegionSums::members(std::size_t region) const
{
    std::vector<std::int32_t> members;
    if (!classes_) {
        members.assign(regions_->lists()[region].begin(), regions_->lists()[region].end());
        return members;
    }
    std::vector<double> only(regions_->region_count(), 0.0);
    only[region] = 1;
    const std::vector<double> held = classes_->over_holders(only);
    for (std::size_t i = 0; i < held.size(); ++i)
        if (held[i] > 0.5) members.push_back(std::int32_t(i));
    return members;
}

std::vector<float> RegionSums::sizes() const
{
    std::vector<float> sizes(regions_->region_count());
    if (classes_)
        std::ranges::copy(classes_->over_regions(std::vector<double>(sizes.size(), 1.0)), sizes.begin());
    else
        for (std::size_t r = 0; r < sizes.size(); ++r) sizes[r] = float(regions_->lists()[r].size());
    return sizes;
}

double RegionSums::pass_modulus(std::span<const Vec3d> rest, std::span<const double> masses, double volume) const
{
    if (classes_) return box_modulus(*classes_, masses, volume);
    Mat3d sum = Mat3d::zero();
    for (std::size_t r = 0; r < regions_->region_count(); ++r) {
        double mass = 0;
        Vec3d first;
        for (const std::int32_t member : regions_->lists()[r]) {
            const auto i = std::size_t(member);
            const Vec3d q = rest[i] - rest[r];
            mass += shares_[i];
            first += q * shares_[i];
            sum = sum + outer(q * shares_[i], q);
        }
        sum = sum - outer(first / mass, first);
    }
    Eigen::Matrix3d moments;
    for (int k = 0; k < 3; ++k) {
        const Vec3d column = k == 0 ? sum.c0 : k == 1 ? sum.c1 : sum.c2;
        moments.col(k) << column.x, column.y, column.z;
    }
    return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(moments).eigenvalues()[2] / volume;
}

}  // namespace yawara::matching
