// Where the time of a step goes, in every scene of the gallery whose bodies are all of matching: the kernels (match and
// goals), contact, and all that surrounds them. And what it costs to be many bodies instead of one large one.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "gallery.h"
#include "section.h"
#include "table.h"

namespace yawara::bench {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr double kMostAround = 0.35;    ///< of match and goals, for all that is neither these nor contact
constexpr double kMostOfCrowd = 1.5;    ///< of the kernels of one body with as many particles, contact aside
constexpr double kMostOfBody = 1.5e-3;  ///< ms that a body costs besides its particles
constexpr int kFrames = 60;             ///< played before

/// Milliseconds of one sub-step, on one thread.
struct Shares {
    double whole = std::numeric_limits<double>::infinity(), kernels = 0, contact = 0;
    double around() const { return whole - kernels - contact; }
};

std::size_t particle_count(const Scene& scene)
{
    std::size_t count = 0;
    for (const BodyId id : scene.bodies()) count += scene.model(id).particle_count();
    return count;
}

/// A few frames from the same moment, again and again, in sub-steps as the scene has them; the quickest of each counts, so
/// that a busy machine does little harm.
Shares measure_scene(const json& document, double seconds, std::size_t* particles = nullptr)
{
    LoadedScene loaded = load(document);
    Scene& scene = loaded.scene();
    play(scene, kFrames);
    if (particles) *particles = particle_count(scene);
    const Moment moment = moment_of(scene);
    const int substeps = std::max(scene.settings().substeps, 1);
    std::vector<Shares> best(std::size_t(std::max(Rerun::kSteps / substeps, 4)));
    const Clock::time_point start = Clock::now();
    for (int round = 0; round < 3 || std::chrono::duration<double>(Clock::now() - start).count() < seconds; ++round) {
        scene.set_clock(moment.steps, moment.time);
        for (std::size_t b = 0; b < moment.states.size(); ++b) scene.state(scene.bodies()[b]) = moment.states[b];
        for (Shares& quickest : best) {
            const Clock::time_point before = Clock::now();
            const std::span<const StepReport> reports = scene.step();
            Shares now{std::chrono::duration<double>(Clock::now() - before).count()};
            for (const StepReport& report : reports) {
                const auto of = [&](Phase phase) { return report.seconds[std::size_t(phase)]; };
                now.kernels += of(Phase::match) + of(Phase::goals);
                now.contact += of(Phase::contact);
            }
            if (now.whole < quickest.whole) quickest = now;
        }
    }
    const double to_ms = 1e3 / double(best.size()) / substeps;
    Shares mean{0};
    for (const Shares& frame : best) {
        mean.whole += frame.whole * to_ms;
        mean.kernels += frame.kernels * to_ms;
        mean.contact += frame.contact * to_ms;
    }
    return mean;
}

std::vector<std::string> matching_scenes()
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(YAWARA_SCENES)) {
        if (entry.path().extension() != ".json") continue;
        const std::string name = entry.path().stem().string();
        const json document = read_gallery(name), bodies = document.value("bodies", json::array());
        if (!bodies.empty() &&
            std::all_of(bodies.begin(), bodies.end(), [](const json& b) { return b.contains("matching"); }))
            names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// A crowd whose bodies do not see each other, and one body of its kind with as many particles.
json measure_crowd(const char* name, double seconds)
{
    json crowd = read_gallery(name);
    for (json& body : crowd["bodies"]) body["contact"]["bodies"] = false;
    json one = crowd;
    json& body = one["bodies"][0];
    const std::size_t bodies = body["instances"].size();
    body["instances"] = json::array({body["instances"][0]});
    std::size_t particles = 0, of_one = 0;
    const Shares of_crowd = measure_scene(crowd, seconds, &particles);
    body["solid"]["cell"] = body["solid"]["cell"].get<double>() / std::cbrt(double(bodies));
    Shares large = measure_scene(one, seconds, &of_one);
    const double as_many = double(particles) / double(of_one);
    for (double* share : {&large.whole, &large.kernels, &large.contact}) *share *= as_many;
    return {
        {"scene", name},
        {"bodies", bodies},
        {"particles", particles},
        {"crowd_ms", of_crowd.whole - of_crowd.contact},
        {"one_ms", large.whole - large.contact},
        {"kernels_ms", large.kernels},
        {"ratio", (of_crowd.whole - of_crowd.contact) / large.kernels},
        {"per_body_us", 1e3 * (of_crowd.whole - of_crowd.contact - (large.whole - large.contact)) / double(bodies)}};
}

/// The gallery is found, and shares add up to no more than the whole.
bool check()
{
    const std::vector<std::string> names = matching_scenes();
    const Shares cube = measure_scene(read_gallery("jelly_cube"), 0);
    const bool good = names.size() > 20 && cube.kernels > 0 && cube.around() > 0;
    fmt::print("step: {} scenes of matching bodies, shares {}\n", names.size(), good ? "add up" : "DO NOT ADD UP");
    return good;
}

json measure(const BenchOptions& options)
{
    json scenes = json::array(), crowds = json::array();
    for (const std::string& name : matching_scenes()) {
        std::size_t particles = 0;
        const json document = read_gallery(name);
        const Shares shares = measure_scene(document, options.seconds / 4, &particles);
        scenes.push_back({{"scene", name},
                          {"particles", particles},
                          {"step_ms", shares.whole},
                          {"kernels_ms", shares.kernels},
                          {"contact_ms", shares.contact},
                          {"around_ms", shares.around()},
                          {"ratio", shares.around() / shares.kernels}});
    }
    for (const char* name : {"caterpillar_crowd", "jellyfish_swarm"})
        crowds.push_back(measure_crowd(name, options.seconds / 2));
    return {{"rows", scenes}, {"crowds", crowds}};
}

void print(const json& measured)
{
    const auto number = [](const json& row, const char* key) { return row[key].get<double>(); };
    const auto judged = [](double value, double most) {
        return fmt::format("{:.2f}{}", value, value > most ? " !" : "  ");
    };
    std::vector<std::vector<std::string>> rows;
    for (const json& r : measured["rows"])
        rows.push_back({r["scene"], fmt::format("{}", r["particles"].get<int>()),
                        fmt::format("{:.4f}", number(r, "step_ms")), fmt::format("{:.4f}", number(r, "kernels_ms")),
                        fmt::format("{:.4f}", number(r, "contact_ms")), fmt::format("{:.4f}", number(r, "around_ms")),
                        judged(number(r, "ratio"), kMostAround)});
    fmt::print(
        "Where a step goes, ms on one thread. Around: neither match, goals nor contact; at most {} of match and "
        "goals\n\n",
        kMostAround);
    print_table({{"scene"},
                 {"particles"},
                 {"step", true},
                 {"match + goals"},
                 {"contact"},
                 {"around"},
                 {"around/kernels", true}},
                rows);
    rows.clear();
    for (const json& r : measured["crowds"])
        rows.push_back({r["scene"], fmt::format("{}", r["bodies"].get<int>()),
                        fmt::format("{}", r["particles"].get<int>()), fmt::format("{:.4f}", number(r, "crowd_ms")),
                        fmt::format("{:.4f}", number(r, "one_ms")), fmt::format("{:.4f}", number(r, "kernels_ms")),
                        judged(number(r, "ratio"), kMostOfCrowd), judged(number(r, "per_body_us"), 1e3 * kMostOfBody)});
    fmt::print(
        "\nCrowds that do not see each other against one body with as many particles, ms of a step without contact;\n"
        "at most {} of its match and goals, and {} us for each body\n\n",
        kMostOfCrowd, 1e3 * kMostOfBody);
    print_table({{"scene"},
                 {"bodies"},
                 {"particles"},
                 {"crowd", true},
                 {"one body"},
                 {"its match + goals"},
                 {"crowd/kernels", true},
                 {"us per body"}},
                rows);
}

}  // namespace

const Section kStepSection{"step", check, measure, print};

}  // namespace yawara::bench
