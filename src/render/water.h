// Water in a picture: a surface that waves, mirrors the sky and what stands above, bends rays, and tints what is below.
#pragma once

#include <optional>
#include <vector>

#include "render/light.h"
#include "render/ray_scene.h"
#include "render/view.h"

namespace yawara::drawing {

/// Where a ray from outside goes into the water.
struct WaterEntry {
    Vec3 point, normal;  ///< the normal points out of the water
    Vec3 onward;         ///< unit direction of the bent ray
    float mirrored = 0;  ///< share of the light that comes from above instead (Fresnel, after Schlick)
};

class WaterSurface {
public:
    /// Refuses a level, box or wave that no picture can be made of.
    static Result<WaterSurface> build(const DrawnWater& water, const View& view);

    /// Nearest triangles of its surface and, of water in a box, of the sides.
    void nearest(std::span<const Ray> rays, std::span<Hit> hits) const { rays_->nearest(rays, hits, true); }
    /// None if the ray comes from below.
    std::optional<WaterEntry> entry(const Ray& ray, const Hit& hit) const;
    /// What of the light gets through so many metres.
    Vec3 transmitted(float metres) const;
    /// Water in a box ends at its sides; other water fades with distance, as floors do.
    bool endless() const { return endless_; }

private:
    std::vector<Surface> surfaces_;
    std::optional<RayScene> rays_;
    float scale_ = 1;  ///< m, of the scene as the camera sees it
    bool endless_ = true;
};

/// Light that the water itself sends back where nothing is seen through it; linear.
inline constexpr Vec3 kDeepWater{0.05f, 0.30f, 0.40f};

}  // namespace yawara::drawing
