// "active": fields painted, drawn or written as formulas, and charts.
#include "scene_file/read_values.h"

namespace yawara::scene_file {
namespace {

Formula read_formula(const Node& node, Findings& findings)
{
    Result<Formula> formula = Formula::parse(node.as<std::string>());
    if (formula) return *std::move(formula);
    findings.error(node.path, formula.error().what);
    return {};
}

std::vector<Vec3d> read_points(const Node& node)
{
    std::vector<Vec3d> points;
    for (std::size_t k = 0; k < node.size(); ++k) points.push_back(read_vector(node[k]));
    return points;
}

PaintTouch read_touch(const Node& node, Findings& findings)
{
    using Brush = PaintTouch::Brush;
    PaintTouch touch;
    touch.where = node.path;
    touch.value = node["value"].as<double>();
    const auto brush = node["brush"].as<std::string>();
    touch.brush = brush == "polygon" ? Brush::polygon : brush == "flat" ? Brush::flat : brush == "stroke" ? Brush::stroke : Brush::point;
    if (node.has("at")) touch.path = {read_vector(node["at"])};
    if (node.has("path")) touch.path = read_points(node["path"]);
    if (node.has("vertex")) touch.vertex = node["vertex"].as<std::int32_t>();
    touch.angle = node["angle"].as<double>();
    if (node.has("radius")) touch.radius = node["radius"].as<double>();
    if (touch.brush == Brush::stroke && !node.has("radius")) findings.error(node.path, "a stroke needs a \"radius\"");
    if (touch.vertex && touch.brush != Brush::point) findings.error(node.path, "only the brush \"point\" paints a \"vertex\"");
    return touch;
}

ScalarDocument read_scalar(const Node& node, Findings& findings)
{
    if (node.json.is_number()) return node.as<double>();
    if (node.json.is_string()) return read_formula(node, findings);
    if (node.has("values")) return read_file(node["values"], findings);
    PaintDocument paint;
    if (node["filling"].as<std::string>() == "harmonic") paint.filling = Filling::harmonic;
    const Node touches = node["paint"];
    for (std::size_t k = 0; k < touches.size(); ++k) paint.touches.push_back(read_touch(touches[k], findings));
    return paint;
}

DirectionDocument read_direction_field(const Node& node, Findings& findings)
{
    DirectionDocument direction;
    if (node.json.is_array()) {
        for (std::size_t k = 0; k < 3; ++k) direction.formulas.push_back(read_formula(node[k], findings));
        return direction;
    }
    direction.oriented = node["oriented"].as<bool>();
    const Node strokes = node["strokes"];
    for (std::size_t k = 0; k < strokes.size(); ++k) direction.strokes.push_back({read_points(strokes[k]["points"])});
    return direction;
}

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
    fields.depth = read_scalar(node["depth"], findings);
    fields.amplitude = read_scalar(node["amplitude"], findings);
    fields.phase = read_scalar(node["phase"], findings);
    if (node.has("direction")) fields.direction = read_direction_field(node["direction"], findings);
    return fields;
}

ActiveDocument read_active(const Node& node, Findings& findings)
{
    ActiveDocument active;
    active.where = node.path;
    if (node["fields"].json.is_string()) {
        active.fields = read_file(node["fields"], findings);
    } else {
        active.fields = read_active_fields(node["fields"], findings);
    }
    active.charts = read_charts(node["charts"], findings);
    active.speed = node["speed"].as<double>();
    if (active.speed == 0) findings.error(node.path + ".speed", "is zero: a wave that never arrives");
    return active;
}

}  // namespace yawara::scene_file
