// Numbers of every frame and body beside the arrays of a run: BODY.stats.csv, and BODY.levels.npy of finite elements.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audit.h"
#include "yawara/npy_rows.h"
#include "yawara/replace_file.h"
#include "yawara/scene_file.h"

namespace yawara::cli {

class BodyStats {
public:
    /// With `audited` there are columns for the difference from full resolution.
    static Result<BodyStats> create(const Scene& scene, const std::filesystem::path& folder, bool audited);

    /// The state at the start, then after every frame; reports and differences are empty at the start.
    Status frame(const Scene& scene, std::span<const StepReport> reports, std::span<const Difference> differences);
    Status finish();

private:
    struct Body {
        OutFile csv;
        std::optional<NpyRows> levels;  ///< of the finest tets, a row for every frame
    };
    BodyStats(UnfinishedFolder files, bool audited) : files_(std::move(files)), audited_(audited) {}

    UnfinishedFolder files_;
    std::vector<Body> bodies_;
    std::size_t frames_ = 0;
    bool audited_;
};

}  // namespace yawara::cli
