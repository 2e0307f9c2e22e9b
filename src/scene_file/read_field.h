// Fields of a scene document: one reader for all keys that take one. Files are read when the field is sampled.
#pragma once

#include "scene_file/read_values.h"
#include "yawara/field.h"

namespace yawara::scene_file {

/// `omitted`: the field that holds where the key is left out; the base of parts that have none. T: double, std::int32_t
/// and Int3 ("field" of the schema), or Vec3d ("direction_field").
template <class T>
Field<T> read_field(const Node& node, Findings& findings, const Field<T>& omitted = {});
template <>
Field<Vec3d> read_field(const Node& node, Findings& findings, const Field<Vec3d>& omitted);

/// Polylines, as "strokes" of directions and of fibres.
std::vector<Vec3d> read_points(const Node& node);

/// One value, three for Vec3d, or either for Int3, in every row of a .npy file.
template <class T>
Result<std::vector<T>> load_rows(const FileName& file);

}  // namespace yawara::scene_file
