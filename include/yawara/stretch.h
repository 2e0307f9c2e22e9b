// Stretch layers: what stretch every region of a matching body wants now.
#pragma once

#include <algorithm>
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

/// A small interface, called for all regions at once, never per particle. Layers are immutable and may be shared by
/// bodies. They are asked in the order listed. With several layers the wanted stretches are multiplied in the
/// log-Euclidean sense, exp(log a + log b); a single one is taken as it is.
class StretchLayer {
public:
    virtual ~StretchLayer() = default;
    /// Fill the wanted stretch of every region at a time (s): symmetric positive definite, in the frame of the rest
    /// shape. Asked once a step. As it stands: the rest shape.
    virtual void target([[maybe_unused]] double time, std::span<Sym3> wanted) const
    {
        std::ranges::fill(wanted, Sym3{});
    }
    /// A layer that looks at the regions is asked in every pass, and by respond() instead.
    virtual bool looks() const { return false; }
    /// The same with `now`, the present stretch of every region, as far as the layers before this one do not explain
    /// it: exp(log now - log theirs).
    virtual void respond(double time, [[maybe_unused]] std::span<const Sym3> now, std::span<Sym3> wanted) const
    {
        target(time, wanted);
    }
};

using StretchLayers = std::vector<std::shared_ptr<const StretchLayer>>;

}  // namespace yawara
