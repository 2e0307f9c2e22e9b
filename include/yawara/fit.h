// Finds the numbers of a scene that reproduce given measures: what was measured of a real body, or of another run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "yawara/core.h"
#include "yawara/scene_muscles.h"

namespace yawara {

/// Measures over time, as `run --format npy` and sweeps write them (measures.csv).
struct FitTarget {
    std::vector<double> times;                ///< s
    std::vector<std::string> names;           ///< of measures
    std::vector<std::vector<double>> values;  ///< by measure
};
Result<FitTarget> load_fit_target(const std::filesystem::path& csv);

struct FitProgress {
    int round = 0;
    std::size_t runs = 0;        ///< so far
    double residual = 0;         ///< of the best: root mean square, as a share of the range of each measure
    std::vector<double> values;  ///< of the best
};

struct FitOptions {
    int threads = 0;       ///< runs at once; 0: as many as there are cores
    int most_rounds = 40;  ///< after the first, which looks everywhere
    std::uint64_t seed = 1;
    std::function<bool()> cancelled;
    std::function<void(const FitProgress&)> progress;
};

struct FitResult {
    std::vector<std::string> names;
    std::vector<double> values;
    std::vector<bool> at_end;       ///< of its range: it may lie beyond
    double residual = 0;            ///< as in FitProgress
    std::vector<double> residuals;  ///< by measure of the target
    std::vector<double>
        slopes;  ///< change of the residual over the range of each number: 0 means that it does not matter
    std::size_t runs = 0;
    int rounds = 0;
    bool converged = false, cancelled = false;
    std::string scene;  ///< the scene document with these numbers
};

/// `vary`: `PATH=LOW:HIGH` or `NAME=PATH=LOW:HIGH`, then `:log`.
Result<FitResult> fit(const std::filesystem::path& scene, const FitTarget& target, const std::vector<std::string>& vary,
                      const FitOptions& options);

/// Muscles of a scene's body that reproduce a recorded motion, see load_motion(); `body`: its identity, `fps`: of a
/// motion without a clock, 0: a frame of it is one of the scene.
Result<SceneMuscleFit> fit_scene_muscles(const std::filesystem::path& scene, const std::string& body,
                                         const std::filesystem::path& motion, double fps,
                                         const MuscleFitOptions& options);

}  // namespace yawara
