// Which edges of a drawn surface are edges of the active tets of a finite-element body.
#include "yawara/body.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "sim/body_model.h"

namespace yawara {
namespace {

std::uint64_t key(std::int32_t a, std::int32_t b)
{
    return std::uint64_t(std::min(a, b)) << 32 | std::uint64_t(std::max(a, b));
}

}  // namespace

std::vector<std::uint8_t> front_lines(const BodyModel& model, const BodyState& state)
{
    std::vector<std::uint8_t> lines;
    if (!model.is_fem()) return lines;
    const TriMesh& surface = model.surface();
    const Embedding& embedding = model.embedding();
    for (std::size_t v = 0; v < surface.vertices.size(); ++v)
        if (embedding.particles_of(v).size() != 1) return lines;

    const fem::TetForest& forest = model.data().fem->forest;
    std::unordered_map<std::uint64_t, std::int32_t> midpoints;  // only looked up, so their order does not matter
    for (std::int32_t n = 0; n < std::int32_t(forest.node_count()); ++n)
        if (const fem::ForestNode& node = forest.node(n); node.a >= 0) midpoints.emplace(key(node.a, node.b), n);
    std::unordered_set<std::uint64_t> finest;
    const auto add = [&](auto&& self, std::int32_t a, std::int32_t b) -> void {
        const auto middle = midpoints.find(key(a, b));
        if (middle == midpoints.end()) {
            finest.insert(key(a, b));
            return;
        }
        self(self, a, middle->second);
        self(self, middle->second, b);
    };
    for (const Int4& tet : active_tets(model, state))
        for (const auto& edge : fem::kEdges) add(add, tet[std::size_t(edge[0])], tet[std::size_t(edge[1])]);

    for (const Int3& t : surface.triangles) {
        const auto node = [&](std::size_t corner) { return embedding.particles_of(std::size_t(t[corner % 3]))[0]; };
        std::uint8_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            if (finest.contains(key(node(k), node(k + 1)))) bits = std::uint8_t(bits | 1u << k);
        lines.push_back(bits);
    }
    return lines;
}

}  // namespace yawara
