#include "gallery.h"

#include <fstream>

namespace yawara::bench {

nlohmann::json read_gallery(const std::string& name)
{
    std::ifstream file(std::string(YAWARA_SCENES) + "/" + name + ".json");
    return nlohmann::json::parse(file);
}

LoadedScene load(const nlohmann::json& document)
{
    LoadedScene loaded = LoadedScene::from_text(document.dump(), YAWARA_SCENES).value();
    loaded.scene().settings().threads = 1;
    return loaded;
}

Moment moment_of(Scene& scene)
{
    Moment moment{{}, scene.step_count(), scene.time()};
    for (std::size_t b = 0; b < scene.bodies().size(); ++b) moment.states.push_back(scene.state(scene.bodies()[b]));
    return moment;
}

void Rerun::operator()()
{
    Scene& scene = loaded_.scene();
    scene.set_clock(moment_.steps, moment_.time);
    for (std::size_t b = 0; b < moment_.states.size(); ++b) scene.state(scene.bodies()[b]) = moment_.states[b];
    for (int k = 0; k < kSteps; ++k) scene.substep();
}

}  // namespace yawara::bench
