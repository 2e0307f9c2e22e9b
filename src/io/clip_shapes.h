// A recorded surface as rigid motion and shapes to add, in whole numbers: what an animated GLB can carry.
// Used by clip_glb.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "io/clip_output.h"
#include "io/local_frames.h"
#include "yawara/mesh.h"

namespace yawara::io {

/// Frame f of the surface is
///   rotations[f] * unit * (base + sum_t weights[f, t] / 65535 * targets[t].positions) + translations[f].
/// Weights are in 0..1, because Blender cuts off others.
struct ShapeClip {
    struct Target {
        std::vector<Vec3> positions;  // per vertex, whole numbers up to 32767 unless the body left all bounds
        std::vector<Vec3> normals;    // per vertex, each number in -1..1; empty: these normals may stay as they are
    };
    RigidMotion motion;
    double unit = 1.0;                     // m
    std::vector<Vec3> base, base_normals;  // such that frame 0 is exact; normals of frame 0, of unit length
    std::vector<Target> targets;           // the first, if any, is an offset: weight 1
    std::vector<std::uint16_t> weights;    // frames x targets
    double worst_error = 0.0;              // largest distance of any vertex in any frame from what was recorded, m
    double size = 0.0;                     // diagonal of the rest shape, m
};

/// Takes the frames of one surface into a temporary file (12 bytes a vertex and frame; in memory there are never more
/// than some tens of MB of frames) and finds their shapes at the end.
class ShapeRecorder {
public:
    /// The temporary file lives in the folder of `beside`, without a name.
    static Result<ShapeRecorder> create(const std::filesystem::path& beside, const TriMesh& rest);

    Status add(std::span<const Vec3> surface);
    /// With as many shapes as it takes to stay within `tolerance`, a part of the size.
    Result<ShapeClip> shapes(double tolerance);

private:
    ShapeRecorder(OutFile frames, const TriMesh& rest);

    OutFile frames_;  // world positions as they came
    RigidMotion motion_;
    std::vector<Vec3d> rest_;  // about its centre
    std::vector<Int3> triangles_;
    double size_ = 0.0;
};

}  // namespace yawara::io
