// By the surface as it is now.
#include "stream/spots.h"

#include <limits>

namespace yawara::stream {

Vec3 place_on(Scene& scene, BodyId body, std::size_t triangle, const std::array<float, 3>& weights)
{
    const std::span<const Vec3> surface = scene.surface(body);
    const Int3& corners = scene.model(body).surface().triangles[triangle];
    Vec3 place;
    for (std::size_t k = 0; k < 3; ++k) place += surface[std::size_t(corners[k])] * weights[k];
    return place;
}

std::int32_t nearest_particle(Scene& scene, BodyId body, std::size_t triangle, const std::array<float, 3>& weights)
{
    const Vec3 place = place_on(scene, body, triangle, weights);
    const BodyModel& model = scene.model(body);
    std::int32_t nearest = 0;
    float least = std::numeric_limits<float>::max();
    for (const std::int32_t corner : model.surface().triangles[triangle])
        for (const std::int32_t i : model.embedding().particles_of(std::size_t(corner))) {
            const float distance = length(scene.state(body).positions[std::size_t(i)] - place);
            if (distance < least) least = distance, nearest = i;
        }
    return nearest;
}

}  // namespace yawara::stream
