// From meshes and obstacles to checked surfaces and floors.
#include "render/surfaces.h"

#include <fmt/format.h>

#include "render/shading_normals.h"
#include "render/textures.h"
#include "yawara/tessellate.h"

namespace yawara::drawing {
namespace {

constexpr Vec3 kNoValue{0.45f, 0.45f, 0.45f};   // linear grey for values that are not a number
constexpr Vec3 kObstacle{0.74f, 0.76f, 0.80f};  // sRGB
constexpr float kObstacleGloss = 0.12f;
constexpr float kUpright = 0.99f;  // a plane this close to level is the ground

Status check(const DrawnMesh& mesh, const std::string& name)
{
    const std::size_t count = mesh.positions.size();
    for (std::size_t i = 0; i < count; ++i)
        if (!is_finite(mesh.positions[i]))
            return Error{fmt::format("{}.positions[{}]", name, i), "is not a finite point"};
    for (std::size_t i = 0; i < mesh.later.size(); ++i)
        if (!is_finite(mesh.later[i])) return Error{fmt::format("{}.later[{}]", name, i), "is not a finite point"};
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (const std::int32_t v : mesh.triangles[t])
            if (v < 0 || static_cast<std::size_t>(v) >= count)
                return Error{fmt::format("{}.triangles[{}]", name, t),
                             fmt::format("names vertex {}; the mesh has {} vertices", v, count)};
    for (const auto& [array, size] : {std::pair{"colors", mesh.colors.size()}, {"values", mesh.values.size()},
                                      {"later", mesh.later.size()}, {"rests", mesh.rests.size()}})
        if (size != 0 && size != count)
            return Error{fmt::format("{}.{}", name, array), fmt::format("has {} entries for {} vertices", size, count)};
    if (!mesh.lines.empty() && mesh.lines.size() != mesh.triangles.size())
        return Error{name + ".lines",
                     fmt::format("has {} entries for {} triangles", mesh.lines.size(), mesh.triangles.size())};
    if (mesh.skin && mesh.material_of.size() != mesh.triangles.size())
        return Error{name + ".material_of",
                     fmt::format("has {} entries for {} triangles", mesh.material_of.size(), mesh.triangles.size())};
    for (std::size_t t = 0; mesh.skin && t < mesh.material_of.size(); ++t)
        if (const std::int32_t k = mesh.material_of[t]; k < -1 || k >= std::ssize(mesh.skin->materials))
            return Error{fmt::format("{}.material_of[{}]", name, t),
                         fmt::format("is {}; the skin has {} materials", k, mesh.skin->materials.size())};
    if (!mesh.corner_uvs.empty() && mesh.corner_uvs.size() != mesh.triangles.size())
        return Error{name + ".corner_uvs",
                     fmt::format("has {} entries for {} triangles", mesh.corner_uvs.size(), mesh.triangles.size())};
    if (!is_finite(mesh.color)) return Error{name + ".color", "is not a finite colour"};
    for (std::size_t i = 0; i < mesh.colors.size(); ++i)
        if (!is_finite(mesh.colors[i])) return Error{fmt::format("{}.colors[{}]", name, i), "is not a finite colour"};
    if (!std::isfinite(mesh.gloss)) return Error{name + ".gloss", "is not a finite number"};
    return Done{};
}

Surface make_surface(const DrawnMesh& mesh, const ColorScale& scale)
{
    Surface surface;
    surface.positions.assign(mesh.positions.begin(), mesh.positions.end());
    surface.triangles.assign(mesh.triangles.begin(), mesh.triangles.end());
    surface.normals = shading_normals(mesh.positions, mesh.triangles);
    surface.positions.emplace_back();
    if (!mesh.later.empty()) {
        surface.later.assign(mesh.later.begin(), mesh.later.end());
        surface.later.emplace_back();
    }
    const float range = scale.high - scale.low;
    const bool shows_values = !mesh.values.empty() || mesh.value_at;
    if (mesh.value_at) {
        surface.share_at = [value_at = mesh.value_at, low = scale.low, range](Vec3 place) {
            return (value_at(place) - low) / range;
        };
    } else if (!mesh.values.empty()) {
        surface.shares.reserve(mesh.values.size());
        for (const float value : mesh.values) surface.shares.push_back((value - scale.low) / range);
    } else if (!mesh.colors.empty()) {
        surface.colors.reserve(mesh.colors.size());
        for (const Vec3 color : mesh.colors) surface.colors.push_back(to_linear(color));
    } else {
        surface.colors.push_back(to_linear(mesh.color));
    }
    if (!shows_values) {
        surface.finish = mesh.finish;
        surface.skin = mesh.skin;
        surface.color_at = mesh.color_at;
        if (mesh.skin) surface.material_of.assign(mesh.material_of.begin(), mesh.material_of.end());
        if (mesh.skin)
            for (const SkinMaterial& material : mesh.skin->materials)
                surface.tints.push_back(to_linear(material.color));
        if (mesh.skin && mesh.skin->has_textures())
            surface.uvs.assign(mesh.corner_uvs.begin(), mesh.corner_uvs.end());
        if (mesh.grain.kind != GrainKind::none && !mesh.rests.empty() && mesh.colors.empty() && !mesh.skin) {
            surface.grain = mesh.grain;
            surface.under_grain = mesh.color;
            surface.rests.assign(mesh.rests.begin(), mesh.rests.end());
        }
    }
    surface.gloss = std::clamp(mesh.gloss, 0.0f, 1.0f);
    Box3 box;
    for (const Vec3& p : mesh.positions) box.add(p.as<double>());
    surface.size = mesh.positions.empty() ? 0 : float(length(box.size()));
    surface.wireframe = mesh.wireframe;
    if (mesh.wireframe) surface.lines.assign(mesh.lines.begin(), mesh.lines.end());
    return surface;
}

Result<Surface> obstacle_surface(const TriMesh& mesh, const TriMesh* later, const std::string& name,
                                 const ColorScale& scale)
{
    const auto places = [](const TriMesh& of) {
        std::vector<Vec3> points;
        for (const Vec3d& vertex : of.vertices) points.push_back(vertex.as<float>());
        return points;
    };
    const std::vector<Vec3> positions = places(mesh), moved = later ? places(*later) : std::vector<Vec3>{};
    DrawnMesh drawn;
    drawn.positions = positions;
    if (moved != positions) drawn.later = moved;
    drawn.triangles = mesh.triangles;
    drawn.color = kObstacle;
    drawn.gloss = kObstacleGloss;
    if (const Status good = check(drawn, name); !good) return good.error();
    return make_surface(drawn, scale);
}

}  // namespace

Vec3 Surface::color(int triangle, float u, float v, const ColorMap* map) const
{
    const Int3& corner = triangles[triangle];
    const float w = 1 - u - v;
    const auto between = [&](const auto& of) { return of[corner[0]] * w + of[corner[1]] * u + of[corner[2]] * v; };
    if (!shares.empty() || share_at) {
        const float share = share_at ? share_at(between(positions)) : between(shares);
        return std::isnan(share) ? kNoValue : map->linear(share);
    }
    if (color_at) return to_linear(color_at(between(positions)));
    if (!rests.empty()) return to_linear(mix(under_grain, grain.color, grain_share(grain, between(rests))));
    const bool plain = colors.size() == 1;
    const Vec3 own = plain ? colors[0] : between(colors);
    const SkinMaterial* const material = this->material(triangle);
    if (!material) return own;
    Vec3 tint = tints[std::size_t(material_of[std::size_t(triangle)])];
    if (!plain) tint = times(tint, own);
    if (material->texture < 0 || uvs.empty()) return tint;
    return times(tint, texel(skin->textures[std::size_t(material->texture)], uv(triangle, u, v)));
}

const SkinMaterial* Surface::material(int triangle) const
{
    const std::int32_t number = skin ? material_of[std::size_t(triangle)] : -1;
    return number < 0 ? nullptr : &skin->materials[std::size_t(number)];
}

Vec2 Surface::uv(int triangle, float u, float v) const
{
    const auto& [a, b, c] = uvs[std::size_t(triangle)];
    const float w = 1 - u - v;
    return {a.x * w + b.x * u + c.x * v, a.y * w + b.y * u + c.y * v};
}

float Surface::gloss_at(int triangle, float u, float v) const
{
    const SkinMaterial* const material = this->material(triangle);
    if (!material) return gloss;
    float roughness = material->roughness;
    if (material->roughness_map >= 0 && !uvs.empty())
        roughness *= plain_texel(skin->textures[std::size_t(material->roughness_map)], uv(triangle, u, v)).y;
    return std::clamp(1.5f - 2 * roughness, 0.0f, 1.0f);
}

float Surface::metal_at(int triangle, float u, float v) const
{
    const SkinMaterial* const material = this->material(triangle);
    if (!material || finish != Finish::plain) return 0;  // a finish of the scene overrides it, as on the page
    float metal = material->metallic;
    if (material->roughness_map >= 0 && !uvs.empty())
        metal *= plain_texel(skin->textures[std::size_t(material->roughness_map)], uv(triangle, u, v)).z;
    return std::clamp(metal, 0.0f, 1.0f);
}

Vec3 Surface::bumped(int triangle, float u, float v, Vec3 normal) const
{
    const SkinMaterial* const material = this->material(triangle);
    if (!material || material->normal_map < 0 || uvs.empty()) return normal;
    const auto& [a, b, c] = uvs[std::size_t(triangle)];
    const Int3& corner = triangles[triangle];
    const Vec3 e = positions[corner[1]] - positions[corner[0]], f = positions[corner[2]] - positions[corner[0]];
    const float area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    Vec3 along = (e * (c.y - a.y) - f * (b.y - a.y)) * (area < 0 ? -1.0f : 1.0f);
    along = along - normal * dot(normal, along);
    if (area == 0 || !(dot(along, along) > 0)) return normal;
    along = normalized(along);
    const Vec3 across = cross(normal, along) * (area < 0 ? -1.0f : 1.0f);
    const Vec3 lean = plain_texel(skin->textures[std::size_t(material->normal_map)], uv(triangle, u, v)) * 2.0f - Vec3{1, 1, 1};
    const Vec3 leant = along * (lean.x * material->bump) + across * (lean.y * material->bump) + normal * lean.z;
    return dot(leant, leant) > 0 ? normalized(leant) : normal;
}

Result<Stage> make_stage(const Picture& picture)
{
    Stage stage;
    const ColorScale scale = picture.look.scale.value_or(ColorScale{});
    if (!std::isfinite(scale.low) || !std::isfinite(scale.high) || scale.low == scale.high)
        return Error{"look.scale", fmt::format("from {} to {} is not a range", scale.low, scale.high)};
    auto map = ColorMap::find(scale.map);
    if (!map) return map.error();
    stage.map = std::make_unique<const ColorMap>(*std::move(map));

    for (std::size_t i = 0; i < picture.meshes.size(); ++i) {
        const DrawnMesh& mesh = picture.meshes[i];
        if (const Status good = check(mesh, fmt::format("meshes[{}]", i)); !good) return good.error();
        stage.surfaces.push_back(make_surface(mesh, scale));
    }

    bool level = false;
    for (std::size_t i = 0; i < picture.colliders.size(); ++i) {
        const Collider& collider = picture.colliders[i];
        if (collider.filter.sensor) continue;  // a zone that nobody sees
        const std::string name = fmt::format("colliders[{}]", i);
        if (const auto plane = plane_of(collider)) {
            const Floor floor{plane->point.as<float>(), normalized(plane->normal).as<float>()};
            if (!is_finite(floor.point) || !is_finite(floor.normal) || floor.normal == Vec3{})
                return Error{name, "is a plane without a finite point and normal"};
            stage.floors.push_back(floor);
            level = level || floor.normal.y > kUpright;
            continue;
        }
        auto surface = obstacle_surface(tessellate(collider, 0), nullptr, name, scale);
        if (!surface) return surface.error();
        stage.surfaces.push_back(*std::move(surface));
    }
    for (std::size_t i = 0; i < picture.obstacles.size(); ++i) {
        const TriMesh* const later = i < picture.obstacles_later.size() ? &picture.obstacles_later[i] : nullptr;
        auto surface = obstacle_surface(picture.obstacles[i], later, fmt::format("obstacles[{}]", i), scale);
        if (!surface) return surface.error();
        stage.surfaces.push_back(*std::move(surface));
    }
    if (picture.look.ground && !level) {
        if (!std::isfinite(picture.look.ground_height)) return Error{"look.ground_height", "is not a finite number"};
        stage.floors.push_back({{0, picture.look.ground_height, 0}, {0, 1, 0}});
    }
    return stage;
}

}  // namespace yawara::drawing
