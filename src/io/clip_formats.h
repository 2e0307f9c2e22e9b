// The clip writers, one function and one file (clip_<format>.cpp) each; make_clip_writer() chooses.
// They may trust what they are given: clip_writer.cpp checks the clip and every frame first.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "yawara/io.h"

namespace yawara::io {

using NewClipWriter = Result<std::unique_ptr<ClipWriter>>;

/// What every format gets; `names[b]` is the name of body b made fit for a file name.
struct ClipTarget {
    std::filesystem::path out;
    const ClipInfo& info;  ///< valid during the call only
    std::vector<std::string> names;
    ClipOptions options;

    std::filesystem::path file(std::size_t body, std::string_view ending) const
    {
        return out / (names[body] + std::string(ending));
    }
};

/// Said by the point cache formats.
inline std::string point_cache_note(double frame_time)
{
    return fmt::format(
        "point caches hold positions in the coordinates of the .obj, y up as in the scene: import the .obj with its usual "
        "axes, add a Mesh Cache modifier with its usual axes and evaluation by frame, first frame 0, and set {:.6g} frames "
        "a second",
        1 / frame_time);
}

NewClipWriter make_npy_clip(const ClipTarget& target);
NewClipWriter make_ywc_clip(const ClipTarget& target);
NewClipWriter make_glb_clip(const ClipTarget& target);
NewClipWriter make_pc2_clip(const ClipTarget& target);
NewClipWriter make_mdd_clip(const ClipTarget& target);
NewClipWriter make_obj_clip(const ClipTarget& target);
NewClipWriter make_ply_clip(const ClipTarget& target);
NewClipWriter make_vtu_clip(const ClipTarget& target);

/// Hands frames at an even distance in time to a writer, the first at the time of the first that it gets.
std::unique_ptr<ClipWriter> resample_clip(std::unique_ptr<ClipWriter> writer, double frame_time);

/// Checks a clip that is to be written or was read: indices in range, lists of matching length, finite numbers.
Status check_clip(const ClipInfo& info);
/// Checks what a body becomes when its mesh changes.
Status check_change(const ClipBody& before, const ClipBody& now);
/// Checks a frame of a body: as many positions and values as the body has, all finite.
Status check_frame(const ClipBody& body, const ClipFrame& frame);

}  // namespace yawara::io
