// How far the inner loops of matching and of finite elements are from what the machine can do, on one thread: each has
// to fetch its bytes, to make its loads and to do its sums, and cannot be quicker than the slowest of the three. And
// what a particle takes of the memory.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <functional>
#include <random>

#include <tbb/task_arena.h>

#include "bars.h"
#include "fem_bar.h"
#include "machine.h"
#include "matching/damping_kernels.h"
#include "matching/kernels.h"
#include "matching/match.h"
#include "matching/regions.h"
#include "section.h"
#include "stopwatch.h"
#include "table.h"
#include "yawara/yawara.h"

namespace yawara::bench {
namespace {

using nlohmann::json;
using namespace yawara::matching;

/// What one loop needs for an element, a vertex or a tetrahedron, counted in its text.
struct Needs {
    double bytes;  ///< fetched or written once, lists included
    double loads;  ///< of registers, indices included
    double flops;  ///< without those that only fill a lane
};

/// A bar in which every region is turned and stretched a little, and all that the loops read and write.
class Bar {
public:
    explicit Bar(Int3 size) : mesh_(six_tet_bar(size))
    {
        const std::size_t n = mesh_.vertices.size();
        const std::vector<double> masses(n, 1.0);
        regions_ = Regions(neighbourhoods(links(mesh_), 1).value(), mesh_.vertices, masses);
        std::mt19937 random(1);
        std::normal_distribution<float> normal(0, 0.02f);
        const Box3 box = bounds(mesh_.vertices);
        for (const Vec3d& p : mesh_.vertices) {
            x_.push_back(p.as<float>() + Vec3{normal(random), normal(random), normal(random)});
            v_.push_back(lively_velocity(p, box));
        }
        positions_.resize(kPositionSize * (n + 1));
        for (std::size_t slot = 0; slot < n; ++slot) {
            const Vec3 p = x_[regions_.particle_at(slot)];
            float* const at = positions_.data() + kPositionSize * slot;
            at[0] = p.x, at[1] = p.y, at[2] = p.z;
        }
        moments_.resize(regions_.block_count());
        rotations_ = placed_rotations(regions_, {});
        transforms_.resize((regions_.block_count() * kLanes + 1) * kTransformSize);
        displacement_.resize(n);
        places_.resize(kPlaceSize * (n + 1));
        momenta_.resize(kMomentaSize * (n + 1));
        motions_.resize(kMotionSize * (n + 1));
        sum();
        rotate();
        load();
        move();
    }
    std::size_t vertices() const { return x_.size(); }
    /// How far the goals lead all together, as a share of how far they lead each.
    double drift() const
    {
        Vec3d sum;
        double lengths = 0;
        for (const Vec3& d : displacement_) {
            sum += d.as<double>();
            lengths += double(length(d));
        }
        return length(sum) / lengths;
    }
    double members() const { return double(regions_.view().region_offsets[vertices()]) / double(vertices()); }

    void sum() { regions_.moments(positions_.data(), 0, regions_.block_count(), moments_.data()); }
    void rotate()
    {
        kernels().rotate(moments_.data(), regions_.rest().data(), {}, RotationSource::fit_stretched, nullptr, 0,
                         regions_.block_count(), vertices(), rotations_.data(), transforms_.data());
    }
    void goals()
    {
        regions_.displacements(transforms_.data(), nullptr, positions_.data(), 0, vertices(), displacement_.data());
    }
    void load()
    {
        damping_kernels().load(regions_.view(), regions_.order().data(), x_.data(), v_.data(), frame(), 0, vertices(),
                               places_.data(), momenta_.data());
    }
    void move()
    {
        damping_kernels().motions(regions_.view(), places_.data(), momenta_.data(), 0, vertices(), motions_.data());
    }
    void spread()
    {
        damping_kernels().spread(regions_.view(), motions_.data(), places_.data(), frame(), 1e-6f, 0, vertices(),
                                 regions_.order().data(), v_.data());
    }

private:
    DampingFrame frame() const { return {x_[vertices() / 2], v_[vertices() / 2]}; }

    TetMesh mesh_;
    Regions regions_;
    std::vector<Vec3> x_, v_;
    AlignedVector<float> positions_, transforms_, places_, momenta_, motions_;
    AlignedVector<RegionMoments> moments_;
    std::vector<float> rotations_;
    AlignedVector<Vec3> displacement_;
};

struct Loop {
    const char* name;
    std::function<void()> work;
    Needs needs;
};

/// What a second allows one thread at most.
struct Machine {
    double flops, loads;
};

void measure_loops(const std::vector<Loop>& loops, std::size_t elements, double seconds, const Machine& machine,
                   json& rows)
{
    std::vector<Rival> rivals;
    for (const Loop& loop : loops)
        rivals.push_back({loop.name, [&loop] {
                              for (int k = 0; k < 5; ++k) loop.work();
                          }});
    race(rivals, seconds, true);
    for (std::size_t k = 0; k < loops.size(); ++k) {
        const auto n = double(elements);
        const Needs& needs = loops[k].needs;
        const double ns = rivals[k].seconds * 1e9 / (5 * n);
        const double bandwidth = read_bandwidth(std::size_t(needs.bytes * n));
        const double by_memory = needs.bytes / bandwidth * 1e9, by_loads = needs.loads / machine.loads * 1e9,
                     by_flops = needs.flops / machine.flops * 1e9;
        const double limit = std::max({by_memory, by_loads, by_flops});
        rows.push_back({{"loop", loops[k].name},
                        {"elements", elements},
                        {"ns", ns},
                        {"memory_ns", by_memory},
                        {"loads_ns", by_loads},
                        {"arithmetic_ns", by_flops},
                        {"bound_by", limit == by_flops    ? "arithmetic"
                                     : limit == by_memory ? "memory"
                                                          : "loads"},
                        {"of_limit", ns / limit}});
    }
}

/// Per vertex; m: entries of a region's list, with those that fill it.
void measure_matching(Int3 size, double seconds, const Machine& machine, json& rows)
{
    Bar bar(size);
    const double m = bar.members();
    const std::vector<Loop> loops{
        {"sums over regions", [&] { bar.sum(); }, {4 * m + 8 + 32 + 16 + 64, 3 * m + 3, 27 * m + 24}},
        {"rotations", [&] { bar.rotate(); }, {64 + 16 + 32 + 64, 4, 340}},
        {"goals", [&] { bar.goals(); }, {4 * m + 4 + 64 + 32 + 8 + 12, 3 * m + 4, 12 * m + 40}},
        {"damping: what is summed", [&] { bar.load(); }, {4 + 24 + 16 + 16 + 32, 6, 18}},
        {"damping: motions of regions", [&] { bar.move(); }, {4 * m + 8 + 16 + 32 + 32, 3 * m + 3, 27 * m + 170}},
        {"damping: to particles", [&] { bar.spread(); }, {4 * m + 4 + 32 + 16 + 24 + 8, 2 * m + 6, 6 * m + 30}}};
    measure_loops(loops, bar.vertices(), seconds, machine, rows);
}

/// Per tetrahedron, sixteen of which share the loads of what is laid out for lanes; a node is a corner of five to six.
void measure_fem(Int3 size, double seconds, const Machine& machine, json& rows)
{
    const TetMesh mesh = six_tet_bar(size);
    FemBar iso(mesh, isotropic_lame(1000, 700)), aniso(mesh, wood_across());
    const double nodes = double(mesh.vertices.size()) / double(mesh.tets.size());
    const auto needs = [&](double constants, double stress_flops) {
        return Needs{4 * (7 + constants) + 8 + 4 * 2 + nodes * (16 + 16 + 4), 4 + 4 + (7 + constants) / 16 + 4 + 4,
                     197 + stress_flops};
    };
    tbb::task_arena one(1);
    measure_loops({{"forces, isotropic", [&] { one.execute([&] { iso.evaluate(); }); }, needs(2, 13)},
                   {"forces, 21 constants", [&] { one.execute([&] { aniso.evaluate(); }); }, needs(21, 66)}},
                  mesh.tets.size(), seconds, machine, rows);
}

/// Bytes that are allocated now, in pages of their own too.
double allocated()
{
    const struct mallinfo2 info = mallinfo2();
    return double(info.uordblks) + double(info.hblkhd);
}

/// Bytes a particle of a body that has made a step: its model, its state and what a step needs.
double bytes_per_particle(Matching solid, std::vector<Vec3d> rest, float region_damping)
{
    const double before = allocated();
    SceneSettings settings;
    settings.threads = 1;
    Scene scene(settings);
    BodySpec spec;
    spec.surface.vertices = {rest[0]};  // nothing to draw
    spec.solid = std::move(solid);
    BodySettings body;
    body.matching.region_damping = region_damping;
    scene.add(build(std::move(spec)).value(), body);
    scene.step();
    return (allocated() - before) / double(rest.size());
}

json measure_memory()
{
    json rows = json::array();
    for (const bool damped : {false, true}) {
        const float damping = damped ? 0.01f : 0.0f;
        const TetMesh mesh = six_tet_bar({20, 20, 50});
        rows.push_back({{"body", "tetrahedra"},
                        {"particles", mesh.vertices.size()},
                        {"regions_damped", damped},
                        {"bytes_per_particle", bytes_per_particle(Matching{mesh}, mesh.vertices, damping)}});
        std::vector<Int3> cells;
        for (int k = 0; k < 31 * 31 * 31; ++k) cells.push_back({k % 31, k / 31 % 31, k / (31 * 31)});
        const Lattice lattice = make_lattice({0, 0, 0}, 1.0, cells);
        std::vector<Vec3d> rest;
        for (std::size_t i = 0; i < lattice.nodes.size(); ++i) rest.push_back(lattice.position(int(i)));
        rows.push_back({{"body", "lattice of width 1"},
                        {"particles", rest.size()},
                        {"regions_damped", damped},
                        {"bytes_per_particle", bytes_per_particle(Matching{lattice}, rest, damping)}});
    }
    return rows;
}

/// The loops do their work: the goals they find move nothing as a whole.
bool check()
{
    Bar bar({7, 7, 25});
    bar.goals();
    const double drift = bar.drift();
    const bool good = drift < 1e-4;
    fmt::print("limits: goals of the loops move the whole by {:.1e} of what they move particles{}\n", drift,
               good ? "" : ", TOO MUCH");
    return good;
}

json measure(const BenchOptions& options)
{
    const double flops = peak_flops(), first_cache = read_bandwidth(16 << 10);
    const Machine machine{flops, first_cache / 32};
    json rows = json::array();
    for (const Int3 size : {Int3{20, 20, 50}, Int3{40, 50, 100}}) {
        measure_matching(size, options.seconds, machine, rows);
        if (options.quick) break;
    }
    for (const Int3 size : {Int3{8, 8, 18}, Int3{21, 21, 43}}) {
        measure_fem(size, options.seconds, machine, rows);
        if (options.quick) break;
    }
    return {{"gflops", flops / 1e9},
            {"first_cache_gb_per_s", first_cache / 1e9},
            {"second_cache_gb_per_s", read_bandwidth(1 << 20) / 1e9},
            {"memory_gb_per_s", read_bandwidth(std::size_t{512} << 20) / 1e9},
            {"rows", rows},
            {"memory", measure_memory()}};
}

void print(const json& measured)
{
    const auto number = [](const json& row, const char* key) { return row[key].get<double>(); };
    fmt::print(
        "Limits of one thread: {:.0f} GFlop/s (eight lanes), {:.0f} GB/s from the first cache, {:.0f} from the "
        "second, {:.0f} from memory\n\n",
        number(measured, "gflops"), number(measured, "first_cache_gb_per_s"), number(measured, "second_cache_gb_per_s"),
        number(measured, "memory_gb_per_s"));
    fmt::print(
        "Loops, ns per vertex (matching) and per tetrahedron (forces of finite elements), and what they need at "
        "least\n\n");
    std::vector<std::vector<std::string>> lines;
    for (const json& r : measured["rows"])
        lines.push_back({r["loop"], std::to_string(r["elements"].get<int>()), cell(number(r, "ns"), 2),
                         cell(number(r, "memory_ns"), 2), cell(number(r, "loads_ns"), 2),
                         cell(number(r, "arithmetic_ns"), 2), r["bound_by"], cell(number(r, "of_limit"), 1, "x")});
    print_table({{"loop"},
                 {"elements"},
                 {"takes", true},
                 {"memory", true},
                 {"loads"},
                 {"arithmetic"},
                 {"bound by", true},
                 {"of its limit"}},
                lines);
    lines.clear();
    for (const json& r : measured["memory"])
        lines.push_back({r["body"], std::to_string(r["particles"].get<int>()),
                         r["regions_damped"].get<bool>() ? "yes" : "no", cell(number(r, "bytes_per_particle"), 0)});
    fmt::print("\nMemory of a body after a step\n\n");
    print_table({{"body"}, {"particles"}, {"regions damped"}, {"bytes per particle", true}}, lines);
}

}  // namespace

const Section kLimitsSection{"limits", check, measure, print};

}  // namespace yawara::bench
