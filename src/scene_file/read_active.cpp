// "active": fields painted, drawn or written as formulas, and charts.
#include <algorithm>

#include "scene_file/read_field.h"
#include "yawara/spelling.h"

namespace yawara::scene_file {
namespace {

Chart read_chart(const Node& node, double limit, Findings& findings)
{
    Chart chart;
    chart.smooth = node["smooth"].as<bool>();
    const Node keys = node["keys"];
    for (std::size_t k = 0; k < keys.size(); ++k) {
        chart.keys.push_back({keys[k].json[0].get<double>(), keys[k].json[1].get<double>()});
        const double value = chart.keys.back().value;
        if (value > limit * (1 + 1e-9) || value < (1 - 1e-9) / limit)
            findings.warning(keys[k].path, "the value is beyond the limit and held to it");
    }
    return chart;
}

Charts read_charts(const Node& node, Findings& findings)
{
    Charts charts;
    charts.period = node["period"].as<double>();
    charts.limit = node["limit"].as<double>();
    const char* const names[] = {"d1", "d2", "d3"};
    for (std::size_t j = 0; j < 3; ++j)
        if (node.has(names[j])) charts.directions[j] = read_chart(node[names[j]], charts.limit, findings);
    if (node["preserve_volume"].as<bool>()) {
        if (node.has("d2") || node.has("d3"))
            findings.error(node.path, "\"preserve_volume\" sets d2 and d3 itself: give only d1");
        charts = charts.preserving_volume();
    }
    if (const Status good = check(charts); !good) findings.error(node.path, good.error().message());
    return charts;
}

double read_speed(const Node& node, Findings& findings)
{
    const auto speed = node["speed"].as<double>();
    if (speed == 0) findings.error(node.path + ".speed", "is zero: a wave that never arrives");
    return speed;
}

const std::string kOwnCharts = "main";

void read_gait(const Node& node, ChartedLayer& layer, Findings& findings)
{
    Gait gait{node["name"].as<std::string>(), read_charts(node["charts"], findings), read_speed(node, findings)};
    if (gait.name == kOwnCharts) findings.error(node.path + ".name", "\"main\" is the name of the layer's own charts");
    if (std::ranges::find(layer.gaits, gait.name, &Gait::name) != layer.gaits.end())
        findings.error(node.path + ".name", "there are two gaits \"" + gait.name + "\"");
    layer.gaits.push_back(std::move(gait));
}

void read_gait_key(const Node& node, ChartedLayer& layer, Findings& findings)
{
    GaitKey key{node["time"].as<double>(), std::vector<double>(layer.gaits.size() + 1)};
    const auto add = [&](const char* word, double weight) {
        const auto name = node[word].as<std::string>();
        std::vector<std::string> names{kOwnCharts};
        for (const Gait& gait : layer.gaits) names.push_back(gait.name);
        const auto found = std::ranges::find(names, name);
        if (found == names.end())
            findings.error(node[word].path, "there is no gait \"" + name + "\"" + did_you_mean(name, names));
        else
            key.weights[std::size_t(found - names.begin())] += weight;
    };
    const double share = node.has("to") ? node["share"].as<double>() : 0;
    add("name", 1 - share);
    if (node.has("to")) add("to", share);
    if (!layer.keys.empty() && !(key.time > layer.keys.back().time))
        findings.error(node.path + ".time", "is not later than that of the key before it");
    layer.keys.push_back(std::move(key));
}

}  // namespace

ActiveFieldsDocument read_active_fields(const Node& node, Findings& findings)
{
    ActiveFieldsDocument fields;
    fields.where = node.path;
    FieldsSpec& spec = fields.spec;
    spec.depth = read_field(node["depth"], findings, spec.depth);
    spec.amplitude = read_field(node["amplitude"], findings, spec.amplitude);
    spec.phase = read_field(node["phase"], findings, spec.phase);
    if (node.has("direction")) spec.direction = read_field(node["direction"], findings, spec.direction);
    return fields;
}

void read_active_source(const Node& node, ActiveDocument& active, Findings& findings)
{
    if (node["fields"].json.is_string()) {
        active.fields = read_file(node["fields"], findings);
    } else {
        active.fields = read_active_fields(node["fields"], findings);
    }
}

ActiveDocument read_active_charts(const Node& layer, Findings& findings)
{
    const Node node = layer["active"];
    ActiveDocument active;
    active.where = node.path;
    active.layer.charts = read_charts(node["charts"], findings);
    active.layer.speed = read_speed(node, findings);
    active.layer.strength = layer["on"].as<bool>() ? layer["strength"].as<double>() : 0;
    const Node gaits = node["gaits"], keys = node["gait"];
    for (std::size_t k = 0; k < gaits.size(); ++k) read_gait(gaits[k], active.layer, findings);
    for (std::size_t k = 0; k < keys.size(); ++k) read_gait_key(keys[k], active.layer, findings);
    return active;
}

}  // namespace yawara::scene_file
