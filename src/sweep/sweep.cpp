// The work on a sweep: threads take one run after the other from a list; a team shares the list through the folder.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "sweep/folder_lock.h"
#include "sweep/journal.h"
#include "sweep/manifest.h"
#include "sweep/row.h"
#include "sweep/run.h"
#include "sweep/team.h"
#include "yawara/out_file.h"

namespace yawara {

namespace fs = std::filesystem;
using namespace sweep;

namespace {

constexpr int kMostTries = 2;  // of a run that ends the program
constexpr auto kToldEvery = std::chrono::milliseconds(100);

/// The runs of one program, done by its threads.
class Work {
public:
    Work(const SweepPlan& plan, const fs::path& folder, const SweepOptions& options, Journal journal,
         const JournalContent& before)
        : place_{plan, folder, options}, journal_(std::move(journal)), begun_(before.begun)
    {
        told_.runs = plan.size();
        told_.done = before.done.size();
        for (const auto& [run, done] : before.done) told_.failed += done.row.starts_with("failed");
    }

    /// The next runs to do; none: there are no more. Called by one thread at a time.
    using Source = std::function<Result<std::span<const std::size_t>>()>;

    /// Until the source is empty, somebody cancels, or something cannot be written. `expected`: how many it will give,
    /// about.
    Status run(int threads, std::size_t expected, const Source& source)
    {
        told_.mine = expected;
        std::vector<std::thread> others;
        const auto work = [&] {
            while (const auto next = take(source)) do_one(*next);
        };
        const std::size_t useful = std::min<std::size_t>(std::max(1, threads), std::max<std::size_t>(1, expected));
        for (std::size_t k = 1; k < useful; ++k) others.emplace_back(work);
        work();
        for (std::thread& thread : others) thread.join();
        tell(true);
        if (trouble_) return *trouble_;
        return Done{};
    }

    std::size_t done_here() const { return told_.done_here; }
    bool is_cancelled() const { return place_.options.cancelled && place_.options.cancelled(); }

private:
    std::optional<std::size_t> take(const Source& source)
    {
        const std::lock_guard lock(mutex_);
        if (trouble_ || is_cancelled()) return std::nullopt;
        if (waiting_.empty()) {
            auto more = source();
            if (!more) {
                trouble_ = more.error();
                return std::nullopt;
            }
            waiting_ = *more;
        }
        if (waiting_.empty()) return std::nullopt;
        const std::size_t run = waiting_.front();
        waiting_ = waiting_.subspan(1);
        return run;
    }

    void do_one(std::size_t run)
    {
        const auto before = begun_.find(run);
        if (before != begun_.end() && before->second >= kMostTries && place_.options.run_alone) return do_alone(run);
        Status written = journal_.begin(run);
        if (!written) return stop(written.error());
        auto result = do_run(place_, run);
        if (!result) {
            (void)journal_.leave(run);
            return stop(result.error());
        }
        written = *result ? journal_.end(run, {row_of(**result), (*result)->seconds}) : journal_.leave(run);
        if (!written) return stop(written.error());
        if (*result) note(run, **result);
    }

    /// It may end its process again: one that is not ours.
    void do_alone(std::size_t run)
    {
        const Status ended = place_.options.run_alone(run);
        RunResult result;
        result.status = RunStatus::ok;
        if (!ended && is_cancelled()) return;
        if (!ended) {
            result.status = RunStatus::failed;
            result.measures.assign(place_.plan.measures().size(), MeasureSummary{NAN, NAN, NAN, NAN});
            result.note = "ended the program: " + ended.error().message();
            if (Status written = journal_.end(run, {row_of(result), 0}); !written) return stop(written.error());
        }
        note(run, result);
    }

    void stop(const Error& error)
    {
        const std::lock_guard lock(mutex_);
        if (!trouble_) trouble_ = error;
    }

    void note(std::size_t run, const RunResult& result)
    {
        const std::lock_guard lock(mutex_);
        ++told_.done;
        ++told_.done_here;
        told_.mine = std::max(told_.mine, told_.done_here);
        if (result.status == RunStatus::failed) {
            ++told_.failed;
            told_.failures.push_back(fmt::format("run {}: {}", run, result.note));
        }
        tell(false);
    }

    void tell(bool now)
    {
        const auto time = std::chrono::steady_clock::now();
        if (!place_.options.progress || (!now && time < next_telling_)) return;
        place_.options.progress(told_);
        told_.failures.clear();
        next_telling_ = time + kToldEvery;
    }

    Workplace place_;
    Journal journal_;
    std::map<std::size_t, int> begun_;  ///< as it was before
    std::mutex mutex_;                  ///< of all that follows
    std::span<const std::size_t> waiting_;
    std::optional<Error> trouble_;
    SweepProgress told_;
    std::chrono::steady_clock::time_point next_telling_{};
};

/// Runs that no journal has.
std::vector<std::size_t> left_of(const SweepPlan& plan, const JournalContent& journal, std::size_t first,
                                 std::size_t last)
{
    std::vector<std::size_t> left;
    for (std::size_t run = first; run < std::min(last, plan.size()); ++run)
        if (!journal.done.contains(run)) left.push_back(run);
    return left;
}

/// A list is handed out whole.
Work::Source all_of(std::span<const std::size_t> runs)
{
    return [runs, given = false]() mutable -> Result<std::span<const std::size_t>> {
        return std::exchange(given, true) ? std::span<const std::size_t>() : runs;
    };
}

int threads_of(const SweepOptions& options)
{
    if (options.threads > 0) return options.threads;
    return options.team ? 1 : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// Writes the table of what is there and tells how much that is.
Result<SweepOutcome> finish(const SweepPlan& plan, const fs::path& folder, bool write)
{
    SweepOutcome outcome;
    outcome.runs = plan.size();
    const auto journal = Journal::read_all(folder);
    if (!journal) return journal.error();
    outcome.done = journal->done.size();
    for (const auto& [run, done] : journal->done) outcome.failed += done.row.starts_with("failed");
    if (!write) return outcome;
    const auto table = read_sweep_table(plan, folder);
    if (!table) return table.error();
    if (Status written = write_sweep_table(*table, folder); !written) return written.error();
    return outcome;
}

/// This program alone, or a shard: the runs from `first` to before `last`.
Result<SweepOutcome> run_range(const SweepPlan& plan, const fs::path& folder, const SweepOptions& options,
                               std::size_t first, std::size_t last)
{
    const auto before = Journal::read_all(folder);
    if (!before) return before.error();
    const std::vector<std::size_t> left = left_of(plan, *before, first, last);
    std::size_t done_here = 0;
    bool cancelled = false;
    Status worked = Done{};
    if (!left.empty()) {
        auto journal = Journal::create(folder);
        if (!journal) return journal.error();
        Work work(plan, folder, options, *std::move(journal), *before);
        worked = work.run(threads_of(options), left.size(), all_of(left));
        done_here = work.done_here();
        cancelled = work.is_cancelled();
    }
    if (!worked) return worked.error();
    auto outcome = finish(plan, folder, !options.shard);
    if (!outcome) return outcome.error();
    if (options.shard && outcome->done == outcome->runs) outcome = finish(plan, folder, true);
    if (!outcome) return outcome.error();
    outcome->done_here = done_here;
    outcome->cancelled = cancelled;
    return outcome;
}

/// Launchers return before all that they started have ended.
void wait_for_others(const fs::path& folder, const SweepOptions& options)
{
    for (int k = 0; k < 100 && is_alive(folder / "lock") && !(options.cancelled && options.cancelled()); ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

Result<SweepOutcome> work_in_team(Team team, const SweepPlan& plan, const fs::path& folder, const SweepOptions& options)
{
    const auto before = Journal::read_all(folder);
    if (!before) return before.error();
    auto journal = Journal::create(folder);
    if (!journal) return journal.error();
    Work work(plan, folder, options, *std::move(journal), *before);
    const std::size_t share = team.size() / static_cast<std::size_t>(options.team->size) + 1;
    const Status worked = work.run(threads_of(options), share, [&] { return team.take(); });
    const Status left = team.leave();
    if (!worked) return worked.error();
    if (!left) return left.error();
    SweepOutcome outcome;
    if (options.team->rank == 0) {
        team.wait(options.cancelled);
        team.dissolve();
        SweepOptions rest = options;  // of members that were killed on the way
        rest.team.reset();
        auto all = run_range(plan, folder, rest, 0, plan.size());
        if (!all) return all.error();
        outcome = *all;
    } else {
        outcome.runs = plan.size();
    }
    outcome.done_here += work.done_here();
    outcome.cancelled = work.is_cancelled();
    return outcome;
}

/// A folder of a sweep, or an empty one, made if it is missing.
Status own_folder(const fs::path& folder)
{
    if (Status made = make_folder(folder); !made) return made;
    std::error_code none;
    if (fs::exists(folder / "sweep.json", none)) return Done{};
    for (const auto& entry : fs::directory_iterator(folder, none))
        if (entry.path().filename() != "lock")
            return Error{folder.string(), "has other files in it; a sweep needs a folder of its own"};
    return Done{};
}

}  // namespace

Status prepare_sweep(const SweepPlan& plan, const fs::path& folder)
{
    if (Status own = own_folder(folder); !own) return own;
    return open_manifest(plan, folder);
}

Result<std::vector<std::size_t>> runs_left(const SweepPlan& plan, const fs::path& folder)
{
    const auto journal = Journal::read_all(folder);
    if (!journal) return journal.error();
    return left_of(plan, *journal, 0, plan.size());
}

Status do_one_run(const SweepPlan& plan, const fs::path& folder, std::size_t run, const SweepOptions& options)
{
    if (run >= plan.size()) return Error{folder.string(), fmt::format("has no run {}", run)};
    if (Status same = open_manifest(plan, folder); !same) return same;
    auto journal = Journal::create(folder);
    if (!journal) return journal.error();
    Workplace place{plan, folder, options};
    const auto result = do_run(place, run);
    if (!result) return result.error();
    if (!*result) return Error{"", "stopped"};
    return journal->end(run, {row_of(**result), (*result)->seconds});
}

Result<SweepOutcome> run_sweep(const SweepPlan& plan, const fs::path& folder, const SweepOptions& options)
{
    if (options.shard) {
        if (Status same = open_manifest(plan, folder); !same) return same.error();
        const std::size_t count = static_cast<std::size_t>(std::max(1, options.shard->count));
        const std::size_t number = static_cast<std::size_t>(options.shard->number);
        return run_range(plan, folder, options, plan.size() * number / count, plan.size() * (number + 1) / count);
    }
    if (options.team && options.team->rank > 0) {
        auto team = Team::join(folder, *options.team, options.cancelled);
        if (!team) return team.error();
        if (Status same = open_manifest(plan, folder); !same) return same.error();
        return work_in_team(*std::move(team), plan, folder, options);
    }
    if (Status own = own_folder(folder); !own) return own.error();
    if (options.team) wait_for_others(folder, options);
    auto lock = FolderLock::take(folder);
    if (!lock) return lock.error();
    if (Status ready = prepare_sweep(plan, folder); !ready) return ready.error();
    if (!options.team) return run_range(plan, folder, options, 0, plan.size());
    const auto left = runs_left(plan, folder);
    if (!left) return left.error();
    auto team = Team::lead(folder, *options.team, *left);
    if (!team) return team.error();
    return work_in_team(*std::move(team), plan, folder, options);
}

}  // namespace yawara
