// Muscles of a solid: touches of brushes become samples on its surface, then fields and their layer.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scene_file/build.h"
#include "scene_file/read_values.h"
#include "scene_file/schema_check.h"
#include "yawara/io.h"
#include "yawara/quantities.h"

namespace yawara::scene_file {
namespace {

/// The outer faces of the solid in the coordinates of the document.
struct Canvas {
    const std::vector<Vec3d>& rest;  ///< of all particles, likewise
    TriMesh surface;
    std::vector<std::int32_t> particle_of;
};

/// Particles that a touch paints, or the places of a point brush.
Status paint(const PaintTouch& touch, const Canvas& canvas, std::map<std::int32_t, double>& painted, Paint& samples)
{
    using Brush = PaintTouch::Brush;
    std::vector<std::int32_t> vertices;
    if (touch.vertex) {
        if (std::size_t(*touch.vertex) >= canvas.rest.size())
            return Error{touch.where, fmt::format("vertex {} of {}", *touch.vertex, canvas.rest.size())};
        painted[*touch.vertex] = touch.value;
        return Done{};
    }
    if (touch.brush == Brush::point) {
        for (const Vec3d& p : touch.path) samples.samples.push_back({p, touch.value});
        return Done{};
    }
    if (touch.brush == Brush::stroke) {
        vertices = brush_stroke(canvas.surface, touch.path, touch.radius);
    } else {
        for (const Vec3d& p : touch.path) {
            const std::int32_t triangle = nearest_triangle(canvas.surface, p);
            const auto more = touch.brush == Brush::flat ? brush_flat(canvas.surface, triangle, touch.angle)
                                                         : brush_polygon(canvas.surface, triangle);
            vertices.insert(vertices.end(), more.begin(), more.end());
        }
    }
    if (vertices.empty()) return Error{touch.where, "the brush touches no vertex of the surface: a larger radius?"};
    for (const std::int32_t v : vertices) painted[canvas.particle_of[std::size_t(v)]] = touch.value;
    return Done{};
}

Result<ScalarField> scalar_field(const ScalarDocument& document, const Canvas& canvas, double scale)
{
    if (const auto* number = std::get_if<double>(&document)) return ScalarField(*number);
    if (const auto* formula = std::get_if<Formula>(&document))
        return ScalarField([formula = *formula, scale](Vec3d p) { return formula(p / scale); });
    if (const auto* file = std::get_if<FileName>(&document)) {
        Result<Array> array = load_npy(file->path);
        if (!array) return Error{file->where, array.error().message()};
        if (array->shape.size() != 1 || array->values.size() != canvas.rest.size())
            return Error{file->where, fmt::format("{} has {} values for {} particles", file->path.string(),
                                                  array->values.size(), canvas.rest.size())};
        return ScalarField(std::move(array->values));
    }
    const auto& touches = std::get<PaintDocument>(document);
    Paint samples;
    samples.filling = touches.filling;
    std::map<std::int32_t, double> painted;  // painting again replaces the value
    for (const PaintTouch& touch : touches.touches)
        if (const Status done = paint(touch, canvas, painted, samples); !done) return done.error();
    for (const auto& [particle, value] : painted) samples.samples.push_back({canvas.rest[std::size_t(particle)], value});
    for (PaintSample& sample : samples.samples) sample.point *= scale;
    return ScalarField(std::move(samples));
}

/// A file of fields, checked as if it stood in the scene.
Result<ActiveFieldsDocument> load_fields(const FileName& file)
{
    const Result<std::string> text = read_scene_text(file.path);
    if (!text) return Error{file.where, text.error().message()};
    Result<Json> document = parse_json(*text, file.path.string());
    if (!document) return Error{file.where, document.error().message()};
    const Json scene = Json::parse(scene_schema());
    const Json schema = {{"$ref", "#/$defs/active_fields"}, {"$defs", scene["$defs"]}};
    const SchemaFindings checked = check_schema(schema, *document);
    Findings findings;
    findings.folder = file.path.parent_path();
    findings.errors = checked.errors;
    ActiveFieldsDocument fields;
    if (findings.errors.empty()) fields = read_active_fields({*document, ""}, findings);
    if (findings.errors.empty()) return fields;
    return Error{file.where, fmt::format("{}: {}", file.path.string(), findings.errors.front().message())};
}

}  // namespace

Result<std::shared_ptr<const StretchLayer>> build_active(const ActiveDocument& active, const Domain& domain, double scale,
                                                         std::vector<std::string>& warnings)
{
    Result<ActiveFieldsDocument> document = std::holds_alternative<FileName>(active.fields)
                                                ? load_fields(std::get<FileName>(active.fields))
                                                : Result<ActiveFieldsDocument>(std::get<ActiveFieldsDocument>(active.fields));
    if (!document) return document.error();
    TetMesh solid = solid_of(domain);
    for (Vec3d& p : solid.vertices) p = p / scale;
    Canvas canvas{solid.vertices, {}, {}};
    canvas.surface = boundary_surface(solid, &canvas.particle_of);

    FieldsSpec spec;
    const std::pair<const ScalarDocument*, ScalarField*> scalars[] = {
        {&document->depth, &spec.depth}, {&document->amplitude, &spec.amplitude}, {&document->phase, &spec.phase}};
    for (const auto& [from, to] : scalars) {
        Result<ScalarField> field = scalar_field(*from, canvas, scale);
        if (!field) return field.error();
        *to = *std::move(field);
    }
    spec.oriented_strokes = document->direction.oriented;
    if (!document->direction.formulas.empty()) {
        spec.direction = [f = document->direction.formulas, scale](Vec3d p) {
            return Vec3d{f[0](p / scale), f[1](p / scale), f[2](p / scale)};
        };
    } else {
        std::vector<Stroke> strokes = document->direction.strokes;
        for (Stroke& stroke : strokes)
            for (Vec3d& p : stroke.points) p *= scale;
        spec.direction = std::move(strokes);
    }
    Result<ActiveFields> fields = make_fields(spec, domain);
    if (!fields) return Error{active.where + ".fields", fields.error().message()};
    for (const std::string& warning : fields->warnings) warnings.push_back(active.where + ".fields: " + warning);
    auto layer = yawara::active(*std::move(fields), active.charts, active.speed);
    if (!layer) return Error{active.where, layer.error().message()};
    return layer;
}

Result<CavityGauge> build_cavity(const BodyDocument& body, const BodyModel& model)
{
    const std::vector<double>& depth = active_parts(model)->fields.depth;
    std::vector<std::int32_t> particle_of;
    std::vector<Int3> wall;
    for (const Int3& t : boundary_surface(solid_of(model.domain()), &particle_of).triangles) {
        const Int3 p{particle_of[std::size_t(t[0])], particle_of[std::size_t(t[1])], particle_of[std::size_t(t[2])]};
        if (std::max({depth[std::size_t(p[0])], depth[std::size_t(p[1])], depth[std::size_t(p[2])]}) <= *body.cavity_depth)
            wall.push_back(p);
    }
    if (wall.empty())
        return Error{body.where + ".cavity", fmt::format("no outer triangle has a depth of at most {:g}; the least depth is {:g}",
                                                         *body.cavity_depth, *std::min_element(depth.begin(), depth.end()))};
    return CavityGauge(std::move(wall));
}

}  // namespace yawara::scene_file
