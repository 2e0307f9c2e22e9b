// A walk over all particles from link to link, from the surest ones outwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "matching/regions.h"

namespace yawara::field {

/// Calls visit(i, from) once for every particle, breadth first; `from` is a particle visited before, or -1 where the
/// walk begins: at the surest particle that was not reached yet.
template <class Visit>
void walk_outward(const std::vector<double>& sureness, const matching::Lists& links, const Visit& visit)
{
    std::vector<std::size_t> seeds(sureness.size()), open;
    std::iota(seeds.begin(), seeds.end(), std::size_t{0});
    std::stable_sort(seeds.begin(), seeds.end(),
                     [&](std::size_t a, std::size_t b) { return sureness[a] > sureness[b]; });
    std::vector<bool> done(sureness.size(), false);
    for (const std::size_t seed : seeds) {
        if (done[seed]) continue;
        done[seed] = true;
        visit(seed, std::int64_t{-1});
        open.assign(1, seed);
        for (std::size_t next = 0; next < open.size(); ++next)
            for (const std::int32_t j : links[open[next]]) {
                const auto i = std::size_t(j);
                if (done[i]) continue;
                done[i] = true;
                visit(i, std::int64_t(open[next]));
                open.push_back(i);
            }
    }
}

}  // namespace yawara::field
