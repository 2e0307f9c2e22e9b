// The stream of frames to a page while a large body is built beside time: how many come late.
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

#include "../tests/stream/page.h"
#include "section.h"

namespace yawara::bench {
namespace {

using nlohmann::json;
using stream::Json;
using Clock = std::chrono::steady_clock;

constexpr double kLate = 0.05;  // s: three frames of the clock
constexpr int kPlain = 120;     // frames to compare with

/// The ones that are built, each 20,000 particles: by stacking cells, and by filling a surface with tets.
struct Subject {
    const char* name;
    const char* solid;
};
constexpr Subject kSubjects[] = {
    {"bar", R"({"bar": {"size": [9.8, 1.9, 1.9], "cells": [49, 19, 19]}})"},
    {"ball by formula", R"({"formula": "length(x, y, z) - 0.9", "particles": 20000,
                            "box": {"low": [-1, -1, -1], "high": [1, 1, 1]}})"},
};

/// A studio that plays a small scene, in a folder that is gone afterwards.
class Served {
public:
    Served() : folder_(make_folder()), studio_(start(folder_)) {}
    ~Served()
    {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;
    const Studio& studio() const { return studio_; }

private:
    static std::filesystem::path make_folder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "yawara-bench-XXXXXX").string();
        return ::mkdtemp(pattern.data());
    }
    static Studio start(const std::filesystem::path& folder)
    {
        std::filesystem::create_directories(folder / "page");
        std::filesystem::create_directories(folder / "scenes");
        std::ofstream(folder / "page/index.html") << "<title>page</title>";
        std::ofstream(folder / "scenes/one.json") << R"({"yawara": 1, "bodies": [
            {"name": "grows", "solid": {"bar": {"size": [1, 1, 1], "cells": [6, 6, 6]}}},
            {"name": "plays", "solid": {"bar": {"size": [1, 1, 1], "cells": [8, 8, 8]}}, "place": {"translate": [4, 2, 0]}}],
            "obstacles": [{"plane": {}}]})";
        StudioOptions options;
        options.page = folder / "page";
        options.gallery = folder / "scenes";
        options.state = folder / "state";
        options.port = 0;
        return Studio::start(options).value();
    }

    std::filesystem::path folder_;
    Studio studio_;
};

struct Gaps {
    std::vector<double> seconds;

    double rate() const
    {
        double sum = 0;
        for (const double gap : seconds) sum += gap;
        return sum > 0 ? double(seconds.size()) / sum : 0;
    }
    double longest() const { return seconds.empty() ? 0 : *std::ranges::max_element(seconds); }
    int late() const
    {
        return static_cast<int>(std::ranges::count_if(seconds, [](double gap) { return gap > kLate; }));
    }
};

json run(const Subject& subject)
{
    const Served served;
    Page page(served.studio());
    Gaps plain, building;
    Gaps* now = &plain;
    auto last = Clock::now();
    page.frame = [&] {
        now->seconds.push_back(std::chrono::duration<double>(Clock::now() - last).count());
        last = Clock::now();
    };
    page.hear("status");
    while (plain.seconds.size() < kPlain) page.hear();
    plain.seconds.erase(plain.seconds.begin(), plain.seconds.begin() + 10);
    now = &building;
    const auto start = Clock::now();
    page.send(page.edit("replace", "/bodies/@grows/solid", Json::parse(subject.solid)));
    const Json end = page.hear_until([](const Json& message) {
        return message["type"] == "error" || (message["type"] == "build" && message["state"] != "building");
    });
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    while (Clock::now() - start < std::chrono::duration<double>(took + 0.3)) page.hear();  // and the change itself
    return {{"body", subject.name},          {"built", end["type"] == "build" && end["state"] == "done"},
            {"build_seconds", took},         {"rate_before", plain.rate()},
            {"rate_while", building.rate()}, {"longest_gap_ms", 1000 * building.longest()},
            {"late", building.late()},       {"frames", building.seconds.size()}};
}

bool check()
{
    const bool good = run(kSubjects[0])["built"].get<bool>();
    fmt::print("stream: a large body {}\n", good ? "is built while a scene plays" : "WAS NOT BUILT");
    return good;
}

json measure(const BenchOptions&)
{
    json rows = json::array();
    for (const Subject& subject : kSubjects) rows.push_back(run(subject));
    return rows;
}

void print(const json& rows)
{
    fmt::print(
        "Frames that reach a page while a body of 20,000 particles is built; late: {:.0f} ms after the last.\n\n",
        1000 * kLate);
    fmt::print("{:<16} | {:>8} {:>14} {:>14} {:>15} {:>12}\n", "body", "build, s", "before, 1/s", "meanwhile, 1/s",
               "longest gap, ms", "late");
    for (const json& r : rows)
        fmt::print("{:<16} | {:>8.2f} {:>14.1f} {:>14.1f} {:>15.0f} {:>5} of {:<4}\n", r["body"].get<std::string>(),
                   r["build_seconds"].get<double>(), r["rate_before"].get<double>(), r["rate_while"].get<double>(),
                   r["longest_gap_ms"].get<double>(), r["late"].get<int>(), r["frames"].get<int>());
}

}  // namespace

const Section kStreamSection{"stream", check, measure, print};

}  // namespace yawara::bench
