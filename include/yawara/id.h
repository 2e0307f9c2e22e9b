// Names of things in a scene that come and go.
#pragma once

#include <compare>
#include <cstdint>

namespace yawara {

/// Names one thing for as long as it exists. A slot is used again after its thing was removed, but with another
/// generation, so that a stale id names nothing instead of something else. An id made by default names nothing.
template <class Thing>
struct Id {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;  ///< from 1
    friend auto operator<=>(const Id&, const Id&) = default;
};

using BodyId = Id<struct BodyTag>;
using ColliderId = Id<struct ColliderTag>;
using JointId = Id<struct JointTag>;

}  // namespace yawara
