// Sweeps as a user starts, stops, kills and goes on with them.
#include <doctest/doctest.h>

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "program.h"

using nlohmann::json;
using program::contains;

namespace {

/// Sixty runs of a falling bar that measures its reach.
std::string scene(int frames)
{
    json document = json::parse(program::falling_bar());
    document["frames"] = frames;
    document["measures"] = {{{"name", "reach"}, {"what", "extent"}, {"body", "bar"}, {"axis", "x"}}};
    return document.dump();
}

std::vector<std::string> sixty_runs(const std::string& out)
{
    return {"sweep",  "bar.json",
            "--set",  "alpha=bodies[0].matching.alpha=0.1:0.9:10",
            "--set",  "bodies[bar].density=[300,400,500,600,700,800]",
            "--out",  out,
            "--quiet"};
}

/// A variable of the environment while it lives.
struct Variable {
    Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
    ~Variable() { ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
};

std::size_t lines(const std::string& text)
{
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// How often a run has ended in the journals of a sweep: of the run that did so most.
std::size_t most_ends(const std::filesystem::path& folder)
{
    std::map<std::string, std::size_t> ends;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "journal")) {
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);)
            if (line.starts_with("end\t")) ++ends[line.substr(4, line.find('\t', 4) - 4)];
    }
    std::size_t most = 0;
    for (const auto& [run, count] : ends) most = std::max(most, count);
    return most;
}

/// Whether a rank works on a sweep.
bool has_joined(const std::filesystem::path& folder, int rank)
{
    std::error_code none;
    for (const auto& team : std::filesystem::directory_iterator(folder / "teams", none))
        if (std::filesystem::exists(team.path() / ("rank-" + std::to_string(rank)), none)) return true;
    return false;
}

}  // namespace

TEST_CASE("a sweep leaves a table, arrays and a page, and a run of it is that of `run`")
{
    const program::Scratch scratch;
    scratch.write("bar.json", scene(12));
    const auto answer = scratch.run({"sweep", "bar.json", "--set", "bodies[0].matching.alpha=[0.5,0.7]", "--keep",
                                     "series,picture", "--json", "--out", "out"});
    REQUIRE(answer.code == 0);
    const json object = json::parse(answer.out);
    CHECK(object["ok"] == true);
    CHECK(object["runs"] == 2);
    CHECK(object["failed"] == 0);
    const std::string table = scratch.read("out/runs.csv");
    CHECK(lines(table) == 3);
    CHECK(
        table.starts_with("run,bodies[0].matching.alpha,status,frames_done,reach.last,reach.min,reach.max,reach.mean,"
                          "height.last,height.min,height.max,height.mean,fingerprint,note\n"));
    const json single = json::parse(scratch.run({"run", "bar.json", "--json", "--out", "x.ywc"}).out);
    CHECK(contains(table, single["hash"].get<std::string>()));
    CHECK(lines(scratch.read("out/seconds.csv")) == 3);
    CHECK(scratch.read("out/runs.npz").starts_with("PK"));
    CHECK(lines(scratch.read("out/runs/000001/measures.csv")) == 13);
    CHECK(scratch.read("out/runs/000000/picture.png").starts_with("\x89PNG"));
    const std::string page = scratch.read("out/index.html");
    CHECK(contains(page, "<title>bar - sweep</title>"));
    for (const char* elsewhere : {"http://", "https://", "src=\"//"}) CHECK_FALSE(contains(page, elsewhere));
}

TEST_CASE("a sweep killed at twenty moments ends with the table of one that was not, each run once")
{
    const program::Scratch scratch;
    scratch.write("bar.json", scene(40));
    const auto start = std::chrono::steady_clock::now();
    REQUIRE(scratch.run(sixty_runs("whole")).code == 0);
    const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string table = scratch.read("whole/runs.csv");
    REQUIRE(lines(table) == 61);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> moment(0, whole);
    std::size_t cut_short = 0;
    for (int kill_number = 0; kill_number < 20; ++kill_number) {
        const pid_t child = scratch.start(sixty_runs("killed"));
        ::usleep(static_cast<useconds_t>(1e6 * moment(random)));
        ::kill(child, SIGKILL);
        cut_short += scratch.wait(child).code == -SIGKILL;
    }
    CHECK(cut_short > 0);
    REQUIRE(scratch.run(sixty_runs("killed")).code == 0);
    CHECK(scratch.read("killed/runs.csv") == table);
    CHECK(most_ends(scratch / "killed") == 1);
}

TEST_CASE("Ctrl-C ends a sweep early with a valid table, and the folder alone says how to go on")
{
    const program::Scratch scratch;
    scratch.write("bar.json", scene(400));
    const pid_t child = scratch.start(sixty_runs("out"));
    while (!std::filesystem::exists(scratch / "out/journal")) ::usleep(1000);
    ::kill(child, SIGINT);
    const auto stopped = scratch.wait(child);
    CHECK((stopped.code == 130 || stopped.code == 0));
    CHECK(scratch.read("out/runs.csv").starts_with("run,"));
    const json status = json::parse(scratch.run({"sweep", "out", "--status", "--json"}).out);
    CHECK(status["runs"] == 60);
    CHECK(status["done"] == lines(scratch.read("out/runs.csv")) - 1);
    REQUIRE(scratch.run({"sweep", "out", "--quiet"}).code == 0);
    CHECK(lines(scratch.read("out/runs.csv")) == 61);
}

TEST_CASE("ranks that a launcher starts share the runs through the folder, and one that is killed costs none")
{
    const program::Scratch scratch;
    scratch.write("bar.json", scene(40));
    REQUIRE(scratch.run(sixty_runs("whole")).code == 0);
    for (const bool kills : {false, true}) {
        const std::string out = kills ? "killed" : "team";
        std::vector<pid_t> ranks;
        const Variable size("OMPI_COMM_WORLD_SIZE", "3");
        for (int rank = 0; rank < 3; ++rank) {
            const Variable number("OMPI_COMM_WORLD_RANK", std::to_string(rank));
            ranks.push_back(scratch.start(sixty_runs(out)));
        }
        if (kills) {
            while (!has_joined(scratch / out, 2) && !std::filesystem::exists(scratch / (out + "/runs.csv")))
                ::usleep(1000);
            ::kill(ranks[2], SIGKILL);
            scratch.wait(ranks[2]);  // a process that nobody waits for is not gone
        }
        CHECK(scratch.wait(ranks[0]).code == 0);
        CHECK(scratch.wait(ranks[1]).code == 0);
        if (!kills) CHECK(scratch.wait(ranks[2]).code == 0);
        CHECK(scratch.read(out + "/runs.csv") == scratch.read("whole/runs.csv"));
        CHECK(most_ends(scratch / out) == 1);
    }
}

TEST_CASE("a sweep that would take long is not started without --yes where nobody can be asked")
{
    const program::Scratch scratch;
    scratch.write("bar.json", scene(12));
    const auto asked = scratch.run(
        {"sweep", "bar.json", "--random", "bodies[0].matching.alpha=0.1:1", "--samples", "9000000", "--out", "out"});
    CHECK(asked.code == 1);
    CHECK(contains(asked.out, "9,000,000 runs, about"));
    CHECK(contains(asked.err, "--yes starts it without asking"));
    const auto refused = scratch.run({"sweep", "bar.json", "--random", "bodies[0].matching.alpha=0.1:1", "--samples",
                                      "10000000", "--repeats", "2", "--yes"});
    CHECK(refused.code == 1);
    CHECK(contains(refused.err, "at most 10000000 are possible"));
}

TEST_CASE("mistakes in a sweep are named with what was meant")
{
    const program::Scratch scratch;
    scratch.write("bar.json", scene(12));
    const auto wrong = scratch.run({"sweep", "bar.json", "--set", "bodies[0].matching.alhpa=[1]"});
    CHECK(wrong.code == 1);
    CHECK(contains(wrong.err, "bodies[0].matching.alhpa: unknown key, did you mean \"alpha\"?"));
    CHECK_FALSE(std::filesystem::exists(scratch / "bar_sweep"));
    CHECK(contains(scratch.run({"sweep", "missing.json"}).err, "missing.json: there is no such file"));
    CHECK(contains(scratch.run({"sweep", "bar.json", "--set", "bodies[0].density=[1,2]", "--shard", "5/4"}).err,
                   "expected NUMBER/COUNT"));
}

TEST_CASE("the script for Slurm names the folder, the shards and the program")
{
    const program::Scratch scratch;
    scratch.write("bar.json", scene(12));
    const auto answer = scratch.run({"sweep", "bar.json", "--set", "bodies[0].density=[1,2,3,4]", "--out", "out",
                                     "--slurm", "--dry-run", "--shards", "3", "--sbatch", "--time=5"});
    CHECK(answer.code == 0);
    CHECK(contains(answer.out, "#SBATCH --array=0-2\n"));
    CHECK(contains(answer.out, "#SBATCH --time=5\n"));
    CHECK(contains(answer.out, (scratch / "out").string() + "' --shard \"$SLURM_ARRAY_TASK_ID/3\""));
}

TEST_CASE("fit finds the number that a target was made with")
{
    const program::Scratch scratch;
    scratch.write("bar.json", scene(40));
    REQUIRE(scratch.run({"run", "bar.json", "--out", "data", "--format", "npy"}).code == 0);
    const auto answer = scratch.run({"fit", "bar.json", "--target", "data/measures.csv", "--vary",
                                     "alpha=bodies[0].matching.alpha=0.05:0.95", "--out", "fitted.json", "--json"});
    REQUIRE(answer.code == 0);
    const json object = json::parse(answer.out);
    CHECK(object["values"]["alpha"].get<double>() == doctest::Approx(0.5).epsilon(0.02));
    CHECK(json::parse(scratch.read("fitted.json"))["bodies"][0]["matching"]["alpha"] == object["values"]["alpha"]);
    scratch.write("other.csv", "time,raech\n0.1,1\n");
    const auto wrong = scratch.run({"fit", "bar.json", "--target", "other.csv", "--vary", "bodies[0].density=1:2"});
    CHECK(wrong.code == 1);
    CHECK(contains(wrong.err, "does not measure \"raech\", did you mean \"reach\"?"));
}

TEST_CASE("fit finds muscles from a point cache of a body's drawn vertices, and tells one of another body")
{
    const program::Scratch scratch;
    json worm = json::parse(R"({"yawara": 1, "step": {"substeps": 2, "gravity": [0, 0, 0]}, "frames": 60,
        "bodies": [{"name": "worm", "solid": {"bar": {"size": [1.2, 0.3, 0.3], "cells": [12, 2, 2]}},
            "matching": {"passes": 8, "region_damping": 0.1, "stretch": [{"active": {
                "fields": {"direction": [1, 0, 0], "phase": "0.5 + x / 1.2"}, "speed": 2.5,
                "charts": {"period": 0.4, "d1": {"keys": [[0, 1], [0.1, 0.8], [0.25, 1]], "smooth": true}}}}]}}]})");
    scratch.write("worm.json", worm.dump());
    REQUIRE(scratch.run({"run", "worm.json", "--out", "data", "--format", "pc2"}).code == 0);
    worm["bodies"][0]["matching"]["stretch"][0] =
        json::parse(R"({"active": {"fields": {"direction": [1, 0, 0]}, "charts": {"period": 0.4}}, "strength": 0.5})");
    scratch.write("blank.json", worm.dump());
    const auto answer = scratch.run(
        {"fit", "blank.json", "--muscles", "worm", "--target", "data/worm.pc2", "--out", "found.json", "--json"});
    REQUIRE_MESSAGE(answer.code == 0, answer.err);
    CHECK(json::parse(answer.out)["residual"].get<double>() < 0.05);
    CHECK(json::parse(answer.out)["speed"].get<double>() == doctest::Approx(2.5).epsilon(0.05));
    const json found = json::parse(scratch.read("found.json"))["bodies"][0]["matching"]["stretch"][0];
    CHECK_FALSE(found.contains("strength"));
    double least = 1;
    for (const json& key : found["active"]["charts"]["d1"]["keys"]) least = std::min(least, key[1].get<double>());
    CHECK(least == doctest::Approx(0.8).epsilon(0.05));

    worm["bodies"][0]["solid"]["bar"]["cells"] = {10, 2, 2};
    scratch.write("other.json", worm.dump());
    const auto wrong = scratch.run({"fit", "other.json", "--muscles", "worm", "--target", "data/worm.pc2"});
    CHECK(wrong.code == 1);
    CHECK(contains(wrong.err, "it is the motion of another body"));
}
