#include "contact/keep_out.h"

#include <algorithm>

#include "contact/shapes.h"
#include "core/parallel.h"

namespace yawara::contact {

void keep_out(const Collider& collider, double most, std::span<ClearBall> balls, std::span<Vec3> points)
{
    constexpr std::size_t kChunk = 256;  // points
    for_each_chunk(points.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
        Box3 box;
        for (std::size_t k = first; k < last; ++k) box.add(points[k].as<double>());
        if (is_clear_of(collider, box)) return;
        for (std::size_t k = first; k < last; ++k) {
            if (!balls.empty() && is_clear_of(collider, points[k], 0, balls[k])) continue;
            const Sample here = sample(collider, points[k]);
            if (here.distance < 0) points[k] += (here.normal * std::min(-here.distance, most)).as<float>();
        }
    });
}

}  // namespace yawara::contact
