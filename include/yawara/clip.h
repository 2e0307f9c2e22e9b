// Clips, recorded motion: what they are made of and who takes them. From a scene: yawara/recorder.h; files:
// yawara/io.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "yawara/collider.h"
#include "yawara/core.h"
#include "yawara/look.h"
#include "yawara/mesh.h"

namespace yawara {

/// One body of a clip: what stays the same from frame to frame, unless a change is told.
struct ClipBody {
    std::string name;
    TriMesh surface;                       ///< rest shape, triangles, uvs
    TetMesh solid;                         ///< particles and tets; tets may be empty (a lattice)
    std::vector<std::string> value_names;  ///< per-particle quantities recorded with each frame, e.g. "speed"
    Vec3 color{0.85f, 0.45f, 0.35f};
    bool lines = false;  ///< frames say which edges of the surface a wireframe has
};
/// What surrounds the bodies of a clip, and how all of it is drawn.
struct ClipStage {
    std::optional<Camera> camera;  ///< none: frames the action
    Look look;
    std::vector<BodyLook> looks;     ///< per body
    std::vector<Plane> floors;       ///< obstacles that are planes
    std::vector<TriMesh> obstacles;  ///< and all others
    /// What leads them, by the times of the frames; empty: they stay.
    std::vector<Path> floor_paths, obstacle_paths;
    /// What leads the vertices of obstacles, in their own frames; null: they stay. Empty: those of all do.
    std::vector<std::shared_ptr<const MeshAnimation>> obstacle_animations{};
    std::optional<WaterLook> water{};
};
struct ClipInfo {
    std::vector<ClipBody> bodies;      ///< as in the first frame
    double frame_time = 1.0 / 60.0;    ///< s between frames
    std::size_t frames = 0;            ///< planned; a stopped run has fewer
    std::optional<ClipStage> stage{};  ///< only a .ywc keeps it; none: nobody said how it is drawn
};
/// The moving part of one body in one frame.
struct ClipFrame {
    std::span<const Vec3> particles;
    std::span<const Vec3> surface;
    std::vector<std::span<const float>> values;  ///< as value_names
    std::span<const std::uint8_t> lines{};       ///< per triangle, see DrawnMesh; empty unless ClipBody::lines
};

/// Takes the frames of a clip, first to last; writes as it goes. finish() after any number of frames leaves valid
/// files.
class ClipWriter {
public:
    virtual ~ClipWriter() = default;
    virtual Status frame(double time, std::span<const ClipFrame> bodies) = 0;
    /// From the next frame on a body has other particles, another surface, or both; its values keep their names. A
    /// format that keeps one mesh for a body refuses: its clip ends with the frames it has.
    virtual Status change(std::size_t body, const ClipBody& now)
    {
        (void)body;
        return Error{"body \"" + now.name + "\"", "has another mesh from here on, and this format keeps one"};
    }
    virtual Status finish() = 0;
    /// Files written, and sentences worth telling such as the error of a compressed animation; after finish().
    virtual std::vector<std::string> notes() const { return {}; }
};

}  // namespace yawara
