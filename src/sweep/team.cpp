// teams/HOST-PID-START of the first program: `runs` (the launch, how many make a block, all of them), then `block-K` of
// every block that is taken, `rank-K` of every member while it works and `rank-K.done` when it has ended.
#include "sweep/team.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "yawara/out_file.h"
#include "yawara/replace_file.h"

namespace yawara {

namespace fs = std::filesystem;

namespace {

std::optional<int> whole_number(const char* name)
{
    const char* text = std::getenv(name);
    if (!text || !*text) return std::nullopt;
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    return *end == '\0' && value >= 0 && value < 1'000'000 ? std::optional(static_cast<int>(value)) : std::nullopt;
}

/// What launchers call the programs that they start together: PMIx, else Slurm.
std::string launch_name()
{
    std::string name;
    for (const char* part : {"PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID"})
        if (const char* text = std::getenv(part)) name += fmt::format("{}/", text);
    std::erase_if(name, [](char c) { return c == ' ' || c == '\n'; });
    return name;
}

}  // namespace

std::optional<SweepTeam> find_team()
{
    // Open MPI; MPICH and Intel MPI; srun, which counts the tasks of its step (a batch script has no such count).
    for (const auto& [rank, size] : {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                     {"PMI_RANK", "PMI_SIZE"},
                                     {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}) {
        const auto number = whole_number(rank), count = whole_number(size);
        if (number && count && *count > 1 && *number < *count) return SweepTeam{*number, *count, launch_name()};
    }
    return std::nullopt;
}

namespace sweep {

namespace {

using namespace std::chrono_literals;
constexpr auto kPause = 20ms;
constexpr auto kPatience = 120s;  // for others to start

fs::path team_folder(const fs::path& folder, const Holder& first)
{
    return folder / "teams" / fmt::format("{}-{}-{}", first.host, first.pid, first.began);
}

bool make_file(const fs::path& path, const std::string& text)
{
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return false;
    const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(file);
    return written;
}

}  // namespace

fs::path Team::member(int rank) const
{
    return folder_ / fmt::format("rank-{}", rank);
}

Status Team::enter()
{
    const fs::path file = member(rank_);
    if (Status written = replace_file(file, Holder::self().text() + "\n"); !written) return written;
    heartbeat_ = std::make_unique<Heartbeat>(file);
    return Done{};
}

Result<Team> Team::lead(const fs::path& folder, const SweepTeam& place, std::span<const std::size_t> runs)
{
    std::error_code none;
    fs::remove_all(folder / "teams", none);  // of programs that were killed: the lock is ours
    const int size = place.size;
    Team team(team_folder(folder, Holder::self()), 0, size);
    if (Status made = make_folder(team.folder_); !made) return made.error();
    team.runs_.assign(runs.begin(), runs.end());
    team.block_ = std::max<std::size_t>(1, runs.size() / (32 * static_cast<std::size_t>(size)));
    std::string list = fmt::format("launch:{}\n{}\n", place.launch, team.block_);
    for (const std::size_t run : runs) list += fmt::format("{}\n", run);
    if (Status written = replace_file(team.folder_ / "runs", list); !written) return written.error();
    if (Status entered = team.enter(); !entered) return entered.error();
    return team;
}

Result<Team> Team::join(const fs::path& folder, const SweepTeam& place, const std::function<bool()>& cancelled)
{
    const auto start = std::chrono::steady_clock::now();
    for (;; std::this_thread::sleep_for(kPause)) {
        if (cancelled && cancelled()) return Error{folder.string(), "stopped while waiting for the first of the team"};
        if (std::chrono::steady_clock::now() - start > kPatience)
            return Error{folder.string(), fmt::format("rank {} waited for rank 0 in vain", place.rank)};
        std::ifstream lock(folder / "lock");
        std::string text;
        std::getline(lock, text);
        const auto first = Holder::parse(text);
        if (!first || !is_alive(folder / "lock")) continue;
        Team team(team_folder(folder, *first), place.rank, place.size);
        std::ifstream list(team.folder_ / "runs");
        std::string launch;
        if (!(list >> launch >> team.block_)) continue;
        if (launch != "launch:" + place.launch) continue;  // one that was started before, and is ending
        for (std::size_t run = 0; list >> run;) team.runs_.push_back(run);
        team.next_ = 0;
        if (Status entered = team.enter(); !entered) return entered.error();
        return team;
    }
}

Result<std::span<const std::size_t>> Team::take()
{
    for (; next_ * block_ < runs_.size(); ++next_) {
        const fs::path file = folder_ / fmt::format("block-{}", next_);
        if (make_file(file, fmt::format("{}\n", rank_))) {
            const std::size_t first = next_++ * block_;
            return std::span<const std::size_t>(runs_).subspan(first, std::min(block_, runs_.size() - first));
        }
        if (errno != EEXIST)
            return Error{file.string(), "cannot be written: " + std::generic_category().message(errno)};
    }
    return std::span<const std::size_t>();
}

Status Team::leave()
{
    heartbeat_.reset();
    return replace_file(member(rank_).string() + ".done", "");
}

void Team::wait(const std::function<bool()>& cancelled) const
{
    const auto start = std::chrono::steady_clock::now();
    std::error_code none;
    for (int rank = 1; rank < size_; ++rank) {
        const fs::path file = member(rank), done = file.string() + ".done";
        for (; !fs::exists(done, none); std::this_thread::sleep_for(kPause)) {
            if (cancelled && cancelled()) return;
            const bool came = fs::exists(file, none);
            if (came ? !is_alive(file) : std::chrono::steady_clock::now() - start > kPatience) break;
        }
    }
}

void Team::dissolve() const
{
    std::error_code none;
    fs::remove_all(folder_.parent_path(), none);
}

}  // namespace sweep
}  // namespace yawara
