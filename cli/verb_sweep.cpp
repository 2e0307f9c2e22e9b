// `yawara sweep`: many runs of one scene with other numbers, on this machine or on a cluster, and one table of them.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <thread>

#include <nlohmann/json.hpp>

#include "interrupt.h"
#include "scene_input.h"
#include "scene_picture.h"
#include "sweep_page.h"
#include "verbs.h"
#include "yawara/replace_file.h"
#include "yawara/sweep.h"

namespace yawara::cli {

namespace fs = std::filesystem;

namespace {

// Beyond these a sweep is asked about before it starts.
constexpr double kAskSeconds = 3600, kAskBytes = 10e9;
constexpr std::size_t kAskRuns = 100'000;
constexpr std::size_t kMostNamed = 20;  // failures that are told while it runs; all are in the table
constexpr int kPictureWidth = 320, kPictureHeight = 180;

struct SweepChoices {
    std::string what, out, shard, sbatch, scratch;
    SweepWords words;
    std::optional<std::size_t> only;
    std::optional<int> shards;
    bool yes = false, status = false, slurm = false, dry_run = false;

    bool has_words() const
    {
        return !words.grid.empty() || !words.zip.empty() || !words.random.empty() || !words.latin.empty() ||
               !words.where.empty() || !words.measures.empty() || !words.keep.empty() || words.samples ||
               words.repeats || words.seed || words.frames;
    }
};

/// A sweep and where its results go.
struct Task {
    SweepPlan plan;
    fs::path folder;
};

/// From a scene and what to change in it, a sweep file, or the folder of a sweep.
Result<Task> find_task(const SweepChoices& options)
{
    std::error_code none;
    const bool is_folder = fs::is_directory(options.what, none);
    if ((is_folder || is_sweep_file(options.what)) && options.has_words())
        return Error{options.what, "says itself what is swept; use --set and the like with a scene"};
    if (is_folder) {
        if (!options.out.empty()) return Error{"--out", "the folder of a sweep is where its results are"};
        auto plan = sweep_of_folder(options.what);
        if (!plan) return plan.error();
        return Task{*std::move(plan), options.what};
    }
    const fs::path folder = options.out.empty() ? stem_of(options.what) + "_sweep" : options.out;
    if (is_sweep_file(options.what)) {
        auto plan = SweepPlan::from_file(options.what);
        if (!plan) return plan.error();
        return Task{*std::move(plan), folder};
    }
    SweepWords words = options.words;
    words.scene = options.what;
    if (!fs::exists(options.what, none)) return Error{options.what, "there is no such file or folder"};
    const auto text = sweep_text(words);
    if (!text) return text.error();
    auto plan = SweepPlan::from_text(*text, fs::current_path(none), "sweep");
    if (!plan) return plan.error();
    return Task{*std::move(plan), folder};
}

std::string time_text(double seconds)
{
    if (seconds < 100) return fmt::format("{} s", brief(seconds));
    if (seconds < 100 * 60) return fmt::format("{:.0f} min", seconds / 60);
    if (seconds < 72 * 3600) return fmt::format("{:.1f} h", seconds / 3600);
    return fmt::format("{:.0f} days", seconds / 86400);
}

std::string size_text(double bytes)
{
    if (bytes < 1e6) return fmt::format("{:.0f} kB", std::max(1.0, bytes / 1e3));
    return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6) : fmt::format("{:.1f} GB", bytes / 1e9);
}

int core_count()
{
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// What a command prints, and whether it succeeded.
struct Output {
    bool good = false;
    std::string text;
};
Output output_of(const std::string& command)
{
    Output output;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (!pipe) return output;
    char buffer[4096];
    for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.text.append(buffer, got);
    output.good = ::pclose(pipe) == 0;
    return output;
}

/// What Slurm still has of the job that a folder was given to, one line for each state and how many tasks are in it;
/// empty: nothing.
std::string slurm_states(const fs::path& folder)
{
    const auto job = noted_slurm_job(folder);
    if (!job || job->find_first_not_of("0123456789") != std::string::npos) return {};
    return output_of("squeue --noheader --array --format=%T --jobs=" + *job + " 2> /dev/null | sort | uniq -c").text;
}

/// Tells what the sweep will take and asks if that is much. An error: it is not to be done.
Status agree(const Task& task, std::span<const std::size_t> left, int cores, const SweepChoices& options,
             const Session& session)
{
    const Terminal& terminal = session.terminal;
    const auto estimate = estimate_sweep(task.plan, left);
    if (!estimate) {
        terminal.warn("no estimate: " + estimate.error().message());
        if (left.size() <= kAskRuns || options.yes) return Done{};
    }
    const double seconds = estimate ? estimate->seconds / cores : 0;
    const double bytes = estimate ? static_cast<double>(estimate->bytes) : 0;
    terminal.say("{} runs, about {} on {} {}, {} on the disk", with_commas(left.size()), time_text(seconds), cores,
                 cores == 1 ? "core" : "cores", size_text(bytes));
    std::error_code none;
    const auto space = fs::space(task.folder, none);
    const bool tight = !none && bytes > static_cast<double>(space.available);
    if (tight) terminal.warn(fmt::format("the disk has {} free", size_text(static_cast<double>(space.available))));
    if (options.yes || (seconds <= kAskSeconds && bytes <= kAskBytes && left.size() <= kAskRuns && !tight))
        return Done{};
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return Error{"", "that is a lot; --yes starts it without asking"};
    fmt::print(stderr, "Start? [y/N] ");
    std::string answer;
    std::getline(std::cin, answer);
    if (answer == "y" || answer == "Y" || answer == "yes") return Done{};
    return Error{"", "not started"};
}

/// Starts this program again for one run and waits.
Status run_alone(const fs::path& folder, std::size_t run)
{
    const std::string program = program_path().string(), number = std::to_string(run), where = folder.string();
    const pid_t child = ::fork();
    if (child < 0) return Error{"", "no more processes can be started"};
    if (child == 0) {
        const char* words[] = {program.c_str(), "sweep", where.c_str(), "--only", number.c_str(), "--quiet", nullptr};
        ::execv(program.c_str(), const_cast<char**>(words));
        ::_exit(127);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
        return Error{"", fmt::format("it was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))};
    if (WEXITSTATUS(status) != 0) return Error{"", fmt::format("exit code {}", WEXITSTATUS(status))};
    return Done{};
}

Status draw(LoadedScene& loaded, QuantityGauge& gauge, const fs::path& png)
{
    const auto image = picture_of(loaded, gauge, kPictureWidth, kPictureHeight);
    if (!image) return image.error();
    return save_png(png, *image);
}

Status write_page(const Task& task)
{
    const auto table = read_sweep_table(task.plan, task.folder);
    if (!table) return table.error();
    return replace_file(task.folder / "index.html", sweep_page(task.plan, *table, task.folder));
}

/// What a sweep has come to, in words and as JSON.
int report(const Task& task, const SweepOutcome& outcome, const Terminal& terminal)
{
    const std::size_t left = outcome.runs - outcome.done;
    terminal.say("{} of {} runs are done{}", with_commas(outcome.done), with_commas(outcome.runs),
                 outcome.failed ? fmt::format(", {} of them failed", with_commas(outcome.failed)) : "");
    terminal.say("{}: runs.csv, runs.npz, seconds.csv, index.html", task.folder.string());
    if (left > 0 && outcome.cancelled) terminal.say("stopped; the same command continues where it stopped");
    const bool all_failed = outcome.failed == outcome.runs;
    terminal.object({{"ok", left == 0 && !all_failed},
                     {"folder", task.folder.string()},
                     {"runs", outcome.runs},
                     {"done", outcome.done},
                     {"failed", outcome.failed},
                     {"done_here", outcome.done_here},
                     {"interrupted", outcome.cancelled}});
    if (outcome.cancelled) return kInterrupted;
    return all_failed ? kFailure : kGood;
}

int tell_status(const Task& task, const Terminal& terminal)
{
    const auto table = read_sweep_table(task.plan, task.folder);
    if (!table) return terminal.fail(table.error());
    Status written = write_sweep_table(*table, task.folder);
    if (written) written = write_page(task);
    if (!written) return terminal.fail(written.error());
    SweepOutcome outcome;
    outcome.runs = task.plan.size();
    outcome.done = table->rows.size();
    for (const auto& row : table->rows) outcome.failed += row.result.status == RunStatus::failed;
    const std::string states = slurm_states(task.folder);
    if (!states.empty()) terminal.say("Slurm job {}:\n{}", *noted_slurm_job(task.folder), states);
    return report(task, outcome, terminal);
}

Result<SweepShard> read_shard(const std::string& text)
{
    SweepShard shard;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%d/%d%c", &shard.number, &shard.count, &rest) != 2 || shard.count < 1 ||
        shard.number < 0 || shard.number >= shard.count)
        return Error{"--shard", fmt::format("found \"{}\"; expected NUMBER/COUNT, counted from 0", text)};
    return shard;
}

/// Writes the script of an array of jobs and hands it to Slurm, or prints it.
int submit(const Task& task, const SweepChoices& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    if (Status ready = prepare_sweep(task.plan, task.folder); !ready) return terminal.fail(ready.error());
    const auto left = runs_left(task.plan, task.folder);
    if (!left) return terminal.fail(left.error());
    if (left->empty()) return tell_status(task, terminal);
    const int threads = std::max(1, session.threads);
    int shards = options.shards.value_or(0);
    if (shards == 0) {
        const auto estimate = estimate_sweep(task.plan, *left);
        shards = shards_for(task.plan.size(), estimate ? estimate->seconds : 0, threads);
    }
    std::error_code none;
    SlurmJob job;
    job.program = program_path();
    job.folder = fs::absolute(task.folder, none).lexically_normal();
    job.shards = std::min<int>(shards, static_cast<int>(task.plan.size()));
    job.wanted = shards_left(task.plan, *left, job.shards);
    job.threads = threads;
    job.options = options.sbatch;
    const std::string script = slurm_script(job);
    if (options.dry_run) {
        fmt::print("{}", script);
        return kGood;
    }
    if (Status agreed = agree(task, *left, threads * static_cast<int>(job.wanted.size()), options, session); !agreed)
        return terminal.fail(agreed.error());
    const fs::path file = job.folder / "slurm.sh";
    if (Status written = replace_file(file, script); !written) return terminal.fail(written.error());
    const Output answer = output_of("sbatch --parsable '" + file.string() + "'");
    const std::string number = answer.text.substr(0, answer.text.find_first_not_of("0123456789"));
    if (!answer.good || number.empty())
        return terminal.fail(Error{"sbatch", "did not accept the job; its script is " + file.string()});
    if (Status noted = note_slurm_job(task.folder, number, job.shards); !noted) return terminal.fail(noted.error());
    terminal.say("job {}: {} runs in {} shards; yawara sweep {} --status shows their progress", number,
                 with_commas(left->size()), job.wanted.size(), task.folder.string());
    terminal.object({{"ok", true}, {"job", number}, {"shards", job.wanted.size()}, {"runs", left->size()}});
    return kGood;
}

int sweep(const SweepChoices& options, const Session& session)
{
    const Terminal& terminal = session.terminal;
    auto task = find_task(options);
    if (!task) return terminal.fail(task.error());

    SweepOptions how;
    how.threads = session.threads;
    how.scratch = options.scratch;
    how.cancelled = interrupted;
    how.draw = draw;
    how.run_alone = [&](std::size_t run) { return run_alone(task->folder, run); };
    if (options.only) {
        const Status done = do_one_run(task->plan, task->folder, *options.only, how);
        return done ? kGood : terminal.fail(done.error());
    }
    if (options.status) return tell_status(*task, terminal);
    how.team = find_team();
    if (!options.shard.empty()) {
        const auto shard = read_shard(options.shard);
        if (!shard) return terminal.fail(shard.error()), kUsage;
        how.shard = *shard;
        how.team.reset();
    } else if (!options.dry_run && !slurm_states(task->folder).empty()) {
        return terminal.fail(
            Error{task->folder.string(),
                  fmt::format("Slurm job {} is running here; --status shows its progress, scancel ends it",
                              *noted_slurm_job(task->folder))});
    }
    if (options.slurm || options.dry_run) return submit(*task, options, session);

    const bool leads = !how.team || how.team->rank == 0;
    if (leads && !how.shard) {
        if (Status ready = prepare_sweep(task->plan, task->folder); !ready) return terminal.fail(ready.error());
        const auto left = runs_left(task->plan, task->folder);
        if (!left) return terminal.fail(left.error());
        if (left->size() < task->plan.size())
            terminal.say("{} of {} runs were done before", with_commas(task->plan.size() - left->size()),
                         with_commas(task->plan.size()));
        const int each = how.threads > 0 ? how.threads : how.team ? 1 : core_count();
        if (Status agreed = agree(*task, *left, how.team ? each * how.team->size : each, options, session); !agreed)
            return terminal.fail(agreed.error());
    }

    ProgressBar bar(terminal, "sweeping");
    std::size_t named = 0;
    how.progress = [&](const SweepProgress& told) {
        for (const std::string& failure : told.failures) {
            if (++named > kMostNamed) break;
            bar.clear();
            terminal.warn(failure);
            if (named == kMostNamed) terminal.warn("further failures are in runs.csv");
        }
        if (leads) bar.update(told.done_here, told.mine, "runs");
    };
    const auto outcome = run_sweep(task->plan, task->folder, how);
    bar.clear();
    if (!outcome) return terminal.fail(outcome.error());
    if (!leads) return outcome->cancelled ? kInterrupted : kGood;
    if (how.shard && outcome->done < outcome->runs) {
        terminal.say("{} runs done here; {} of {} in all", with_commas(outcome->done_here), with_commas(outcome->done),
                     with_commas(outcome->runs));
        return outcome->cancelled ? kInterrupted : kGood;
    }
    if (Status written = write_page(*task); !written) return terminal.fail(written.error());
    return report(*task, *outcome, terminal);
}

}  // namespace

void add_sweep(CLI::App& app, Session& session)
{
    CLI::App* verb =
        app.add_subcommand("sweep", "Run a scene many times with different values and tabulate the results");
    auto options = std::make_shared<SweepChoices>();
    const auto list = [&](const char* name, std::vector<std::string>& words, const char* help, const char* type) {
        return verb->add_option(name, words, help)->allow_extra_args(false)->type_name(type);
    };
    verb->add_option("what", options->what, "Scene file, sweep file, or the folder of a sweep to continue")
        ->required()
        ->type_name("SCENE");
    list("--set", options->words.grid,
         "Values for a place in the scene: [1,2,5], LOW:HIGH:COUNT or LOW:HIGH:log:COUNT. Several: every combination",
         "PATH=VALUES");
    list("--zip", options->words.zip, "Likewise, but these step through their values together", "PATH=VALUES");
    list("--random", options->words.random, "Drawn from a range; LOW:HIGH:log by factors, LOW:HIGH:whole whole numbers",
         "PATH=LOW:HIGH");
    list("--latin", options->words.latin, "Likewise, as a Latin hypercube: evenly spread", "PATH=LOW:HIGH");
    verb->add_option("--samples", options->words.samples, "Samples per combination (default: 1)")->type_name("N");
    verb->add_option("--repeats", options->words.repeats, "Repeat all draws this many times, each with its own seed")
        ->type_name("N");
    verb->add_option("--seed", options->words.seed, "Seed of the draws (default: 1)")->type_name("N");
    list("--where", options->words.where, "Run only combinations that meet this condition: 'young > 2 * density'",
         "CONDITION");
    list("--measure", options->words.measures,
         "Measure this in addition to the scene's own measures: reach=extent:bar:x", "NAME=WHAT:BODY:AXIS");
    list("--keep", options->words.keep, "Keep of each run: series, state, clip, picture; separate several with commas",
         "NAME")
        ->delimiter(',')
        ->check(CLI::IsMember({"series", "state", "clip", "picture"}));
    verb->add_option("--frames", options->words.frames, "Frames per run (default: as the scene says)")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("F");
    verb->add_option("-o,--out", options->out, "Folder for the results (default: SCENE_sweep in the current folder)")
        ->type_name("DIR");
    verb->add_flag("-y,--yes", options->yes, "Start without asking, however long it may take");
    verb->add_flag("--status", options->status, "Report the progress of a sweep and write the table so far");
    verb->add_flag("--slurm", options->slurm, "Submit the runs to Slurm as a job array");
    verb->add_flag("--dry-run", options->dry_run, "Print the Slurm script instead of submitting it");
    verb->add_option("--shards", options->shards,
                     "Jobs in the array (default: enough that each takes a quarter of an hour)")
        ->check(CLI::Range(1, 100'000))
        ->type_name("N");
    verb->add_option("--sbatch", options->sbatch, "Options for sbatch: '--partition=short --time=60'")
        ->type_name("WORDS");
    verb->add_option("--shard", options->shard, "Run one part of a sweep, as the jobs of an array do: 3/20")
        ->type_name("K/N");
    verb->add_option("--scratch", options->scratch,
                     "Local folder in which to write the files of a run before moving them")
        ->type_name("DIR");
    verb->add_option("--only", options->only)->group("");
    add_common(*verb, session);
    verb->footer(
        "Examples:\n"
        "  yawara sweep jelly.json --set bodies[0].matching.alpha=0.05:0.8:log:10 --set "
        "'bodies[0].density=[500,1000]'\n"
        "  yawara sweep jelly.json --latin E=bodies[0].matching.young=1e3:1e6:log --samples 200 --keep series,picture\n"
        "  yawara sweep jelly_sweep                     continues a sweep that was stopped\n"
        "  yawara sweep study.json --out study --slurm --sbatch --partition=short\n"
        "  yawara sweep study --status                  reports progress and writes the table so far\n"
        "  mpirun -n 64 yawara sweep study.json --out study --yes\n"
        "--threads is the number of simultaneous runs. Ctrl-C stops; the same command continues (exit code 130).\n"
        "Paths: bodies[0].density, bodies[cube].velocity[1], bodies[*].matching.alpha. Name a column: E=PATH=VALUES.");
    verb->callback([options, &session] { session.action = [options, &session] { return sweep(*options, session); }; });
}

}  // namespace yawara::cli
