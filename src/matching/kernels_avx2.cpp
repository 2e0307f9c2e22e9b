// The kernels for x86 processors with AVX2 and FMA; built with those switched on for this file alone.
#include <immintrin.h>

#include "matching/box_kernels.h"
#include "matching/kernels.h"
#include "matching/robust_rotation.h"

namespace yawara::matching {
namespace avx2 {
#include "matching/kernels.inl"
// each uses what is above it
#include "matching/example_kernels.inl"
#include "matching/box_lines.inl"
#include "matching/box_rows.inl"
#include "matching/box_planes.inl"
#include "matching/box_exceptions.inl"
#include "matching/box_kernels.inl"
#include "matching/kernels_table.inl"
}  // namespace avx2

extern const Kernels kKernelsAvx2;
const Kernels kKernelsAvx2 = avx2::table("avx2");

}  // namespace yawara::matching
