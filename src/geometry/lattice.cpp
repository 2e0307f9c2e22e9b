// Lattices from their occupied cells: nodes and corners by merging sorted lists, linear after one sort of the cells.
#include "yawara/lattice.h"

#include <algorithm>
#include <limits>

namespace yawara {
namespace {

bool by_zyx(const Int3& a, const Int3& b)
{
    if (a[2] != b[2]) return a[2] < b[2];
    return a[1] != b[1] ? a[1] < b[1] : a[0] < b[0];
}

/// A sorted list joined with itself moved one step along an axis; moving keeps the order, so this is one merge.
std::vector<Int3> extended(const std::vector<Int3>& list, std::size_t axis)
{
    std::vector<Int3> moved = list;
    for (Int3& n : moved) ++n[axis];
    std::vector<Int3> joined;
    joined.reserve(list.size() + list.size() / 2);
    std::set_union(list.begin(), list.end(), moved.begin(), moved.end(), std::back_inserter(joined), by_zyx);
    return joined;
}

}  // namespace

Lattice make_lattice(Vec3d origin, double cell, std::span<const Int3> occupied)
{
    std::vector<Int3> low(occupied.begin(), occupied.end());  // low corner of every cell
    std::sort(low.begin(), low.end(), by_zyx);
    low.erase(std::unique(low.begin(), low.end()), low.end());

    Lattice lattice{origin, cell, extended(extended(extended(low, 0), 1), 2), std::vector<Int8>(low.size())};
    for (std::size_t k = 0; k < 8; ++k) {
        std::size_t node = 0;  // corners k of the cells come in the order of the nodes
        for (std::size_t c = 0; c < low.size(); ++c) {
            const Int3 corner{low[c][0] + static_cast<std::int32_t>(k & 1),
                              low[c][1] + static_cast<std::int32_t>(k >> 1 & 1),
                              low[c][2] + static_cast<std::int32_t>(k >> 2)};
            while (lattice.nodes[node] != corner) ++node;
            lattice.cells[c][k] = static_cast<std::int32_t>(node);
        }
    }
    return lattice;
}

Lattice make_lattice(const Box3& box, double cell, const std::function<bool(Vec3d)>& inside)
{
    Int3 count{};
    for (int axis = 0; axis < 3; ++axis) {
        // A box of a whole number of cells must not gain one by rounding.
        const double cells = std::ceil(box.size()[axis] / cell - 1e-9);
        if (box.empty() || !(cell > 0) || !(cells < std::numeric_limits<std::int32_t>::max())) {
            return make_lattice(box.low, cell, {});
        }
        count[static_cast<std::size_t>(axis)] = std::max(1, static_cast<int>(cells));
    }
    const auto [nx, ny, nz] = count;
    const auto at = [&](double x, double y, double z) { return inside(box.low + Vec3d{x, y, z} * cell); };

    // Corners are shared by eight cells: one layer of answers below and one above.
    const std::size_t row = static_cast<std::size_t>(nx) + 1;
    std::vector<char> below(row * (static_cast<std::size_t>(ny) + 1)), above = below;
    const auto fill = [&](std::vector<char>& layer, int z) {
        for (int y = 0; y <= ny; ++y) {
            for (int x = 0; x <= nx; ++x)
                layer[static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x)] = at(x, y, z);
        }
    };
    std::vector<Int3> occupied;
    fill(above, 0);
    for (int z = 0; z < nz; ++z) {
        std::swap(below, above);
        fill(above, z + 1);
        for (int y = 0; y < ny; ++y) {
            for (int x = 0; x < nx; ++x) {
                const std::size_t k = static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x);
                const bool corner = below[k] || below[k + 1] || below[k + row] || below[k + row + 1] || above[k] ||
                                    above[k + 1] || above[k + row] || above[k + row + 1];
                if (corner || at(x + 0.5, y + 0.5, z + 0.5)) occupied.push_back({x, y, z});
            }
        }
    }
    return make_lattice(box.low, cell, occupied);
}

TriMesh boundary_surface(const Lattice& lattice, std::vector<std::int32_t>* vertex_of)
{
    constexpr int kFaces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    struct Face {
        Int4 key, corners;
    };
    std::vector<Face> faces;
    for (const Int8& cell : lattice.cells)
        for (const auto& f : kFaces) {
            const Int4 corners{cell[std::size_t(f[0])], cell[std::size_t(f[1])], cell[std::size_t(f[2])],
                               cell[std::size_t(f[3])]};
            Int4 key = corners;
            std::sort(key.begin(), key.end());
            faces.push_back({key, corners});
        }
    std::stable_sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.key < b.key; });
    TriMesh surface;
    if (vertex_of) vertex_of->clear();
    std::vector<std::int32_t> number(lattice.nodes.size(), -1);
    const auto vertex = [&](std::int32_t node) {
        std::int32_t& n = number[std::size_t(node)];
        if (n < 0) {
            n = std::int32_t(surface.vertices.size());
            surface.vertices.push_back(lattice.position(node));
            if (vertex_of) vertex_of->push_back(node);
        }
        return n;
    };
    for (std::size_t k = 0; k < faces.size(); ++k) {
        const bool shared = (k > 0 && faces[k - 1].key == faces[k].key) ||
                            (k + 1 < faces.size() && faces[k + 1].key == faces[k].key);
        if (shared) continue;
        const Int4& c = faces[k].corners;
        const std::int32_t v[4] = {vertex(c[0]), vertex(c[1]), vertex(c[2]), vertex(c[3])};
        surface.triangles.push_back({v[0], v[1], v[2]});
        surface.triangles.push_back({v[0], v[2], v[3]});
    }
    return surface;
}

}  // namespace yawara
