// What a graphics card gets of one body: made when it is first asked for, then again after steps.
#pragma once

#include <memory>
#include <vector>

#include "geometry/drawn_surface.h"
#include "yawara/body.h"

namespace yawara {

/// How the surface of a model is split into drawn vertices: made once for all bodies of it, in whatever scene.
std::shared_ptr<const DrawnSurface> drawn_surface_of(const BodyModel& model);

class BodyDrawing {
public:
    explicit BodyDrawing(const BodyModel& model);

    /// The vertices of the model's surface are here. `tick`: counts steps; the first call in one keeps the last ones.
    void draw(std::span<const Vec3> vertices, std::uint64_t tick);
    /// Where it was no longer counts as motion.
    void forget_motion() { moved_ = false; }
    Drawing view() const;

private:
    std::shared_ptr<const DrawnSurface> surface_;
    std::vector<Vec3> positions_, last_positions_, normals_;
    std::vector<Tangent> tangents_;
    std::vector<Vec3> faces_;  ///< scratch
    std::uint64_t tick_ = 0;
    bool moved_ = false;  ///< last_positions_ are to be told
};

}  // namespace yawara
