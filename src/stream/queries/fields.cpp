#include "stream/queries/fields.h"

#include <fmt/format.h>

#include "scene_file/acts.h"
#include "scene_file/read_field.h"

namespace yawara::stream {

namespace {

template <class T>
Result<Field<T>> read(Json& value, const char* definition, const std::string& name, const Snapshot::Body& body)
{
    const Json& schema = scene_file::parsed_scene_schema();
    const scene_file::SchemaFindings wrong = scene_file::check_schema(schema, schema["$defs"][definition], value, name);
    if (!wrong.errors.empty()) return wrong.errors.front();
    scene_file::Findings findings;
    findings.folder = body.fields.folder;
    const Field<T> field = scene_file::read_field<T>(scene_file::Node{value, name}, findings);
    if (!findings.errors.empty()) return findings.errors.front();
    return field;
}

FieldPlaces places_of(const Snapshot::Body& body)
{
    FieldPlaces places = particle_places(body.model.domain());
    places.channels = body.fields.channels;
    places.scale = body.fields.scale;
    return places;
}

template <class T>
Result<std::vector<float>> sampled(Json value, const std::string& name, const Snapshot::Body& body)
{
    const Result<Field<T>> field = read<T>(value, "field", name, body);
    if (!field) return field.error();
    const Result<std::vector<T>> values = sample(*field, places_of(body), {.name = name});
    if (!values) return values.error();
    return std::vector<float>(values->begin(), values->end());
}

Result<Field<double>> depth_of(Json depth, const Snapshot::Body& body, Mirror& mirror)
{
    // What is made place by place is there already while strokes are drawn; other fields know their own slopes.
    if (!depth.is_object() || !(depth.contains("distance") || depth.contains("coats")))
        return read<double>(depth, "field", "depth", body);
    const auto values = sampled_field(depth, false, "depth", body, mirror);
    if (!values) return values.error();
    return Field<double>(**values);
}

Result<ActiveFields> frames_of(const Json& depth, Json direction, const Snapshot::Body& body, Mirror& mirror)
{
    FieldsSpec spec;
    Result<Field<double>> deep = depth_of(depth, body, mirror);
    if (!deep) return deep.error();
    Result<Field<Vec3d>> along = read<Vec3d>(direction, "direction_field", "direction", body);
    if (!along) return along.error();
    spec.depth = *std::move(deep);
    spec.direction = *std::move(along);
    return make_fields(spec, places_of(body));
}

}  // namespace

std::string key_of(const char* what, const Snapshot::Body& body, std::initializer_list<const Json*> documents)
{
    static std::size_t count = 0;
    std::string key = fmt::format("{} {}", what, body.model.revision());
    for (const Json* document : documents) key += " " + document->dump();
    if (key.find(".npy") != std::string::npos) key += fmt::format(" {}", ++count);
    return key;
}

Result<std::shared_ptr<const std::vector<float>>> sampled_field(const Json& field, bool labels, const std::string& name,
                                                                const Snapshot::Body& body, Mirror& mirror)
{
    return mirror.kept().get<std::vector<float>>(key_of(labels ? "labels" : "field", body, {&field}), [&] {
        return labels ? sampled<std::int32_t>(field, name, body) : sampled<double>(field, name, body);
    });
}

Result<std::shared_ptr<const ActiveFields>> sampled_frames(const Json& depth, const Json& direction,
                                                           const Snapshot::Body& body, Mirror& mirror)
{
    return mirror.kept().get<ActiveFields>(key_of("frames", body, {&depth, &direction}),
                                           [&] { return frames_of(depth, direction, body, mirror); });
}

}  // namespace yawara::stream
