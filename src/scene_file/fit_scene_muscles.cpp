// The muscles of a body in a scene document from a motion, written back into the document.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "yawara/fit_muscles.h"
#include "yawara/scene_file.h"
#include "yawara/scene_muscles.h"
#include "yawara/spelling.h"

namespace yawara {
namespace {

using Json = nlohmann::ordered_json;

/// In the coordinates of the document, before "place".
PlacePolynomial unscaled(PlacePolynomial field, double scale)
{
    field.middle = field.middle / scale;
    field.half = field.half / scale;
    return field;
}

Json charts_json(const Charts& charts)
{
    Json json{{"period", charts.period}, {"limit", charts.limit}};
    const char* const names[] = {"d1", "d2", "d3"};
    const auto tidy = [](double x) { return std::stod(fmt::format("{:.5g}", x)); };
    for (std::size_t j = 0; j < 3; ++j) {
        const Chart& chart = charts.directions[j];
        if (chart.keys.empty()) continue;
        Json keys = Json::array();
        for (const ChartKey& key : chart.keys) keys.push_back({tidy(key.time), tidy(key.value)});
        json[names[j]] = {{"keys", std::move(keys)}, {"smooth", chart.smooth}};
    }
    return json;
}

/// The layer of a body's entry that is fitted; null: there is none.
Json* first_muscles(Json& entry)
{
    if (!entry.contains("matching") || !entry["matching"].contains("stretch")) return nullptr;
    for (Json& layer : entry["matching"]["stretch"])
        if (layer.contains("active")) return &layer;
    return nullptr;
}

}  // namespace

Result<SceneMuscleFit> fit_scene_muscles(const SceneText& scene, const std::string& name,
                                         const std::function<Result<MotionTarget>(const BodyModel&, double)>& target,
                                         const MuscleFitOptions& options)
{
    Result<LoadedScene> loaded = LoadedScene::from_text(scene.text, scene.folder, scene.name, {}, scene.cache);
    if (!loaded) return loaded.error();
    const std::optional<BodyId> body = loaded->find(name);
    if (!body) {
        std::vector<std::string> names;
        for (const BodyId id : loaded->scene().bodies()) names.push_back(loaded->identity(id));
        return Error{scene.name, fmt::format("has no body \"{}\"{}", name, did_you_mean(name, names))};
    }
    Json document = Json::parse(scene.text, nullptr, false, true);
    Json& entry = document[Json::json_pointer(loaded->pointer(*body))];
    Json* const stretched = first_muscles(entry);
    if (!stretched)
        return Error{
            scene.name,
            fmt::format("body \"{}\" has no muscles of its own: give it an active layer with directions", name)};
    Json& layer = (*stretched)["active"];
    if (layer.contains("fields") && layer["fields"].is_string())
        return Error{
            scene.name,
            fmt::format("the fields of \"{}\" are in a file: what is found has to be written into the scene", name)};
    const Result<MotionTarget> motion = target(loaded->scene().model(*body), loaded->scene().settings().dt);
    if (!motion) return motion.error();
    Result<MuscleFit> fit = fit_muscles(loaded->scene(), *body, *motion, options);
    if (!fit) return fit.error();
    const double scale = entry.value("place", Json::object()).value("scale", 1.0);
    layer["fields"]["amplitude"] = unscaled(fit->amplitude, scale).formula();
    layer["fields"]["phase"] = unscaled(fit->phase, scale).formula();
    layer["charts"] = charts_json(fit->layer.charts);
    layer["speed"] = fit->layer.speed;
    for (const char* key : {"gaits", "gait"}) layer.erase(key);
    for (const char* key : {"on", "strength"}) stretched->erase(key);  // it was found as acting in full
    std::string found = layer.dump();
    return SceneMuscleFit{*std::move(fit), document.dump(1), std::move(found), loaded->pointer(*body)};
}

}  // namespace yawara
