// "handles", "forces" and paths: what leads and pushes particles and obstacles, over time.
#include <fmt/format.h>

#include "scene_file/read_values.h"

namespace yawara::scene_file {

std::vector<PathKey> read_path(const Node& path, Findings& findings)
{
    std::vector<PathKey> keys;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const Node entry = path[i];
        PathKey key;
        key.time = entry["time"].as<double>();
        key.move = read_vector(entry["move"]);
        if (entry.has("turn")) key.turn = read_turn(entry["turn"], findings);
        if (entry.has("about")) key.about = read_vector(entry["about"]);
        if (i > 0 && key.time <= keys.back().time) {
            findings.error(entry.path + ".time", fmt::format("{:g} is not later than {:g}, the time of the key before",
                                                             key.time, keys.back().time));
        }
        keys.push_back(key);
    }
    return keys;
}

HandleDocument read_handle(const Node& node, Findings& findings)
{
    HandleMotion motion;
    if (node.has("stiffness")) motion.stiffness = node["stiffness"].as<double>();
    motion.smooth = node["smooth"].as<bool>();
    if (node.has("release")) motion.release = node["release"].as<double>();
    motion.keys = read_path(node["path"], findings);
    if (!motion.keys.empty()) {
        const PathKey& first = motion.keys.front();
        if (motion.stiffness == 0 && (first.move != Vec3d{} || first.turn != Vec3d{})) {
            findings.warning(node["path"].path,
                             "the first key is not where the particles start, so a hard handle jumps there");
        }
    }
    return {read_selection(node["select"], findings), std::move(motion)};
}

ForceDocument read_force(const Node& node, Findings& findings)
{
    ForcePlan plan;
    if (node.has("force")) plan.force = read_vector(node["force"]).as<float>();
    if (node.has("acceleration")) plan.acceleration = read_vector(node["acceleration"]).as<float>();
    plan.from = node["from"].as<double>();
    if (node.has("until")) {
        plan.until = node["until"].as<double>();
        if (plan.until <= plan.from) {
            findings.error(node.path + ".until",
                           fmt::format("{:g} is not later than \"from\", which is {:g}", plan.until, plan.from));
        }
    }
    return {read_selection(node["select"], findings), plan};
}

}  // namespace yawara::scene_file
