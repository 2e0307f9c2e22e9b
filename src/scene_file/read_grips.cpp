// "handles" and "forces": what leads and pushes particles, over time.
#include <fmt/format.h>

#include "scene_file/read_values.h"

namespace yawara::scene_file {

HandleDocument read_handle(const Node& node, Findings& findings)
{
    HandleDocument handle;
    handle.select = read_selection(node["select"], findings);
    if (node.has("stiffness")) handle.stiffness = node["stiffness"].as<double>();
    handle.smooth = node["smooth"].as<bool>();
    if (node.has("release")) handle.release = node["release"].as<double>();
    const Node path = node["path"];
    for (std::size_t i = 0; i < path.size(); ++i) {
        const Node entry = path[i];
        PathKey key;
        key.time = entry["time"].as<double>();
        key.move = read_vector(entry["move"]);
        if (entry.has("turn")) key.turn = read_turn(entry["turn"], findings);
        if (entry.has("about")) key.about = read_vector(entry["about"]);
        if (i > 0 && key.time <= handle.path.back().time) {
            findings.error(entry.path + ".time", fmt::format("{:g} is not later than {:g}, the time of the key before",
                                                             key.time, handle.path.back().time));
        }
        handle.path.push_back(key);
    }
    if (!handle.path.empty()) {
        const PathKey& first = handle.path.front();
        if (handle.stiffness == 0 && (first.move != Vec3d{} || first.turn != Vec3d{})) {
            findings.warning(path.path, "the first key is not where the particles start, so a hard handle jumps there");
        }
    }
    return handle;
}

ForceDocument read_force(const Node& node, Findings& findings)
{
    ForceDocument force;
    force.select = read_selection(node["select"], findings);
    if (node.has("force")) force.force = read_vector(node["force"]);
    if (node.has("acceleration")) force.acceleration = read_vector(node["acceleration"]);
    force.from = node["from"].as<double>();
    if (node.has("until")) {
        force.until = node["until"].as<double>();
        if (*force.until <= force.from) {
            findings.error(node.path + ".until",
                           fmt::format("{:g} is not later than \"from\", which is {:g}", *force.until, force.from));
        }
    }
    return force;
}

}  // namespace yawara::scene_file
