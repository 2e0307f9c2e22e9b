// "contact": how a body meets other bodies and itself; whom it meets, as obstacles say it, too.
#include "scene_file/read_values.h"

namespace yawara::scene_file {

namespace {

std::uint32_t read_groups(const Node& node)
{
    std::uint32_t bits = 0;
    for (const int group : node.as<std::vector<int>>()) bits |= std::uint32_t{1} << group;
    return bits;
}

}  // namespace

ContactFilter read_filter(const Node& node)
{
    ContactFilter filter;
    filter.groups = read_groups(node["groups"]);
    if (node.has("mask")) filter.mask = read_groups(node["mask"]);
    filter.sensor = node["sensor"].as<bool>();
    return filter;
}

ContactSettings read_contact(const Node& node)
{
    ContactSettings contact;
    contact.bodies = node["bodies"].as<bool>();
    contact.self = node["self"].as<bool>();
    contact.friction = node["friction"].as<float>();
    contact.restitution = node["restitution"].as<float>();
    if (node.has("thickness")) contact.thickness = node["thickness"].as<float>();
    contact.filter = read_filter(node);
    return contact;
}

}  // namespace yawara::scene_file
