// One run of a sweep: the scene with its values, simulated by one thread, what is kept put into its folder.
#pragma once

#include "yawara/sweep.h"

namespace yawara::sweep {

/// What the runs of one program share.
struct Workplace {
    const SweepPlan& plan;
    std::filesystem::path folder;
    const SweepOptions& options;
    BuildCache cache{};
};

/// None: it was cancelled. An Error: what is to be kept cannot be written, so that no further run should be tried. A
/// run that cannot be simulated is a result like any other.
Result<std::optional<RunResult>> do_run(Workplace& place, std::size_t run);

/// The measures of every frame: the first column is the time, those that follow are named as in the plan.
struct Series {
    std::vector<double> times;
    std::vector<std::vector<double>> values;  ///< by measure
};
Series series_of(const Recording& recording, std::size_t measures);

}  // namespace yawara::sweep
