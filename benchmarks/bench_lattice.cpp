// The lattice step at several widths, on solid blocks and a ball, against its plain twins.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "bars.h"
#include "plain_lattice.h"
#include "same_motion.h"
#include "section.h"
#include "stopwatch.h"
#include "table.h"
#include "yawara/yawara.h"

namespace yawara::bench {
namespace {

constexpr float kDt = 1.0f / 300.0f;

struct LatticeRow {
    std::string shape;   ///< "32^3", "64^3", "ball 64"
    std::string widths;  ///< "1", ..., or "1 3 8 mixed"
    int particles = 0;
    double one_thread = 0, two_threads = 0;  ///< ns per particle and step
    double plain = 0, brute = 0;             ///< of the twins; 0: not run
};

/// n particles along every side, centred as the twin's.
Lattice block_of(int n)
{
    std::vector<Int3> occupied;
    for (int z = 0; z + 1 < n; ++z)
        for (int y = 0; y + 1 < n; ++y)
            for (int x = 0; x + 1 < n; ++x) occupied.push_back({x, y, z});
    const double half = (n - 1) / 2.0;
    return make_lattice({-half, -half, -half}, 1.0, occupied);
}

Lattice ball_of(int n)
{
    const double r = (n - 1) / 2.0;
    std::vector<Int3> occupied;
    for (int z = 0; z + 1 < n; ++z)
        for (int y = 0; y + 1 < n; ++y)
            for (int x = 0; x + 1 < n; ++x)
                if ((x + 0.5 - r) * (x + 0.5 - r) + (y + 0.5 - r) * (y + 0.5 - r) + (z + 0.5 - r) * (z + 0.5 - r) <
                    r * r)
                    occupied.push_back({x, y, z});
    return make_lattice({-r, -r, -r}, 1.0, occupied);
}

/// One body without damping, gravity or contact, in lively motion.
Scene lively_scene(const Lattice& lattice, const std::vector<int>& widths, int threads,
                   RegionRule rule = RegionRule::sharp)
{
    SceneSettings settings;
    settings.dt = double(kDt);
    settings.substeps = 1;
    settings.gravity = {};
    settings.threads = threads;
    Scene scene(settings);
    BodySpec spec;
    std::get<Matching>(spec.solid).hops = widths[0];
    std::get<Matching>(spec.solid).widths.rule = rule;
    if (widths.size() > 1) {
        std::mt19937 random(1);
        std::vector<Int3> reach;
        for (std::size_t i = 0; i < lattice.nodes.size(); ++i) {
            const int w = widths[random() % widths.size()];
            reach.push_back({w, w, w});
        }
        std::get<Matching>(spec.solid).widths.reach = reach;
    }
    spec.particle_masses.assign(lattice.nodes.size(), 1.0);
    spec.surface.vertices = {lattice.position(0)};  // nothing to draw
    std::vector<Vec3d> rest;
    for (std::size_t i = 0; i < lattice.nodes.size(); ++i) rest.push_back(lattice.position(int(i)));
    std::get<Matching>(spec.solid).domain = lattice;
    BodySettings body;
    body.matching.damping = 0;
    scene.add(build(std::move(spec)).value(), body);
    const Box3 box = bounds(rest);
    for (std::size_t i = 0; i < rest.size(); ++i)
        scene.state(scene.bodies()[0]).velocities[i] = lively_velocity(rest[i], box);
    return scene;
}

PlainLattice lively_plain(int n, int width, bool brute)
{
    PlainLattice plain({n, n, n}, width, brute);
    Box3 box;
    for (const Eigen::Vector3f& p : plain.rest) box.add({double(p.x()), double(p.y()), double(p.z())});
    for (std::size_t i = 0; i < plain.rest.size(); ++i) {
        const Eigen::Vector3f& p = plain.rest[i];
        const Vec3 v = lively_velocity({double(p.x()), double(p.y()), double(p.z())}, box);
        plain.velocities[i] = {v.x, v.y, v.z};
    }
    return plain;
}

LatticeRow bench_body(const std::string& shape, const Lattice& lattice, int n, const std::vector<int>& widths,
                      bool with_plain, bool with_brute, double seconds)
{
    LatticeRow row{shape, fmt::format("{}{}", fmt::join(widths, " "), widths.size() > 1 ? " mixed" : ""),
                   int(lattice.nodes.size())};
    Scene one = lively_scene(lattice, widths, 1), two = lively_scene(lattice, widths, 2);
    PlainLattice plain({2, 2, 2}, 1, false), brute = plain;
    if (with_plain) plain = lively_plain(n, widths[0], false);
    if (with_brute) brute = lively_plain(n, widths[0], true);
    // In turns of some steps each, so that none has to fetch its memory anew before every step because of another one.
    constexpr int kTurns = 4;
    const auto measure = [&](bool wanted, const auto& step, double& best) {
        if (!wanted) return;
        std::vector<Rival> rival{{"", step}};
        race(rival, seconds / (2 * kTurns));
        const double ns = rival[0].seconds * 1e9 / double(row.particles);
        best = best > 0 ? std::min(best, ns) : ns;
    };
    for (int turn = 0; turn < kTurns; ++turn) {
        measure(
            true, [&] { one.substep(); }, row.one_thread);
        measure(
            true, [&] { two.substep(); }, row.two_threads);
        measure(
            with_plain, [&] { plain.step(kDt); }, row.plain);
        measure(
            with_brute && turn == 0, [&] { brute.step(kDt); }, row.brute);
    }
    return row;
}

std::vector<LatticeRow> bench_bodies(bool large, double seconds)
{
    std::vector<LatticeRow> rows;
    for (const int n : large ? std::vector<int>{32, 64} : std::vector<int>{32}) {
        const Lattice block = block_of(n);
        const std::string name = fmt::format("{}^3", n);
        for (const int w : {1, 2, 4, 8}) rows.push_back(bench_body(name, block, n, {w}, true, w == 4, seconds));
        rows.push_back(bench_body(name, block, n, {1, 8}, false, false, seconds));
        rows.push_back(bench_body(name, block, n, {1, 3, 8}, false, false, seconds));
        const Lattice ball = ball_of(n);
        for (const int w : {1, 4, 8})
            rows.push_back(bench_body(fmt::format("ball {}", n), ball, n, {w}, false, false, seconds));
    }
    return rows;
}

bool check()
{
    constexpr int kSide = 12, kWidth = 3;
    const Lattice lattice = block_of(kSide);
    Scene one = lively_scene(lattice, {kWidth}, 1, RegionRule::paper),
          two = lively_scene(lattice, {kWidth}, 2, RegionRule::paper);
    PlainLattice plain = lively_plain(kSide, kWidth, false);
    for (int step = 0; step < 20; ++step) {
        one.substep();
        two.substep();
        plain.step(kDt);
    }
    const auto twin = [&](std::size_t i) { return plain.positions[i]; };
    return same_motion("lattice", one, two, twin, lattice.cell, "cells", 1e-3);
}

nlohmann::json measure(const BenchOptions& options)
{
    nlohmann::json rows = nlohmann::json::array();
    for (const LatticeRow& r : bench_bodies(!options.quick, options.seconds / 3))
        rows.push_back({{"shape", r.shape},
                        {"widths", r.widths},
                        {"particles", r.particles},
                        {"one_thread", r.one_thread},
                        {"two_threads", r.two_threads},
                        {"plain", measured_or_null(r.plain)},
                        {"brute", measured_or_null(r.brute)}});
    return {{"unit", "ns per particle and step"}, {"rows", rows}};
}

void print(const nlohmann::json& measured)
{
    fmt::print("Lattice step with box sums, one pass, no contact; ns per particle and step\n\n");
    std::vector<std::vector<std::string>> rows;
    for (const nlohmann::json& r : measured["rows"]) {
        const double one = r["one_thread"], two = r["two_threads"], plain = measured_or_zero(r["plain"]),
                     brute = measured_or_zero(r["brute"]);
        rows.push_back({r["shape"].get<std::string>(), r["widths"].get<std::string>(),
                        std::to_string(r["particles"].get<int>()), cell(one, 1), cell(two, 1), cell(plain, 1),
                        cell(brute, 1), cell(plain / one, 1, "x"), cell(brute / one, 1, "x"), cell(one / two, 2, "x")});
    }
    print_table({{"shape"},
                 {"widths"},
                 {"particles"},
                 {"1 thread", true},
                 {"2 threads"},
                 {"plain"},
                 {"brute"},
                 {"plain/ours", true},
                 {"brute/ours"},
                 {"2 threads"}},
                rows);
    fmt::print("\n");
    for (const std::string shape : {"32^3", "64^3"}) {
        const auto one_thread = [&](const std::string& widths) {
            for (const nlohmann::json& r : measured["rows"])
                if (r["shape"] == shape && r["widths"] == widths) return r["one_thread"].get<double>();
            return 0.0;
        };
        if (const double w1 = one_thread("1"), w8 = one_thread("8"), mix = one_thread("1 3 8 mixed"); w1 > 0)
            fmt::print(
                "{}: w = 8 takes {:.2f} times as long as w = 1, the mix of 1, 3, 8 {:.2f} times as long as w = 8\n",
                shape, w8 / w1, mix / w8);
    }
}

}  // namespace

extern const Section kLatticeSection;
const Section kLatticeSection{"lattice", check, measure, print};

}  // namespace yawara::bench
