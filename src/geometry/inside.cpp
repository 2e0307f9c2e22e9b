// Layers, grain and the map of depths. studio/src/viewport/inside.ts draws by the same formulas; tests/geometry/inside_colors.txt
// holds what both have to give.
#include "yawara/inside.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/bvh.h"
#include "geometry/closest_point.h"
#include "yawara/look.h"

namespace yawara {
namespace {

float eased(float low, float high, float x)
{
    const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

/// 0..1, the same for the same whole numbers everywhere.
float scattered(std::int32_t x, std::int32_t y, std::int32_t z)
{
    std::uint32_t h = std::uint32_t(x) * 73856093u ^ std::uint32_t(y) * 19349663u ^ std::uint32_t(z) * 83492791u;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    h ^= h >> 16;
    return float(h >> 8) / 16777216.0f;
}

/// Smooth, 0..1, about one bump a unit.
float noise(Vec3 p)
{
    const Vec3 base{std::floor(p.x), std::floor(p.y), std::floor(p.z)}, f = p - base;
    const auto x = std::int32_t(base.x), y = std::int32_t(base.y), z = std::int32_t(base.z);
    const float u = eased(0, 1, f.x), v = eased(0, 1, f.y), w = eased(0, 1, f.z);
    const auto mixed = [](float a, float b, float t) { return a + (b - a) * t; };
    const auto row = [&](int dy, int dz) {
        return mixed(scattered(x, y + dy, z + dz), scattered(x + 1, y + dy, z + dz), u);
    };
    return mixed(mixed(row(0, 0), row(1, 0), v), mixed(row(0, 1), row(1, 1), v), w);
}

}  // namespace

float Inside::depth() const
{
    float sum = 0;
    for (const InsideLayer& layer : layers) sum += layer.thickness;
    return sum;
}

float grain_share(const Grain& grain, Vec3 rest)
{
    if (grain.kind == GrainKind::none) return 0;
    const Vec3 from = rest - grain.through;
    const float along = dot(from, grain.axis);
    const Vec3 across = from - grain.axis * along;
    const float width = grain.width;
    switch (grain.kind) {
    case GrainKind::none: return 0;
    case GrainKind::rings: {
        const float radius = (length(across) / width) + 0.9f * noise(from * (0.35f / width));
        const float t = radius - std::floor(radius);
        const float streaks = noise(across * (7 / width) + grain.axis * (along * 0.5f / width));
        return eased(0.2f, 0.85f, t) * (1 - eased(0.9f, 1, t)) * (0.65f + 0.35f * streaks);
    }
    case GrainKind::fibres: {
        const Vec3 p = across / width + grain.axis * (along / (9 * width));
        return eased(0.42f, 0.62f, 0.65f * noise(p) + 0.35f * noise(p * 2.03f));
    }
    case GrainKind::veins: {
        const Vec3 p = from / width;
        const float n = 0.6f * noise(p) + 0.3f * noise(p * 2.1f) + 0.1f * noise(p * 4.3f);
        return 1 - eased(0.01f, 0.07f, std::abs(n - 0.5f));
    }
    case GrainKind::threads: {
        // A gyroid: bumps in rows on any surface through it, however that is turned.
        const Vec3 p = from * (std::numbers::pi_v<float> / width);
        const float weave = std::sin(p.x) * std::cos(p.y) + std::sin(p.y) * std::cos(p.z) + std::sin(p.z) * std::cos(p.x);
        return 1 - eased(-0.9f, 0.5f, weave);
    }
    }
    return 0;
}

Grain outer_grain(const BodyLook& look, Finish finish, const Box3& rest)
{
    if (finish != Finish::wood && finish != Finish::cloth) return {};
    if (look.inside && look.inside->grain.kind != GrainKind::none) return look.inside->grain;
    const Vec3d size = rest.size();
    const int longest = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    Grain grain;
    grain.kind = finish == Finish::wood ? GrainKind::rings : GrainKind::threads;
    const Vec3 darker = finish == Finish::wood ? Vec3{0.74f, 0.66f, 0.60f} : Vec3{0.74f, 0.74f, 0.74f};
    grain.color = {look.color.x * darker.x, look.color.y * darker.y, look.color.z * darker.z};
    grain.width = float(std::max(size[longest], 1e-9)) / (finish == Finish::wood ? 16.0f : 110.0f);
    grain.axis = {};
    grain.axis[longest] = 1;
    // The heart of the tree is beside the middle, as in a board.
    grain.through = (rest.center() - Vec3d{0.11, 0.23, 0.17} * std::max(size[longest], 1e-9)).as<float>();
    return grain;
}

Inside inside_of(const BodyLook& look, const Box3& rest)
{
    Inside inside = look.inside.value_or(Inside{});
    if (inside.grain.kind == GrainKind::none) inside.grain = outer_grain(look, look.finish, rest);
    return inside;
}

Vec3 inside_color(const Inside& inside, Vec3 core, Vec3 rest, float depth)
{
    Vec3 color = core + (inside.grain.color - core) * grain_share(inside.grain, rest);
    float reach = inside.depth();
    for (std::size_t k = inside.layers.size(); k-- > 0;) {
        const InsideLayer& layer = inside.layers[k];
        // A soft edge, a tenth of the layer wide.
        const float below = eased(reach - 0.05f * layer.thickness, reach + 0.05f * layer.thickness, depth);
        color = layer.color + (color - layer.color) * below;
        reach -= layer.thickness;
    }
    return color;
}

InsideMap InsideMap::over(const Box3& box)
{
    InsideMap map;
    const Vec3d size = box.size();
    map.low = box.low.as<float>();
    map.cell = float(std::max({size.x, size.y, size.z, 1e-9}) / kFinest);
    for (int k = 0; k < 3; ++k) map.nodes[std::size_t(k)] = std::max(1, int(std::ceil(size[k] / double(map.cell) - 1e-3))) + 1;
    map.rgba.assign(std::size_t(map.nodes[0]) * std::size_t(map.nodes[1]) * std::size_t(map.nodes[2]), 0xff000000u);
    return map;
}

Vec3d InsideMap::place(int x, int y, int z) const
{
    return low.as<double>() + Vec3d{double(x), double(y), double(z)} * double(cell);
}

InsideMap::Value InsideMap::at(Vec3 rest) const
{
    const Vec3 p = (rest - low) / cell;
    int first[3];
    float part[3];
    for (int k = 0; k < 3; ++k) {
        const int last = nodes[std::size_t(k)] - 1;
        const float inside = std::clamp(p[k], 0.0f, float(last));
        first[k] = std::min(int(inside), std::max(0, last - 1));
        part[k] = inside - float(first[k]);
    }
    float sum[4] = {};
    for (int corner = 0; corner < 8; ++corner) {
        float weight = 1;
        std::size_t index = 0, stride = 1;
        for (int k = 0; k < 3; ++k) {
            const int step = corner >> k & 1;
            weight *= step ? part[k] : 1 - part[k];
            index += stride * std::size_t(std::min(first[k] + step, nodes[std::size_t(k)] - 1));
            stride *= std::size_t(nodes[std::size_t(k)]);
        }
        for (int c = 0; c < 4; ++c) sum[c] += weight * float(rgba[index] >> (8 * c) & 255u);
    }
    return {Vec3{sum[0], sum[1], sum[2]} / 255.0f, sum[3] / 255.0f * deepest};
}

InsideMap make_inside_map(const TriMesh& rest, const Inside& inside, const InsideMap* colors)
{
    Box3 box;
    for (const Vec3d& p : rest.vertices) box.add(p);
    InsideMap map = colors ? *colors : InsideMap::over(box);
    // A little more than what is told apart, so that the edge of the last layer is not at the end of the scale.
    map.deepest = 1.2f * inside.depth() + 2 * map.cell;
    if (inside.layers.empty() || rest.triangles.empty()) return map;

    std::vector<Box3> boxes;
    for (const Int3& t : rest.triangles) {
        Box3& around = boxes.emplace_back();
        for (const std::int32_t v : t) around.add(rest.vertices[std::size_t(v)]);
    }
    const Bvh tree(boxes);
    const auto rows = std::size_t(map.nodes[1]) * std::size_t(map.nodes[2]);
    tbb::parallel_for(std::size_t(0), rows, [&](std::size_t row) {
        double reach = double(map.deepest);  // no farther than the neighbour's distance and the way from there
        for (int x = 0; x < map.nodes[0]; ++x) {
            const Vec3d p = map.place(x, int(row % std::size_t(map.nodes[1])), int(row / std::size_t(map.nodes[1])));
            const double found = tree.nearest(p, reach * reach, [&](std::int32_t t) {
                const Int3& corner = rest.triangles[std::size_t(t)];
                const auto nearest = closest_on_triangle(rest.vertices[std::size_t(corner[0])],
                                                         rest.vertices[std::size_t(corner[1])],
                                                         rest.vertices[std::size_t(corner[2])], p);
                return dot(nearest.point - p, nearest.point - p);
            }).second;
            const double distance = std::sqrt(found);
            reach = std::min(double(map.deepest), distance + 1.01 * double(map.cell));
            const auto byte = std::uint32_t(std::lround(255 * std::min(1.0, distance / double(map.deepest))));
            std::uint32_t& node = map.rgba[row * std::size_t(map.nodes[0]) + std::size_t(x)];
            node = (node & 0xffffffu) | byte << 24;
        }
    });
    return map;
}

}  // namespace yawara
