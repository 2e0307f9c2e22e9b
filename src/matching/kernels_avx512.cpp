// The kernels for x86 processors with AVX-512: the same eight lanes, twice the registers. Built with it switched on for
// this file alone.
#include <immintrin.h>

#include "matching/box_kernels.h"
#include "matching/kernels.h"
#include "matching/robust_rotation.h"

namespace yawara::matching {
namespace avx512 {
#include "matching/kernels.inl"
// each uses what is above it
#include "matching/example_kernels.inl"
#include "matching/box_lines.inl"
#include "matching/box_rows.inl"
#include "matching/box_planes.inl"
#include "matching/box_exceptions.inl"
#include "matching/box_kernels.inl"
#include "matching/kernels_table.inl"
}  // namespace avx512

extern const Kernels kKernelsAvx512;
const Kernels kKernelsAvx512 = avx512::table("avx512");

}  // namespace yawara::matching
