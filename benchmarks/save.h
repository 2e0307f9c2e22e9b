// Results as tables in files, so that documentation can be made from them.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace yawara::bench {

/// Writes what a section measured to SECTION.csv in a folder: its "rows", or its single numbers if it has none. Other
/// lists of rows go to SECTION_KEY.csv, single numbers beside rows to SECTION_numbers.csv. False, and says so, if a
/// file cannot be written.
bool save_tables(const std::filesystem::path& folder, const std::string& section, const nlohmann::json& measured);

}  // namespace yawara::bench
