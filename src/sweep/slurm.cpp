// A sweep as an array of Slurm jobs: each does a range of runs and may be killed and queued again at any time.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "sweep/manifest.h"
#include "yawara/replace_file.h"
#include "yawara/sweep.h"

namespace yawara {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNote = "slurm";

/// In single quotes for a shell.
std::string quoted(const std::string& text)
{
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
    return word + "'";
}

/// 0,1,2,5 -> "0-2,5"
std::string ranges(std::vector<int> numbers)
{
    std::ranges::sort(numbers);
    std::string text;
    for (std::size_t k = 0; k < numbers.size();) {
        std::size_t last = k;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[k]);
        if (last > k) text += fmt::format("-{}", numbers[last]);
        k = last + 1;
    }
    return text;
}

}  // namespace

std::vector<int> shards_left(const SweepPlan& plan, std::span<const std::size_t> left, int shards)
{
    std::set<int> numbers;
    const std::size_t count = static_cast<std::size_t>(shards);
    for (const std::size_t run : left) {
        // The shard K with size * K / count <= run < size * (K + 1) / count.
        std::size_t shard = run * count / plan.size();
        while (plan.size() * (shard + 1) / count <= run) ++shard;
        numbers.insert(static_cast<int>(shard));
    }
    return {numbers.begin(), numbers.end()};
}

int shards_for(std::size_t runs, double seconds, int threads, double seconds_each)
{
    constexpr double kMostShards = 1000;  // what sites allow in one array, as a rule
    const double wanted = std::ceil(seconds / (std::max(1, threads) * seconds_each));
    return static_cast<int>(std::max(1.0, std::min({wanted, static_cast<double>(runs), kMostShards})));
}

std::string slurm_script(const SlurmJob& job)
{
    std::string script = "#!/bin/sh\n";
    script += fmt::format("#SBATCH --job-name=yawara-{}\n", job.folder.filename().string());
    script += fmt::format("#SBATCH --array={}\n", ranges(job.wanted));
    script += fmt::format("#SBATCH --ntasks=1 --cpus-per-task={} --requeue --open-mode=append\n", job.threads);
    script += fmt::format("#SBATCH --output={}\n", quoted((job.folder / "slurm-%A_%a.log").string()));
    if (!job.options.empty()) script += fmt::format("#SBATCH {}\n", job.options);
    script += "# The same bits on every node, whatever its processor can do beyond this.\n";
    script += fmt::format("export YAWARA_INSTRUCTION_SET={}\n", sweep::instruction_set());
    script += fmt::format(
        "exec {} sweep {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" --threads {} --scratch "
        "\"${{SLURM_TMPDIR:-${{TMPDIR:-/tmp}}}}\"\n",
        quoted(job.program.string()), quoted(job.folder.string()), job.shards, job.threads);
    return script;
}

Status note_slurm_job(const fs::path& folder, const std::string& job, int shards)
{
    return replace_file(folder / kNote, fmt::format("{} {}\n", job, shards));
}

std::optional<std::string> noted_slurm_job(const fs::path& folder)
{
    std::ifstream file(folder / kNote);
    std::string job;
    if (file >> job) return job;
    return std::nullopt;
}

}  // namespace yawara
