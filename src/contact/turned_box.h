// A box that turns with a body: tells sooner than one along the axes that two bodies are apart.
#pragma once

#include <array>
#include <span>

#include "contact/body_surface.h"

namespace yawara::contact {

struct TurnedBox {
    Vec3 center;                 ///< m
    std::array<Vec3, 3> axes{};  ///< unit, at right angles
    Vec3 half;                   ///< m, half its size along each of them

    /// True unless a face of one of the two tells that they are farther apart than this, m.
    bool meets(const TurnedBox& other, float apart) const;
};

/// Holds the outer particles where `positions` says, each with this room of its own, m, around it.
TurnedBox box_around(const BodySurface& surface, std::span<const Vec3> positions, std::span<const float> room);

}  // namespace yawara::contact
