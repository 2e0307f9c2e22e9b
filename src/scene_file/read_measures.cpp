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
    return measure;
}

}  // namespace yawara::scene_file
