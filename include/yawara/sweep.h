// Many runs of one scene with other numbers: which runs, done by threads, processes or machines that share a folder,
// and one table of what came out. Whoever does a run, its row has the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "yawara/quantities.h"
#include "yawara/scene_file.h"

namespace yawara {

// ---- which runs ----------------------------------------------------------------------------------------------------

/// A sweep as a person types it. Axes: `PATH=VALUES` or `NAME=PATH=VALUES`, values `[1,2,3]`, `LOW:HIGH:COUNT` or
/// `LOW:HIGH:log:COUNT`. Ranges to draw from: `PATH=LOW:HIGH`, then `:log` or `:whole`. Measures:
/// `NAME=WHAT:BODY:AXIS`.
struct SweepWords {
    std::filesystem::path scene;
    std::vector<std::string> grid, zip, random, latin, where, measures, keep;
    std::optional<std::uint64_t> samples, repeats, seed;
    std::optional<int> frames;
};
/// The same as a sweep file (schema/sweep.schema.json).
Result<std::string> sweep_text(const SweepWords& words);

/// The JSON Schema of sweep files, as published.
std::string_view sweep_schema();
/// A sweep file, not a scene.
bool is_sweep_file(const std::filesystem::path& path);

/// The runs of a sweep, checked against the scene and its schema. Any one of them is found without the others, so that
/// millions cost nothing until they are run.
class SweepPlan {
public:
    /// More runs than this are refused.
    static constexpr std::size_t kMostRuns = 10'000'000;

    static Result<SweepPlan> from_file(const std::filesystem::path& path);
    /// `folder`: where relative file names are looked up; `name` stands in messages.
    static Result<SweepPlan> from_text(std::string_view json, const std::filesystem::path& folder,
                                       const std::string& name = "sweep");

    std::size_t size() const;  ///< runs
    /// What the runs differ in, by name; `repeat` is the last if there is more than one.
    std::span<const std::string> parameters() const;
    /// Of one run, as JSON.
    std::vector<std::string> values(std::size_t run) const;
    /// The scene document of one run.
    std::string scene_text(std::size_t run) const;
    const std::filesystem::path& scene_file() const;
    std::filesystem::path scene_folder() const;
    /// Names of what is measured; different ones.
    std::span<const std::string> measures() const;
    bool keeps(std::string_view what) const;  ///< "series", "state", "clip", "picture"
    /// The sweep file with everything written out: equal texts, equal runs.
    const std::string& text() const;

    struct Data;  // src/sweep/plan.h
    const Data& data() const { return *data_; }

private:
    explicit SweepPlan(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
    std::shared_ptr<const Data> data_;
};

// ---- one run -------------------------------------------------------------------------------------------------------

/// How a run ended: well, with a body that something pulled apart (see ShapeReport), or not at all.
enum class RunStatus { ok, grown, failed };
std::string_view to_string(RunStatus status);

/// Over the frames of a run.
struct MeasureSummary {
    double last = 0, min = 0, max = 0, mean = 0;
};

struct RunResult {
    RunStatus status = RunStatus::failed;
    int frames = 0;
    std::vector<MeasureSummary> measures;  ///< as SweepPlan::measures
    std::uint64_t fingerprint = 0;         ///< Scene::hash() at the end: that of a single run
    std::string note;                      ///< why it failed, or what is odd
    double seconds = 0;
};

// ---- all of them ---------------------------------------------------------------------------------------------------

/// How far a sweep is.
struct SweepProgress {
    std::size_t runs = 0;                 ///< of the sweep
    std::size_t done = 0, failed = 0;     ///< of these; failed ones are done, too
    std::size_t done_here = 0, mine = 0;  ///< by this program since it started, of those that it may have to do
    std::vector<std::string> failures{};  ///< run and reason, of those that came since the last call
};

/// One of several programs that work on a sweep together, all started at once: a rank of mpirun or srun.
struct SweepTeam {
    int rank = 0, size = 1;
    std::string launch{};  ///< the same for all that were started together, and for no others; empty: not known
};
/// By what mpirun (Open MPI, MPICH, Intel) and srun leave in the environment; none: this program is alone.
std::optional<SweepTeam> find_team();

/// One of the parts that a sweep was cut into for an array of jobs.
struct SweepShard {
    int number = 0, count = 1;
};

struct SweepOptions {
    int threads = 0;  ///< runs at once; 0: as many as there are cores, one in a team
    std::optional<SweepTeam> team{};
    std::optional<SweepShard> shard{};
    std::filesystem::path scratch{};  ///< a disk of this machine where files of a run are made; empty: in their place

    std::function<bool()> cancelled{};                     ///< asked often
    std::function<void(const SweepProgress&)> progress{};  ///< told now and then, by one thread at a time
    /// For sweeps that keep pictures: of the end of a run. The gauge was made at its start.
    std::function<Status(LoadedScene&, QuantityGauge&, const std::filesystem::path& png)> draw{};
    /// Does one run in a process of its own, by do_one_run: for runs that ended the program twice. The error says how
    /// that process ended.
    std::function<Status(std::size_t run)> run_alone{};
};

struct SweepOutcome {
    std::size_t runs = 0, done = 0, failed = 0;
    std::size_t done_here = 0;
    bool cancelled = false;
};

/// Does what is left to do of a sweep and writes the table of all that is done. The folder is made, or goes on with
/// what it has if that is of the same sweep, scene, files and program. Refused if another program works in it.
Result<SweepOutcome> run_sweep(const SweepPlan& plan, const std::filesystem::path& folder, const SweepOptions& options);

/// Makes the folder ready for a sweep, or checks that it is of the same one, as run_sweep does.
Status prepare_sweep(const SweepPlan& plan, const std::filesystem::path& folder);
/// What is done, without doing more: numbers of the runs that are left.
Result<std::vector<std::size_t>> runs_left(const SweepPlan& plan, const std::filesystem::path& folder);
/// The sweep that a folder is of.
Result<SweepPlan> sweep_of_folder(const std::filesystem::path& folder);
/// Does one run of a folder in this process and takes it down; see SweepOptions::run_alone.
Status do_one_run(const SweepPlan& plan, const std::filesystem::path& folder, std::size_t run,
                  const SweepOptions& options);

/// What all runs together would take, from a look at one of them.
struct SweepEstimate {
    double seconds = 0;        ///< of one core
    std::uintmax_t bytes = 0;  ///< on the disk
};
Result<SweepEstimate> estimate_sweep(const SweepPlan& plan, std::span<const std::size_t> runs);

// ---- the table -----------------------------------------------------------------------------------------------------

/// All that is done, in the order of the runs.
struct SweepTable {
    std::vector<std::string> parameters, measures;
    struct Row {
        std::size_t run = 0;
        std::vector<std::string> values;  ///< JSON, as parameters
        RunResult result;
    };
    std::vector<Row> rows;
};
Result<SweepTable> read_sweep_table(const SweepPlan& plan, const std::filesystem::path& folder);
/// runs.csv (the same bytes however the runs were done), seconds.csv and runs.npz.
Status write_sweep_table(const SweepTable& table, const std::filesystem::path& folder);
/// The folder of what is kept of one run: runs/000012.
std::filesystem::path run_folder(const std::filesystem::path& folder, std::size_t run);

// ---- Slurm ---------------------------------------------------------------------------------------------------------

struct SlurmJob {
    std::filesystem::path program, folder;  ///< absolute; both seen by all nodes
    int shards = 1;
    std::vector<int> wanted;  ///< numbers of the shards that have something to do
    int threads = 1;          ///< cores of each
    std::string options;      ///< further options of sbatch: "--partition=short --time=60"
};
/// Parts with something left to do, when a sweep is cut into `shards`.
std::vector<int> shards_left(const SweepPlan& plan, std::span<const std::size_t> left, int shards);
/// How many shards make each about this long, and at least one run each.
int shards_for(std::size_t runs, double seconds, int threads, double seconds_each = 900);
/// The script that sbatch is given.
std::string slurm_script(const SlurmJob& job);
/// Leaves in the folder that a job works on it, so that others keep away until it has ended.
Status note_slurm_job(const std::filesystem::path& folder, const std::string& job, int shards);
std::optional<std::string> noted_slurm_job(const std::filesystem::path& folder);

}  // namespace yawara
