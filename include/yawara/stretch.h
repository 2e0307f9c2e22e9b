// Stretch layers: what stretch every region of a matching body wants now.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "yawara/math.h"

namespace yawara {

/// Symmetric 3x3 matrix.
struct Sym3 {
    float xx = 1, yy = 1, zz = 1, yz = 0, xz = 0, xy = 0;
    friend constexpr bool operator==(const Sym3&, const Sym3&) = default;
};

/// A small interface, called once a step for all regions, never per particle. Layers are immutable and may be shared by
/// bodies. With several layers the wanted stretches are multiplied in the log-Euclidean sense, exp(log a + log b); a
/// single one is taken as it is.
class StretchLayer {
public:
    virtual ~StretchLayer() = default;
    /// Fill the wanted stretch of every region at a time (s): symmetric positive definite, in the frame of the rest shape.
    virtual void target(double time, std::span<Sym3> wanted) const = 0;
};

using StretchLayers = std::vector<std::shared_ptr<const StretchLayer>>;

}  // namespace yawara
