// A tree of boxes over any primitives, for nearest and crossing queries; embedding and mesh obstacles walk it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "yawara/math.h"

namespace yawara {

/// Squared distance from a point to a box (0 inside).
template <class T>
[[gnu::always_inline]] inline double squared_distance(Vec3d p, Vec3T<T> low, Vec3T<T> high)
{
    const auto out = [](double at, double from, double to) { return std::max(std::max(from - at, at - to), 0.0); };
    const double x = out(p.x, low.x, high.x), y = out(p.y, low.y, high.y), z = out(p.z, low.z, high.z);
    return x * x + y * y + z * z;
}

class Bvh {
public:
    /// Single-precision boxes, widened so that they hold the exact ones.
    struct Node {
        Vec3 low, high;
        std::int32_t first = 0;  ///< of its primitives in order(), or of its two children
        std::int32_t count = 0;  ///< primitives of a leaf; 0 for an inner node
    };

    /// Enough for any walk with a stack: halving 2^31 primitives stays far below.
    static constexpr std::size_t kDepth = 64;

    Bvh() = default;
    /// One box per primitive.
    explicit Bvh(std::span<const Box3> boxes);
    /// The same tree around primitives that have moved.
    void refit(std::span<const Box3> boxes);

    bool empty() const { return nodes_.empty(); }
    std::span<const Node> nodes() const { return nodes_; }
    std::span<const std::int32_t> order() const { return order_; }

    /// The primitive with the smallest distance2(primitive), and that; only smaller ones than `limit2` are looked for
    /// (-1: there is none). distance2 may not be smaller than the squared distance to the primitive's box. A
    /// `tolerance` of 0.05 allows an answer that is 5 % too far, found sooner.
    template <class Distance2>
    std::pair<std::int32_t, double> nearest(Vec3d p, double limit2, Distance2&& distance2, double tolerance = 0) const;

    /// Call visit(primitive, reach) for all primitives whose box, made wider by `wider` on all sides, meets the segment
    /// from `from` to `from + reach * direction`; visit may shorten `reach` (it starts at 1).
    template <class Visit>
    void along(Vec3d from, Vec3d direction, Visit&& visit, double wider = 0) const;

    /// True if test(primitive) is for one of those whose box meets the given one.
    template <class Test>
    bool any(const Box3& box, Test&& test) const;

private:
    std::vector<Node> nodes_;
    std::vector<std::int32_t> order_;
};

template <class Distance2>
std::pair<std::int32_t, double> Bvh::nearest(Vec3d p, double limit2, Distance2&& distance2, double tolerance) const
{
    std::pair<std::int32_t, double> best{-1, limit2};
    const double gain = (1 + tolerance) * (1 + tolerance);
    if (nodes_.empty()) return best;
    std::array<std::pair<std::int32_t, double>, kDepth> stack;
    std::size_t depth = 0;
    stack[depth++] = {0, squared_distance(p, nodes_[0].low, nodes_[0].high)};
    while (depth > 0) {
        const auto [index, box_distance2] = stack[--depth];
        if (!(box_distance2 * gain < best.second)) continue;
        const Node& node = nodes_[static_cast<std::size_t>(index)];
        if (node.count > 0) {
            for (std::int32_t k = node.first; k < node.first + node.count; ++k) {
                const std::int32_t primitive = order_[static_cast<std::size_t>(k)];
                const double found = distance2(primitive);
                if (found < best.second) best = {primitive, found};
            }
            continue;
        }
        std::pair<std::int32_t, double> near, far;
        near.first = node.first, far.first = node.first + 1;
        for (auto* child : {&near, &far}) {
            const Node& box = nodes_[static_cast<std::size_t>(child->first)];
            child->second = squared_distance(p, box.low, box.high);
        }
        if (far.second < near.second) std::swap(near, far);
        stack[depth++] = far;
        stack[depth++] = near;
    }
    return best;
}

template <class Visit>
void Bvh::along(Vec3d from, Vec3d direction, Visit&& visit, double wider) const
{
    if (nodes_.empty()) return;
    double reach = 1;
    const auto meets = [&](const Node& node) {
        double enter = 0, leave = reach;
        for (int axis = 0; axis < 3; ++axis) {
            const double low = double(node.low[axis]) - from[axis] - wider;
            const double high = double(node.high[axis]) - from[axis] + wider;
            if (direction[axis] == 0) {
                if (low > 0 || high < 0) return false;
                continue;
            }
            const double a = low / direction[axis], b = high / direction[axis];
            enter = std::max(enter, std::min(a, b));
            leave = std::min(leave, std::max(a, b));
        }
        return enter <= leave;
    };
    std::array<std::int32_t, kDepth> stack;
    std::size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const Node& node = nodes_[static_cast<std::size_t>(stack[--depth])];
        if (!meets(node)) continue;
        if (node.count == 0) {
            stack[depth++] = node.first + 1;
            stack[depth++] = node.first;
            continue;
        }
        for (std::int32_t k = node.first; k < node.first + node.count; ++k) {
            visit(order_[static_cast<std::size_t>(k)], reach);
        }
    }
}

template <class Test>
bool Bvh::any(const Box3& box, Test&& test) const
{
    if (nodes_.empty()) return false;
    const auto meets = [&](const Node& node) {
        for (int axis = 0; axis < 3; ++axis)
            if (double(node.low[axis]) > box.high[axis] || double(node.high[axis]) < box.low[axis]) return false;
        return true;
    };
    std::array<std::int32_t, kDepth> stack;
    std::size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const Node& node = nodes_[static_cast<std::size_t>(stack[--depth])];
        if (!meets(node)) continue;
        if (node.count == 0) {
            stack[depth++] = node.first + 1;
            stack[depth++] = node.first;
            continue;
        }
        for (std::int32_t k = node.first; k < node.first + node.count; ++k)
            if (test(order_[static_cast<std::size_t>(k)])) return true;
    }
    return false;
}

}  // namespace yawara
