// Isosurface stuffing: quality, conformity and fit on fields whose zero set is known.
#include <doctest/doctest.h>

#include <random>

#include "meshing/shapes.h"
#include "yawara/solid.h"

using namespace yawara;
using namespace yawara::test;

namespace {

const Box3 kBox{{-1.2, -1.2, -1.2}, {1.2, 1.2, 1.2}};

double ball(Vec3d p)
{
    return length(p) - 1;
}

void check_quality(const TetMesh& mesh)
{
    CHECK(dihedral_range(mesh)[0] >= 10);
    CHECK(dihedral_range(mesh)[1] <= 165);
    CHECK(smallest_volume(mesh) > 0);
    CHECK(is_conforming(mesh));
}

}  // namespace

TEST_CASE("a stuffed ball is conforming, well shaped, and its outer vertices lie on the sphere")
{
    for (const double cell : {0.4, 0.17, 0.11}) {
        const TetMesh mesh = stuff(ball, kBox, cell).value();
        check_quality(mesh);
        for (const Vec3d& v : boundary_surface(mesh).vertices) CHECK(std::abs(length(v) - 1) < 1e-3 * cell);
        CHECK(connected_parts(mesh.tets, mesh.vertices.size()) == 1);
    }
    CHECK(volume(stuff(ball, kBox, 0.1).value()) == doctest::Approx(4 * std::numbers::pi / 3).epsilon(0.01));
}

TEST_CASE("rough random fields keep every dihedral angle above 10 degrees")
{
    std::mt19937 random(7);
    const auto uniform = [&] { return 2.0 * double(random()) / 4294967295.0 - 1.0; };
    for (int run = 0; run < 12; ++run) {
        std::array<std::array<double, 5>, 8> waves;
        for (auto& wave : waves) {
            for (double& x : wave) x = uniform();
        }
        const double frequency = 3 + 9 * std::abs(uniform());
        const auto field = [&](Vec3d p) {
            double sum = 0;
            for (const auto& [size, x, y, z, phase] : waves) {
                sum += size * std::sin(frequency * (x * p.x + y * p.y + z * p.z) + 6 * phase);
            }
            return std::max(0.1 * sum, length(p) - 1);
        };
        const TetMesh mesh = stuff(field, kBox, 0.12 + 0.04 * uniform()).value();
        check_quality(mesh);
    }
}

TEST_CASE("a field that reaches beyond the box is closed at the box")
{
    const TetMesh mesh = stuff([](Vec3d) { return -1.0; }, {{0, 0, 0}, {1, 2, 3}}, 0.25).value();
    check_quality(mesh);
    CHECK(volume(mesh) == doctest::Approx(6).epsilon(0.03));
}

TEST_CASE("neighbours in space are near in the vertex order")
{
    const TetMesh mesh = stuff(ball, kBox, 0.1).value();
    double sum = 0;
    for (const Int4& t : mesh.tets)
        sum += *std::max_element(t.begin(), t.end()) - *std::min_element(t.begin(), t.end());
    CHECK(sum / double(mesh.tets.size()) < 0.12 * double(mesh.vertices.size()));
}

TEST_CASE("stuffing refuses what it cannot do, with the reason")
{
    const auto where = [](const Result<TetMesh>& result) {
        return result ? std::string("none") : result.error().where;
    };
    CHECK(where(stuff(ball, kBox, 0.0)) == "cell");
    CHECK(where(stuff(ball, kBox, std::nan(""))) == "cell");
    CHECK(where(stuff(ball, kBox, 1e-9)) == "cell");
    CHECK(where(stuff(ball, Box3{}, 0.1)) == "box");
    CHECK(where(stuff({}, kBox, 0.1)) == "distance");
    CHECK(where(stuff([](Vec3d) { return 1.0; }, kBox, 0.1)) == "cell");
    CHECK(where(stuff([](Vec3d) { return std::nan(""); }, kBox, 0.1)) == "cell");
    CHECK(stuff(ball, kBox, 0.1, [](std::string_view, double) { return false; }).error().what == "cancelled");
}

TEST_CASE("the smallest cell a refusal names is accepted")
{
    const Box3 large{{0, 0, 0}, {1e4, 1e4, 1e4}};
    const std::string what = stuff(ball, large, 1.0).error().what;
    const double smallest = std::stod(what.substr(what.rfind(' ')));
    CHECK(smallest > 1.0);
    // Cancelled at once: accepted, but not worth the wait.
    CHECK(stuff(ball, large, smallest, [](std::string_view, double) { return false; }).error().what == "cancelled");
}
