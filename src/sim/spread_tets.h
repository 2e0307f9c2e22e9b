// Values of tets as those of particles.
#pragma once

#include <algorithm>
#include <span>

#include "yawara/mesh.h"

namespace yawara {

/// The largest of the tets around each particle; 0 where there is none.
template <class ValueOf>
void spread_tets(const TetMesh& mesh, std::span<float> out, const ValueOf& value_of)
{
    std::ranges::fill(out, 0.0f);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t)
        for (const std::int32_t v : mesh.tets[t])
            out[std::size_t(v)] = std::max(out[std::size_t(v)], static_cast<float>(value_of(t)));
}

}  // namespace yawara
