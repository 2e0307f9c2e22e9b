// What is where in a scene between two steps: rays, swept balls, closest points, overlaps.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "yawara/scene.h"

namespace yawara {

/// A point of a body's drawn surface, or of an obstacle.
struct SceneHit {
    BodyId body{};                   ///< names nothing if an obstacle was hit
    ColliderId obstacle{};           ///< names nothing if a body was hit
    std::int32_t triangle = -1;      ///< of BodyModel::surface()
    std::array<float, 3> weights{};  ///< of the corners of that triangle
    std::int32_t particle = -1;      ///< the nearest of those that the triangle is embedded in
    Vec3d place{};                   ///< m
    Vec3d rest_place{};              ///< m, of a body: where the point is in its rest shape
    Vec3d normal{};                  ///< unit length, outwards
    double distance = 0;             ///< m, from where the query began

    bool is_body() const { return body != BodyId{}; }
};

/// A body in a region.
struct SceneOverlap {
    BodyId body;
    std::vector<std::int32_t> particles;  ///< those in the region; there may be none, if only triangles reach into it
};

/// From one place to another.
struct Ray {
    Vec3d from{}, to{};
};

/// What a query does not see.
struct QueryFilter {
    std::span<const BodyId> ignored{};
    bool bodies = true;
    bool obstacles = true;
};

/// Asks a scene, which has to outlive it. Bodies are their drawn surfaces as they are now; trees over the triangles are
/// made once a model and follow it. Numbers that are not finite find nothing.
class SceneQuery {
public:
    explicit SceneQuery(Scene& scene);
    ~SceneQuery();
    SceneQuery(SceneQuery&&) noexcept;
    SceneQuery& operator=(SceneQuery&&) noexcept;

    /// Looks at all bodies anew. After steps, and when bodies came, went or got another model, this happens by itself:
    /// call it if positions were set otherwise.
    void refresh();

    /// The first surface on the way, from whichever side. A ray that starts in an obstacle hits it there.
    std::optional<SceneHit> ray(const Ray& ray, const QueryFilter& filter = {});
    /// The same for many, by all cores.
    std::vector<std::optional<SceneHit>> rays(std::span<const Ray> rays, const QueryFilter& filter = {});
    /// What a ball on the way touches first. `distance`: how far its centre has gone then.
    std::optional<SceneHit> sweep(const Ray& path, double radius, const QueryFilter& filter = {});
    /// The nearest point of a body; none if there is none `within` that distance, m.
    std::optional<SceneHit> closest(Vec3d point, double within, const QueryFilter& filter = {});

    /// Bodies that a ball, a box or another body meets, or is inside of, in the order of the scene.
    std::vector<SceneOverlap> overlaps(const Sphere& ball, const QueryFilter& filter = {});
    std::vector<SceneOverlap> overlaps(const Box& box, const QueryFilter& filter = {});
    std::vector<SceneOverlap> overlaps(BodyId body, const QueryFilter& filter = {});

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace yawara
