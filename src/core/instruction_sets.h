// Which of the instruction sets that loops are compiled for may be used. Asked once for every table of loops.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace yawara {

/// Of any processor, AVX2 with FMA, AVX-512. Each needs those before it.
inline constexpr std::array<std::string_view, 3> kInstructionSets{"any", "avx2", "avx512"};

/// How many of them this processor has.
inline std::size_t known_instruction_sets()
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

/// How many can be used: all of these, or fewer if the environment variable YAWARA_INSTRUCTION_SET names the last one,
/// so that a new processor gives the bits of an older one.
inline std::size_t usable_instruction_sets()
{
    const std::size_t known = known_instruction_sets();
    const char* last = std::getenv("YAWARA_INSTRUCTION_SET");
    if (!last) return known;
    const auto named = std::find(kInstructionSets.begin(), kInstructionSets.end(), last);
    return named == kInstructionSets.end() ? known : std::min(known, std::size_t(named - kInstructionSets.begin()) + 1);
}

}  // namespace yawara
