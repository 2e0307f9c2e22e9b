// Embeddings: built point by point in parallel, applied in fixed blocks so that any number of threads gives the same
// bits.
#include "yawara/embedding.h"

#include <cassert>

#include "core/parallel.h"
#include "geometry/embed_point.h"

namespace yawara {
namespace {

constexpr std::size_t kBuildBlock = 256, kApplyBlock = 2048;  // points

}  // namespace

struct Embedding::Lists {
    std::vector<std::int32_t> offsets{0}, particles;
    std::vector<float> weights;
    std::vector<Outside> outside;
    int outside_count = 0;
    double outside_distance = 0;

    void append(Weights& found);
    void append_outside(std::size_t point, double distance, const Weights& closest);
};

/// Equal particles joined, those without influence left out. The strongest comes first and
/// gets whatever is missing to 1, so it takes the rounding of the others.
void Embedding::Lists::append(Weights& found)
{
    std::sort(found.begin(), found.end());
    double sum = 0;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < found.size();) {
        const std::int32_t particle = found[k].first;
        double weight = 0;
        for (; k < found.size() && found[k].first == particle; ++k) weight += found[k].second;
        if (std::abs(weight) > 1e-9) found[kept++] = {particle, weight};
    }
    found.resize(kept);
    const auto strongest = std::max_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return std::abs(a.second) < std::abs(b.second);
    });
    if (strongest != found.end()) std::rotate(found.begin(), strongest, strongest + 1);
    for (std::size_t k = 1; k < kept; ++k) sum += double(static_cast<float>(found[k].second));
    for (std::size_t k = 0; k < kept; ++k) {
        particles.push_back(found[k].first);
        weights.push_back(static_cast<float>(k == 0 ? 1 - sum : found[k].second));
    }
    offsets.push_back(static_cast<std::int32_t>(particles.size()));
}

void Embedding::Lists::append_outside(std::size_t point, double distance, const Weights& closest)
{
    Outside& added = outside.emplace_back();
    added.point = static_cast<std::int32_t>(point);
    added.distance = static_cast<float>(distance);
    added.particles.fill(closest[0].first);
    for (std::size_t k = 0; k < closest.size(); ++k) {
        added.particles[k] = closest[k].first;
        added.weights[k] = static_cast<float>(closest[k].second);
    }
}

template <class Solid, class Body>
void Embedding::hang_all(const Body& body, std::span<const Vec3d> points, double tolerance)
{
    const PointEmbedder<Solid> embedder(body);
    std::vector<Lists> parts(chunk_count(points.size(), kBuildBlock));
    for_each_chunk(points.size(), kBuildBlock, [&](std::size_t b, std::size_t first, std::size_t last) {
        Weights found, closest;
        for (std::size_t k = first; k < last; ++k) {
            const double distance = embedder.embed_point(points[k], found, closest);
            if (distance > tolerance || found.empty()) ++parts[b].outside_count;
            parts[b].outside_distance = std::max(parts[b].outside_distance, distance);
            parts[b].append(found);
            if (!closest.empty()) parts[b].append_outside(k, distance, closest);
        }
    });
    offsets_ = {0};
    for (const Lists& part : parts) {
        const std::int32_t before = offsets_.back();
        for (std::size_t k = 1; k < part.offsets.size(); ++k) offsets_.push_back(before + part.offsets[k]);
        particles_.insert(particles_.end(), part.particles.begin(), part.particles.end());
        weights_.insert(weights_.end(), part.weights.begin(), part.weights.end());
        outside_.insert(outside_.end(), part.outside.begin(), part.outside.end());
        outside_count_ += part.outside_count;
        outside_distance_ = std::max(outside_distance_, part.outside_distance);
    }
}

namespace {

/// Relative to the first particle: a translation is followed to the last bit, far from the origin too.
template <class Value>
void apply_all(std::span<const std::int32_t> offsets, std::span<const std::int32_t> particles,
               std::span<const float> weights, std::span<const Value> values, std::span<Value> out)
{
    for_each_chunk(out.size(), kApplyBlock, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const auto first = static_cast<std::size_t>(offsets[k]), last = static_cast<std::size_t>(offsets[k + 1]);
            Value sum{};
            if (first < last) {
                const Value base = values[static_cast<std::size_t>(particles[first])];
                for (std::size_t i = first + 1; i < last; ++i) {
                    sum += (values[static_cast<std::size_t>(particles[i])] - base) * weights[i];
                }
                sum += base;
            }
            out[k] = sum;
        }
    });
}

}  // namespace

Embedding::Embedding(const TetMesh& solid, std::span<const Vec3d> points)
{
    hang_all<TetEmbedder>(solid, points, 1e-9 * bounds(solid.vertices).diagonal());
}

Embedding::Embedding(const Lattice& solid, std::span<const Vec3d> points)
{
    hang_all<LatticeEmbedder>(solid, points, 1e-9 * solid.cell);
}

void Embedding::apply(std::span<const Vec3> particles, std::span<Vec3> out) const
{
    assert(out.size() == size());
    apply_all(std::span(offsets_), std::span(particles_), std::span(weights_), particles, out);
}

void Embedding::draw(std::span<const Vec3> particles, std::span<Vec3> out) const
{
    constexpr float kMost = 1.5f;
    apply(particles, out);
    for_each_chunk(outside_.size(), kApplyBlock, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Outside& o = outside_[k];
            const Vec3 base = particles[static_cast<std::size_t>(o.particles[0])];
            Vec3 closest;
            for (std::size_t i = 1; i < o.particles.size(); ++i)
                closest += (particles[static_cast<std::size_t>(o.particles[i])] - base) * o.weights[i];
            closest += base;
            Vec3& point = out[static_cast<std::size_t>(o.point)];
            const float distance = length(point - closest);
            if (distance > kMost * o.distance) point = closest + (point - closest) * (kMost * o.distance / distance);
        }
    });
}

void Embedding::apply(std::span<const Vec3d> particles, std::span<Vec3d> out) const
{
    assert(out.size() == size());
    apply_all(std::span(offsets_), std::span(particles_), std::span(weights_), particles, out);
}

void Embedding::apply(std::span<const float> values, std::span<float> out) const
{
    assert(out.size() == size());
    apply_all(std::span(offsets_), std::span(particles_), std::span(weights_), values, out);
}

std::span<const std::int32_t> Embedding::particles_of(std::size_t k) const
{
    return std::span(particles_)
        .subspan(static_cast<std::size_t>(offsets_[k]), static_cast<std::size_t>(offsets_[k + 1] - offsets_[k]));
}

std::span<const float> Embedding::weights_of(std::size_t k) const
{
    return std::span(weights_).subspan(static_cast<std::size_t>(offsets_[k]),
                                       static_cast<std::size_t>(offsets_[k + 1] - offsets_[k]));
}

}  // namespace yawara
