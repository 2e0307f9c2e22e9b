// Muscles of a solid: fields of the scene or of a file of their own, and the layer they make.
#include <fmt/format.h>

#include <algorithm>

#include "scene_file/build.h"
#include "scene_file/read_values.h"
#include "scene_file/schema_check.h"

namespace yawara::scene_file {
namespace {

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

/// Errors name a field, a place in the file of fields, or one in the scene.
Error field_error(const ActiveDocument& active, const Error& error)
{
    if (const auto* file = std::get_if<FileName>(&active.fields))
        return {file->where, fmt::format("{}: {}", file->path.string(), error.message())};
    return error.where.starts_with(active.where) ? error : Error{active.where + ".fields", error.message()};
}

}  // namespace

Result<std::shared_ptr<const StretchLayer>> build_active(const ActiveDocument& active, const FieldPlaces& places,
                                                         std::vector<std::string>& warnings)
{
    Result<ActiveFieldsDocument> document = std::holds_alternative<FileName>(active.fields)
                                                ? load_fields(std::get<FileName>(active.fields))
                                                : Result<ActiveFieldsDocument>(std::get<ActiveFieldsDocument>(active.fields));
    if (!document) return document.error();
    Result<ActiveFields> fields = make_fields(document->spec, places);
    if (!fields) return field_error(active, fields.error());
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
