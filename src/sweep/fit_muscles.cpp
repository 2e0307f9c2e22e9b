// The muscles of a body in a scene file from a recorded motion.
#include "io/file.h"
#include "yawara/fit.h"

namespace yawara {

Result<SceneMuscleFit> fit_scene_muscles(const std::filesystem::path& scene, const std::string& body,
                                         const std::filesystem::path& motion, double fps,
                                         const MuscleFitOptions& options)
{
    Result<std::string> text = io::read_file(scene);
    if (!text) return text.error();
    const SceneText document{*std::move(text), scene.parent_path(), scene.string()};
    const auto target = [&](const BodyModel& model, double frame_time) {
        return load_motion(motion, model, fps > 0 ? fps : 1 / frame_time);
    };
    return fit_scene_muscles(document, body, target, options);
}

}  // namespace yawara
