// The results of a run as they stand in the table and in journals.
#pragma once

#include "yawara/sweep.h"

namespace yawara::sweep {

/// `status,frames,...,fingerprint,note`: one line without tabs. Numbers come back as they were, bit by bit.
std::string row_of(const RunResult& result);
std::optional<RunResult> result_of(std::string_view row, std::size_t measures);

/// A field of a CSV file, in quotes if it needs them.
std::string csv_field(std::string_view text);
std::vector<std::string> csv_fields(std::string_view line);

}  // namespace yawara::sweep
