// Bad meshes of soft and stiff materials, dropped, spun, squeezed and pulled, with the settings a new body has. A few
// of them always; all 384 with `./yawara test --all`, or: test_fem --no-skip -tc="*is tortured*"
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "fem_bodies.h"

using namespace yawara;
using namespace yawara::test;

namespace {

constexpr int kMeshes = 24;
constexpr double kModuli[] = {1e4, 1e6, 1e9, 1e11};
enum class Action { drop, spin, squeeze, pull };
constexpr Action kActions[] = {Action::drop, Action::spin, Action::squeeze, Action::pull};
constexpr const char* kNames[] = {"drop", "spin", "squeeze", "pull"};

constexpr double kFlattest = 1.7e-4;  // altitude over the longest edge: a hundredth of a degree

/// The least altitude of a tet, m; not positive if it is turned over.
double altitude(const TetMesh& mesh, const Int4& tet)
{
    double largest = 0;
    for (std::size_t a = 0; a < 4; ++a) {
        const auto at = [&](std::size_t k) { return mesh.vertices[std::size_t(tet[(a + k) % 4])]; };
        largest = std::max(largest, length(cross(at(1) - at(0), at(2) - at(0))) / 2);
    }
    return 3 * signed_volume(mesh, tet) / largest;
}

bool is_sound(const TetMesh& mesh)
{
    for (const Int4& tet : mesh.tets) {
        double longest = 0;
        for (const std::int32_t a : tet)
            for (const std::int32_t b : tet)
                longest = std::max(longest, length(mesh.vertices[std::size_t(a)] - mesh.vertices[std::size_t(b)]));
        if (!(altitude(mesh, tet) > kFlattest * longest)) return false;
    }
    return true;
}

/// J, about: what positions in single precision strain a body by.
double rounding_energy(const TetMesh& mesh, double young)
{
    constexpr double kRounding = 3e-7;  // m, of positions within a few metres
    double sum = 0;
    for (const Int4& tet : mesh.tets)
        sum += young * signed_volume(mesh, tet) * std::pow(kRounding / altitude(mesh, tet), 2);
    return sum;
}

/// Moves a corner of some tets almost into the plane of the others.
void flatten_some(TetMesh& mesh, double share, std::mt19937& random)
{
    for (int tries = 0, made = 0; tries < 200 && made < 8; ++tries) {
        const Int4 tet = mesh.tets[random() % mesh.tets.size()];
        const auto at = [&](std::size_t a) -> Vec3d& { return mesh.vertices[std::size_t(tet[a])]; };
        const Vec3d normal = normalized(cross(at(1) - at(0), at(2) - at(0))), before = at(3);
        at(3) = before - normal * (dot(normal, before - at(0)) - share * length(at(1) - at(0)));
        if (is_sound(mesh))
            ++made;
        else
            at(3) = before;
    }
}

/// Moves all corners at random, as far as no tet turns over.
void shake(TetMesh& mesh, double amount, std::mt19937& random)
{
    std::normal_distribution<double> any(0, amount);
    for (Vec3d& p : mesh.vertices) {
        const Vec3d before = p;
        p += Vec3d{any(random), any(random), any(random)};
        if (!is_sound(mesh)) p = before;
    }
}

/// Six kinds of shapes in four kinds of quality: sound, shaken, with slivers of one degree, and of a hundredth of one.
TetMesh bad_mesh(int number)
{
    std::mt19937 random(static_cast<unsigned>(number));
    const int kind = number % 6, quality = number / 6;
    TetMesh mesh = kind == 1   ? make_bar({2, 0.2, 0.2}, {10, 1, 1})
                   : kind == 2 ? make_bar({1, 0.1, 1}, {5, 1, 5})
                   : kind == 5 ? unit_tet()
                               : make_bar({1, 0.5, 0.5}, {4, 2, 2});
    if (kind == 3)  // cells from large to a fiftieth of that
        for (Vec3d& p : mesh.vertices) p.x = std::pow(50.0, p.x) / 50;
    if (kind == 4)  // a second piece that hangs on nothing
        for (std::size_t k = 0, count = mesh.vertices.size(), tets = mesh.tets.size(); k < 1; ++k) {
            for (std::size_t i = 0; i < count; ++i) mesh.vertices.push_back(mesh.vertices[i] + Vec3d{0, 0, 0.8});
            for (std::size_t t = 0; t < tets; ++t) {
                Int4 tet = mesh.tets[t];
                for (std::int32_t& v : tet) v += std::int32_t(count);
                mesh.tets.push_back(tet);
            }
        }
    if (quality >= 1) shake(mesh, kind == 5 ? 0.1 : 0.04, random);
    if (quality >= 2) flatten_some(mesh, quality == 2 ? 0.0175 : 1.75e-4, random);
    REQUIRE(is_sound(mesh));
    return mesh;
}

/// Returns what went wrong, or nothing.
std::string tortured(const TetMesh& mesh, double young, Action action, double seconds)
{
    FemMaterial material{isotropic(young, 0.3).value(), {}, 1000};
    material.viscosity = material.elasticity * 5e-4;
    const BodyModel model = build_fem_model(fem_of(mesh, 0, material));
    const Box3 box = bounds(model.rest_positions());
    const Vec3d size = box.size();
    const bool moved = action == Action::squeeze || action == Action::pull;
    const bool weighs = action == Action::drop || action == Action::squeeze;  // what slips out has to come to lie
    Scene scene({.dt = 1.0 / 60, .substeps = 1, .gravity = weighs ? Vec3{0, -9.8f, 0} : Vec3{}});
    BodySettings settings;
    settings.measure = true;
    settings.contact.bodies = false;
    const Vec3d low = box.low;
    Placement place{.move = Vec3d{0, 0, 0} - low};
    if (action == Action::drop) place = {.turn = rotation(Vec3d{0.3, 0.2, 1}, 0.6), .move = {0, 1.5, 0}};
    const BodyId body = scene.add(model, settings, place, {}, action == Action::spin ? Vec3d{3, 2, 5} : Vec3d{});
    std::vector<ColliderId> plates;
    if (action == Action::drop || action == Action::squeeze) plates.push_back(scene.add(Collider{.friction = 0.3f}));
    const auto ceiling = [&](double height) {
        return Collider{.shape = Plane{{0, height, 0}, {0, -1, 0}}, .friction = 0.3f};
    };
    if (action == Action::squeeze) plates.push_back(scene.add(ceiling(size.y)));
    std::vector<std::int32_t> ends[2];
    if (action == Action::pull)
        for (std::size_t i = 0; i < model.particle_count(); ++i) {
            const double x = (model.rest_positions()[i].x - low.x) / size.x;
            if (x < 0.02 || x > 0.98) ends[x > 0.5].push_back(std::int32_t(i));
        }
    double mass = 0, first = 0, scale = 1;
    for (const double m : model.masses()) mass += m;
    const auto grip = [&](int end, double stretch) {
        Grip g;
        for (const std::int32_t i : ends[end]) {
            g.particles.push_back(i);
            const Vec3d rest = model.rest_positions()[std::size_t(i)] - low;
            g.targets.push_back((rest + Vec3d{end ? (stretch - 1) * size.x : 0.0, 0, 0}).as<float>());
        }
        return g;
    };
    const int frames = int(seconds * 60);
    StepReport report;
    for (int frame = 0; frame < frames; ++frame) {
        const double share = std::min(1.0, (frame + 1) / (0.6 * frames));
        if (action == Action::squeeze) REQUIRE(scene.replace(plates[1], ceiling(size.y * (1 - 0.8 * share))));
        if (action == Action::pull) scene.grips(body) = {grip(0, 1), grip(1, 1 + 2 * share)};
        report = scene.step()[0];
        for (const Vec3& p : scene.state(body).positions)
            if (!is_finite(p)) return "not finite";
        if (report.repaired_particles > 0) return "repaired in frame " + std::to_string(frame);
        const double weight = action == Action::drop ? mass * 9.8 * report.center.y : 0.0;
        const double energy = report.kinetic_energy + report.elastic_energy + report.fem.contact_energy + weight;
        if (frame == 0) first = energy, scale = std::max(report.kinetic_energy, mass * 9.8 * 1.5);
        if (!moved && energy > first + 0.05 * scale + rounding_energy(mesh, young))
            return "energy from " + std::to_string(first) + " to " + std::to_string(energy) + " J in frame " +
                   std::to_string(frame) + ", " + std::to_string(report.elastic_energy) + " J of it elastic";
    }
    // At rest, or about as slow: 1 m/s. What was deformed by hand holds energy of which a little may still move.
    const double allowed = action == Action::spin ? first + 0.05 * scale
                           : moved                ? 0.5 * mass + 0.05 * report.elastic_energy
                                                  : 0.5 * mass;
    if (!(report.kinetic_energy < allowed)) return "still moves with " + std::to_string(report.kinetic_energy) + " J";
    return "";
}

int failures(int first_mesh, int every, double seconds)
{
    int failed = 0;
    for (int mesh = first_mesh; mesh < kMeshes; mesh += every)
        for (std::size_t m = 0; m < std::size(kModuli); ++m)
            for (const Action action : kActions) {
                const std::string wrong = tortured(bad_mesh(mesh), kModuli[m], action, seconds);
                if (wrong.empty()) continue;
                ++failed;
                MESSAGE("mesh ", mesh, ", ", kModuli[m], " Pa, ", std::string(kNames[std::size_t(action)]), ": ",
                        wrong);
            }
    return failed;
}

}  // namespace

TEST_CASE("a bar with slivers is tortured and survives")
{
    CHECK(failures(18, kMeshes, 2) == 0);
}

TEST_CASE("every bad mesh of every stiffness is tortured and survives" * doctest::skip())
{
    CHECK(failures(0, 1, 5) == 0);
}
