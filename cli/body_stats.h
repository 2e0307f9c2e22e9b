// Numbers of every frame and body beside the arrays of a run: BODY.stats.csv, and BODY.levels.npy of finite elements.
#pragma once

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "audit.h"
#include "yawara/scene_file.h"

namespace yawara::cli {

class BodyStats {
public:
    /// With `audited` there are columns for the difference from full resolution.
    BodyStats(const Scene& scene, const std::filesystem::path& folder, bool audited);

    /// The state at the start, then after every frame; reports and differences are empty at the start.
    void frame(const Scene& scene, std::span<const StepReport> reports, std::span<const Difference> differences);
    Status finish();

private:
    struct Body {
        std::string name;
        std::ofstream csv;
        std::vector<std::int32_t> levels;  ///< of the finest tets, frame after frame
        std::size_t tets = 0;
    };
    std::filesystem::path folder_;
    std::vector<Body> bodies_;
    std::size_t frames_ = 0;
    bool audited_;
};

}  // namespace yawara::cli
