#include "matching/examples.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"
#include "matching/match.h"

namespace yawara::matching {

ExampleMemory Examples::memory() const
{
    ExampleMemory memory;
    if (offsets_ || variational() || boxes_) memory.moments.resize(blocks_);
    if (boxes_) memory.wanted.resize(blocks_);
    memory.lanes.resize(count() * blocks_ * kLanes);
    const std::size_t chunks = chunk_count(blocks_, kBlocksPerChunk);
    memory.sums.resize(count() * std::max(chunks, each_region_ ? 0 : grams_.size()));
    if (!each_region_) memory.weights.resize(count() * grams_.size());
    if (offsets_) memory.offsets = offsets_->memory();
    if (variational()) {
        memory.rest_transforms.resize((blocks_ * kLanes + 1) * kTransformSize);
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

void Examples::project(const RegionStretch* stretch, std::size_t chunk, std::size_t first, std::size_t last,
                       ExampleMemory& memory, const TurnedRegions* turned) const
{
    const std::size_t stride = blocks_ * kLanes, n = count();
    float* const lanes = memory.lanes.data() + first * kLanes;
    const bool starts_chunk = first == chunk * kBlocksPerChunk;
    for (std::size_t k = 0; k < n; ++k) {
        const RegionStretch* const by = turned ? turned_rows(k) : rows(k);
        const bool keep = !one_group() || turned;
        double sum = kernels().project(stretch, by + first, last - first, keep ? lanes + k * stride : nullptr);
        if (turned && offsets_)
            for_each_region(first, last, [&](std::size_t lane, std::size_t) {
                const double more = mass_unit_ * offsets_->along(lane, k, turned->turns, turned->positions);
                memory.lanes[k * stride + lane] += float(more);
                sum += more;
            });
        if (one_group()) memory.sums[chunk * n + k] = sum + (starts_chunk ? 0 : memory.sums[chunk * n + k]);
    }
    if (!each_region_) return;
    if (!lane_faces_.empty()) {
        kernels().hull(int(n), lane_faces_.data() + first * hull_constants(int(n)) * kLanes, last - first, stride,
                       lanes);
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
    const std::size_t n = count(), stride = blocks_ * kLanes;
    if (one_group()) {
        for (std::size_t chunk = 1; chunk < chunk_count(blocks_, kBlocksPerChunk); ++chunk)
            for (std::size_t k = 0; k < n; ++k) memory.sums[k] += memory.sums[chunk * n + k];
    } else {
        std::ranges::fill(memory.sums, 0.0);
        for_each_region(0, blocks_, [&](std::size_t lane, std::size_t) {
            for (std::size_t k = 0; k < n; ++k)
                memory.sums[std::size_t(group_of_[lane]) * n + k] += double(memory.lanes[k * stride + lane]);
        });
    }
    for (std::size_t g = 0; g < grams_.size(); ++g)
        solve(grams_[g], inverses_[g], {memory.sums.data() + g * n, n}, {memory.weights.data() + g * n, n});
    if (grams_.size() > 1)
        for_each_region(0, blocks_, [&](std::size_t lane, std::size_t) {
            for (std::size_t k = 0; k < n; ++k)
                memory.lanes[k * stride + lane] = float(memory.weights[std::size_t(group_of_[lane]) * n + k]);
        });
}

bool Examples::at_rest(float beta, const ExampleMemory& memory) const
{
    return one_group() && (beta == 0 || std::ranges::all_of(memory.weights, [](double w) { return w == 0; }));
}

void Examples::want(float beta, std::size_t first, std::size_t last, const ExampleMemory& memory,
                    RegionStretch* out) const
{
    alignas(32) float shares[kBlocksPerChunk * kLanes];
    for (std::size_t k = 0; k < count(); ++k) {
        if (one_group())
            std::fill_n(shares, kLanes, beta * float(memory.weights[k]));
        else
            for (std::size_t lane = 0; lane < (last - first) * kLanes; ++lane)
                shares[lane] = beta * memory.lanes[k * blocks_ * kLanes + first * kLanes + lane];
        kernels().blend(shapes(k) + first, shares, one_group(), k == 0, last - first, out);
    }
}

float Examples::weight(std::size_t example, std::size_t lane, const ExampleMemory& memory) const
{
    if (one_group()) return float(memory.weights[example]);
    return memory.lanes[example * blocks_ * kLanes + lane];
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
