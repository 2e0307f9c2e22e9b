// Active bodies: the gallery's creatures at the sizes and passes of [ProcDef]'s table 1, on one thread, and the same
// bodies without their muscles; Chebyshev passes against the plain ones they replace.
#include <fmt/format.h>

#include "gallery.h"
#include "section.h"
#include "stopwatch.h"

namespace yawara::bench {
namespace {

using nlohmann::json;

struct Creature {
    const char* scene;
    int passes;
    double paper_ms;  ///< 2.4 GHz Core 2 Duo, with collision, [ProcDef] table 1
};
constexpr Creature kCreatures[] = {{"jellyfish", 2, 4.37},      {"caterpillar", 6, 5.04}, {"jellyfish_swarm", 1, 31.64},
                                   {"caterpillar_crowd", 1, 34.01}, {"heart", 6, 14.79},  {"intestine", 6, 17.49}};

json measure_creature(const Creature& creature, double seconds)
{
    json document = read_gallery(creature.scene);
    document["bodies"] = json::array({document["bodies"][0]});  // the paper's have neither eyes nor tentacles
    document.erase("joints");
    json plain = document, more = document, young = document;
    plain["bodies"][0]["matching"].erase("stretch");
    plain["bodies"][0].erase("cavity");
    plain["bodies"][0]["look"].erase("show");
    more["bodies"][0]["matching"]["passes"] = creature.passes + 1;
    young["bodies"][0]["matching"]["accelerate"] = true;

    LoadedScene first = load(document);
    play(first.scene(), 90);
    const Moment moment = moment_of(first.scene());
    const std::size_t vertices = first.scene().model(first.scene().bodies()[0]).particle_count();
    Rerun active(load(document), moment), bare(load(plain), moment), extra(load(more), moment),
        fast(load(young), moment);
    std::vector<Rival> rivals{{"active", std::ref(active)}, {"bare", std::ref(bare)}, {"extra", std::ref(extra)}, {"fast", std::ref(fast)}};
    race(rivals, seconds, true);
    const double to_ms = 1000.0 / Rerun::kSteps;
    return {{"scene", creature.scene},
            {"vertices", vertices},
            {"bodies", moment.states.size()},
            {"passes", creature.passes},
            {"paper_ms", creature.paper_ms},
            {"step_ms", rivals[0].seconds * to_ms},
            {"without_muscles_ms", rivals[1].seconds * to_ms},
            {"one_more_pass_ms", rivals[2].seconds * to_ms},
            {"accelerated_ms", rivals[3].seconds * to_ms},
            {"muscles_add", rivals[0].seconds / rivals[1].seconds - 1},
            {"of_a_frame_at_60", rivals[0].seconds * to_ms * 60 / 1000}};
}

bool check()
{
    // The same bits on one and two threads, for a creature with many bodies.
    std::uint64_t hashes[2];
    for (int threads = 1; threads <= 2; ++threads) {
        LoadedScene loaded = load(read_gallery("jellyfish_strokes"));
        loaded.scene().settings().threads = threads;
        play(loaded.scene(), 20);
        hashes[threads - 1] = loaded.scene().hash();
    }
    fmt::print("active: one and two threads {}\n", hashes[0] == hashes[1] ? "agree in every bit" : "DIFFER");
    return hashes[0] == hashes[1];
}

json measure(const BenchOptions& options)
{
    json rows = json::array();
    for (const Creature& creature : kCreatures) rows.push_back(measure_creature(creature, options.quick ? 0.5 : options.seconds / 2));
    return rows;
}

void print(const json& rows)
{
    fmt::print("Active bodies, one step on one thread, ms of that thread. The paper's times are of 2009.\n\n");
    fmt::print("{:<20} {:>8} {:>6} {:>6} | {:>8} {:>8} {:>8} | {:>8} {:>11} {:>12} {:>10}\n", "scene", "vertices", "bodies", "passes",
               "paper", "ours", "ratio", "N+1", "accelerated", "muscles add", "of 1/60 s");
    for (const json& r : rows)
        fmt::print("{:<20} {:>8} {:>6} {:>6} | {:>8.2f} {:>8.3f} {:>7.0f}x | {:>8.3f} {:>11.3f} {:>10.0f} % {:>8.1f} %\n",
                   r["scene"].get<std::string>(), r["vertices"].get<int>(), r["bodies"].get<int>(), r["passes"].get<int>(),
                   r["paper_ms"].get<double>(), r["step_ms"].get<double>(), r["paper_ms"].get<double>() / r["step_ms"].get<double>(),
                   r["one_more_pass_ms"].get<double>(), r["accelerated_ms"].get<double>(), 100 * r["muscles_add"].get<double>(),
                   100 * r["of_a_frame_at_60"].get<double>());
}

}  // namespace

const Section kActiveSection{"active", check, measure, print};

}  // namespace yawara::bench
