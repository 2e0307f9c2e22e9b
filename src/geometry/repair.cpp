// Repair of tet meshes from files: whatever is certain is put right and counted, the rest is refused with its place.
#include <algorithm>

#include "geometry/equal_groups.h"
#include "yawara/mesh.h"

namespace yawara {
namespace {

/// A tet counts as flat below this share of six times its volume in its longest edge cubed: far thinner than any
/// sliver a mesher leaves, far above the rounding of doubles.
constexpr double kFlat = 1e-10;

double longest_edge(const TetMesh& mesh, const Int4& tet)
{
    double squared = 0;
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            const Vec3d edge =
                mesh.vertices[static_cast<std::size_t>(tet[a])] - mesh.vertices[static_cast<std::size_t>(tet[b])];
            squared = std::max(squared, dot(edge, edge));
        }
    }
    return std::sqrt(squared);
}

std::string place(std::string array, std::size_t index)
{
    return std::move(array.append("[").append(std::to_string(index)).append("]"));
}

Status check(const TetMesh& mesh)
{
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (!is_finite(mesh.vertices[v])) return Error{place("vertices", v), "is not a finite position"};
    }
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        for (const std::int32_t v : mesh.tets[t]) {
            if (v < 0 || static_cast<std::size_t>(v) >= mesh.vertices.size()) {
                return Error{place("tets", t), "names vertex " + std::to_string(v) + ", but there are " +
                                                   std::to_string(mesh.vertices.size()) + " (counted from 0)"};
            }
        }
    }
    if (!mesh.materials.empty() && mesh.materials.size() != mesh.tets.size()) {
        return Error{"materials", "has " + std::to_string(mesh.materials.size()) + " entries for " +
                                      std::to_string(mesh.tets.size()) + " tets"};
    }
    return Done{};
}

}  // namespace

std::vector<std::string> TetReport::messages() const
{
    std::vector<std::string> lines;
    const auto say = [&](int count, const char* one, const char* many) {
        if (count > 0) lines.push_back(std::to_string(count) + (count == 1 ? one : many));
    };
    say(turned, " inverted tet was turned", " inverted tets were turned");
    say(flat, " tet without volume was removed", " tets without volume were removed");
    say(duplicate, " repeated tet was removed", " repeated tets were removed");
    say(unused_vertices, " vertex is in no tet", " vertices are in no tet");
    return lines;
}

Result<TetReport> repair(TetMesh& mesh)
{
    if (Status status = check(mesh); !status) return status.error();
    TetReport report;
    std::vector<char> keep(mesh.tets.size(), 1);

    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        Int4& tet = mesh.tets[t];
        const double edge = longest_edge(mesh, tet);
        const double six_volumes = 6 * signed_volume(mesh, tet);
        if (!(std::abs(six_volumes) > kFlat * edge * edge * edge)) {
            keep[t] = 0;
            ++report.flat;
        } else if (six_volumes < 0) {
            std::swap(tet[2], tet[3]);
            ++report.turned;
        }
    }

    std::vector<Int4> keys(mesh.tets.size());
    for (std::size_t t = 0; t < keys.size(); ++t) keys[t] = sorted_key(mesh.tets[t]);
    for_each_group<4>(keys, mesh.vertices.size(), [&](std::span<const std::int32_t> same) {
        for (const std::int32_t copy : same.subspan(1)) {
            char& kept = keep[static_cast<std::size_t>(copy)];
            report.duplicate += kept;  // flat copies were counted as flat
            kept = 0;
        }
    });

    std::size_t count = 0;
    std::vector<char> used(mesh.vertices.size(), 0);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        if (!keep[t]) continue;
        mesh.tets[count] = mesh.tets[t];
        if (!mesh.materials.empty()) mesh.materials[count] = mesh.materials[t];
        ++count;
        for (const std::int32_t v : mesh.tets[t]) used[static_cast<std::size_t>(v)] = 1;
    }
    if (count == 0) {
        return Error{"tets", mesh.tets.empty() ? "there are none"
                                               : "none of the " + std::to_string(mesh.tets.size()) + " has any volume"};
    }
    mesh.tets.resize(count);
    if (!mesh.materials.empty()) mesh.materials.resize(count);
    report.unused_vertices = static_cast<int>(std::count(used.begin(), used.end(), 0));
    return report;
}

}  // namespace yawara
