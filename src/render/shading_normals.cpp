// Smooth normals by corner. The crease is a soft threshold: a body that bends through it does not flicker.
#include "render/shading_normals.h"

#include <tbb/parallel_for.h>

#include "render/color.h"

namespace yawara::drawing {
namespace {

constexpr float kSmoothCosine = 0.82f;  // 35 degrees: fully joined
constexpr float kCreaseCosine = 0.57f;  // 55 degrees: fully apart
constexpr int kManyTriangles = 64;      // around one vertex: joined without looking at creases

float angle_between(Vec3 a, Vec3 b)
{
    return std::atan2(length(cross(a, b)), dot(a, b));
}

}  // namespace

std::vector<std::array<Vec3, 3>> shading_normals(std::span<const Vec3> positions, std::span<const Int3> triangles)
{
    const std::size_t count = triangles.size();
    std::vector<Vec3> face(count);                          // unit normal of each triangle, zero if it is flat
    std::vector<std::array<float, 3>> angle(count);         // at each corner, radians
    std::vector<std::int32_t> start(positions.size() + 1);  // corners around each vertex, by counting sort
    std::vector<std::int32_t> corners(3 * count);

    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t t) {
        const Vec3 p[3] = {positions[triangles[t][0]], positions[triangles[t][1]], positions[triangles[t][2]]};
        face[t] = normalized(cross(p[1] - p[0], p[2] - p[0]));
        for (int k = 0; k < 3; ++k) angle[t][k] = angle_between(p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
    });
    for (const Int3& triangle : triangles)
        for (const std::int32_t vertex : triangle) ++start[vertex + 1];
    for (std::size_t v = 0; v < positions.size(); ++v) start[v + 1] += start[v];
    std::vector<std::int32_t> next(start.begin(), start.end() - 1);
    for (std::size_t t = 0; t < count; ++t)
        for (int k = 0; k < 3; ++k) corners[next[triangles[t][k]]++] = static_cast<std::int32_t>(3 * t + k);

    std::vector<std::array<Vec3, 3>> result(count);
    tbb::parallel_for(std::size_t{0}, positions.size(), [&](std::size_t v) {
        const std::span around(corners.data() + start[v], corners.data() + start[v + 1]);
        Vec3 all{};
        for (const std::int32_t c : around) all += face[c / 3] * angle[c / 3][c % 3];
        for (const std::int32_t c : around) {
            const Vec3 own = face[c / 3];
            Vec3 sum = all;
            if (around.size() <= kManyTriangles) {
                sum = {};
                for (const std::int32_t other : around) {
                    const Vec3 n = face[other / 3];
                    sum += n * (angle[other / 3][other % 3] * smooth_step(kCreaseCosine, kSmoothCosine, dot(own, n)));
                }
            }
            const Vec3 normal = normalized(sum);
            result[c / 3][c % 3] = dot(normal, own) > 0 ? normal : own;
        }
    });
    return result;
}

}  // namespace yawara::drawing
