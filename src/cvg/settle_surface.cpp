#include "cvg/settle_surface.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cvg/program.h"

namespace yawara::cvg {

namespace {

constexpr double kReach = 1.25;   ///< voxels: what sampling and one round of smoothing can be off by
constexpr int kHalvings = 6;      ///< to a 25th of a voxel
constexpr double kBlockSide = 8;  ///< voxels
constexpr double kFace = 0.94,
                 kFlank = 0.25;  ///< how far normals turn to a cut: its face from here, the sides of a body to here

std::vector<Vec3d> normals_of(const TriMesh& mesh)
{
    std::vector<Vec3d> normals(mesh.vertices.size());
    for (const Int3& t : mesh.triangles) {
        const Vec3d a = mesh.vertices[std::size_t(t[0])], b = mesh.vertices[std::size_t(t[1])];
        const Vec3d n = cross(b - a, mesh.vertices[std::size_t(t[2])] - a);
        for (int k = 0; k < 3; ++k) normals[std::size_t(t[k])] += n;
    }
    return normals;
}

}  // namespace

void settle_surface(const Tree& tree, double voxel, const SurfaceOptions& options, TriMesh& mesh)
{
    // Vertices by blocks, each of which needs a few leaves of the tree alone.
    using Place = std::array<int, 3>;
    std::vector<std::pair<Place, std::size_t>> order(mesh.vertices.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Vec3d at = mesh.vertices[i] / (kBlockSide * voxel);
        order[i] = {{int(std::floor(at.x)), int(std::floor(at.y)), int(std::floor(at.z))}, i};
    }
    std::ranges::sort(order);
    std::vector<std::size_t> starts;
    for (std::size_t k = 0; k < order.size(); ++k)
        if (k == 0 || order[k].first != order[k - 1].first) starts.push_back(k);
    starts.push_back(order.size());

    const std::vector<Vec3d> normals = normals_of(mesh);
    const Program whole(tree);
    const double reach = kReach * voxel;
    tbb::parallel_for(std::size_t{0}, starts.size() - 1, [&](std::size_t b) {
        Box3 box;
        for (std::size_t k = starts[b]; k < starts[b + 1]; ++k) box.add(mesh.vertices[order[k].second]);
        box.low -= Vec3d{reach, reach, reach};
        box.high += Vec3d{reach, reach, reach};
        const Program program = whole.within(box);
        const auto inside = [&](Vec3d p) {
            const Sample s = program.at(p);
            return s.opacity >= 0.5f && double(s.stiffness) >= options.stiffness_from;
        };
        /// The border on the way through a point, if it is near.
        const auto border = [&](Vec3d from, Vec3d way) -> std::optional<Vec3d> {
            double in = -reach, out = reach;
            if (!inside(from + way * in) || inside(from + way * out)) return std::nullopt;
            for (int half = 0; half < kHalvings; ++half) {
                const double middle = (in + out) / 2;
                (inside(from + way * middle) ? in : out) = middle;
            }
            return from + way * ((in + out) / 2);
        };
        for (std::size_t k = starts[b]; k < starts[b + 1]; ++k) {
            const std::size_t i = order[k].second;
            const double size = length(normals[i]);
            if (!(size > 0)) continue;
            Vec3d from = mesh.vertices[i], way = normals[i] / size;
            if (options.cut) {
                const Vec3d across = normalized(options.cut->second);
                const double above = dot(from - options.cut->first, across), faces = dot(way, across);
                if (std::abs(above) < reach) {
                    // A vertex of the flat face goes onto it. One of its edge, whose normal points to neither side,
                    // goes to where the border is within the face, or the edge has a tooth for every voxel.
                    if (above > 0 || faces > kFlank) from -= across * above;
                    const Vec3d within = way - across * faces;
                    if (faces < kFace) from = border(from, faces > -0.5 ? normalized(within) : way).value_or(from);
                    mesh.vertices[i] = from;
                    continue;
                }
            }
            mesh.vertices[i] = border(from, way).value_or(from);
        }
    });
}

}  // namespace yawara::cvg
