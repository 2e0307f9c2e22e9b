// Bodies made of real meshes, of every size and material, are dropped, spun and squeezed: none may explode, stay flat
// or sink through the floor.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <queue>

#include <unistd.h>

#include "yawara/scene_file.h"

using namespace yawara;
namespace fs = std::filesystem;

namespace {

constexpr double kGravity = 9.8, kDensity = 1000, kHeight = 4;  // of the fall, in sizes of the body
constexpr int kParticles = 500;
constexpr std::size_t kEvery = 7;  // no divisor of the numbers of sizes, materials and trials

enum class Trial { drop, spin, squeeze };
constexpr std::array kTrials{Trial::drop, Trial::spin, Trial::squeeze};

constexpr std::array kTrialNames{"drop", "spin", "squeeze"};

struct Material {
    const char* name;
    double young;  ///< Pa
    bool lattice;
    const char* text;  ///< of the scene
};
constexpr std::array<Material, 6> kMaterials{
    {{"default", 1e5, false, R"("matching": {})"},
     {"young 1e3", 1e3, false, R"("matching": { "young": 1e3 })"},
     {"young 1e4", 1e4, false, R"("matching": { "young": 1e4 })"},
     {"young 1e6", 1e6, false, R"("matching": { "young": 1e6 })"},
     {"lattice", 1e5, true, R"("matching": {})"},
     {"finite elements", 1e5, false, R"("fem": { "materials": [ { "young": 1e5, "poisson": 0.4 } ] })"}}};

/// What must not happen.
struct Faults {
    int not_finite = 0;  ///< places, or repaired particles
    int grown = 0;       ///< to 1.5 times its extent, uncoiled; 2 times after a squeeze
    int flat = 0;        ///< for a second, unless it is soft
    int below =
        0;  ///< drawn more than 1 % of its size below the floor; particles: and what tets leave out of the surface
    // No faults:
    int runs = 0;
    int soft = 0;   ///< its own weight presses it by more than a quarter of its height
    int apart = 0;  ///< a lattice that fell apart where the mesh is thinner than a cell, and said so: it may grow

    void add(const Faults& more)
    {
        not_finite += more.not_finite;
        grown += more.grown;
        flat += more.flat;
        below += more.below;
        runs += more.runs;
        soft += more.soft;
        apart += more.apart;
    }
    bool any() const { return not_finite + grown + flat + below > 0; }
};

/// A mesh file of the wanted size, in a folder of its own until the end of the test.
class ScaledMesh {
public:
    ScaledMesh(TriMesh mesh, double size)
        : folder_(fs::temp_directory_path() / fmt::format("yawara_torture_{}", getpid()))
    {
        fs::create_directories(folder_);
        const Box3 box = bounds(mesh.vertices);
        extent_ = box.high - box.low;
        const double scale = size / std::max({extent_.x, extent_.y, extent_.z});
        for (Vec3d& p : mesh.vertices) p = (p - box.low) * scale;
        extent_ = extent_ * scale;
        REQUIRE(save_tri_mesh(folder_ / "mesh.ply", mesh));
    }
    ~ScaledMesh() { fs::remove_all(folder_); }
    const fs::path& folder() const { return folder_; }
    Vec3d extent() const { return extent_; }

private:
    fs::path folder_;
    Vec3d extent_;
};

double longest(std::span<const Vec3> points)
{
    Vec3d sum;
    for (const Vec3& p : points) sum += p.as<double>();
    const Vec3d center = sum / double(points.size());
    double farthest = 0;
    for (const Vec3& p : points) farthest = std::max(farthest, length(p.as<double>() - center));
    return farthest;
}

using Indices = std::vector<std::size_t>;

/// The particles beside every particle of a solid: along edges of tets, or next to it in a lattice.
std::vector<Indices> neighbours_of(const BodyModel& model)
{
    std::vector<Indices> neighbours(model.particle_count());
    const auto join = [&](std::size_t a, std::size_t b) {
        neighbours[a].push_back(b);
        neighbours[b].push_back(a);
    };
    if (const auto* mesh = std::get_if<TetMesh>(&model.domain())) {
        for (const Int4& tet : mesh->tets)
            for (const int i : {0, 1, 2})
                for (int k = i + 1; k < 4; ++k) join(std::size_t(tet[i]), std::size_t(tet[k]));
    } else {
        const auto& x = model.rest_positions();
        double cell = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t k = 0; k < i; ++k) cell = std::min(cell, length(x[i] - x[k]));
        for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                if (length(x[i] - x[k]) < 1.01 * cell) join(i, k);
    }
    return neighbours;
}

/// Lengths at rest of the shortest ways from a particle through the solid; infinite: there is none.
std::vector<double> ways_from(std::size_t source, const std::vector<Indices>& neighbours, std::span<const Vec3d> rest)
{
    std::vector<double> ways(rest.size(), std::numeric_limits<double>::infinity());
    using Open = std::pair<double, std::size_t>;
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
    ways[source] = 0;
    open.push({0, source});
    while (!open.empty()) {
        const auto [way, i] = open.top();
        open.pop();
        if (way > ways[i]) continue;
        for (const std::size_t k : neighbours[i])
            if (const double there = way + length(rest[k] - rest[i]); there < ways[k]) {
                ways[k] = there;
                open.push({there, k});
            }
    }
    return ways;
}

/// The pieces of a solid that nothing connects.
std::vector<Indices> pieces_of(const std::vector<Indices>& neighbours, std::span<const Vec3d> rest)
{
    std::vector<Indices> pieces;
    std::vector<bool> seen(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (seen[i]) continue;
        const std::vector<double> ways = ways_from(i, neighbours, rest);
        Indices piece;
        for (std::size_t k = 0; k < rest.size(); ++k)
            if (std::isfinite(ways[k])) piece.push_back(k), seen[k] = true;
        if (piece.size() > 1) pieces.push_back(std::move(piece));
    }
    return pieces;
}

/// How many times longer a piece that lies coiled up is when it lies straight: no particle of what does not stretch gets
/// farther from the others, in the mean, than along the way to them. 1: it is not coiled up.
double unrolled(const Indices& piece, const std::vector<Indices>& neighbours, std::span<const Vec3d> rest, double detour)
{
    double farthest_along = 0, farthest_straight = 0;
    for (const std::size_t i : piece) {
        const std::vector<double> ways = ways_from(i, neighbours, rest);
        double along = 0, straight = 0;
        for (const std::size_t k : piece) {
            along += ways[k];
            straight += length(rest[k] - rest[i]);
        }
        farthest_along = std::max(farthest_along, along);
        farthest_straight = std::max(farthest_straight, straight);
    }
    return std::max(1.0, farthest_along / farthest_straight / detour);
}

/// How many times its extent at rest a body has: as it is drawn, or, since pieces may fly apart, the piece of its solid
/// that has grown most.
class Growth {
public:
    explicit Growth(const BodyModel& model)
        : rest_(model.rest_positions().begin(), model.rest_positions().end()), neighbours_(neighbours_of(model)), pieces_(pieces_of(neighbours_, rest_))
    {
        // Of ways in a convex body, in the mean of all directions: along axes 3/2; along edges of tets less.
        if (std::holds_alternative<TetMesh>(model.domain())) detour_ = 1.15;
        std::vector<Vec3> rest, drawn;
        for (const Vec3d& p : rest_) rest.push_back(p.as<float>());
        for (const Vec3d& p : model.surface().vertices) drawn.push_back(p.as<float>());
        for (const Indices& piece : pieces_) extents_.push_back(longest(some(rest, piece)));
        if (pieces_.size() == 1) extents_ = {longest(drawn)};
        unrolled_.assign(pieces_.size(), 0);
    }
    double now(std::span<const Vec3> positions, std::span<const Vec3> drawn)
    {
        double most = 0;
        for (std::size_t k = 0; k < pieces_.size(); ++k) {
            double times = (pieces_.size() == 1 ? longest(drawn) : longest(some(positions, pieces_[k]))) / extents_[k];
            if (!std::isfinite(times)) return times;
            if (times > 1.5) {  // What is less needs no look at how it lay.
                if (unrolled_[k] == 0) unrolled_[k] = unrolled(pieces_[k], neighbours_, rest_, detour_);
                times = std::max(1.5, times / unrolled_[k]);
            }
            most = std::max(most, times);
        }
        return most;
    }

private:
    static std::vector<Vec3> some(std::span<const Vec3> points, const Indices& which)
    {
        std::vector<Vec3> out;
        for (const std::size_t k : which) out.push_back(points[k]);
        return out;
    }
    std::vector<Vec3d> rest_;
    std::vector<Indices> neighbours_, pieces_;
    double detour_ = 1.5;
    std::vector<double> extents_;   ///< per piece
    std::vector<double> unrolled_;  ///< times the extent; 0: not asked yet
};

void start(Trial trial, double size, double young, const BodyModel& model, Scene& scene, BodyState& state)
{
    const double fall = std::sqrt(2 * kGravity * kHeight * size);
    if (trial == Trial::drop)
        for (Vec3& v : state.velocities) v = {0, float(-fall), 0};
    if (trial == Trial::spin) {
        // Its rim as fast as after the fall, and at most at half the speed of sound: beyond, no material holds.
        const double rim = std::min(fall, 0.5 * std::sqrt(young / kDensity));
        const Vec3d spin = Vec3d{0.6, 0.3, 0.74} * (2 * rim / size);
        state = initial_state(model, {.turn = {}, .move = {}}, {}, spin);
    }
    if (trial == Trial::squeeze)
        for (Vec3& p : state.positions) p.y *= 0.5f;
    scene.state(scene.bodies()[0]) = state;
    float low = 1e30f;
    for (const Vec3& p : scene.surface(scene.bodies()[0])) low = std::min(low, p.y);
    for (const Vec3& p : state.positions) low = std::min(low, p.y);
    for (Vec3& p : state.positions) p.y += float(0.02 * size) - low;
    scene.state(scene.bodies()[0]) = state;
}

Faults run(const ScaledMesh& mesh, double size, const Material& material, Trial trial, const BuildCache& cache)
{
    const Vec3d extent = mesh.extent();
    const auto side = [&](double of) { return std::max(of, 0.01 * size); };  // sheets have none
    const double cell = std::cbrt(side(extent.x) * side(extent.y) * side(extent.z) / kParticles) * 0.8;
    const std::string solid = material.lattice
                                  ? fmt::format(R"({{ "lattice": {{ "from": "mesh.ply", "cell": {} }} }})", cell)
                                  : fmt::format(R"({{ "from": "mesh.ply", "particles": {} }})", kParticles);
    const char* place = trial == Trial::drop ? R"("place": { "rotate": { "axis": [1, 0, 2], "degrees": 25 } },)" : "";
    const std::string text = fmt::format(
        R"({{ "yawara": 1, "bodies": [ {{ "name": "body", {} "solid": {}, {} }} ], "obstacles": [ {{ "plane": {{}} }} ] }})",
        place, solid, material.text);
    Result<LoadedScene> loaded = LoadedScene::from_text(text, mesh.folder(), "torture", {}, cache);
    if (!loaded) {  // open sheets have no inside
        CHECK_MESSAGE(loaded.error().what.find("encloses no volume") != std::string::npos, loaded.error().message());
        return {};
    }
    Scene& scene = loaded.value().scene();
    scene.settings().threads = 1;
    const BodyId body = scene.bodies()[0];
    BodyState state = scene.state(body);
    start(trial, size, material.young, scene.model(body), scene, state);

    // Until it has come down and up again, and for a second longer: what is flat then stays so.
    const int frames = 75 + std::min(60, int(60 * 2 * std::sqrt(size / kGravity)));
    Growth growth(scene.model(body));
    const double height =
        bounds(scene.model(body).rest_positions()).high.y - bounds(scene.model(body).rest_positions()).low.y;
    Faults found{.runs = 1};
    found.soft = kDensity * kGravity * height / (2 * material.young) > 0.25;
    ShapeReport shape;
    double worst_length = 0, lowest = 0, sunk = 0;
    for (int frame = 0; frame < frames; ++frame) {
        const StepReport& report = scene.step()[0];
        shape = report.shape;
        found.not_finite |= report.repaired_particles > 0;
        const std::span<const Vec3> drawn = scene.surface(body);
        const double now = growth.now(scene.state(body).positions, drawn);
        found.not_finite |= !std::isfinite(now);
        worst_length = std::max(worst_length, now);
        for (const Vec3& p : drawn) lowest = std::min(lowest, double(p.y) / size);
        for (const Vec3& p : scene.state(body).positions) sunk = std::min(sunk, double(p.y) / size);
    }
    for (const std::string& warning : loaded.value().warnings())
        found.apart |= warning.find(" fell into ") != std::string::npos;
    found.grown = found.apart == 0 &&
                  (worst_length > (trial == Trial::squeeze ? 2.0 : 1.5) || shape.has_grown());
    found.flat = shape.has_collapsed() && !found.soft;
    const std::optional<SolidReport>& meshed = loaded.value().solid_reports()[0];
    found.below = lowest < -0.01 || (!found.soft && sunk < -0.01 - (meshed ? meshed->left_out / size : 0));
    if (found.any())
        MESSAGE(
            fmt::format("{} m, {}, {}: {}{:.2f} times its extent, {:.2f} of its volume, drawn {:.3f} and with "
                        "particles {:.3f} sizes below the floor",
                        size, material.name, kTrialNames[std::size_t(trial)], found.not_finite ? "not finite, " : "",
                        worst_length, shape.volume, -lowest, -sunk));
    return found;
}

/// Meshes of YAWARA_TORTURE_MESHES, a folder and those below it, or of data/.
std::vector<fs::path> meshes_to_torture()
{
    const char* folder = std::getenv("YAWARA_TORTURE_MESHES");
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder ? folder : YAWARA_SOURCE_DIR "/data"))
        if (const std::string ending = entry.path().extension().string();
            ending == ".obj" || ending == ".off" || ending == ".ply" || ending == ".stl")
            found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

TEST_CASE("a rabbit of 1 cm and one of 1 m are dropped, spun and squeezed without a fault")
{
    const TriMesh rabbit = load_tri_mesh(YAWARA_SOURCE_DIR "/data/rabbit.obj").value();
    for (const double size : {0.01, 1.0}) {
        const ScaledMesh mesh(rabbit, size);
        const BuildCache cache;
        for (const Trial trial : kTrials)
            for (const std::size_t material : {std::size_t(0), std::size_t(3)}) {
                CHECK_FALSE(run(mesh, size, kMaterials[material], trial, cache).any());
            }
    }
}

TEST_SUITE("long")
{
    // Every mesh goes through a part of all trials, the next one through others.
    TEST_CASE("bodies of all meshes, sizes and materials are dropped, spun and squeezed without a fault" *
              doctest::skip())
    {
        std::map<std::pair<std::size_t, double>, Faults> table;
        std::size_t meshes = 0;
        for (const fs::path& file : meshes_to_torture()) {
            const Result<TriMesh> surface = load_tri_mesh(file);
            if (!surface) continue;
            ++meshes;
            std::size_t trials = 0;
            for (const double size : {0.01, 0.1, 1.0, 10.0}) {
                const ScaledMesh mesh(surface.value(), size);
                const BuildCache cache;
                for (std::size_t m = 0; m < kMaterials.size(); ++m)
                    for (const Trial trial : kTrials) {
                        if (trials++ % kEvery != meshes % kEvery) continue;
                        const Faults found = run(mesh, size, kMaterials[m], trial, cache);
                        CHECK_FALSE_MESSAGE(found.any(), file.filename().string());
                        table[{m, size}].add(found);
                    }
            }
        }
        std::string lines = fmt::format(
            "{} meshes\n| | size, m | runs | not finite | grown | flat | below the floor | soft | apart |\n", meshes);
        for (const auto& [key, faults] : table)
            lines += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", kMaterials[key.first].name,
                                 key.second, faults.runs, faults.not_finite, faults.grown, faults.flat, faults.below,
                                 faults.soft, faults.apart);
        MESSAGE(lines);
        CHECK(meshes > 0);
    }
}
