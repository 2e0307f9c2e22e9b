// `run --events`: what happened in a run as a table, one row per event.
#pragma once

#include <filesystem>

#include "yawara/out_file.h"
#include "yawara/replace_file.h"
#include "yawara/scene_file.h"

namespace yawara::cli {

class EventLog {
public:
    static Result<EventLog> create(const std::filesystem::path& csv);
    /// What the last frame, of this number, told.
    Status frame(LoadedScene& loaded, std::size_t number);
    /// Puts the file in place.
    Status finish();
    std::size_t rows() const { return rows_; }

private:
    EventLog(NewFile place, OutFile file) : place_(std::move(place)), file_(std::move(file)) {}

    NewFile place_;
    OutFile file_;
    std::size_t rows_ = 0;
};

}  // namespace yawara::cli
