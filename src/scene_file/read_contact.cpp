// "contact": how a body meets other bodies and itself.
#include "scene_file/read_values.h"

namespace yawara::scene_file {

ContactSettings read_contact(const Node& node)
{
    ContactSettings contact;
    contact.bodies = node["bodies"].as<bool>();
    contact.self = node["self"].as<bool>();
    contact.friction = node["friction"].as<float>();
    contact.restitution = node["restitution"].as<float>();
    if (node.has("thickness")) contact.thickness = node["thickness"].as<float>();
    return contact;
}

}  // namespace yawara::scene_file
