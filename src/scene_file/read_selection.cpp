// "select": some particles of a body.
#include "scene_file/read_values.h"

namespace yawara::scene_file {
namespace {

std::vector<Selection> read_parts(const Node& list, Findings& findings)
{
    std::vector<Selection> parts;
    for (std::size_t i = 0; i < list.size(); ++i) parts.push_back(read_selection(list[i], findings));
    return parts;
}

}  // namespace

Box3 read_box(const Node& node, Findings& findings)
{
    const Box3 box{read_vector(node["low"]), read_vector(node["high"])};
    for (int axis = 0; axis < 3; ++axis) {
        if (box.low[axis] <= box.high[axis]) continue;
        findings.error(node.path, std::string("\"low\" is above \"high\" along ") + "xyz"[axis]);
    }
    return box;
}

Plane read_plane(const Node& node, Findings& findings)
{
    return {read_vector(node["point"]), read_direction(node["normal"], findings)};
}

Sphere read_sphere(const Node& node)
{
    return {read_vector(node["center"]), node["radius"].as<double>()};
}

Selection read_selection(const Node& node, Findings& findings)
{
    Selection selection;
    selection.where = node.path;
    if (node.json.is_string()) {
        selection.kind = SelectEverything{};
    } else if (node.has("vertices")) {
        selection.kind = SelectVertices{node["vertices"].as<std::vector<std::int32_t>>()};
    } else if (node.has("box")) {
        selection.kind = SelectBox{read_box(node["box"], findings)};
    } else if (node.has("sphere")) {
        selection.kind = read_sphere(node["sphere"]);
    } else if (node.has("plane")) {
        selection.kind = read_plane(node["plane"], findings);
    } else if (node.has("nearest")) {
        selection.kind = SelectNearest{read_vector(node["nearest"])};
    } else if (node.has("any")) {
        selection.kind = SelectAnyOf{read_parts(node["any"], findings)};
    } else if (node.has("all")) {
        selection.kind = SelectAllOf{read_parts(node["all"], findings)};
    } else {
        selection.kind = SelectNotIn{{read_selection(node["not"], findings)}};
    }
    return selection;
}

}  // namespace yawara::scene_file
