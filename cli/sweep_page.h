// The results of a sweep as one page that opens without network: plots, parallel coordinates, the best and the worst.
#pragma once

#include <filesystem>
#include <string>

#include "yawara/sweep.h"

namespace yawara::cli {

/// `folder`: where the page will be; pictures of runs that are there are shown.
std::string sweep_page(const SweepPlan& plan, const SweepTable& table, const std::filesystem::path& folder);

}  // namespace yawara::cli
