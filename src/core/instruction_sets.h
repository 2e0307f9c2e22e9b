// Which of the instruction sets that loops are compiled for this processor has. Asked once for every table of loops.
#pragma once

#include <cstddef>

namespace yawara {

/// Of any processor, AVX2 with FMA, AVX-512: how many can be used. Each needs those before it.
inline std::size_t usable_instruction_sets()
{
#ifdef YAWARA_AVX2
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    return wide ? 3 : 2;
#else
    return 1;
#endif
}

}  // namespace yawara
