// Scenes of the gallery as subjects of a benchmark.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "yawara/scene_file.h"

namespace yawara::bench {

nlohmann::json read_gallery(const std::string& name);

/// On one thread.
LoadedScene load(const nlohmann::json& document);

/// A moment of a scene.
struct Moment {
    std::vector<BodyState> states;  ///< per body
    std::int64_t steps = 0;
    double time = 0;  ///< s
};
Moment moment_of(Scene& scene);

/// Twenty steps from one moment, again and again.
class Rerun {
public:
    static constexpr int kSteps = 20;
    Rerun(LoadedScene loaded, const Moment& moment) : loaded_(std::move(loaded)), moment_(moment) {}
    void operator()();

private:
    LoadedScene loaded_;
    const Moment& moment_;
};

}  // namespace yawara::bench
