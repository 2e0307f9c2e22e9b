// Parts of a lattice body so stiff that they move as one rigid piece each, [CVG] 10.4: exactly, by projection, with
// both momenta kept; never by a large weight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "matching/box_grid.h"
#include "yawara/math.h"

namespace yawara::matching {

class RigidPieces {
public:
    RigidPieces() = default;
    /// Pieces of connected particles with at least this stiffness; fewer than four particles make none.
    RigidPieces(const BoxGrid& grid, std::span<const float> stiffness, float threshold, std::span<const Vec3d> rest,
                std::span<const double> masses);

    bool empty() const { return pieces_.empty(); }
    std::size_t size() const { return pieces_.size(); }

    /// Velocities become those of rigid motion with the same momenta.
    void join_velocities(std::span<const Vec3> positions, std::span<Vec3> velocities) const;
    /// Calls touch(), which moves particles out of obstacles and to their grips, and makes the pieces rigid again, in
    /// turns: what was touched or is held (`gripped`) counts far more than the rest, so that the whole piece takes it.
    template <class Touch>
    void touch_and_join(std::span<Vec3> positions, std::span<Vec3> velocities, std::span<const std::int32_t> gripped,
                        const Touch& touch);

private:
    struct Piece {
        std::vector<std::int32_t> particles;
        std::vector<Vec3d> q;  ///< rest positions about the piece's centre of mass
        double mass = 0;
    };
    double weight(const Piece& piece, std::size_t k) const;
    /// Positions take the best rigid pose, then velocities follow.
    void join(std::span<Vec3> positions, std::span<Vec3> velocities);
    void join_velocities(const Piece& piece, std::span<const Vec3> positions, std::span<Vec3> velocities) const;

    std::vector<Piece> pieces_;
    std::vector<double> masses_;
    enum class Hold : std::uint8_t { none, touched, gripped };
    std::vector<Hold> hold_;    ///< per particle, within touch_and_join()
    std::vector<Vec3> before_;  ///< positions before a touch
};

template <class Touch>
void RigidPieces::touch_and_join(std::span<Vec3> positions, std::span<Vec3> velocities,
                                 std::span<const std::int32_t> gripped, const Touch& touch)
{
    constexpr int kRounds = 4;
    if (pieces_.empty()) {
        touch();
        return;
    }
    for (const std::int32_t i : gripped) hold_[std::size_t(i)] = Hold::gripped;
    for (int round = 0; round < kRounds; ++round) {
        std::copy(positions.begin(), positions.end(), before_.begin());
        touch();
        bool more = round == 0;
        for (const Piece& piece : pieces_)
            for (const std::int32_t particle : piece.particles) {
                const auto i = std::size_t(particle);
                if (hold_[i] != Hold::none || positions[i] == before_[i]) continue;
                hold_[i] = Hold::touched;
                more = true;
            }
        if (!more) break;
        join(positions, velocities);
    }
    std::fill(hold_.begin(), hold_.end(), Hold::none);  // the next step's velocities know nothing of these
}

}  // namespace yawara::matching
