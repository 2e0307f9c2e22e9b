// "active": fields painted, drawn or written as formulas, and charts.
#include "scene_file/read_field.h"

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

ActiveDocument read_active_charts(const Node& node, Findings& findings)
{
    ActiveDocument active;
    active.where = node.path;
    active.charts = read_charts(node["charts"], findings);
    active.speed = node["speed"].as<double>();
    if (active.speed == 0) findings.error(node.path + ".speed", "is zero: a wave that never arrives");
    return active;
}

}  // namespace yawara::scene_file
