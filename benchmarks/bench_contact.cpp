// Time of contact between bodies: against their number and vertices, against no contact, and against Bullet on the same
// pile; and of the gallery's crowds.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bullet_pile.h"
#include "gallery.h"
#include "pile.h"
#include "section.h"
#include "table.h"
#include "stopwatch.h"
#include "yawara/yawara.h"

namespace yawara::bench {
namespace {

constexpr int kSettle = 450;  // steps: most have landed

struct Row {
    int bodies = 0;
    int particles = 0;       ///< of all bodies
    int touches = 0;         ///< in one step
    double with = 0;         ///< ms per step, one thread
    double without = 0;      ///< the same bodies, blind to each other
    double two_threads = 0;  ///< with contact, on two
    double bullet = 0;       ///< soft bodies of the same meshes in Bullet; 0: not measured
};

Scene pile_scene(const Pile& pile, bool contact, int threads)
{
    SceneSettings settings;
    settings.dt = kPileStep;
    settings.substeps = 1;
    settings.threads = threads;
    Scene scene(settings);
    scene.add(Collider{});
    for (const Vec3d n : {Vec3d{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}})
        scene.add(Collider{Plane{n * -pile.half_width, n}});
    BodySpec spec;
    std::get<Matching>(spec.solid).domain = pile.mesh;
    const BodyModel model = build(std::move(spec)).value();
    BodySettings body;
    body.contact.bodies = contact;
    for (const Placement& placement : pile.places) scene.add(model, body, placement);
    return scene;
}

Row bench_pile(int bodies, int cells, double seconds)
{
    const Pile pile = make_pile(bodies, cells);
    Scene with = pile_scene(pile, true, 1), without = pile_scene(pile, false, 1), two = pile_scene(pile, true, 2);
    const bool compare = bodies <= 100 && cells == 3;  // more take Bullet minutes
    BulletPile bullet(compare ? pile : make_pile(1));
    for (int k = 0; k < kSettle; ++k) {
        with.substep();
        without.substep();
        two.substep();
        if (compare) bullet.step();
    }
    Row row;
    row.bodies = bodies;
    row.particles = bodies * int(pile.mesh.vertices.size());
    for (const StepReport& report : with.substep()) row.touches += report.contact.touches;
    std::vector<Rival> rivals{
        {"with", [&] { with.substep(); }}, {"without", [&] { without.substep(); }}, {"two", [&] { two.substep(); }}};
    if (compare) rivals.push_back({"bullet", [&] { bullet.step(); }});
    race(rivals, seconds);
    row.with = 1e3 * rivals[0].seconds;
    row.without = 1e3 * rivals[1].seconds;
    row.two_threads = 1e3 * rivals[2].seconds;
    if (compare) row.bullet = 1e3 * rivals[3].seconds;
    return row;
}

/// A crowd of the gallery after two seconds, with contact between its bodies and without, thread time.
nlohmann::json bench_crowd(const char* name, double seconds)
{
    nlohmann::json document = read_gallery(name), blind = document;
    for (nlohmann::json& body : blind["bodies"]) body["contact"]["bodies"] = false;
    LoadedScene first = load(document);
    play(first.scene(), 120);
    const Moment moment = moment_of(first.scene());
    Rerun with(load(document), moment), without(load(blind), moment);
    std::vector<Rival> rivals{{"with", std::ref(with)}, {"without", std::ref(without)}};
    race(rivals, seconds, true);
    int touches = 0;
    for (const StepReport& report : first.scene().substep()) touches += report.contact.touches;
    const double to_ms = 1e3 / Rerun::kSteps;
    return {{"scene", name},
            {"bodies", moment.states.size()},
            {"touches", touches},
            {"without_ms", rivals[1].seconds * to_ms},
            {"contact_ms", rivals[0].seconds * to_ms}};
}

/// One and two threads on a pile of ten: the same bits.
bool check()
{
    const Pile pile = make_pile(10);
    Scene one = pile_scene(pile, true, 1), two = pile_scene(pile, true, 2);
    int touches = 0;
    for (int k = 0; k < 300; ++k) {
        two.substep();
        for (const StepReport& report : one.substep()) touches = std::max(touches, report.contact.touches);
    }
    const bool good = one.hash() == two.hash() && touches > 0;
    fmt::print("contact: one and two threads {} after 300 steps of ten bodies\n", good ? "agree" : "differ");
    return good;
}

nlohmann::json measure(const BenchOptions& options)
{
    constexpr std::pair<int, int> kPiles[] = {{1, 3}, {10, 3}, {100, 3}, {1000, 3}, {10, 6}, {10, 9}};  // bodies, cells
    nlohmann::json piles = nlohmann::json::array(), crowds = nlohmann::json::array();
    for (const auto& [bodies, cells] : kPiles) {
        if (options.quick && bodies > 100) continue;
        const Row r = bench_pile(bodies, cells, options.seconds / 2);
        piles.push_back({{"bodies", r.bodies},
                         {"particles", r.particles},
                         {"touches", r.touches},
                         {"without_ms", r.without},
                         {"contact_ms", r.with},
                         {"two_threads_ms", r.two_threads},
                         {"bullet_ms", measured_or_null(r.bullet)}});
    }
    for (const char* name : {"caterpillar_crowd", "jellyfish_swarm"})
        crowds.push_back(bench_crowd(name, options.seconds / 2));
    return {{"piles", piles}, {"crowds", crowds}};
}

void print(const nlohmann::json& measured)
{
    fmt::print("Contact: piles of small cubes, one pass; ms per step\n\n");
    fmt::print("{:>8} {:>9} {:>8} | {:>8} {:>8} {:>9} {:>8} | {:>12} {:>12}\n", "bodies", "particles", "touches",
               "without", "contact", "2 threads", "Bullet", "with/without", "Bullet/ours");
    for (const nlohmann::json& r : measured["piles"]) {
        const auto number = [&](const char* key) { return r[key].get<double>(); };
        const double bullet = measured_or_zero(r["bullet_ms"]);
        fmt::print("{:>8} {:>9} {:>8} | {:>8.3f} {:>8.3f} {:>9.3f} {:>8} | {:>11.2f}x {:>12}\n", r["bodies"].get<int>(),
                   r["particles"].get<int>(), r["touches"].get<int>(), number("without_ms"), number("contact_ms"),
                   number("two_threads_ms"), bullet > 0 ? fmt::format("{:.3f}", bullet) : "-",
                   number("contact_ms") / number("without_ms"),
                   bullet > 0 ? fmt::format("{:.1f}x", bullet / number("contact_ms")) : "-");
    }
    fmt::print("\nCrowds of the gallery after two seconds; ms per step of one thread\n\n");
    fmt::print("{:<18} {:>7} {:>8} | {:>8} {:>8} | {:>12}\n", "scene", "bodies", "touches", "without", "contact",
               "with/without");
    for (const nlohmann::json& r : measured["crowds"])
        fmt::print("{:<18} {:>7} {:>8} | {:>8.3f} {:>8.3f} | {:>11.2f}x\n", r["scene"].get<std::string>(),
                   r["bodies"].get<int>(), r["touches"].get<int>(), r["without_ms"].get<double>(),
                   r["contact_ms"].get<double>(), r["contact_ms"].get<double>() / r["without_ms"].get<double>());
}

}  // namespace

extern const Section kContactSection;
const Section kContactSection{"contact", check, measure, print};

}  // namespace yawara::bench
