// "obstacles": what bodies rest on and bump into.
#include "scene_file/build_cache.h"
#include "scene_file/read_values.h"

namespace yawara::scene_file {

namespace {

PointCacheDocument read_point_cache(const Node& node, Findings& findings)
{
    PointCacheDocument cache{
        read_file(node["file"], findings), "", node["start"].as<double>(), {}, node["repeat"].as<bool>()};
    if (node.has("animation")) cache.animation = node["animation"].as<std::string>();
    if (node.has("fps")) cache.fps = node["fps"].as<double>();
    return cache;
}

MeshObstacle read_mesh(const Node& node, Findings& findings)
{
    MeshObstacle mesh{read_file(node["file"], findings),
                      node["scale"].as<double>(),
                      read_placement(node, "translate", findings),
                      node["container"].as<bool>(),
                      {}};
    if (node.has("cache")) mesh.cache = read_point_cache(node["cache"], findings);
    return mesh;
}

}  // namespace

ObstacleDocument read_obstacle(const Node& node, Findings& findings)
{
    ObstacleDocument obstacle;
    obstacle.friction = node["friction"].as<float>();
    obstacle.restitution = node["restitution"].as<float>();
    obstacle.filter = read_filter(node);
    if (node.has("friction_along")) obstacle.friction_along = node["friction_along"].as<float>();
    if (node.has("plane")) {
        obstacle.shape = read_plane(node["plane"], findings);
    } else if (node.has("box")) {
        const Node box = node["box"];
        obstacle.shape = Box{read_vector(box["size"]) * 0.5, read_placement(box, "center", findings)};
    } else if (node.has("sphere")) {
        obstacle.shape = read_sphere(node["sphere"]);
    } else if (node.has("capsule")) {
        const Node capsule = node["capsule"];
        obstacle.shape =
            Capsule{read_vector(capsule["from"]), read_vector(capsule["to"]), capsule["radius"].as<double>()};
    } else {
        obstacle.shape = read_mesh(node["mesh"], findings);
    }
    obstacle.path = read_path(node["path"], findings);
    obstacle.smooth = node["smooth"].as<bool>();
    obstacle.belt = read_vector(node["belt"]);
    Json shape = node.json;
    for (const char* key : {"path", "smooth", "belt"})
        if (shape.contains(key)) obstacle.motion_source += key + shape[key].dump();
    for (const char* key :
         {"id", "friction", "restitution", "friction_along", "groups", "mask", "sensor", "path", "smooth", "belt"})
        shape.erase(key);
    obstacle.shape_source = shape.dump() + stamps_of({node.path + ".mesh"}, findings);
    return obstacle;
}

}  // namespace yawara::scene_file
