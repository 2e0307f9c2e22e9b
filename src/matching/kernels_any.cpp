// The kernels for whatever processor the compiler was told to build for.
#include "matching/box_kernels.h"
#include "matching/kernels.h"
#include "matching/robust_rotation.h"

namespace yawara::matching {
namespace any_processor {
#include "matching/kernels.inl"
// each uses what is above it
#include "matching/example_kernels.inl"
#include "matching/box_lines.inl"
#include "matching/box_rows.inl"
#include "matching/box_planes.inl"
#include "matching/box_exceptions.inl"
#include "matching/box_kernels.inl"
#include "matching/kernels_table.inl"
}  // namespace any_processor

extern const Kernels kKernelsAny;
const Kernels kKernelsAny = any_processor::table("any");

}  // namespace yawara::matching
