// Box tree over triangles: nearest distance, ray hits, and the fast winding number of Barill et al. 2018.
#include "meshing/triangle_tree.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <numeric>

namespace yawara::meshing {
namespace {

constexpr int kLeafSize = 6;
constexpr int kMaxDepth = 64;     ///< the tree halves its triangles at each level, so 31 would do
constexpr double kFarness = 2.0;  ///< beta: a node counts as far beyond this many radii

double squared_box_distance(Vec3d p, Vec3d low, Vec3d high)
{
    const Vec3d outside = max(max(low - p, p - high), Vec3d{});
    return dot(outside, outside);
}

/// Ericson, "Real-Time Collision Detection" 5.1.5; flat triangles fall through to their edges.
Vec3d closest_on_triangle(Vec3d p, Vec3d a, Vec3d b, Vec3d c)
{
    const Vec3d ab = b - a, ac = c - a, ap = p - a;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return a;
    const Vec3d bp = p - b;
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return b;
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + ab * (d1 > d3 ? d1 / (d1 - d3) : 0.0);
    const Vec3d cp = p - c;
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return c;
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + ac * (d2 > d6 ? d2 / (d2 - d6) : 0.0);
    const double va = d3 * d6 - d5 * d4;
    const double e = d4 - d3, f = d5 - d6;
    if (va <= 0 && e >= 0 && f >= 0) return b + (c - b) * (e + f > 0 ? e / (e + f) : 0.0);
    const double sum = va + vb + vc;
    return a + ab * (vb / sum) + ac * (vc / sum);
}

/// Signed solid angle of a triangle seen from the origin, over 4 pi: van Oosterom and Strackee 1983.
double turns_around(Vec3d a, Vec3d b, Vec3d c)
{
    const double la = length(a), lb = length(b), lc = length(c);
    const double upper = dot(a, cross(b, c));
    const double lower = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    return std::atan2(upper, lower) / (2 * std::numbers::pi);
}

bool ray_meets_box(Vec3d start, Vec3d inverse, Vec3d low, Vec3d high)
{
    double enter = 0, leave = 1;
    for (int k = 0; k < 3; ++k) {
        const double t0 = (low[k] - start[k]) * inverse[k], t1 = (high[k] - start[k]) * inverse[k];
        enter = std::max(enter, std::min(t0, t1));
        leave = std::min(leave, std::max(t0, t1));
    }
    return enter <= leave;
}

/// Moeller and Trumbore 1997.
bool ray_meets_triangle(Vec3d start, Vec3d step, Vec3d a, Vec3d b, Vec3d c)
{
    const Vec3d e1 = b - a, e2 = c - a, p = cross(step, e2);
    const double det = dot(e1, p);
    if (det == 0) return false;
    const Vec3d s = start - a;
    const double u = dot(s, p) / det;
    if (!(u >= 0 && u <= 1)) return false;
    const Vec3d q = cross(s, e1);
    const double v = dot(step, q) / det;
    if (!(v >= 0 && u + v <= 1)) return false;
    const double t = dot(e2, q) / det;
    return t > 0 && t <= 1;
}

}  // namespace

TriangleTree::TriangleTree(std::span<const Vec3d> vertices, std::span<const Int3> triangles)
{
    triangles_.reserve(triangles.size());
    for (const Int3& t : triangles) {
        triangles_.push_back({vertices[static_cast<std::size_t>(t[0])], vertices[static_cast<std::size_t>(t[1])],
                              vertices[static_cast<std::size_t>(t[2])]});
    }
    if (triangles_.empty()) return;
    std::vector<Vec3d> centers;
    centers.reserve(triangles_.size());
    for (const Triangle& t : triangles_) centers.push_back((t.a + t.b + t.c) / 3.0);
    nodes_.reserve(triangles_.size());
    nodes_.emplace_back();
    split(0, 0, static_cast<int>(triangles_.size()), centers);
}

void TriangleTree::split(int node, int first, int count, std::span<Vec3d> centers)
{
    Box3 box, center_box;
    Vec3d area_normal, weighted;
    double area_sum = 0;
    for (int i = first; i < first + count; ++i) {
        const Triangle& t = triangles_[static_cast<std::size_t>(i)];
        for (const Vec3d& v : {t.a, t.b, t.c}) box.add(v);
        center_box.add(centers[static_cast<std::size_t>(i)]);
        const Vec3d n = cross(t.b - t.a, t.c - t.a) * 0.5;
        const double area = length(n);
        area_normal += n;
        area_sum += area;
        weighted += centers[static_cast<std::size_t>(i)] * area;
    }
    Node self;
    self.low = box.low;
    self.high = box.high;
    self.center = area_sum > 0 ? weighted / area_sum : box.center();
    self.area_normal = area_normal;
    self.radius = length(max(box.high - self.center, self.center - box.low));
    self.first = first;
    self.count = count;
    if (count > kLeafSize) {
        const Vec3d size = center_box.size();
        const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        std::vector<int> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), first);
        const int half = count / 2;
        // Equal centres are told apart by their number, so that the tree depends on nothing but its input.
        std::nth_element(order.begin(), order.begin() + half, order.end(), [&](int i, int j) {
            const double x = centers[static_cast<std::size_t>(i)][axis], y = centers[static_cast<std::size_t>(j)][axis];
            return x < y || (x == y && i < j);
        });
        std::vector<Triangle> moved;
        std::vector<Vec3d> moved_centers;
        for (const int i : order) {
            moved.push_back(triangles_[static_cast<std::size_t>(i)]);
            moved_centers.push_back(centers[static_cast<std::size_t>(i)]);
        }
        std::copy(moved.begin(), moved.end(), triangles_.begin() + first);
        std::copy(moved_centers.begin(), moved_centers.end(), centers.begin() + first);
        self.count = 0;
        self.first = static_cast<int>(nodes_.size());
        nodes_.resize(nodes_.size() + 2);
        nodes_[static_cast<std::size_t>(node)] = self;
        split(self.first, first, half, centers);
        split(self.first + 1, first + half, count - half, centers);
        return;
    }
    nodes_[static_cast<std::size_t>(node)] = self;
}

Vec3d TriangleTree::nearest(Vec3d point) const
{
    constexpr double kFar = std::numeric_limits<double>::infinity();
    Vec3d found{kFar, kFar, kFar};
    if (nodes_.empty()) return found;
    struct Entry {
        int node;
        double squared;
    };
    std::array<Entry, 2 * kMaxDepth> stack;
    int top = 0;
    stack[top++] = {0, squared_box_distance(point, nodes_[0].low, nodes_[0].high)};
    double best = kFar;
    while (top > 0) {
        const Entry entry = stack[--top];
        if (entry.squared >= best) continue;
        const Node& node = nodes_[static_cast<std::size_t>(entry.node)];
        for (int i = node.first; i < node.first + node.count; ++i) {
            const Triangle& t = triangles_[static_cast<std::size_t>(i)];
            const Vec3d closest = closest_on_triangle(point, t.a, t.b, t.c), d = closest - point;
            if (dot(d, d) < best) best = dot(d, d), found = closest;
        }
        if (node.count > 0) continue;
        Entry near{node.first, 0}, far{node.first + 1, 0};
        for (Entry* e : {&near, &far}) {
            const Node& child = nodes_[static_cast<std::size_t>(e->node)];
            e->squared = squared_box_distance(point, child.low, child.high);
        }
        if (far.squared < near.squared) std::swap(near, far);
        stack[top++] = far;
        stack[top++] = near;
    }
    return found;
}

bool TriangleTree::meets(Vec3d start, Vec3d step) const
{
    if (nodes_.empty()) return false;
    const auto inverse_of = [](double x) { return 1.0 / (std::abs(x) > 1e-300 ? x : 1e-300); };
    const Vec3d inverse{inverse_of(step.x), inverse_of(step.y), inverse_of(step.z)};
    std::array<int, 2 * kMaxDepth> stack;
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const Node& node = nodes_[static_cast<std::size_t>(stack[--top])];
        if (!ray_meets_box(start, inverse, node.low, node.high)) continue;
        for (int i = node.first; i < node.first + node.count; ++i) {
            const Triangle& t = triangles_[static_cast<std::size_t>(i)];
            if (ray_meets_triangle(start, step, t.a, t.b, t.c)) return true;
        }
        if (node.count > 0) continue;
        stack[top++] = node.first + 1;
        stack[top++] = node.first;
    }
    return false;
}

double TriangleTree::winding(Vec3d point) const
{
    if (nodes_.empty()) return 0;
    std::array<int, 2 * kMaxDepth> stack;
    int top = 0;
    stack[top++] = 0;
    double sum = 0;
    while (top > 0) {
        const Node& node = nodes_[static_cast<std::size_t>(stack[--top])];
        const Vec3d d = node.center - point;
        const double squared = dot(d, d);
        if (squared > kFarness * kFarness * node.radius * node.radius) {
            sum += dot(node.area_normal, d) / (4 * std::numbers::pi * squared * std::sqrt(squared));
            continue;
        }
        for (int i = node.first; i < node.first + node.count; ++i) {
            const Triangle& t = triangles_[static_cast<std::size_t>(i)];
            sum += turns_around(t.a - point, t.b - point, t.c - point);
        }
        if (node.count > 0) continue;
        stack[top++] = node.first + 1;
        stack[top++] = node.first;
    }
    return sum;
}

}  // namespace yawara::meshing
