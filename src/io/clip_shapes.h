// A recorded surface as rigid motion and a few principal shapes: what an animated GLB can carry.
// Used by clip_glb.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "io/clip_output.h"
#include "yawara/mesh.h"

namespace yawara::io {

/// Frame f of the surface is
///   rotations[f] * (base + sum_t weights[f, t] * targets[t].positions) + translations[f]
/// with all weights in 0..1, because Blender cuts off others.
struct PrincipalShapes {
    struct Target {
        std::vector<Vec3> positions, normals;  // per vertex, added to the base
    };
    std::vector<Vec3> translations;               // per frame
    std::vector<std::array<float, 4>> rotations;  // per frame, unit quaternion x y z w, neighbours on the same side
    std::vector<Vec3> base, base_normals;         // rest shape about its centre; normals of unit length
    std::vector<Target> targets;                  // the first, if any, is the offset of the mean motion: weight 1
    std::vector<float> weights;                   // frames x targets
    double worst_error = 0.0;                     // largest distance of any vertex in any frame from what was recorded
    double size = 0.0;                            // diagonal of the rest shape
};

/// Takes the frames of one surface into a temporary file (12 bytes a vertex and frame; in memory there are never more
/// than some tens of MB of frames) and finds their shapes at the end.
class ShapeRecorder {
public:
    /// The temporary file lives in the folder of `beside`, without a name.
    static Result<ShapeRecorder> create(const std::filesystem::path& beside, const TriMesh& rest);

    Status add(std::span<const Vec3> surface);
    /// The fewest shapes, at most `most_targets` with the offset, that stay within `wanted_error` (a part of the size).
    Result<PrincipalShapes> shapes(std::size_t most_targets, double wanted_error);

private:
    ShapeRecorder(OutFile frames, const TriMesh& rest);

    OutFile frames_;  // world positions as they came
    PrincipalShapes result_;
    std::vector<Vec3d> rest_;  // about its centre
    std::vector<Int3> triangles_;
};

}  // namespace yawara::io
