// Vertices of a mesh between its frames.
#include <algorithm>
#include <cmath>

#include "yawara/collider.h"

namespace yawara {

void MeshAnimation::at(double time, std::span<Vec3d> vertices) const
{
    const auto count = double(frames.size());
    double frame = (time - start) * rate;
    if (repeat && count > 1) frame -= std::floor(frame / count) * count;  // from the last frame on to the first
    frame = std::clamp(frame, 0.0, repeat ? count : count - 1);
    const std::size_t first = std::min(std::size_t(frame), frames.size() - 1);
    const std::size_t second = first + 1 < frames.size() ? first + 1 : repeat ? 0 : first;
    const double share = frame - double(first);
    for (std::size_t v = 0; v < vertices.size(); ++v) {
        const Vec3d a = frames[first][v].as<double>(), b = frames[second][v].as<double>();
        vertices[v] = a + (b - a) * share;
    }
}

}  // namespace yawara
