// What became of each run, taken down line by line as it happens. Every program has a journal of its own, so that no
// two write to one file; all of them together are the state of the sweep.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "yawara/sweep.h"

namespace yawara::sweep {

/// A run as the journal has it: its results as they stand in the table, and its time, which does not.
struct DoneRun {
    std::string row;
    double seconds = 0;
};

struct JournalContent {
    std::map<std::size_t, DoneRun> done;
    std::map<std::size_t, int> begun;  ///< how often, of runs that are not done
};

class Journal {
public:
    /// A new one in the folder of a sweep.
    static Result<Journal> create(const std::filesystem::path& folder);
    Journal(Journal&& other) noexcept;
    ~Journal();
    Journal& operator=(Journal&&) = delete;

    // By any thread. An error means that the line is not there: the disk is full.
    Status begin(std::size_t run);
    /// It was begun and given up: somebody asked for an end.
    Status leave(std::size_t run);
    Status end(std::size_t run, const DoneRun& done);

    /// What all journals of a folder say. A line that was cut off, by a kill or a full disk, says nothing; of a run
    /// that was done twice, which gives the same row, one counts.
    static Result<JournalContent> read_all(const std::filesystem::path& folder);

private:
    Journal(int file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}
    Status append(const std::string& line);

    int file_;
    std::filesystem::path path_;
    std::mutex mutex_;
};

}  // namespace yawara::sweep
