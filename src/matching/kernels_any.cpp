// The kernels for whatever processor the compiler was told to build for.
#include "matching/box_kernels.h"
#include "matching/kernels.h"
#include "matching/robust_rotation.h"

namespace yawara::matching {
namespace any_processor {
#include "matching/kernels.inl"
// uses what is above
#include "matching/box_kernels.inl"
}  // namespace any_processor

extern const Kernels kKernelsAny;
const BoxKernels kBoxKernelsAny{any_processor::box_sum,           any_processor::box_moment,
                                any_processor::box_spread,        any_processor::box_rows_to_lanes,
                                any_processor::box_lanes_to_rows, any_processor::box_mask,
                                any_processor::box_add_masked,    any_processor::box_load_row,
                                any_processor::box_store_row,     any_processor::box_rotate};
const Kernels kKernelsAny{"any",
                          kBoxKernelsAny,
                          any_processor::moments,
                          any_processor::rotate,
                          any_processor::observe,
                          any_processor::project,
                          any_processor::blend,
                          any_processor::hull,
                          any_processor::ways,
                          any_processor::mismatch};

}  // namespace yawara::matching
