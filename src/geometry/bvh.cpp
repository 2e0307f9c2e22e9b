// Building the tree of boxes: the primitives of a node are halved at the median of their widest direction.
#include "geometry/bvh.h"

#include <numeric>

namespace yawara {
namespace {

constexpr std::int32_t kLeaf = 4;  // primitives
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Vec3 rounded(Vec3d p, float towards)
{
    const auto widen = [&](double value) {
        const float near = static_cast<float>(value);
        return double(near) == value ? near : std::nextafter(near, towards);
    };
    return {widen(p.x), widen(p.y), widen(p.z)};
}

}  // namespace

Bvh::Bvh(std::span<const Box3> boxes) : order_(boxes.size())
{
    if (boxes.empty()) return;
    std::iota(order_.begin(), order_.end(), 0);
    nodes_.reserve(boxes.size());
    nodes_.push_back({{}, {}, 0, static_cast<std::int32_t>(boxes.size())});
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        const auto first = order_.begin() + nodes_[n].first, last = first + nodes_[n].count;
        Box3 box, centers;
        for (auto it = first; it != last; ++it) {
            const Box3& b = boxes[static_cast<std::size_t>(*it)];
            box.add(b.low);
            box.add(b.high);
            centers.add(b.center());
        }
        nodes_[n].low = rounded(box.low, -kInfinity);
        nodes_[n].high = rounded(box.high, kInfinity);
        if (nodes_[n].count <= kLeaf) continue;

        const Vec3d size = centers.size();
        const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        const auto middle = first + (last - first) / 2;
        std::nth_element(first, middle, last, [&](std::int32_t a, std::int32_t b) {
            const double ca = boxes[static_cast<std::size_t>(a)].center()[axis];
            const double cb = boxes[static_cast<std::size_t>(b)].center()[axis];
            return ca != cb ? ca < cb : a < b;
        });
        const std::int32_t begin = nodes_[n].first, half = static_cast<std::int32_t>(middle - first);
        const std::int32_t rest = nodes_[n].count - half;
        nodes_[n].first = static_cast<std::int32_t>(nodes_.size());
        nodes_[n].count = 0;
        nodes_.push_back({{}, {}, begin, half});
        nodes_.push_back({{}, {}, begin + half, rest});
    }
}

void Bvh::refit(std::span<const Box3> boxes)
{
    for (std::size_t n = nodes_.size(); n-- > 0;) {  // children come after their parent
        Node& node = nodes_[n];
        if (node.count == 0) {
            const Node &a = nodes_[std::size_t(node.first)], &b = nodes_[std::size_t(node.first) + 1];
            node.low = min(a.low, b.low);
            node.high = max(a.high, b.high);
            continue;
        }
        Box3 box;
        for (std::int32_t k = node.first; k < node.first + node.count; ++k) {
            const Box3& b = boxes[std::size_t(order_[std::size_t(k)])];
            box.add(b.low);
            box.add(b.high);
        }
        node.low = rounded(box.low, -kInfinity);
        node.high = rounded(box.high, kInfinity);
    }
}

}  // namespace yawara
