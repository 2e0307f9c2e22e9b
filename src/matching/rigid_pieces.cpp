#include "matching/rigid_pieces.h"

#include <numeric>

#include "core/parallel.h"
#include "matching/damping.h"
#include "yawara/rotation.h"

namespace yawara::matching {
namespace {

constexpr std::size_t kFewest = 4;
/// How much more than the whole piece a held particle counts: a contact stops the piece, a grip all the more.
constexpr double kContact = 1e3, kGrip = 1e7;

}  // namespace

RigidPieces::RigidPieces(const BoxGrid& grid, std::span<const float> stiffness, float threshold,
                         std::span<const Vec3d> rest, std::span<const double> masses)
    : masses_(masses.begin(), masses.end()), hold_(masses.size()), before_(masses.size())
{
    std::vector<std::int32_t> root(stiffness.size());
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](std::int32_t i) {
        while (root[std::size_t(i)] != i) i = root[std::size_t(i)] = root[std::size_t(root[std::size_t(i)])];
        return i;
    };
    const auto hard = [&](std::int32_t i) { return i >= 0 && stiffness[std::size_t(i)] >= threshold; };
    for (const BoxPart& part : grid.parts())
        for (std::size_t node = 0; node < part.node_count(); ++node) {
            if (!part.cell[node]) continue;
            std::int32_t first = -1;
            for (std::size_t k = 0; k < 8; ++k) {
                const std::size_t corner =
                    node + (k & 1) + (k >> 1 & 1) * part.row + (k >> 2) * part.row * std::size_t(part.ny);
                const std::int32_t i = part.particle[corner];
                if (!hard(i)) continue;
                if (first < 0) first = i;
                const std::int32_t a = find(first), b = find(i);
                root[std::size_t(std::max(a, b))] = std::min(a, b);
            }
        }
    std::vector<std::vector<std::int32_t>> groups(root.size());
    for (std::size_t i = 0; i < root.size(); ++i)
        if (hard(std::int32_t(i))) groups[std::size_t(find(std::int32_t(i)))].push_back(std::int32_t(i));
    for (std::vector<std::int32_t>& group : groups) {
        if (group.size() < kFewest) continue;
        Piece piece;
        Vec3d center;
        for (const std::int32_t i : group) {
            piece.mass += masses_[std::size_t(i)];
            center += rest[std::size_t(i)] * masses_[std::size_t(i)];
        }
        center = center / piece.mass;
        for (const std::int32_t i : group) piece.q.push_back(rest[std::size_t(i)] - center);
        piece.particles = std::move(group);
        pieces_.push_back(std::move(piece));
    }
}

double RigidPieces::weight(const Piece& piece, std::size_t k) const
{
    const auto i = std::size_t(piece.particles[k]);
    const double factor = hold_[i] == Hold::none ? 0 : hold_[i] == Hold::touched ? kContact : kGrip;
    return masses_[i] + factor * piece.mass;
}

void RigidPieces::join_velocities(const Piece& piece, std::span<const Vec3> positions, std::span<Vec3> velocities) const
{
    const Vec3d reference = positions[std::size_t(piece.particles[0])].as<double>();
    double mass = 0;
    Vec3d c, momentum;
    for (std::size_t k = 0; k < piece.particles.size(); ++k) {
        const auto i = std::size_t(piece.particles[k]);
        const double m = weight(piece, k);
        mass += m;
        c += (positions[i].as<double>() - reference) * m;
        momentum += velocities[i].as<double>() * m;
    }
    c = c / mass + reference;
    const Vec3d velocity = momentum / mass;
    Vec3d angular, square, mixed;
    for (std::size_t k = 0; k < piece.particles.size(); ++k) {
        const auto i = std::size_t(piece.particles[k]);
        const double m = weight(piece, k);
        const Vec3d p = positions[i].as<double>() - c;
        angular += cross(p, velocities[i].as<double>()) * m;
        square += Vec3d{p.x * p.x, p.y * p.y, p.z * p.z} * m;
        mixed += Vec3d{p.y * p.z, p.z * p.x, p.x * p.y} * m;
    }
    const Vec3d spin = spin_of(square, mixed, angular);
    for (const std::int32_t particle : piece.particles) {
        const auto i = std::size_t(particle);
        velocities[i] = (velocity + cross(spin, positions[i].as<double>() - c)).as<float>();
    }
}

void RigidPieces::join_velocities(std::span<const Vec3> positions, std::span<Vec3> velocities) const
{
    for_each_chunk(pieces_.size(), 1, [&](std::size_t k, std::size_t, std::size_t) {
        join_velocities(pieces_[k], positions, velocities);
    });
}

void RigidPieces::join(std::span<Vec3> positions, std::span<Vec3> velocities)
{
    for_each_chunk(pieces_.size(), 1, [&](std::size_t number, std::size_t, std::size_t) {
        const Piece& piece = pieces_[number];
        const Vec3d reference = positions[std::size_t(piece.particles[0])].as<double>();
        double mass = 0;
        Vec3d c, c0;
        for (std::size_t k = 0; k < piece.particles.size(); ++k) {
            const double m = weight(piece, k);
            mass += m;
            c += (positions[std::size_t(piece.particles[k])].as<double>() - reference) * m;
            c0 += piece.q[k] * m;
        }
        c = c / mass + reference;
        c0 = c0 / mass;
        Mat3d A = Mat3d::zero();
        for (std::size_t k = 0; k < piece.particles.size(); ++k)
            A = A + outer((positions[std::size_t(piece.particles[k])].as<double>() - c) * weight(piece, k),
                          piece.q[k] - c0);
        const Mat3d turn = to_matrix(closest_rotation(A, {}));  // of a rod, any turn about itself will do
        for (std::size_t k = 0; k < piece.particles.size(); ++k)
            positions[std::size_t(piece.particles[k])] = (c + turn * (piece.q[k] - c0)).as<float>();
        join_velocities(piece, positions, velocities);
    });
}

}  // namespace yawara::matching
