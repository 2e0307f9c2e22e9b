// Pictures of a volume model: its surface, whole, cut open or by stiffness, and flat slices.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "yawara/cvg.h"
#include "yawara/render.h"

namespace yawara::cli {

/// The file holds a volume model: .vdb, or JSON that says so.
bool is_volume_model(const std::filesystem::path& path);

/// The model in voxels of this size; 0: about 200 along its longest side, or those of a .vdb.
Result<cvg::Volume> load_volume(const std::filesystem::path& path, double voxel = 0);

/// "x=0.2": an axis and a place on it.
struct AxisPlane {
    int axis = 2;
    double at = 0;
};
std::optional<AxisPlane> read_axis_plane(const std::string& text);

/// Surface of a model at about 200 voxels along its longest side: what is at least this stiff, and behind the plane.
Result<TriMesh> volume_surface(const std::filesystem::path& path, double stiffness_from,
                               const std::optional<AxisPlane>& cut);

/// A slice: colours on the left, stiffness on the right.
Result<Image> volume_slice(const std::filesystem::path& path, const AxisPlane& plane, int width, int height);

}  // namespace yawara::cli
