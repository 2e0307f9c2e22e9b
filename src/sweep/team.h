// Programs that work on one sweep together through its folder: the first says what is to be done, each takes the next
// block of runs by making a file that only one can make. No messages, no library: a shared folder is all they need.
#pragma once

#include <memory>

#include "sweep/folder_lock.h"
#include "yawara/sweep.h"

namespace yawara::sweep {

class Team {
public:
    /// The first: lists the runs that are left. It holds the lock of the folder, which names it.
    static Result<Team> lead(const std::filesystem::path& folder, const SweepTeam& place, std::span<const std::size_t> runs);
    /// Another: waits for the first.
    static Result<Team> join(const std::filesystem::path& folder, const SweepTeam& place,
                             const std::function<bool()>& cancelled);

    std::size_t size() const { return runs_.size(); }
    /// The next runs that nobody has; none: all are taken.
    Result<std::span<const std::size_t>> take();
    /// Tells the first that this one is done.
    Status leave();
    /// For the first: until all others are done or have ended in some other way.
    void wait(const std::function<bool()>& cancelled) const;
    /// For the first: nothing is left of the team.
    void dissolve() const;

private:
    Team(std::filesystem::path folder, int rank, int size) : folder_(std::move(folder)), rank_(rank), size_(size) {}
    Status enter();
    std::filesystem::path member(int rank) const;

    std::filesystem::path folder_;
    int rank_, size_;
    std::vector<std::size_t> runs_;
    std::size_t block_ = 1, next_ = 0;
    std::unique_ptr<Heartbeat> heartbeat_;
};

}  // namespace yawara::sweep
