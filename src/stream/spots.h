// Points of drawn surfaces, on any scene: where they are, and which particle is next to them.
#pragma once

#include <array>
#include <cstdint>

#include "yawara/scene.h"

namespace yawara::stream {

/// A point of a triangle of the body's surface, by the weights of its corners.
Vec3 place_on(Scene& scene, BodyId body, std::size_t triangle, const std::array<float, 3>& weights);
/// The particle nearest to it, of those that the triangle is embedded in.
std::int32_t nearest_particle(Scene& scene, BodyId body, std::size_t triangle, const std::array<float, 3>& weights);

}  // namespace yawara::stream
