// "camera" and "look": how the scene and its bodies are drawn.
#include <algorithm>
#include <array>

#include "scene_file/read_values.h"
#include "yawara/quantities.h"

namespace yawara::scene_file {
namespace {

/// Colours of bodies that name none: told apart also by the colour-blind (after Okabe and Ito, softened).
constexpr std::array<Vec3, 8> kPalette{{{0.85f, 0.45f, 0.35f},
                                        {0.30f, 0.55f, 0.78f},
                                        {0.90f, 0.68f, 0.28f},
                                        {0.28f, 0.65f, 0.53f},
                                        {0.76f, 0.50f, 0.68f},
                                        {0.47f, 0.75f, 0.88f},
                                        {0.88f, 0.83f, 0.42f},
                                        {0.55f, 0.55f, 0.60f}}};

}  // namespace

Camera read_camera(const Node& node, Findings& findings)
{
    const Camera camera{read_vector(node["eye"]).as<float>(), read_vector(node["target"]).as<float>(),
                        node["field_of_view"].as<float>()};
    if (camera.eye == camera.target) findings.error(node.path, "\"eye\" and \"target\" are the same place");
    return camera;
}

namespace {

Inside read_inside(const Node& node, Findings& findings)
{
    Inside inside;
    if (node.has("color")) inside.color = read_color(node["color"]);
    const Node layers = node["layers"];
    for (std::size_t k = 0; k < layers.size(); ++k)
        inside.layers.push_back({layers[k]["thickness"].as<float>(), read_color(layers[k]["color"])});
    if (!node.has("grain")) return inside;
    const Node grain = node["grain"];
    const auto kind = std::ranges::find(kGrainNames, grain["kind"].as<std::string>());
    inside.grain.kind = GrainKind(kind - kGrainNames.begin());  // the schema knows no other names
    inside.grain.color = read_color(grain["color"]);
    inside.grain.width = grain["width"].as<float>();
    inside.grain.axis = read_direction(grain["axis"], findings).as<float>();
    inside.grain.through = read_vector(grain["through"]).as<float>();
    return inside;
}

}  // namespace

BodyLook read_body_look(const Node& node, std::size_t index, Findings& findings)
{
    BodyLook look;
    look.own_color = node.has("color");
    look.color = look.own_color ? read_color(node["color"]) : kPalette[index % kPalette.size()];
    if (node.has("show")) look.show = node["show"].as<std::string>();
    const auto finish = std::ranges::find(kFinishNames, node["finish"].as<std::string>());
    look.finish = Finish(finish - kFinishNames.begin());  // the schema knows no other names
    look.gloss = node["gloss"].as<float>();
    look.wireframe = node["wireframe"].as<bool>();
    if (node.has("inside")) look.inside = read_inside(node["inside"], findings);
    return look;
}

Look read_look(const Node& node, const std::vector<ShownQuantity>& all_shown, Findings& findings)
{
    Look look;
    look.width = node["size"].json[0].get<int>();
    look.height = node["size"].json[1].get<int>();
    look.samples = node["samples"].as<int>();
    look.ground = node["ground"].as<bool>();
    look.ground_height = node["ground_height"].as<float>();
    look.background = read_color(node["background"]);
    look.transparent = node["transparent"].as<bool>();
    if (node.has("cut")) look.cut = read_plane(node["cut"], findings);

    ColorScale scale{node["color_map"].as<std::string>(), 0, 0, "", false};
    if (node.has("show_range")) {
        const Node range = node["show_range"];
        scale.low = range.json[0].get<float>();
        scale.high = range.json[1].get<float>();
        if (!(scale.low < scale.high)) findings.error(range.path, "the first value has to be below the second");
    }
    for (const auto& [where, quantity] : all_shown) {
        if (quantity.empty()) continue;
        const Quantity shown = quantity_named(quantity);
        if (scale.label.empty()) {
            scale.label = shown.label;
            scale.whole = shown.counts;
        }
        if (scale.label != shown.label) {
            findings.warning(where + ".look.show",
                             "the legend speaks of " + scale.label + ", which another body shows");
        }
    }
    if (!scale.label.empty()) look.scale = scale;
    return look;
}

}  // namespace yawara::scene_file
