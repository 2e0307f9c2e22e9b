// The kernels for x86 processors with AVX2 and FMA; built with those switched on for this file alone.
#include "matching/box_kernels.h"
#include "matching/kernels.h"
#include "matching/robust_rotation.h"

namespace yawara::matching {
namespace avx2 {
#include "matching/kernels.inl"
// uses what is above
#include "matching/box_kernels.inl"
}  // namespace avx2

extern const Kernels kKernelsAvx2;
const BoxKernels kBoxKernelsAvx2{
    avx2::box_sum,  avx2::box_moment,     avx2::box_spread,   avx2::box_rows_to_lanes, avx2::box_lanes_to_rows,
    avx2::box_mask, avx2::box_add_masked, avx2::box_load_row, avx2::box_store_row,     avx2::box_rotate};
const Kernels kKernelsAvx2{"avx2",        kBoxKernelsAvx2, avx2::moments, avx2::rotate, avx2::observe,
                           avx2::project, avx2::blend,     avx2::hull,    avx2::ways,   avx2::mismatch};

}  // namespace yawara::matching
