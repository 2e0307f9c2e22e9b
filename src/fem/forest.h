// Tets of level 0 and their recursive 1-to-8 subdivision (red refinement), complete down to the finest level. Nodes are
// numbered parents first, so ascending order interpolates and descending order restricts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "yawara/core.h"
#include "yawara/mesh.h"

namespace yawara::fem {

/// Corners of the edges of a tet; edge e and edge 5 - e are opposite.
constexpr int kEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

struct ForestNode {
    std::int32_t a = -1, b = -1;  ///< ends of the edge whose midpoint this is; -1: a vertex of level 0
    std::int32_t level = 0;       ///< first level that uses it
    std::int32_t incident = 0;    ///< tets of the level above that have its edge
};

/// Refuses more levels or finest tets than a body may have.
Status check_size(const TetMesh& base, int levels);

class TetForest {
public:
    TetForest() = default;
    /// The mesh is sound: positive tets, indices in range.
    TetForest(const TetMesh& base, int levels);

    int levels() const { return int(offsets_.size()) - 2; }
    std::size_t node_count() const { return nodes_.size(); }
    std::size_t tet_count() const { return tets_.size(); }
    std::size_t base_count() const { return std::size_t(offsets_[1]); }
    /// Tets [first_of(level), first_of(level + 1)) are those of a level.
    std::int32_t first_of(int level) const { return offsets_[std::size_t(level)]; }
    std::size_t count_of(int level) const { return std::size_t(first_of(level + 1) - first_of(level)); }
    /// Tets with children come first.
    std::size_t inner_count() const { return std::size_t(first_of(levels())); }

    const ForestNode& node(std::int32_t n) const { return nodes_[std::size_t(n)]; }
    std::span<const Vec3d> rest() const { return rest_; }
    const Int4& tet(std::int32_t t) const { return tets_[std::size_t(t)]; }
    /// Midpoints of the edges of a tet with children.
    const std::array<std::int32_t, 6>& midpoints(std::int32_t t) const { return midpoints_[std::size_t(t)]; }
    /// Tets of the level above that have the edge of midpoint n; none for nodes of level 0.
    std::span<const std::int32_t> tets_at_edge(std::int32_t n) const
    {
        return {edge_tets_.data() + edge_offsets_[std::size_t(n)], std::size_t(nodes_[std::size_t(n)].incident)};
    }
    int level_of(std::int32_t t) const;
    std::int32_t parent(std::int32_t t) const;  ///< -1: level 0
    std::int32_t first_child(std::int32_t t) const
    {
        const int level = level_of(t);
        return first_of(level + 1) + 8 * (t - first_of(level));
    }
    /// The tet of level 0 that holds t.
    std::int32_t base_of(std::int32_t t) const;
    /// Finest tets inside t: a range of consecutive numbers.
    std::array<std::int32_t, 2> finest_in(std::int32_t t) const;
    std::array<Vec3d, 4> corners(std::int32_t t) const;

    /// The finest level as a mesh.
    TetMesh finest() const;

private:
    std::vector<ForestNode> nodes_;
    std::vector<Vec3d> rest_;
    std::vector<Int4> tets_;                              ///< level by level; eight children in a row
    std::vector<std::array<std::int32_t, 6>> midpoints_;  ///< per tet with children
    std::vector<std::int32_t> edge_tets_, edge_offsets_;  ///< see tets_at_edge
    std::vector<std::int32_t> offsets_{0, 0};             ///< first tet of each level, and the end
};

}  // namespace yawara::fem
