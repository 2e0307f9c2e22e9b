// "joints": what holds bodies together, or to the world.
#include "scene_file/read_values.h"

namespace yawara::scene_file {
namespace {

Hinge read_hinge(const Node& node, Findings& findings)
{
    constexpr double kRadians = 3.14159265358979323846 / 180;
    Hinge hinge;
    hinge.axis = read_direction(node["axis"], findings);
    hinge.speed = node["speed"].as<double>();
    hinge.torque = node["torque"].as<double>();
    if (!node.has("limit")) return hinge;
    const auto limit = node["limit"].as<std::vector<double>>();
    if (limit[0] > limit[1]) findings.error(node["limit"].path, "the first is the least");
    hinge.limit = {limit[0] * kRadians, limit[1] * kRadians};
    return hinge;
}

}  // namespace

JointDocument read_joint(const Node& node, Findings& findings)
{
    JointDocument joint;
    joint.where = node.path;
    joint.body = node["body"].as<std::string>();
    if (node.has("to")) joint.to = node["to"].as<std::string>();
    joint.joint.a.point = joint.joint.b.point = read_vector(node["point"]);
    if (node.has("to_point")) joint.joint.b.point = read_vector(node["to_point"]);
    if (node.has("select")) joint.select = read_selection(node["select"], findings);
    if (node.has("to_select")) joint.to_select = read_selection(node["to_select"], findings);
    joint.collide = node["collide"].as<bool>();
    if (node.has("weld")) joint.joint.kind = Weld{};
    if (node.has("ball")) joint.joint.kind = BallJoint{};
    if (node.has("hinge")) joint.joint.kind = read_hinge(node["hinge"], findings);
    if (node.has("rope")) joint.joint.kind = Rope{node["rope"]["length"].as<double>()};
    return joint;
}

}  // namespace yawara::scene_file
