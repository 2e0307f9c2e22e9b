// Stiff parts of lattices that move as one: which particles they have, and that joining them is a rigid projection.
#include <doctest/doctest.h>

#include <numeric>
#include <random>

#include "brute_force.h"
#include "matching/rigid_pieces.h"

using namespace yawara;
using namespace yawara::matching;

namespace {

/// A bar of cells with two stiff lumps, random masses and a random state.
struct Lumps {
    Lattice lattice;
    std::vector<float> stiffness;
    std::vector<Vec3d> rest;
    std::vector<double> masses;
    std::vector<Vec3> positions, velocities;
    std::vector<std::vector<std::int32_t>> pieces;  ///< by flooding from cell to cell
    RigidPieces rigid;

    explicit Lumps(unsigned seed, double noise = 0.02)
    {
        std::mt19937 random(seed);
        std::vector<Int3> cells;
        for (int x = 0; x < 9; ++x)
            for (int y = 0; y < 3; ++y)
                for (int z = 0; z < 3; ++z) cells.push_back({x, y, z});
        lattice = make_lattice({-0.3, 0.2, 0.1}, 0.1, cells);
        std::uniform_real_distribution<double> mass(0.2, 3.0);
        std::normal_distribution<double> normal;
        for (std::size_t i = 0; i < lattice.nodes.size(); ++i) {
            const int x = lattice.nodes[i][0];
            stiffness.push_back(x < 3 || x > 6 ? 0.95f : 0.3f);
            rest.push_back(lattice.position(int(i)));
            masses.push_back(mass(random));
        }
        const Mat3d turn = rotation(Vec3d{1, -2, 0.5}, 0.8);
        const auto vector = [&] { return Vec3d{normal(random), normal(random), normal(random)}; };
        for (const Vec3d& q : rest) {
            positions.push_back((turn * q + Vec3d{1, 2, -1} + vector() * noise).as<float>());
            velocities.push_back(vector().as<float>());
        }
        flood();
        rigid = RigidPieces(BoxGrid::build(lattice, {Reach{1, 1, 1}}).value(), stiffness, 0.9f, rest, masses);
    }

    void flood()
    {
        std::vector<int> piece(stiffness.size(), -1);
        for (std::size_t start = 0; start < piece.size(); ++start) {
            if (piece[start] >= 0 || stiffness[start] < 0.9f) continue;
            const int number = int(pieces.size());
            pieces.emplace_back();
            piece[start] = number;
            for (bool more = true; more;) {
                more = false;
                for (const Int8& cell : lattice.cells) {
                    const bool reached = std::any_of(cell.begin(), cell.end(),
                                                     [&](std::int32_t i) { return piece[std::size_t(i)] == number; });
                    for (const std::int32_t i : cell) {
                        if (!reached || piece[std::size_t(i)] >= 0 || stiffness[std::size_t(i)] < 0.9f) continue;
                        piece[std::size_t(i)] = number;
                        more = true;
                    }
                }
            }
            for (std::size_t i = 0; i < piece.size(); ++i)
                if (piece[i] == number) pieces.back().push_back(std::int32_t(i));
        }
    }

    std::vector<std::int32_t> loose() const
    {
        std::vector<std::int32_t> out;
        for (std::size_t i = 0; i < stiffness.size(); ++i)
            if (stiffness[i] < 0.9f) out.push_back(std::int32_t(i));
        return out;
    }
};

struct Momenta {
    Vec3d linear, angular, moment;  ///< angular about the origin; sum of m x
    double energy = 0;
};

Momenta momenta_of(const Lumps& body, std::span<const std::int32_t> particles)
{
    Momenta sum;
    for (const std::int32_t particle : particles) {
        const auto i = std::size_t(particle);
        const Vec3d x = body.positions[i].as<double>(), v = body.velocities[i].as<double>();
        sum.linear += v * body.masses[i];
        sum.angular += cross(x, v) * body.masses[i];
        sum.moment += x * body.masses[i];
        sum.energy += dot(v, v) * body.masses[i] / 2;
    }
    return sum;
}

/// Largest change of a distance from rest, and largest speed at which one changes.
std::pair<double, double> strain_of(const Lumps& body, std::span<const std::int32_t> particles)
{
    double strain = 0, rate = 0;
    for (const std::int32_t a : particles)
        for (const std::int32_t b : particles) {
            if (a >= b) continue;
            const auto i = std::size_t(a), j = std::size_t(b);
            const Vec3d between = (body.positions[i] - body.positions[j]).as<double>();
            const double distance = length(between);
            strain = std::max(strain, std::abs(distance - length(body.rest[i] - body.rest[j])));
            rate = std::max(rate,
                            std::abs(dot(between, (body.velocities[i] - body.velocities[j]).as<double>())) / distance);
        }
    return {strain, rate};
}

const auto kNothing = [] {};

}  // namespace

TEST_CASE("stiff particles with a common cell make one piece, and fewer than four make none")
{
    const Lumps body(1);
    CHECK(body.pieces.size() == 2);
    CHECK(body.rigid.size() == 2);

    std::vector<float> stiffness(body.stiffness.size(), 0.3f);
    const auto grid = BoxGrid::build(body.lattice, {Reach{1, 1, 1}}).value();
    for (std::size_t count = 1; count <= 5; ++count) {
        stiffness[std::size_t(body.lattice.cells[0][count - 1])] = 1;
        CHECK(RigidPieces(grid, stiffness, 0.9f, body.rest, body.masses).size() == (count < 4 ? 0 : 1));
    }
}

TEST_CASE("joined velocities keep both momenta, change no distance, and leave the rest to the bit")
{
    Lumps body(2);
    const Lumps before = body;
    body.rigid.join_velocities(body.positions, body.velocities);
    for (const auto& piece : body.pieces) {
        CHECK(strain_of(body, piece).second < 1e-5);
        const Momenta was = momenta_of(before, piece), is = momenta_of(body, piece);
        CHECK(length(is.linear - was.linear) < 1e-5 * length(was.linear));
        CHECK(length(is.angular - was.angular) < 1e-5 * length(was.angular));
        CHECK(is.energy < was.energy);
    }
    for (const std::int32_t i : body.loose())
        CHECK(body.velocities[std::size_t(i)] == before.velocities[std::size_t(i)]);

    const std::vector<Vec3> once = body.velocities;
    body.rigid.join_velocities(body.positions, body.velocities);
    for (std::size_t i = 0; i < once.size(); ++i) CHECK(length(body.velocities[i] - once[i]) < 1e-5f);
}

TEST_CASE("a piece that nothing touches gets the distances of rest about its centre of mass, turned as an SVD says")
{
    Lumps body(3);
    const Lumps before = body;
    body.rigid.touch_and_join(body.positions, body.velocities, {}, kNothing);
    for (const auto& piece : body.pieces) {
        const auto [strain, rate] = strain_of(body, piece);
        CHECK(strain < 1e-6);
        CHECK(rate < 1e-5);
        const Momenta was = momenta_of(before, piece), is = momenta_of(body, piece);
        CHECK(length(is.moment - was.moment) < 1e-6 * length(was.moment));
        CHECK(length(is.linear - was.linear) < 1e-5 * length(was.linear));

        double mass = 0;
        brute::Vector3d c = brute::Vector3d::Zero(), c0 = c;
        for (const std::int32_t i : piece) {
            mass += body.masses[std::size_t(i)];
            c += brute::eigen(before.positions[std::size_t(i)].as<double>()) * body.masses[std::size_t(i)];
            c0 += brute::eigen(body.rest[std::size_t(i)]) * body.masses[std::size_t(i)];
        }
        c /= mass, c0 /= mass;
        brute::Matrix3d A = brute::Matrix3d::Zero();
        for (const std::int32_t i : piece)
            A += body.masses[std::size_t(i)] * (brute::eigen(before.positions[std::size_t(i)].as<double>()) - c) *
                 (brute::eigen(body.rest[std::size_t(i)]) - c0).transpose();
        const brute::Matrix3d R = brute::signed_polar_rotation(A);
        for (const std::int32_t i : piece)
            CHECK((brute::eigen(body.positions[std::size_t(i)].as<double>()) -
                   (c + R * (brute::eigen(body.rest[std::size_t(i)]) - c0)))
                      .norm() < 1e-5);
    }
    for (const std::int32_t i : body.loose()) CHECK(body.positions[std::size_t(i)] == before.positions[std::size_t(i)]);
}

TEST_CASE("three particles of a piece that are held lead the whole piece, far ones too")
{
    Lumps body(4, 0.0);
    const std::vector<std::int32_t>& piece = body.pieces[0];
    const std::vector<std::int32_t> gripped{piece[0], piece[2], piece[7]};
    const Mat3d turn = rotation(Vec3d{0.2, 1, 0.1}, 0.5);
    const auto wanted = [&](std::int32_t i) {
        return (turn * body.rest[std::size_t(i)] + Vec3d{0.5, 0, 0}).as<float>();
    };
    body.rigid.touch_and_join(body.positions, body.velocities, gripped, [&] {
        for (const std::int32_t i : gripped) {
            body.positions[std::size_t(i)] = wanted(i);
            body.velocities[std::size_t(i)] = {};
        }
    });
    for (const std::int32_t i : piece) {
        CHECK(length(body.positions[std::size_t(i)] - wanted(i)) < 1e-5f);
        CHECK(length(body.velocities[std::size_t(i)]) < 1e-4f);
    }
    CHECK(strain_of(body, body.pieces[1]).first < 1e-6);
}

TEST_CASE("a piece pushed out of a floor stays rigid and is no longer in it")
{
    Lumps body(5, 0.0);
    float lowest = 1e9f, size = 0.3f;
    for (const Vec3& p : body.positions) lowest = std::min(lowest, p.y);
    const float floor = lowest + 0.02f;
    body.rigid.touch_and_join(body.positions, body.velocities, {}, [&] {
        for (Vec3& p : body.positions) p.y = std::max(p.y, floor);
    });
    for (const auto& piece : body.pieces) {
        CHECK(strain_of(body, piece).first < 1e-4 * double(size));  // the floor has the last word
        for (const std::int32_t i : piece) CHECK(body.positions[std::size_t(i)].y > floor - 0.003f * size);
    }
}
