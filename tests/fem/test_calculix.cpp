// Large deflections and swings against an independent program: CalculiX (C3D4, NLGEOM, the same tets, ties of hanging
// nodes as linear equations, the same masses). Debian package calculix-ccx; without it these tests say so and pass.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "fem/advance.h"
#include "fem_bodies.h"
#include "sim/body_model.h"

using namespace yawara;
using namespace yawara::test;
namespace fs = std::filesystem;

namespace {

bool has_calculix()
{
    return std::system("command -v ccx > /dev/null 2>&1") == 0;
}

struct Case {
    std::string name;
    int levels = 0;
    std::function<Elasticity(const MaterialPlace&)> elasticity;
    bool hanging = false;
    Vec3d force;  ///< N, on each vertex of the tip
};

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

/// The active tets of a front for CalculiX, held where x is 0. `density`: kg/m^3; 0: not told, for statics.
void write_body(std::ofstream& deck, const fem::FemModel& model, const fem::Front& front, double density)
{
    deck << "*NODE, NSET=ALL\n";
    for (const std::int32_t n : front.used) {
        const Vec3d p = model.forest.rest()[std::size_t(n)];
        deck << n + 1 << "," << number(p.x) << "," << number(p.y) << "," << number(p.z) << "\n";
    }
    // One set of elements for each material.
    for (std::size_t m = 0; m < model.elasticities.size(); ++m) {
        std::ostringstream elements;
        for (const std::int32_t t : front.active)
            if (std::size_t(model.material_of[std::size_t(t)]) == m) {
                elements << t + 1;
                for (const std::int32_t n : model.forest.tet(t)) elements << "," << n + 1;
                elements << "\n";
            }
        if (elements.str().empty()) continue;
        deck << "*ELEMENT, TYPE=C3D4, ELSET=E" << m << "\n" << elements.str();
        deck << "*MATERIAL, NAME=M" << m << "\n*ELASTIC, TYPE=ANISO\n";
        // The upper triangle column by column, eight numbers a line.
        int count = 0;
        for (int j = 0; j < 6; ++j)
            for (int i = 0; i <= j; ++i)
                deck << number(model.elasticities[m](i, j)) << (++count % 8 == 0 || count == 21 ? "\n" : ",");
        if (density > 0) deck << "*DENSITY\n" << number(density) << "\n";
        deck << "*SOLID SECTION, ELSET=E" << m << ", MATERIAL=M" << m << "\n";
    }
    for (std::size_t k = 0; k < front.used.size(); ++k) {
        if (front.is_free[k]) continue;
        const auto free_nodes = front.free_nodes_of(k);
        for (int dof = 1; dof <= 3; ++dof) {
            deck << "*EQUATION\n" << free_nodes.size() + 1 << "\n" << front.used[k] + 1 << "," << dof << ",1.";
            for (const auto& from : free_nodes)
                deck << "," << front.used[std::size_t(from.node)] + 1 << "," << dof << ","
                     << number(-double(from.weight));
            deck << "\n";
        }
    }
    deck << "*BOUNDARY\n";
    for (std::size_t k = 0; k < front.used.size(); ++k)
        if (front.is_free[k] && model.forest.rest()[std::size_t(front.used[k])].x < 1e-9)
            deck << front.used[k] + 1 << ",1,3\n";
}

/// A static force on the tip.
void write_deck(const fs::path& path, const fem::FemModel& model, const fem::Front& front, const Vec3d& force,
                const std::vector<std::int32_t>& tip)
{
    std::ofstream deck(path);
    write_body(deck, model, front, 0);
    deck << "*STEP, NLGEOM, INC=1000\n*STATIC\n0.2,1.\n*CLOAD\n";
    for (const std::int32_t n : tip)
        for (int dof = 0; dof < 3; ++dof)
            if (force[dof] != 0) deck << n + 1 << "," << dof + 1 << "," << number(force[dof]) << "\n";
    deck << "*NODE PRINT, NSET=ALL, FREQUENCY=1000\nU\n*END STEP\n";
}

/// Weight that acts from the start. All mass is at the nodes, as we have it: hardly any is left in the tets. Prints the
/// displacements of the tip in every increment.
void write_swing(const fs::path& path, const BodyModel& body, const fem::Front& front, double gravity, double dt,
                 double end, const std::vector<std::int32_t>& tip)
{
    std::ofstream deck(path);
    write_body(deck, *body.data().fem, front, 1e-9);
    for (std::size_t k = 0; k < front.used.size(); ++k) {
        const std::int32_t n = front.used[k];
        deck << "*ELEMENT, TYPE=MASS, ELSET=P" << n << "\n" << 100000 + n << "," << n + 1 << "\n";
        deck << "*MASS, ELSET=P" << n << "\n" << number(body.masses()[std::size_t(n)]) << "\n";
    }
    deck << "*NSET, NSET=TIP\n";
    for (const std::int32_t n : tip) deck << n + 1 << "\n";
    deck << "*AMPLITUDE, NAME=ALWAYS\n0.,1.,1000.,1.\n";
    deck << "*STEP, NLGEOM, INC=1000000\n*DYNAMIC, ALPHA=0., DIRECT\n" << number(dt) << "," << number(end) << "\n";
    deck << "*CLOAD, AMPLITUDE=ALWAYS\n";
    for (const std::int32_t n : front.used)
        deck << n + 1 << ",2," << number(-gravity * body.masses()[std::size_t(n)]) << "\n";
    deck << "*NODE PRINT, NSET=TIP, FREQUENCY=1\nU\n*END STEP\n";
}

/// How far the tip is down in every increment that was printed, the mean of its nodes.
std::vector<double> read_swing(const fs::path& path, std::size_t tip)
{
    std::vector<double> rows, means;
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream row(line);
        std::size_t n;
        Vec3d d;
        if (row >> n >> d.x >> d.y >> d.z) rows.push_back(-d.y);
    }
    for (std::size_t k = 0; k + tip <= rows.size(); k += tip)
        means.push_back(std::accumulate(rows.begin() + std::ptrdiff_t(k), rows.begin() + std::ptrdiff_t(k + tip), 0.0) /
                        double(tip));
    return means;
}

/// Displacements of the last increment.
std::vector<Vec3d> read_displacements(const fs::path& path, std::size_t nodes)
{
    std::vector<Vec3d> u(nodes, Vec3d{1e9, 1e9, 1e9});
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream row(line);
        std::size_t n;
        Vec3d d;
        if (row >> n >> d.x >> d.y >> d.z && n >= 1 && n <= nodes) u[n - 1] = d;
    }
    return u;
}

/// Runs a deck called `name` in a folder.
void run_calculix(const fs::path& folder, const std::string& name)
{
    const std::string command =
        "cd " + folder.string() + " && OMP_NUM_THREADS=1 timeout 300 ccx -i " + name + " > ccx.log 2>&1";
    REQUIRE(std::system(command.c_str()) == 0);
}

void compare(const Case& c)
{
    CAPTURE(c.name);
    Fem fem;
    fem.mesh = make_bar({4, 1, 1}, {6, 2, 2}, {});
    fem.levels = c.levels;
    fem.material = [&](const MaterialPlace& at) { return FemMaterial{c.elasticity(at), {}, 1e-6}; };
    if (c.hanging) fem.fronts = {{0, {}, {{{{1.5, 0, 0}, {2.6, 0.6, 0.6}}, 1}, {{{1.9, 0, 0}, {2.1, 0.2, 0.2}}, 2}}}};
    const std::size_t base = fem.mesh.vertices.size();
    const BodyModel model = build_fem_model(fem);
    const fem::FemModel& inner = *model.data().fem;

    Grip wall;
    Push tip;
    for (std::size_t n = 0; n < model.particle_count(); ++n) {
        const Vec3d p = model.rest_positions()[n];
        if (p.x < 1e-9) {
            wall.particles.push_back(std::int32_t(n));
            wall.targets.push_back(p.as<float>());
        }
        if (n < base && p.x > 4 - 1e-9) tip.particles.push_back(std::int32_t(n));
    }
    tip.force = c.force.as<float>();
    Scene scene({.gravity = {}});
    BodySettings settings;
    settings.fem.refinement = c.hanging ? Refinement::residual : Refinement::full;
    const BodyId body = scene.add(model, settings);
    scene.grips(body).push_back(wall);
    scene.pushes(body).push_back(tip);
    const auto settled = scene.settle(body);
    REQUIRE_MESSAGE(settled, (settled ? "" : settled.error().message()));
    CHECK(settled->residual < 1e-8);

    fem::Front front(inner);
    front.rebuild(inner, scene.state(body).fem.front, false);
    if (c.hanging) REQUIRE(front.hanging_nodes.size() > 20);
    const fs::path folder = fs::temp_directory_path() / ("yawara_ccx_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    write_deck(folder / "beam.inp", inner, front, c.force, tip.particles);
    run_calculix(folder, "beam");
    const auto u = read_displacements(folder / "beam.dat", model.particle_count());
    double largest = 0, worst = 0;
    for (const std::int32_t n : front.used) {
        const Vec3d ours =
            scene.state(body).positions[std::size_t(n)].as<double>() - model.rest_positions()[std::size_t(n)];
        largest = std::max(largest, length(u[std::size_t(n)]));
        worst = std::max(worst, length(ours - u[std::size_t(n)]));
    }
    MESSAGE(c.name, ": tip moves ", largest, ", largest difference ", worst / largest);
    CHECK(largest > 0.6);  // 15 % of the length at least
    CHECK(largest < 3);
    CHECK(worst < 1e-4 * largest);
    fs::remove_all(folder);
}

}  // namespace

TEST_CASE("large deflections of cantilevers are those of CalculiX")
{
    if (!has_calculix()) {
        MESSAGE("ccx is not installed: nothing compared");
        return;
    }
    const Elasticity soft = isotropic(1000, 0.3).value();
    const Elasticity wood = turned(orthotropic({{4000, 800, 500}, {0.3, 0.25, 0.2}, {300, 250, 200}}).value(),
                                   rotation(Vec3d{1, 2, 1}, 0.6));
    std::mt19937 random(11);
    compare({"isotropic", 0, [&](const MaterialPlace&) { return soft; }, false, {0, -0.8, 0.2}});
    compare({"orthotropic off its axes", 0, [&](const MaterialPlace&) { return wood; }, false, {0, -0.9, 0}});
    compare({"two materials",
             0,
             [&](const MaterialPlace& at) { return at.position.x < 2 ? soft : soft * 20; },
             false,
             {0, -1, 0}});
    compare({"one half a hundred times stiffer, held at the soft end",
             0,
             [&](const MaterialPlace& at) { return at.position.x < 2 ? soft : soft * 100; },
             false,
             {0, -2.2, 0}});
    compare({"held at the hard end",
             0,
             [&](const MaterialPlace& at) { return at.position.x < 2 ? soft * 100 : soft; },
             false,
             {0, -4, 0}});
    compare({"21 random constants in every tet",
             0,
             [&](const MaterialPlace&) { return random_elasticity(random, 500); },
             false,
             {0, -1.2, 0.5}});
    compare({"hanging nodes of two levels", 2, [&](const MaterialPlace&) { return wood; }, true, {0, -0.9, 0}});
}

TEST_CASE("a cantilever let go swings as CalculiX says, over a period, with explicit and with implicit steps")
{
    if (!has_calculix()) {
        MESSAGE("ccx is not installed: nothing compared");
        return;
    }
    constexpr double kGravity = 1.8, kStep = 0.01, kEnd = 2.8;  // s; one period, about
    Fem fem = fem_of(make_bar({4, 1, 1}, {6, 2, 2}, {}), 0, {isotropic(1000, 0.3).value(), {}, 1});
    const BodyModel model = build_fem_model(fem);
    Grip wall;
    std::vector<std::int32_t> tip;
    for (std::size_t n = 0; n < model.particle_count(); ++n) {
        const Vec3d p = model.rest_positions()[n];
        if (p.x > 4 - 1e-9) tip.push_back(std::int32_t(n));
        if (p.x > 1e-9) continue;
        wall.particles.push_back(std::int32_t(n));
        wall.targets.push_back(p.as<float>());
    }
    const fs::path folder = fs::temp_directory_path() / ("yawara_swing_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    fem::Front front(*model.data().fem);
    front.rebuild(*model.data().fem, {}, false);
    write_swing(folder / "swing.inp", model, front, kGravity, kStep, kEnd, tip);
    run_calculix(folder, "swing");
    const std::vector<double> theirs = read_swing(folder / "swing.dat", tip.size());
    REQUIRE(theirs.size() == std::size_t(kEnd / kStep + 0.5));
    const double peak = *std::ranges::max_element(theirs);
    CHECK(peak > 0.8);                  // a fifth of its length
    CHECK(theirs.back() < 0.2 * peak);  // it came back

    for (const Integration integration : {Integration::explicit_steps, Integration::implicit_step}) {
        const int substeps = integration == Integration::implicit_step ? 32 : 1;  // backward steps damp by their length
        Scene scene({.dt = kStep, .substeps = substeps, .gravity = {0, -float(kGravity), 0}});
        BodySettings settings;
        settings.fem.integration = integration;
        const BodyId body = scene.add(model, settings);
        scene.grips(body).push_back(wall);
        double worst = 0;
        for (const double there : theirs) {
            scene.step();
            double down = 0;
            for (const std::int32_t n : tip)
                down +=
                    model.rest_positions()[std::size_t(n)].y - double(scene.state(body).positions[std::size_t(n)].y);
            worst = std::max(worst, std::abs(down / double(tip.size()) - there));
        }
        MESSAGE("largest difference, as a share of the swing: ", worst / peak);
        CHECK(worst < 0.01 * peak);
    }
    fs::remove_all(folder);
}
