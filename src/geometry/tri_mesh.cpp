// Measures and parts of triangle surfaces, and the parts of tet meshes, which are found the same way.
#include <numeric>

#include "yawara/mesh.h"

namespace yawara {
namespace {

/// Union-find over vertices, with path halving; a root is the smallest vertex of its part.
class Parts {
public:
    explicit Parts(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

    std::int32_t root(std::int32_t v)
    {
        while (at(v) != v) v = at(v) = at(at(v));
        return v;
    }
    void join(std::int32_t a, std::int32_t b)
    {
        const std::int32_t root_a = root(a), root_b = root(b);
        if (root_a < root_b) at(root_b) = root_a;
        if (root_b < root_a) at(root_a) = root_b;
    }

private:
    std::int32_t& at(std::int32_t v) { return parent_[static_cast<std::size_t>(v)]; }
    std::vector<std::int32_t> parent_;
};

template <std::size_t N>
int count_parts(std::span<const std::array<std::int32_t, N>> cells, std::size_t vertex_count,
                std::vector<std::int32_t>* part)
{
    Parts parts(vertex_count);
    std::vector<char> used(vertex_count, 0);
    for (const auto& cell : cells) {
        for (const std::int32_t v : cell) {
            parts.join(cell[0], v);
            used[static_cast<std::size_t>(v)] = 1;
        }
    }
    int count = 0;
    std::vector<std::int32_t> number(vertex_count, -1);
    for (std::size_t v = 0; v < vertex_count; ++v) {
        if (!used[v]) continue;
        const auto root = static_cast<std::size_t>(parts.root(static_cast<std::int32_t>(v)));
        number[v] = root == v ? count++ : number[root];
    }
    if (part) *part = std::move(number);
    return count;
}

}  // namespace

Box3 bounds(std::span<const Vec3d> points)
{
    Box3 box;
    for (const Vec3d& p : points) box.add(p);
    return box;
}

double signed_volume(const TriMesh& mesh)
{
    if (mesh.vertices.empty()) return 0;
    // Measured from the middle: a surface far from the origin would lose its digits.
    const Vec3d middle = bounds(mesh.vertices).center();
    double sum = 0;
    for (const Int3& t : mesh.triangles) {
        const Vec3d a = mesh.vertices[static_cast<std::size_t>(t[0])] - middle;
        const Vec3d b = mesh.vertices[static_cast<std::size_t>(t[1])] - middle;
        const Vec3d c = mesh.vertices[static_cast<std::size_t>(t[2])] - middle;
        sum += dot(a, cross(b, c));
    }
    return sum / 6;
}

int connected_parts(std::span<const Int4> tets, std::size_t vertex_count, std::vector<std::int32_t>* part)
{
    return count_parts(tets, vertex_count, part);
}

int connected_parts(std::span<const Int3> triangles, std::size_t vertex_count, std::vector<std::int32_t>* part)
{
    return count_parts(triangles, vertex_count, part);
}

}  // namespace yawara
