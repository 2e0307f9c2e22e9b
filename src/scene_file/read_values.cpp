// Vectors, directions, turns, colours and file names of a scene document.
#include "scene_file/read_values.h"

#include <numbers>

#include "yawara/rotation.h"

namespace yawara::scene_file {
namespace {

constexpr double kShortestDirection = 1e-12;

}  // namespace

Vec3d read_vector(const Node& node)
{
    return {node.json[0].get<double>(), node.json[1].get<double>(), node.json[2].get<double>()};
}

Int3 read_counts(const Node& node)
{
    return {node.json[0].get<std::int32_t>(), node.json[1].get<std::int32_t>(), node.json[2].get<std::int32_t>()};
}

Vec3d read_direction(const Node& node, Findings& findings)
{
    const Vec3d v = read_vector(node);
    if (length(v) < kShortestDirection) {
        findings.error(node.path, "too short to be a direction: " + brief(node.json));
        return {0, 1, 0};
    }
    return normalized(v);
}

Vec3d read_turn(const Node& node, Findings& findings)
{
    return read_direction(node["axis"], findings) * (node["degrees"].as<double>() * std::numbers::pi / 180.0);
}

Placement read_placement(const Node& node, const char* move_key, Findings& findings)
{
    Placement placement;
    if (node.has("rotate")) placement.turn = rotation_of(read_turn(node["rotate"], findings));
    placement.move = read_vector(node[move_key]);
    return placement;
}

Vec3 read_color(const Node& node)
{
    if (node.json.is_array()) return read_vector(node).as<float>();
    const auto rgb = std::stoul(node.as<std::string>().substr(1), nullptr, 16);
    return {float(rgb >> 16 & 0xFF) / 255.0f, float(rgb >> 8 & 0xFF) / 255.0f, float(rgb & 0xFF) / 255.0f};
}

FileName read_file(const Node& node, const Findings& findings)
{
    const std::string name = node.as<std::string>();
    return {node.path, findings.folder / std::filesystem::path(std::u8string(name.begin(), name.end()))};
}

}  // namespace yawara::scene_file
