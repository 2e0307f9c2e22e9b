// The bodies of the benchmark: structured bars, and a motion that keeps every region turning.
#pragma once

#include "yawara/mesh.h"

namespace yawara::bench {

/// Vertices a x b x c at unit distance, six tets a cube.
TetMesh six_tet_bar(Int3 vertices);

/// Velocity of a bar that spins, twists and bends.
Vec3 lively_velocity(Vec3d position, const Box3& box);

}  // namespace yawara::bench
