// "measures": numbers of the scene to follow over time.
#include "scene_file/read_values.h"

namespace yawara::scene_file {

MeasureDocument read_measure(const Node& node, Findings& findings)
{
    MeasureDocument measure;
    measure.where = node.path;
    measure.spec.name = node["name"].as<std::string>();
    measure.spec.label = node["label"].as<std::string>();
    measure.body = node["body"].as<std::string>();
    if (node.has("other")) measure.other = node["other"].as<std::string>();
    const int axis = node["axis"].as<std::string>()[0] - 'x';
    const auto what = node["what"].as<std::string>();
    MeasureKind& kind = measure.spec.what;
    if (what == "twist") kind = MeasureTwist{axis};
    if (what == "extent") kind = MeasureExtent{axis};
    if (what == "center") kind = MeasureCenter{axis};
    if (what == "volume") kind = MeasureVolume{};
    if (what == "weight") {
        if (!node.has("example")) findings.error(node.path, "a weight needs \"example\"");
        kind = MeasureWeight{node.has("example") ? node["example"].as<std::string>() : "", node["group"].as<int>()};
    }
    if (what == "distance") {
        if (measure.other.empty()) findings.error(node.path, "a distance needs \"other\"");
        kind = MeasureDistance{};
    }
    if (what == "points") {
        for (const char* end : {"from", "to"})
            if (!node.has(end))
                findings.error(node.path, std::string("a distance between two points needs \"") + end + "\"");
        if (measure.other.empty()) measure.other = measure.body;
        kind = MeasurePoints{{},
                             node.has("from") ? read_vector(node["from"]) : Vec3d{},
                             node.has("to") ? read_vector(node["to"]) : Vec3d{}};
    }
    if (what == "fiber" || what == "asked") {
        if (!node.has("at")) findings.error(node.path, "a stretch along the fibres needs \"at\"");
        kind = MeasureFiber{node.has("at") ? read_vector(node["at"]) : Vec3d{}, what == "asked"};
    }
    if (what == "advance") kind = MeasureAdvance{axis};
    if (what == "wave") kind = MeasureWave{};
    if (what == "cavity") kind = MeasureCavity{node["depth"].as<double>()};
    return measure;
}

}  // namespace yawara::scene_file
