#include "matching/examples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "matching/match.h"

namespace yawara::matching {

ExampleMemory Examples::memory() const
{
    ExampleMemory memory;
    memory.lanes.resize(count() * lane_stride());
    const std::size_t chunks = chunk_count(blocks_, kBlocksPerChunk);
    if (one_group()) memory.chunk_sums.resize(chunks * count() * kSumLanes);
    if (!each_region_) {
        memory.sums.resize(count() * grams_.size());
        memory.weights.resize(count() * grams_.size());
    }
    if (listens()) {
        memory.asked.resize(count() * (each_region_ ? blocks_ * kLanes : grams_.size()));
        memory.group_sums.resize(group_count());
    }
    if (plastic()) {
        memory.kept.resize(memory.lanes.size());
        memory.targets.resize(memory.lanes.size());
    }
    if (offsets_) memory.offsets = offsets_->memory();
    if (variational()) {
        memory.rest_transforms.resize((blocks_ * kLanes + 1) * kTransformSize);
        memory.lanes_before.resize(memory.lanes.size());
        memory.apart.resize(chunks);
    }
    return memory;
}

void Examples::solve(const GramMatrix& gram, const GramMatrix& inverse, std::span<const double> b,
                     std::span<double> w) const
{
    if (exact_)
        nearest_in_hull(gram, b, w);
    else
        nearest_weights(inverse, b, w);
}

/// Where the products with rows go: they are summed if there is one group.
RowProducts Examples::products(const RegionStretch* rows, std::size_t chunk, std::size_t first,
                               ExampleMemory& memory) const
{
    RowProducts out{.rows = rows + first, .examples = count(), .row_stride = blocks_};
    if (one_group()) {
        out.sums = memory.chunk_sums.data() + chunk * count() * kSumLanes;
        if (first == chunk * kBlocksPerChunk) std::fill_n(out.sums, count() * kSumLanes, 0.0f);
    } else {
        out.each = memory.lanes.data() + first * kLanes;
        out.each_stride = lane_stride();
    }
    return out;
}

int Examples::observe(const RegionMoments* moments, const float* rotations, std::size_t chunk, std::size_t first,
                      std::size_t last, ExampleMemory& memory) const
{
    const int hard = kernels().observe_products(moments, spread(), first, last, used_lanes_, rotations,
                                                products(rows_.data(), chunk, first, memory));
    if (each_region_) solve_lanes(first, last, memory);
    return hard;
}

void Examples::project(const RegionStretch* stretch, std::size_t chunk, std::size_t first, std::size_t last,
                       ExampleMemory& memory, const TurnedRegions* turned) const
{
    const RowProducts out = products(turned ? turned_rows_.data() : rows_.data(), chunk, first, memory);
    kernels().project(stretch, last - first, out);
    if (turned && offsets_)
        for (std::size_t k = 0; k < count(); ++k) {
            double sum = 0;
            for_each_region(first, last, [&](std::size_t lane, std::size_t) {
                const double more = mass_unit_ * offsets_->along(lane, k, turned->rotations, turned->positions);
                if (out.each) memory.lanes[k * lane_stride() + lane] += float(more);
                sum += more;
            });
            if (out.sums) out.sums[k * kSumLanes] += float(sum);
        }
    if (each_region_) solve_lanes(first, last, memory);
}

/// From products to weights, where every region is a group.
void Examples::solve_lanes(std::size_t first, std::size_t last, ExampleMemory& memory) const
{
    const std::size_t stride = lane_stride(), n = count();
    if (listens())
        for_each_region(first, last, [&](std::size_t lane, std::size_t) {
            for (std::size_t k = 0; k < n; ++k) memory.lanes[k * stride + lane] += float(memory.asked[lane * n + k]);
        });
    if (!lane_faces_.empty()) {
        kernels().hull(int(n), lane_faces_.data() + first * hull_constants(int(n)) * kLanes, last - first, stride,
                       memory.lanes.data() + first * kLanes);
        return;
    }
    for_each_region(first, last, [&](std::size_t lane, std::size_t) {
        std::array<double, kMostExamples> b, w;
        float* const values = memory.lanes.data() + lane;
        for (std::size_t k = 0; k < n; ++k) b[k] = double(values[k * stride]);
        solve(grams_[lane], inverses_[lane], {b.data(), n}, {w.data(), n});
        for (std::size_t k = 0; k < n; ++k) values[k * stride] = float(w[k]);
    });
}

void Examples::decide(ExampleMemory& memory) const
{
    if (each_region_) return;
    const std::size_t n = count(), stride = lane_stride();
    std::ranges::fill(memory.sums, 0.0);
    for (std::size_t k = 0; k < n && one_group(); ++k) {
        std::array<double, kSumLanes> sums{};
        for (std::size_t at = k * kSumLanes; at < memory.chunk_sums.size(); at += n * kSumLanes)
            for (std::size_t lane = 0; lane < kSumLanes; ++lane) sums[lane] += double(memory.chunk_sums[at + lane]);
        memory.sums[k] = std::accumulate(sums.begin(), sums.end(), 0.0);
    }
    if (!one_group())
        for_each_region(0, blocks_, [&](std::size_t lane, std::size_t region) {
            for_each_share(lane, region, [&](std::size_t group, double share) {
                for (std::size_t k = 0; k < n; ++k)
                    memory.sums[group * n + k] += share * double(memory.lanes[k * stride + lane]);
            });
        });
    for (std::size_t k = 0; k < memory.asked.size(); ++k) memory.sums[k] += memory.asked[k];
    if (soft_)
        solve_soft(memory);
    else
        for (std::size_t g = 0; g < grams_.size(); ++g)
            solve(grams_[g], inverses_[g], {memory.sums.data() + g * n, n}, {memory.weights.data() + g * n, n});
    for (std::size_t k = 0; k < n; ++k) {
        if (one_group())
            for (std::size_t lane = 0; lane < kLanes; ++lane) memory.lanes[k * stride + lane] = float(memory.weights[k]);
        else
            for_each_region(0, blocks_, [&](std::size_t lane, std::size_t region) {
                double weight = 0;
                for_each_share(lane, region, [&](std::size_t group, double share) {
                    weight += share * memory.weights[group * n + k];
                });
                memory.lanes[k * stride + lane] = float(weight);
            });
    }
}

/// Weights of groups that reach into each other: together they are nearest to the stretches. One group after the other
/// gives way to the rest, which converges, since groups bound each other by nothing else.
void Examples::solve_soft(ExampleMemory& memory) const
{
    constexpr int kMostRounds = 50;
    constexpr double kSettled = 1e-7;  // of a weight
    const std::size_t n = count();
    std::ranges::fill(memory.weights, 0.0);
    for (int round = 0; round < kMostRounds; ++round) {
        double change = 0;
        for (std::size_t g = 0; g < grams_.size(); ++g) {
            std::array<double, kMostExamples> b, w;
            std::copy_n(memory.sums.begin() + std::ptrdiff_t(g * n), n, b.begin());
            for (const auto& [other, products] : overlaps_[g])
                for (std::size_t j = 0; j < n; ++j)
                    for (std::size_t k = 0; k < n; ++k)
                        b[j] -= products(Eigen::Index(j), Eigen::Index(k)) * memory.weights[other * n + k];
            nearest_in_hull(grams_[g], {b.data(), n}, {w.data(), n});
            for (std::size_t k = 0; k < n; ++k) {
                change = std::max(change, std::abs(w[k] - memory.weights[g * n + k]));
                memory.weights[g * n + k] = w[k];
            }
        }
        if (change < kSettled) return;
    }
}

bool Examples::at_rest(float beta, const ExampleMemory& memory) const
{
    return one_group() && (beta == 0 || std::ranges::all_of(memory.weights, [](double w) { return w == 0; }));
}

WantedStretch Examples::wanted(float beta, std::size_t first, std::size_t last, ExampleMemory& memory) const
{
    if (at_rest(beta, memory)) return {};
    const float* weights = memory.lanes.data();
    if (plastic()) {
        for (std::size_t k = 0; k < count(); ++k)
            for (std::size_t lane = first * kLanes; lane < last * kLanes; ++lane)
                memory.targets[k * lane_stride() + lane] = share(beta, k, lane, memory);
        weights = memory.targets.data();
        beta = 1;
    }
    return {.shapes = shapes_.data() + first,
            .weights = weights + lane_at(first * kLanes),
            .examples = count(),
            .shape_stride = blocks_,
            .weight_stride = lane_stride(),
            .weight_step = lane_at(kLanes),
            .beta = beta};
}

float Examples::change(const ExampleMemory& memory) const
{
    float most = 0;
    for (std::size_t k = 0; k < count(); ++k) {
        const float* const now = memory.lanes.data() + k * lane_stride();
        const float* const before = memory.lanes_before.data() + k * lane_stride();
        if (one_group())
            most = std::max(most, std::abs(now[0] - before[0]) * largest_sizes_[k]);
        else
            for_each_region(0, blocks_, [&](std::size_t lane, std::size_t) {
                if (now[lane] != before[lane])
                    most = std::max(most, std::abs(now[lane] - before[lane]) * size(k, lane));
            });
    }
    return most;
}

float Examples::share(float beta, std::size_t example, std::size_t lane, const ExampleMemory& memory) const
{
    const float w = weight(example, lane, memory);
    return plastic() ? beta * w + (1 - beta) * memory.kept[example * lane_stride() + lane] : beta * w;
}

float Examples::weight(std::size_t example, std::size_t lane, const ExampleMemory& memory) const
{
    return memory.lanes[example * lane_stride() + lane_at(lane)];
}

void Examples::weights(std::size_t group, const ExampleMemory& memory, float* out) const
{
    double rest = 1;
    for (std::size_t k = 0; k < count(); ++k) {
        const double w = each_region_ ? double(weight(k, group, memory)) : memory.weights[group * count() + k];
        out[k + 1] = float(w);
        rest -= w;
    }
    out[0] = float(std::max(rest, 0.0));
}

std::vector<double> Examples::raw_weights(std::span<const Mat3d> stretch, std::size_t group) const
{
    const auto n = Eigen::Index(count());
    Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
    for_each_region(0, blocks_, [&](std::size_t lane, std::size_t region) {
        if (!each_region_ && std::size_t(group_of_[lane]) != group) return;
        const Mat3d d = stretch[region] - Mat3d{};
        const double entries[6] = {d.c0.x, d.c1.y, d.c2.z, d.c1.z, d.c0.z, d.c0.y};
        for (Eigen::Index k = 0; k < n; ++k)
            for (std::size_t e = 0; e < 6; ++e)
                b[k] += double(rows(std::size_t(k))[lane / kLanes].T[e][lane % kLanes]) * entries[e];
    });
    const Eigen::VectorXd w = (each_region_ ? whole_inverse_ : inverses_[group]) * b;
    return {w.begin(), w.end()};
}

float Examples::size(std::size_t example, std::size_t lane) const
{
    const RegionStretch& shape = shapes(example)[lane / kLanes];
    float sum = 0;
    for (int k = 0; k < 6; ++k) {
        const float v = shape.T[k][lane % kLanes];
        sum += v * v * (k < 3 ? 1.0f : 2.0f);
    }
    return std::sqrt(sum);
}

}  // namespace yawara::matching
