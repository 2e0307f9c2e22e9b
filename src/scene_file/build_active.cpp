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
    for (const std::string& warning : fields->warnings)
        warnings.push_back(warning.starts_with(active.where) ? warning : active.where + ".fields: " + warning);
    auto layer = yawara::active(*std::move(fields), active.layer);
    if (!layer) return Error{active.where, layer.error().message()};
    return layer;
}

Result<CavityGauge> build_cavity(const BodyDocument& body, const BodyModel& model)
{
    Result<CavityGauge> cavity = cavity_of(model, *body.cavity_depth);
    if (!cavity) return Error{body.where + ".cavity", cavity.error().what};
    return cavity;
}

}  // namespace yawara::scene_file
