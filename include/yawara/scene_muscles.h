// Muscles of a body of a scene document that reproduce a motion.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "yawara/fit_muscles.h"
#include "yawara/scene_file.h"

namespace yawara {

/// A document, where its files are looked up, and its name for messages.
struct SceneText {
    std::string text;
    std::filesystem::path folder;
    std::string name = "scene";
    BuildCache cache{};
};
struct SceneMuscleFit {
    MuscleFit fit;
    std::string scene;  ///< the document with what was found: amplitude and phase as formulas
    std::string layer;  ///< the active layer alone
    std::string place;  ///< of the body in the document, as a JSON pointer
};
/// The motion of a body from a file: a clip (.ywc), of its only body or the one of this name, or a point cache (.pc2,
/// .mdd) of its particles or of its drawn vertices. `rate`: frames per second, if the file has no clock.
Result<MotionTarget> load_motion(const std::filesystem::path& path, const BodyModel& body, double rate);

/// See fit_muscles(). `body`: its identity; `target`: given its model and the time between frames, s, the motion that
/// is wanted of it.
Result<SceneMuscleFit> fit_scene_muscles(const SceneText& scene, const std::string& body,
                                         const std::function<Result<MotionTarget>(const BodyModel&, double)>& target,
                                         const MuscleFitOptions& options);

}  // namespace yawara
