// Runs of a sweep are those of single runs; a table is the same however it came about.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "io/zip.h"
#include "sweep/folder_lock.h"
#include "sweep/journal.h"
#include "sweep_scene.h"
#include "yawara/io.h"
#include "yawara/replace_file.h"

using namespace yawara;
namespace fs = std::filesystem;

namespace {

SweepOutcome done(const SweepPlan& plan, const fs::path& folder, const SweepOptions& options = {})
{
    auto outcome = run_sweep(plan, folder, options);
    INFO((outcome ? "" : outcome.error().message()));
    REQUIRE(outcome);
    return *outcome;
}

bool contains(const std::string& text, const std::string& part)
{
    INFO(text);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every run has the bits and measures of a single run of its scene")
{
    const SweepScratch scratch;
    const SweepPlan plan = scratch.six_runs();
    const SweepOutcome outcome = done(plan, scratch.path / "out");
    CHECK(outcome.done == 6);
    CHECK(outcome.failed == 0);
    const SweepTable table = read_sweep_table(plan, scratch.path / "out").value();
    REQUIRE(table.rows.size() == 6);
    for (const auto& row : table.rows) {
        auto single = LoadedScene::from_text(plan.scene_text(row.run), plan.scene_folder()).value();
        double least = 1e9, most = -1e9, sum = 0, last = 0;
        for (int frame = 0; frame < single.frames(); ++frame) {
            single.step();
            last = single.measures().values(single.scene())[0];
            least = std::min(least, last);
            most = std::max(most, last);
            sum += last;
        }
        CHECK(row.result.fingerprint == single.scene().hash());
        CHECK(row.result.frames == single.frames());
        CHECK(table.measures[0] == "reach");
        CHECK(row.result.measures[0].last == last);
        CHECK(row.result.measures[0].min == least);
        CHECK(row.result.measures[0].max == most);
        CHECK(row.result.measures[0].mean == doctest::Approx(sum / single.frames()));
    }
}

TEST_CASE("the table has the same bytes from one thread, from several, and from shards")
{
    const SweepScratch scratch;
    const SweepPlan plan = scratch.six_runs();
    done(plan, scratch.path / "one", {.threads = 1});
    done(plan, scratch.path / "three", {.threads = 3});
    REQUIRE(prepare_sweep(plan, scratch.path / "shards"));
    for (const int shard : {2, 0, 3, 1}) {
        CHECK_FALSE(fs::exists(scratch.path / "shards/runs.csv"));
        done(plan, scratch.path / "shards", {.shard = SweepShard{shard, 4}});
    }
    const std::string table = scratch.read("one/runs.csv");
    CHECK(std::count(table.begin(), table.end(), '\n') == 7);
    CHECK(table == scratch.read("three/runs.csv"));
    CHECK(table == scratch.read("shards/runs.csv"));
}

TEST_CASE("every run is in exactly one shard, and those with nothing left are not asked for")
{
    const SweepScratch scratch;
    const SweepPlan plan = scratch.six_runs();
    std::vector<std::size_t> all{0, 1, 2, 3, 4, 5};
    for (const int shards : {1, 2, 4, 6}) {
        CHECK(shards_left(plan, all, shards).size() == static_cast<std::size_t>(shards));
        CHECK(shards_left(plan, std::vector<std::size_t>{}, shards).empty());
    }
    CHECK(shards_left(plan, std::vector<std::size_t>{5}, 4) == std::vector{3});
    SlurmJob job{"/usr/bin/yawara", "/a folder/it's", 9, {0, 1, 2, 5, 7, 8}, 2, "--partition=short"};
    const std::string script = slurm_script(job);
    CHECK(contains(script, "--array=0-2,5,7-8\n"));
    CHECK(contains(script, R"('/a folder/it'\''s')"));
    CHECK(contains(script, "#SBATCH --partition=short\n"));
    CHECK(contains(script, "--shard \"$SLURM_ARRAY_TASK_ID/9\" --threads 2"));
    CHECK(shards_for(10'000, 36'000, 1) == 40);
    CHECK(shards_for(3, 36'000, 1) == 3);
    CHECK(shards_for(3, 0.1, 1) == 1);
}

TEST_CASE("a run that cannot be built is named with its reason, and the others go on")
{
    const SweepScratch scratch;
    SweepWords words = scratch.words();
    scratch.write("broken.obj", "v 0 0 zero\n");
    words.grid = {R"(bodies[0].solid=[{"from":"broken.obj"},{"bar":{"size":[1,1,1],"cells":[2,2,2]}}])"};
    const auto plan = SweepScratch::plan(words);
    INFO((plan ? "" : plan.error().message()));
    REQUIRE(plan);
    std::vector<std::string> failures;
    SweepOptions options;
    options.progress = [&](const SweepProgress& told) {
        failures.insert(failures.end(), told.failures.begin(), told.failures.end());
    };
    const SweepOutcome outcome = done(*plan, scratch.path / "out", options);
    CHECK(outcome.done == 2);
    CHECK(outcome.failed == 1);
    const SweepTable table = read_sweep_table(*plan, scratch.path / "out").value();
    CHECK(table.rows[0].result.status == RunStatus::failed);
    CHECK(contains(table.rows[0].result.note, "broken.obj"));
    CHECK(table.rows[1].result.status == RunStatus::ok);
    REQUIRE(failures.size() == 1);
    CHECK(failures[0] == "run 0: " + table.rows[0].result.note);
}

TEST_CASE("a stopped sweep goes on where it was, with the table of one that was never stopped")
{
    const SweepScratch scratch;
    const SweepPlan plan = scratch.six_runs();
    done(plan, scratch.path / "whole");
    std::atomic<int> asked = 0;
    SweepOptions stopping{.threads = 1};
    stopping.cancelled = [&] { return ++asked > 15; };
    const SweepOutcome first = done(plan, scratch.path / "parts", stopping);
    CHECK(first.cancelled);
    CHECK(first.done > 0);
    CHECK(first.done < 6);
    CHECK(runs_left(plan, scratch.path / "parts").value().size() == 6 - first.done);
    const SweepOutcome second = done(plan, scratch.path / "parts");
    CHECK(second.done == 6);
    CHECK(second.done_here == 6 - first.done);
    CHECK(scratch.read("whole/runs.csv") == scratch.read("parts/runs.csv"));
    CHECK(done(plan, scratch.path / "parts").done_here == 0);
}

TEST_CASE("another scene, sweep or mesh is noticed before its runs are mixed with older ones")
{
    const SweepScratch scratch;
    const SweepPlan plan = scratch.six_runs();
    done(plan, scratch.path / "out");
    SweepWords words = scratch.words();
    words.grid = {"bodies[0].matching.alpha=[0.3,0.7]"};
    const auto refused = run_sweep(SweepScratch::plan(words).value(), scratch.path / "out", {});
    REQUIRE_FALSE(refused);
    CHECK(contains(refused.error().what, "the sweep has other \"grid\""));
    scratch.write("scene.json", SweepScratch::scene(5));
    const auto changed = run_sweep(scratch.six_runs(), scratch.path / "out", {});
    REQUIRE_FALSE(changed);
    CHECK(contains(changed.error().what, "scene.json has changed"));
    scratch.write("scene.json", SweepScratch::scene(4));
    CHECK(run_sweep(scratch.six_runs(), scratch.path / "out", {}));
    CHECK(sweep_of_folder(scratch.path / "out").value().text() == plan.text());
    REQUIRE(prepare_sweep(plan, scratch.path / "unbegun"));
    CHECK_MESSAGE(prepare_sweep(SweepScratch::plan(words).value(), scratch.path / "unbegun"),
                  "no run of the first is there");
    scratch.write("mine/notes.txt", "x");
    CHECK(contains(run_sweep(plan, scratch.path / "mine", {}).error().what, "needs a folder of its own"));
    CHECK_FALSE(fs::exists(scratch.path / "mine/lock"));
}

TEST_CASE("two sweeps in one folder refuse each other, and a lock of one that is dead counts no more")
{
    const SweepScratch scratch;
    const SweepPlan plan = scratch.six_runs();
    {
        fs::create_directories(scratch.path / "out");
        const auto lock = sweep::FolderLock::take(scratch.path / "out");
        REQUIRE(lock);
        const auto refused = run_sweep(plan, scratch.path / "out", {});
        REQUIRE_FALSE(refused);
        CHECK(contains(refused.error().what, "another sweep is running here: process " + std::to_string(::getpid())));
    }
    done(plan, scratch.path / "out");
    sweep::Holder dead = sweep::Holder::self();
    dead.began = "1";  // the same number, given to another process since
    scratch.write("out/lock", dead.text() + "\n");
    CHECK(run_sweep(plan, scratch.path / "out", {}));
    dead.host = "elsewhere";
    scratch.write("out/lock", dead.text() + "\n");
    CHECK_MESSAGE(!run_sweep(plan, scratch.path / "out", {}), "another machine wrote it just now");
    fs::last_write_time(scratch.path / "out/lock", fs::file_time_type::clock::now() - std::chrono::hours(1));
    CHECK(run_sweep(plan, scratch.path / "out", {}));
}

TEST_CASE("a journal that was cut off loses its last line only, and a run done twice is in the table once")
{
    const SweepScratch scratch;
    const SweepPlan plan = scratch.six_runs();
    done(plan, scratch.path / "out", {.threads = 1});
    const std::string table = scratch.read("out/runs.csv");
    const fs::path journal = fs::directory_iterator(scratch.path / "out/journal")->path();
    std::string text = scratch.read("out/journal/" + journal.filename().string());
    fs::copy_file(journal, scratch.path / "out/journal/second.txt");
    CHECK(done(plan, scratch.path / "out").done == 6);
    CHECK(scratch.read("out/runs.csv") == table);
    fs::remove(scratch.path / "out/journal/second.txt");
    for (const std::size_t cut : {2u, 20u, 60u}) {
        scratch.write("out/journal/" + journal.filename().string(), text.substr(0, text.size() - cut));
        CHECK(runs_left(plan, scratch.path / "out").value() == std::vector<std::size_t>{5});
    }
    text[text.find("end\t2") + 20] ^= 1;
    scratch.write("out/journal/" + journal.filename().string(), text);
    CHECK(runs_left(plan, scratch.path / "out").value() == std::vector<std::size_t>{2});
    CHECK(done(plan, scratch.path / "out").done_here == 1);
    CHECK(scratch.read("out/runs.csv") == table);
}

TEST_CASE("a run that ended the program twice is tried once more in a process of its own, and not for ever")
{
    const SweepScratch scratch;
    const SweepPlan plan = scratch.six_runs();
    const fs::path folder = scratch.path / "out";
    REQUIRE(prepare_sweep(plan, folder));
    const auto begin = [&](std::size_t run) {
        auto journal = sweep::Journal::create(folder);
        REQUIRE(journal->begin(run));
    };
    begin(3);
    begin(3);
    begin(1);
    std::vector<std::size_t> alone;
    SweepOptions options{.threads = 1};
    options.run_alone = [&](std::size_t run) -> Status {
        alone.push_back(run);
        return Error{"", "signal 11"};
    };
    const SweepOutcome outcome = done(plan, folder, options);
    CHECK(alone == std::vector<std::size_t>{3});
    CHECK(outcome.done == 6);
    CHECK(outcome.failed == 1);
    CHECK(read_sweep_table(plan, folder)->rows[3].result.note == "ended the program: signal 11");
    CHECK(done(plan, folder, options).done_here == 0);

    done(plan, scratch.path / "whole");
    fs::remove_all(folder);
    REQUIRE(prepare_sweep(plan, folder));
    begin(3);
    begin(3);
    options.run_alone = [&](std::size_t run) { return do_one_run(plan, folder, run, {}); };
    CHECK(done(plan, folder, options).failed == 0);
    CHECK(scratch.read("out/runs.csv") == scratch.read("whole/runs.csv"));
}

TEST_CASE("what is kept of a run is in its folder, made there or on a disk of this machine")
{
    const SweepScratch scratch;
    const SweepPlan plan = scratch.six_runs({"series", "state", "clip", "picture"});
    SweepOptions options;
    options.draw = [](LoadedScene&, QuantityGauge&, const fs::path& png) { return replace_file(png, "picture"); };
    done(plan, scratch.path / "here", options);
    options.scratch = scratch.path / "scratch";
    fs::create_directories(options.scratch);
    done(plan, scratch.path / "moved", options);
    CHECK(fs::is_empty(options.scratch));
    for (const char* name : {"measures.csv", "state.yws", "clip.ywc", "picture.png"}) {
        CAPTURE(name);
        CHECK(fs::exists(run_folder(scratch.path / "here", 5) / name));
        CHECK(scratch.read("here/runs/000005/" + std::string(name)) ==
              scratch.read("moved/runs/000005/" + std::string(name)));
    }
    const std::string series = scratch.read("here/runs/000005/measures.csv");
    CHECK(series.starts_with("time,\"reach\",\"height\"\n"));
    CHECK(std::count(series.begin(), series.end(), '\n') == 5);
}

TEST_CASE("arrays for NumPy hold what the table says")
{
    const SweepScratch scratch;
    const SweepPlan plan = scratch.six_runs();
    done(plan, scratch.path / "out");
    REQUIRE(io::unzip(scratch.read("out/runs.npz"), scratch.path / "arrays", {}));
    const SweepTable table = read_sweep_table(plan, scratch.path / "out").value();
    const auto array = [&](const std::string& name) {
        auto loaded = load_npy(scratch.path / "arrays" / (name + ".npy"));
        INFO(name);
        REQUIRE(loaded);
        return loaded->values;
    };
    for (std::size_t k = 0; k < 6; ++k) {
        CHECK(array("run")[k] == k);
        CHECK(array("alpha")[k] == std::stod(table.rows[k].values[0]));
        CHECK(array("bodies[bar].density")[k] == std::stod(table.rows[k].values[1]));
        CHECK(array("reach.last")[k] == table.rows[k].result.measures[0].last);
        CHECK(array("seconds")[k] == table.rows[k].result.seconds);
        CHECK(array("fingerprint")[k] == static_cast<double>(table.rows[k].result.fingerprint));
    }
}

TEST_CASE("a disk that is full ends the sweep, names the file, and loses nothing")
{
    const SweepScratch scratch;
    const SweepPlan plan = scratch.six_runs({"picture"});
    std::atomic<int> drawn = 0;
    SweepOptions options{.threads = 1};
    options.draw = [&](LoadedScene&, QuantityGauge&, const fs::path& png) -> Status {
        if (++drawn > 3) return Error{png.string(), "cannot be written: No space left on device"};
        return replace_file(png, "picture");
    };
    const auto full = run_sweep(plan, scratch.path / "out", options);
    REQUIRE_FALSE(full);
    CHECK(contains(full.error().message(), "000003/picture.png: cannot be written: No space left on device"));
    CHECK(runs_left(plan, scratch.path / "out").value().size() == 3);
    drawn = -100;
    CHECK(done(plan, scratch.path / "out", options).failed == 0);
}

TEST_CASE("models that runs share are built once")
{
    const SweepScratch scratch;
    BuildCache cache;
    const SweepPlan plan = scratch.six_runs();
    for (std::size_t run = 0; run < 6; ++run)
        REQUIRE(LoadedScene::from_text(plan.scene_text(run), plan.scene_folder(), "scene", {}, cache));
    CHECK(cache.made().solids == 1);
    CHECK(cache.made().models == 3);  // one for each density
}

TEST_CASE("an estimate grows with the runs and with what is kept")
{
    const SweepScratch scratch;
    const SweepPlan plain = scratch.six_runs(), kept = scratch.six_runs({"clip", "picture"});
    const std::vector<std::size_t> all{0, 1, 2, 3, 4, 5}, one{0};
    CHECK(estimate_sweep(plain, all)->bytes == 6 * estimate_sweep(plain, one)->bytes);
    CHECK(estimate_sweep(kept, all)->bytes > estimate_sweep(plain, all)->bytes);
    CHECK(estimate_sweep(plain, all)->seconds > 0);
    CHECK(estimate_sweep(plain, std::vector<std::size_t>{})->seconds == 0);
}
