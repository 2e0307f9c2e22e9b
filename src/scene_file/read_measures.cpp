// "measures": numbers of the scene to follow over time.
#include "scene_file/read_values.h"

namespace yawara::scene_file {

MeasureDocument read_measure(const Node& node, Findings& findings)
{
    MeasureDocument measure;
    measure.where = node.path;
    measure.name = node["name"].as<std::string>();
    measure.label = node["label"].as<std::string>();
    measure.body = node["body"].as<std::string>();
    measure.axis = node["axis"].as<std::string>()[0] - 'x';
    const auto what = node["what"].as<std::string>();
    for (const auto& [word, kind] : {std::pair{"twist", MeasureKind::twist},
                                     {"extent", MeasureKind::extent},
                                     {"center", MeasureKind::center},
                                     {"weight", MeasureKind::weight},
                                     {"volume", MeasureKind::volume},
                                     {"distance", MeasureKind::distance}})
        if (what == word) measure.what = kind;
    measure.group = node["group"].as<int>();
    if (node.has("example")) measure.example = node["example"].as<std::string>();
    if (node.has("other")) measure.other = node["other"].as<std::string>();
    if (measure.what == MeasureKind::weight && measure.example.empty())
        findings.error(node.path, "a weight needs \"example\"");
    if (measure.what == MeasureKind::distance && measure.other.empty())
        findings.error(node.path, "a distance needs \"other\"");
    return measure;
}

}  // namespace yawara::scene_file
