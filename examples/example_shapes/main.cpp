// The models of the example-based scenes: a teddy, a car, a bar of tets, and a cylinder of tets with a tube to draw on
// it. Usage: example_shapes FOLDER
#include <algorithm>
#include <filesystem>
#include <numbers>

#include "../blobs.h"

using shapes::Ellipsoid;
using yawara::Vec3d;

namespace {

/// Arms out, so that they can be pulled; looks along z.
std::vector<Ellipsoid> make_teddy()
{
    std::vector<Ellipsoid> parts{
        {{0, 0.36, 0}, {0.21, 0.25, 0.18}, 0, 0},            // belly
        {{0, 0.74, 0.01}, {0.17, 0.16, 0.15}, 0, 0.05},      // head
        {{0, 0.70, 0.14}, {0.085, 0.07, 0.07}, 0, 0.04},     // muzzle
        {{0, 0.73, 0.205}, {0.03, 0.022, 0.022}, 0, 0.008},  // nose
    };
    for (const double side : {-1.0, 1.0}) {
        parts.push_back({{side * 0.15, 0.88, -0.01}, {0.075, 0.075, 0.05}, 0, 0.02});    // ear
        parts.push_back({{side * 0.24, 0.50, 0.01}, {0.15, 0.085, 0.085}, 0, 0.05});     // upper arm
        parts.push_back({{side * 0.40, 0.50, 0.02}, {0.11, 0.08, 0.08}, 0, 0.05});       // hand
        parts.push_back({{side * 0.13, 0.12, 0.04}, {0.10, 0.15, 0.11}, 0, 0.05});       // leg
        parts.push_back({{side * 0.15, 0.05, 0.11}, {0.09, 0.075, 0.13}, 0, 0.03});      // foot
        parts.push_back({{side * 0.065, 0.785, 0.135}, {0.02, 0.022, 0.02}, 0, 0.006});  // eye
    }
    return parts;
}

double rounded_box(Vec3d p, Vec3d center, Vec3d half, double radius)
{
    const Vec3d q{std::abs(p.x - center.x) - half.x + radius, std::abs(p.y - center.y) - half.y + radius,
                  std::abs(p.z - center.z) - half.z + radius};
    const Vec3d out{std::max(q.x, 0.0), std::max(q.y, 0.0), std::max(q.z, 0.0)};
    return length(out) + std::min(std::max({q.x, q.y, q.z}), 0.0) - radius;
}

/// 1.8 m long, drives along x.
double car(Vec3d p)
{
    double d = rounded_box(p, {0, 0.30, 0}, {0.90, 0.17, 0.38}, 0.10);
    const double cabin_lean = 0.35 * (p.y - 0.45);  // the windows lean inwards
    d = shapes::smooth_union(
        d, rounded_box(p, {-0.12, 0.53, 0}, {0.50 - cabin_lean, 0.17, 0.33 - 0.3 * cabin_lean}, 0.10), 0.06);
    for (const double x : {-0.55, 0.55})
        for (const double z : {-0.33, 0.33}) {  // wheels
            const double round = std::hypot(p.x - x, p.y - 0.17) - 0.17, flat = std::abs(p.z - z) - 0.075;
            const double wheel =
                std::min(std::max(round, flat), 0.0) + std::hypot(std::max(round, 0.0), std::max(flat, 0.0));
            d = shapes::smooth_union(d, wheel - 0.015, 0.03);
        }
    return d;
}

constexpr double kRadius = 0.3, kHeight = 1.6;

/// 6 x 24 x 6 cells with those of the two patterns of diagonals that make_bar does not take: a bar with one more layer
/// of cells, without it. Known twists are of this pattern.
yawara::TetMesh make_other_bar()
{
    constexpr double kCell = 0.5 / 6;
    const yawara::TetMesh longer = yawara::make_bar({7 * kCell, 1.4, 0.5}, {7, 24, 6}, {-4 * kCell, 0, -3 * kCell});
    yawara::TetMesh mesh;
    std::vector<std::int32_t> number;  // of each vertex in the mesh; -1: not in it
    for (const Vec3d& v : longer.vertices) {
        const bool kept = v.x > -3.5 * kCell;
        number.push_back(kept ? std::int32_t(mesh.vertices.size()) : -1);
        if (kept) mesh.vertices.push_back(v);
    }
    for (yawara::Int4 tet : longer.tets) {
        for (std::int32_t& v : tet) v = number[std::size_t(v)];
        if (*std::min_element(tet.begin(), tet.end()) >= 0) mesh.tets.push_back(tet);
    }
    return mesh;
}

/// A bar whose squares are pressed into discs: 9 x 25 x 9 vertices.
yawara::TetMesh make_cylinder()
{
    yawara::TetMesh mesh = yawara::make_bar({2, kHeight, 2}, {8, 24, 8}, {-1, 0, -1});
    for (Vec3d& v : mesh.vertices)
        v = {kRadius * v.x * std::sqrt(1 - v.z * v.z / 2), v.y, kRadius * v.z * std::sqrt(1 - v.x * v.x / 2)};
    return mesh;
}

/// A pipe inside the cylinder: outer wall, inner wall, and rings that join them.
yawara::TriMesh make_tube()
{
    constexpr int kAround = 64, kAlong = 30;
    constexpr double kOuter = 0.985 * kRadius, kInner = 0.72 * kRadius;
    yawara::TriMesh mesh;
    for (const double radius : {kOuter, kInner})
        for (int j = 0; j <= kAlong; ++j)
            for (int i = 0; i < kAround; ++i) {
                const double angle = 2 * std::numbers::pi * i / kAround;
                mesh.vertices.push_back({radius * std::cos(angle), kHeight * j / kAlong, radius * std::sin(angle)});
            }
    const auto at = [](int wall, int j, int i) { return (wall * (kAlong + 1) + j) * kAround + i % kAround; };
    const auto quad = [&](int a, int b, int c, int d) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
    };
    for (int i = 0; i < kAround; ++i) {
        for (int j = 0; j < kAlong; ++j) {
            quad(at(0, j, i), at(0, j + 1, i), at(0, j + 1, i + 1), at(0, j, i + 1));
            quad(at(1, j, i), at(1, j, i + 1), at(1, j + 1, i + 1), at(1, j + 1, i));
        }
        quad(at(0, 0, i), at(0, 0, i + 1), at(1, 0, i + 1), at(1, 0, i));
        quad(at(0, kAlong, i), at(1, kAlong, i), at(1, kAlong, i + 1), at(0, kAlong, i + 1));
    }
    return mesh;
}

bool save(const yawara::Status& status)
{
    if (!status) std::fprintf(stderr, "%s\n", status.error().message().c_str());
    return bool(status);
}

}  // namespace

int main(int argc, char** argv)
{
    const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
    const std::vector<Ellipsoid> teddy = make_teddy();
    const auto rounded = [](double x) { return std::round(x * 1e5) / 1e5; };
    yawara::TetMesh cylinder = make_cylinder(), bar = make_other_bar();
    yawara::TriMesh tube = make_tube();
    for (auto* points : {&cylinder.vertices, &bar.vertices, &tube.vertices})
        for (Vec3d& v : *points) v = {rounded(v.x), rounded(v.y), rounded(v.z)};
    if (!save(yawara::save_tet_mesh(folder / "cylinder.mesh", cylinder))) return 1;
    if (!save(yawara::save_tet_mesh(folder / "bar.mesh", bar))) return 1;
    if (!save(yawara::save_tri_mesh(folder / "tube.obj", tube))) return 1;
    if (shapes::save_surface(car, {{-1.1, -0.1, -0.6}, {1.1, 0.9, 0.6}}, 0.03, (folder / "car.obj").c_str())) return 1;
    return shapes::save_surface([&](Vec3d p) { return shapes::blend_all(teddy, p); },
                                {{-0.7, -0.2, -0.4}, {0.7, 1.1, 0.4}}, 0.0275, (folder / "teddy.obj").c_str());
}
