// Embeddings: affine motion, nearest cells against brute force, mild and steady continuation outside, threads.
#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <numeric>
#include <random>

#include "yawara/embedding.h"

using namespace yawara;

namespace {

/// Random points in the box, grown by `margin` to all sides.
std::vector<Vec3d> points_around(const Box3& box, double margin, std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<Vec3d> points(count);
    for (Vec3d& p : points) {
        for (int axis = 0; axis < 3; ++axis) {
            p[axis] = box.low[axis] - margin + unit(random) * (box.size()[axis] + 2 * margin);
        }
    }
    return points;
}

/// A bar whose inner vertices were shaken, so that no two tets are alike.
TetMesh shaken_bar()
{
    TetMesh bar = make_bar({3, 1, 1}, {9, 3, 3});
    std::mt19937 random(2);
    std::uniform_real_distribution<double> shake(-0.05, 0.05);
    for (Vec3d& v : bar.vertices) v += Vec3d{shake(random), shake(random), shake(random)};
    return bar;
}

Lattice tee()
{
    std::vector<Int3> cells;
    for (int k = 0; k < 7; ++k) cells.push_back({k, 5, 0});
    for (int k = 0; k < 5; ++k) cells.push_back({3, k, 0});
    for (int k = 0; k < 3; ++k) cells.push_back({3, 0, k});
    return make_lattice({0.3, -0.2, 0.1}, 0.25, cells);
}

std::vector<Vec3d> positions(const TetMesh& mesh)
{
    return mesh.vertices;
}
std::vector<Vec3d> positions(const Lattice& lattice)
{
    std::vector<Vec3d> out;
    for (std::size_t k = 0; k < lattice.nodes.size(); ++k) out.push_back(lattice.position(static_cast<int>(k)));
    return out;
}

template <class Solid>
void check_affine(const Solid& solid)
{
    const std::vector<Vec3d> rest = positions(solid);
    const std::vector<Vec3d> points = points_around(bounds(rest), 1.5, 3000, 7);
    const Embedding embedding(solid, points);
    REQUIRE(embedding.size() == points.size());
    CHECK(embedding.outside_count() > 1000);
    CHECK(embedding.outside_distance() > 0.5);

    const Mat3d a{{0.7, 0.4, -1.1}, {-0.6, 1.9, 0.2}, {0.3, 0.1, -0.8}};
    const Vec3d b{5, -7, 2};
    std::vector<Vec3d> moved, out(points.size());
    for (const Vec3d& x : rest) moved.push_back(a * x + b);
    embedding.apply(moved, out);
    double worst = 0;
    for (std::size_t k = 0; k < points.size(); ++k) worst = std::max(worst, length(out[k] - (a * points[k] + b)));
    CHECK(worst < 1e-5);

    for (std::size_t k = 0; k < points.size(); ++k) {
        const auto weights = embedding.weights_of(k);
        REQUIRE(weights.size() == embedding.particles_of(k).size());
        REQUIRE(std::accumulate(weights.begin(), weights.end(), 0.0) == doctest::Approx(1).epsilon(1e-6));
    }
}

double segment_distance(Vec3d p, Vec3d a, Vec3d b)
{
    const double t = std::clamp(dot(p - a, b - a) / dot(b - a, b - a), 0.0, 1.0);
    return length(p - (a + (b - a) * t));
}

/// Distance to a tet, from its planes and edges.
double tet_distance(const TetMesh& mesh, const Int4& tet, Vec3d p)
{
    std::array<Vec3d, 4> x;
    for (std::size_t k = 0; k < 4; ++k) x[k] = mesh.vertices[static_cast<std::size_t>(tet[k])];
    double best = 1e300;
    bool inside = true;
    for (std::size_t f = 0; f < 4; ++f) {
        const Vec3d a = x[(f + 1) % 4], b = x[(f + 2) % 4], c = x[(f + 3) % 4];
        Vec3d n = normalized(cross(b - a, c - a));
        if (dot(n, x[f] - a) > 0) n = -n;
        const double height = dot(n, p - a);
        if (height > 0) inside = false;
        const Vec3d foot = p - n * height;  // inside the triangle if it lies left of all edges
        const Vec3d m = cross(b - a, c - a);
        if (dot(cross(b - a, foot - a), m) >= 0 && dot(cross(c - b, foot - b), m) >= 0 &&
            dot(cross(a - c, foot - c), m) >= 0) {
            best = std::min(best, std::abs(height));
        }
        best = std::min({best, segment_distance(p, a, b), segment_distance(p, b, c), segment_distance(p, c, a)});
    }
    return inside ? 0 : best;
}

}  // namespace

TEST_CASE("points inside and outside a tet mesh follow affine motion")
{
    check_affine(shaken_bar());
}

TEST_CASE("points inside and outside a lattice follow affine motion")
{
    check_affine(tee());
}

TEST_CASE("a point that is a particle hangs on that particle alone and copies it to the bit")
{
    const TetMesh bar = shaken_bar();
    const Embedding tets(bar, bar.vertices);
    const Lattice lattice = tee();
    const Embedding cells(lattice, positions(lattice));
    for (const Embedding* embedding : {&tets, &cells}) {
        CHECK(embedding->outside_count() == 0);
        for (std::size_t k = 0; k < embedding->size(); ++k) {
            REQUIRE(embedding->particles_of(k).size() == 1);
            CHECK(embedding->particles_of(k)[0] == static_cast<std::int32_t>(k));
            CHECK(embedding->weights_of(k)[0] == 1.0f);
        }
    }
}

TEST_CASE("a point inside hangs on the corners of one tet around it, with weights between 0 and 1")
{
    const TetMesh bar = make_bar({2, 1, 1}, {4, 2, 2});
    const std::vector<Vec3d> points = points_around(bounds(bar.vertices), 0, 1000, 3);
    const Embedding embedding(bar, points);
    CHECK(embedding.outside_count() == 0);
    for (std::size_t k = 0; k < points.size(); ++k) {
        CHECK(embedding.particles_of(k).size() <= 4);
        Vec3d sum;
        for (std::size_t i = 0; i < embedding.weights_of(k).size(); ++i) {
            const float w = embedding.weights_of(k)[i];
            CHECK(w >= 0);
            CHECK(w <= 1);
            const Vec3d x = bar.vertices[static_cast<std::size_t>(embedding.particles_of(k)[i])];
            CHECK(length(x - points[k]) <= std::sqrt(0.5));  // no farther than a tet reaches
            sum += x * double(w);
        }
        CHECK(length(sum - points[k]) < 1e-6);
    }
}

TEST_CASE("a point inside a lattice cell hangs trilinearly on its eight corners")
{
    const Lattice lattice = make_lattice({0, 0, 0}, 2, std::vector<Int3>{{0, 0, 0}});
    const Embedding embedding(lattice, std::vector<Vec3d>{{0.5, 1, 1.9}});
    REQUIRE(embedding.particles_of(0).size() == 8);
    for (std::size_t i = 0; i < 8; ++i) {
        const Int3 n = lattice.nodes[static_cast<std::size_t>(embedding.particles_of(0)[i])];
        const double expected = (n[0] ? 0.25 : 0.75) * 0.5 * (n[2] ? 0.95 : 0.05);
        CHECK(embedding.weights_of(0)[i] == doctest::Approx(expected));
    }
}

TEST_CASE("the distance of the farthest point outside is that of brute force over all tets")
{
    const TetMesh bar = shaken_bar();
    for (const Vec3d& p : points_around(bounds(bar.vertices), 1.0, 300, 11)) {
        double expected = 1e300;
        for (const Int4& tet : bar.tets) expected = std::min(expected, tet_distance(bar, tet, p));
        const Embedding one(bar, std::vector<Vec3d>{p});
        CHECK(one.outside_distance() == doctest::Approx(expected).epsilon(1e-9));
        CHECK(one.outside_count() == (expected > 1e-9 ? 1 : 0));
    }
}

TEST_CASE("along a line outside a twisted bar the embedded points run smoothly, where the nearest tet alone would jump")
{
    TetMesh bar = make_bar({3, 1, 1}, {9, 3, 3});
    std::mt19937 random(8);
    std::uniform_real_distribution<double> shake(-0.12, 0.12);
    for (Vec3d& v : bar.vertices) {
        const bool inner = v.x > 0.1 && v.x < 2.9 && v.y > 0.1 && v.y < 0.9 && v.z > 0.1 && v.z < 0.9;
        if (inner) v += Vec3d{shake(random), shake(random), shake(random)};
    }
    REQUIRE(repair(bar)->turned == 0);
    const auto twist = [](Vec3d v) {
        const double angle = 0.8 * v.x, y = v.y - 0.5, z = v.z - 0.5;
        return Vec3d{v.x, 0.5 + std::cos(angle) * y - std::sin(angle) * z,
                     0.5 + std::sin(angle) * y + std::cos(angle) * z};
    };
    std::vector<Vec3d> line, twisted;
    for (int k = 0; k <= 1000; ++k) line.push_back({0.3 + 2.4 * k / 1000.0, 1.4, 0.4});
    for (const Vec3d& v : bar.vertices) twisted.push_back(twist(v));
    std::vector<Vec3d> hung(line.size()), plain;
    const Embedding embedding(bar, line);
    CHECK(embedding.outside_count() == static_cast<int>(line.size()));
    embedding.apply(twisted, hung);
    for (const Vec3d& p : line) {
        const Int4& tet = *std::min_element(bar.tets.begin(), bar.tets.end(), [&](const Int4& a, const Int4& b) {
            return tet_distance(bar, a, p) < tet_distance(bar, b, p);
        });
        Vec3d sum;
        for (std::size_t k = 0; k < 4; ++k) {
            TetMesh part = bar;
            part.vertices[static_cast<std::size_t>(tet[k])] = p;
            sum += twisted[static_cast<std::size_t>(tet[k])] * (signed_volume(part, tet) / signed_volume(bar, tet));
        }
        plain.push_back(sum);
    }
    double hung_jump = 0, plain_jump = 0, hung_error = 0, plain_error = 0;
    for (std::size_t k = 0; k < line.size(); ++k) {
        hung_error = std::max(hung_error, length(hung[k] - twist(line[k])));
        plain_error = std::max(plain_error, length(plain[k] - twist(line[k])));
        if (k > 0) hung_jump = std::max(hung_jump, length(hung[k] - hung[k - 1]));
        if (k > 0) plain_jump = std::max(plain_jump, length(plain[k] - plain[k - 1]));
    }
    CHECK(hung_jump < 3 * 2.4 / 1000);
    CHECK(plain_jump > 5 * hung_jump);
    CHECK(hung_error < plain_error);
}

TEST_CASE("values at the particles reach the points like positions do")
{
    const TetMesh bar = make_bar({1, 1, 1}, {2, 2, 2});
    const std::vector<Vec3d> points = points_around(bounds(bar.vertices), 0.2, 200, 9);
    const Embedding embedding(bar, points);
    std::vector<float> values, out(points.size());
    for (const Vec3d& v : bar.vertices) values.push_back(static_cast<float>(2 * v.x - v.y + 0.5 * v.z + 3));
    embedding.apply(values, out);
    for (std::size_t k = 0; k < points.size(); ++k) {
        CHECK(out[k] == doctest::Approx(2 * points[k].x - points[k].y + 0.5 * points[k].z + 3).epsilon(1e-5));
    }
}

TEST_CASE("far from the origin a translated body carries its points along to the bit")
{
    const TetMesh bar = make_bar({1, 1, 1}, {2, 2, 2});
    const std::vector<Vec3d> points = points_around(bounds(bar.vertices), 0.3, 500, 4);
    const Embedding embedding(bar, points);
    const std::vector<Vec3> same(bar.vertices.size(), Vec3{1000.1f, -2000.7f, 3.3f});  // all particles in one place
    std::vector<Vec3> out(points.size());
    embedding.apply(same, out);
    for (const Vec3& p : out) CHECK(p == same[0]);
}

TEST_CASE("any number of threads builds and applies the same bits")
{
    const TetMesh bar = shaken_bar();
    const std::vector<Vec3d> points = points_around(bounds(bar.vertices), 0.5, 20000, 6);
    std::vector<Vec3> particles;
    for (const Vec3d& v : bar.vertices) particles.push_back((v * 1.1 + Vec3d{0, std::sin(v.x), 0}).as<float>());
    std::vector<Vec3> first;
    for (const std::size_t threads : {1, 2, 3, 8}) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        const Embedding embedding(bar, points);
        std::vector<Vec3> out(points.size());
        embedding.apply(particles, out);
        if (first.empty()) first = out;
        CHECK(out == first);
    }
}

TEST_CASE("nothing to hang on and nonsense points give points at the origin, not a crash")
{
    const std::vector<Vec3d> points{{1, 2, 3}, {std::nan(""), 0, 0}, {0.2, 0.2, 0.2}};
    std::vector<Vec3> out(3, Vec3{9, 9, 9});
    const Embedding empty(TetMesh{}, points);
    empty.apply(std::span<const Vec3>{}, out);
    CHECK(out[0] == Vec3{});
    CHECK(empty.outside_count() == 3);

    const TetMesh bar = make_bar({1, 1, 1}, {1, 1, 1});
    const Embedding embedding(bar, points);
    CHECK(embedding.particles_of(1).empty());
    CHECK(embedding.outside_count() == 2);
    CHECK(Embedding(bar, {}).size() == 0);
    CHECK(Embedding().size() == 0);
}

TEST_CASE("drawn points outside a crushed solid stay near it, and all others are drawn where they are embedded")
{
    const TetMesh bar = make_bar({3, 1, 1}, {9, 3, 3});
    const std::vector<Vec3d> points = points_around(bounds(bar.vertices), 0.6, 2000, 5);
    const Embedding embedding(bar, points);
    std::vector<Vec3> rest, crushed;
    for (const Vec3d& p : bar.vertices) rest.push_back(p.as<float>());
    std::vector<Vec3> embedded(points.size()), drawn(points.size());
    embedding.apply(std::span<const Vec3>(rest), std::span(embedded));
    embedding.draw(rest, drawn);
    CHECK(drawn == embedded);

    // One vertex of the skin is 30 cells away: cells around it continue steeply.
    crushed = rest;
    crushed[0] += Vec3{-10, -10, -10};
    embedding.apply(std::span<const Vec3>(crushed), std::span(embedded));
    embedding.draw(crushed, drawn);
    const auto farthest = [&](const std::vector<Vec3>& places) {
        double most = 0;  // from the box of the solid and the vertex
        for (const Vec3& p : places)
            for (int axis = 0; axis < 3; ++axis)
                most = std::max({most, double(p[axis]) - bounds(bar.vertices).high[axis], -10 - double(p[axis])});
        return most;
    };
    CHECK(farthest(embedded) > 2);
    CHECK(farthest(drawn) <= 1.5 * embedding.outside_distance() + 1e-4);
}
