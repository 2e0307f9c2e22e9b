// Newton's method on the incremental potential, with a line search along a path that turns with the body.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fem/implicit_potential.h"
#include "yawara/rotation.h"

namespace yawara::fem {
namespace {

constexpr double kEnough = 1e-3;     // 1/s: error of the velocities that is left, in sizes of the body
constexpr int kMostNewton = 40;      // rounds
constexpr int kMostConjugate = 600;  // rounds of conjugate gradients in one of these
constexpr int kMostInAll = 3000;     // of them in a step, about: what is not solved then is cut short
// Their tolerance: the smaller one, unless the larger one, or what is between, leaves no more than that share of what
// is enough.
constexpr double kSmaller = 2e-3, kLarger = 0.1, kShare = 0.3;
constexpr int kMostForeseen = 4;      // solves in a Newton round, until no more contacts are foreseen
constexpr int kRoundsOfFriction = 8;  // after which normal forces that friction goes by stay as they are
constexpr int kMostHalvings = 40;     // of a step that does not go downhill
constexpr double kDownhill = 1e-4;    // share of the slope that has to be gained

constexpr int kMostByRest = 4;        // rounds with the matrix at rest
constexpr double kShrink = 0.5;       // share of its step that the next one of these may have
constexpr double kBent = 0.05;        // of the size: deformation by which it is measured how they shrink,
constexpr double kDifference = 1e-3;  // and how much more of it
constexpr double kCaution = 3;        // times as much as was measured is expected
constexpr double kUndecided = 1e-12;  // of an energy: rounding

/// How the body lies, as one that is not deformed.
struct RestPose {
    Mat3d turn;          ///< from rest, the closest
    double deformation;  ///< rms distance from there, of the rms distance from the middle
};
RestPose closest_rest(const Front& front, const ImplicitWork& own)
{
    const Vec3d origin = own.x[0];
    double mass = 0, squares = 0, rest_squares = 0;
    Vec3d moment;
    Mat3d covariance = Mat3d::zero();  // the middle at rest is zero: that of now does not count
    for (std::size_t k = 0; k < own.x.size(); ++k) {
        const double m = front.exact_diagonal[k];
        const Vec3d arm = own.x[k] - origin, weighted = arm * m, rest_arm = own.at_rest[k];
        covariance = covariance + outer(weighted, rest_arm);
        mass += m, moment += weighted;
        squares += dot(arm, weighted), rest_squares += dot(rest_arm, rest_arm) * m;
    }
    squares -= dot(moment, moment) / mass;
    const auto pose = [&](const Mat3d& turn) -> RestPose {
        const double alike = dot(turn.c0, covariance.c0) + dot(turn.c1, covariance.c1) + dot(turn.c2, covariance.c2);
        return {turn, std::sqrt(std::max(squares + rest_squares - 2 * alike, 0.0) / rest_squares)};
    };
    // Newton's iteration for the polar decomposition. Flat bodies have none; then the robust way.
    Mat3d R = covariance;
    constexpr int kMostPolar = 20;
    for (int k = 0; k < kMostPolar; ++k) {
        const Mat3d cofactors{cross(R.c1, R.c2), cross(R.c2, R.c0), cross(R.c0, R.c1)};
        const double determinant = dot(R.c0, cofactors.c0), size = dot(R.c0, R.c0) + dot(R.c1, R.c1) + dot(R.c2, R.c2);
        if (!(determinant > 1e-6 * size * std::sqrt(size))) break;
        const double scale = k < 3 ? std::cbrt(determinant) : 1.0;
        const Mat3d next = R * (0.5 / scale) + cofactors * (0.5 * scale / determinant);
        const Mat3d change = next - R;
        R = next;
        if (dot(change.c0, change.c0) + dot(change.c1, change.c1) + dot(change.c2, change.c2) < 1e-12) return pose(R);
    }
    return pose(to_matrix(closest_rotation(covariance, {})));
}

/// A search direction as a rigid motion and the rest, so that a stiff body can turn without being stretched.
struct TurningDirection {
    RigidMotion motion;

    Vec3d along(Vec3d x, Vec3d inner, double share, const Mat3d& turn) const
    {
        return motion.center + motion.velocity * share + turn * (x - motion.center + inner * share);
    }
};
TurningDirection turning_direction(const Front& front, bool held, ImplicitWork& own)
{
    TurningDirection result;
    own.inner_direction = own.direction;
    if (held) return result;
    double mass = 0;
    Vec3d center, linear, angular;
    Mat3d inertia = Mat3d::zero();
    const auto for_each = [&](const auto& then) {
        for (std::size_t row = 0; row < own.direction.size(); ++row) {
            const auto node = std::size_t(own.matrix.node_of(row));
            then(front.exact_diagonal[node], own.x[node], row);
        }
    };
    for_each([&](double m, Vec3d x, std::size_t row) { mass += m, center += x * m, linear += own.direction[row] * m; });
    result.motion.center = center / mass, result.motion.velocity = linear / mass;
    for_each([&](double m, Vec3d x, std::size_t row) {
        const Vec3d arm = x - result.motion.center;
        angular += cross(arm, own.direction[row]) * m;
        inertia = inertia + (Mat3d{} * dot(arm, arm) - outer(arm, arm)) * m;
    });
    result.motion.spin = solve_symmetric(inertia, angular);
    for_each(
        [&](double, Vec3d x, std::size_t row) { own.inner_direction[row] = own.direction[row] - result.motion.at(x); });
    return result;
}

/// own.tried: a share of the step along it from own.x.
void try_direction(const Front& front, const TurningDirection& turning, double share, ImplicitWork& own)
{
    const Mat3d turn = turned_by(turning.motion.spin * share);
    own.tried = own.x;
    for (std::size_t row = 0; row < own.direction.size(); ++row) {
        const auto node = std::size_t(own.matrix.node_of(row));
        own.tried[node] = turning.along(own.x[node], own.inner_direction[row], share, turn);
    }
    interpolate(front, own.tried);
}

struct NewtonStep {
    TurningDirection turning;
    int conjugate = 0;    ///< rounds of conjugate gradients
    double residual = 0;  ///< they left
};

/// Solves for the step, again when it would carry more nodes into obstacles than were counted with.
NewtonStep find_step(const Front& front, IncrementalPotential& potential, double enough, bool held, ImplicitWork& own)
{
    NewtonStep step;
    const auto solve = [&](bool from_zero) {
        const BlockMatrix::Solved solved =
            own.matrix.solve(own.drive, {kSmaller, kLarger, kShare * enough}, kMostConjugate, from_zero, own.direction);
        step.conjugate += solved.rounds;
        step.residual = solved.residual;
        step.turning = turning_direction(front, held, own);
    };
    for (int count = 0; count < kMostForeseen; ++count) {
        solve(count == 0);
        try_direction(front, step.turning, 1, own);
        if (!potential.foresee(own.x, own.tried)) break;
    }
    if (own.matrix.dot(own.gradient, own.direction) < 0) return step;
    potential.differentiate(own.x);  // what was foreseen leads uphill: without it, then
    solve(true);
    return step;
}

}  // namespace

IncrementalPotential::Energy guess(double h, double start, IncrementalPotential& potential, Workspace& work)
{
    ImplicitWork& own = work.implicit;
    const bool held = !work.fixed.empty(), driven = held || !own.springs.empty() || !own.obstacles.empty();
    bool hands_move = false;
    IncrementalPotential::Energy least{};
    const auto consider = [&](bool at_start) {
        for (std::size_t k = 0; k < work.fixed.size(); ++k)
            if (work.fixed[k]) {
                own.tried[k] = own.start[k] + get(work.v, k).as<double>() * h;
                hands_move |= own.tried[k] != own.start[k];
            }
        interpolate(work.front, own.tried);
        const bool known = at_start && !hands_move;
        const IncrementalPotential::Energy energy =
            known ? potential.energy(own.tried, {start, 0}) : potential.energy(own.tried);
        if (!at_start && !(energy.all < least.all)) return;
        least = energy;
        own.x = own.tried;
    };
    own.tried = own.start, consider(true);
    own.tried = own.inertial, consider(false);
    if (!held) own.tried = own.rigid, consider(false);
    if (driven) {
        for (std::size_t k = 0; k < own.tried.size(); ++k)
            own.tried[k] = own.inertial[k] + get(work.a, k).as<double>() * (h * h);
        consider(false);
    }
    return least;
}

double measure_rest(const FemModel& model, const Front& front, double h, bool held, ImplicitWork& own)
{
    const std::size_t rows = own.matrix.rows();
    const std::span<const Vec3d> rest = own.at_rest;
    Vec3d low = rest[0], high = rest[0];
    for (const Vec3d& p : rest)
        for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], p[i]), high[i] = std::max(high[i], p[i]);
    const Vec3d extent = high - low;
    const int longest = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
    const auto find_gradient = [&](std::vector<Vec3d>& out) {
        own.tets.find_slopes(own.x);
        std::fill(out.begin(), out.end(), Vec3d{});
        own.matrix.add_corners(own.tets.gradients(), out);
    };
    const auto longest_of = [](std::span<const Vec3d> vectors) {
        double most = 0;
        for (const Vec3d& v : vectors) most = std::max(most, dot(v, v));
        return std::sqrt(most);
    };
    double most = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (std::size_t row = 0; row < rows; ++row) {
            const auto node = std::size_t(own.matrix.node_of(row));
            const double along = (2 * rest[node] - low - high)[longest] / extent[longest];
            own.off[row] = {}, own.off[row][axis] = along * along * front.exact_diagonal[node];
        }
        own.rest.solve(own.off, {}, own.direction);
        own.x = own.at_rest;
        turning_direction(front, held, own);
        std::vector<Vec3d>& bend = own.inner_direction;
        const double scale = kBent * model.size / longest_of(bend);
        for (std::size_t row = 0; row < rows; ++row) {
            bend[row] *= scale;
            own.x[std::size_t(own.matrix.node_of(row))] += bend[row];
        }
        const RestPose pose = closest_rest(front, own);
        find_gradient(own.gradient);
        for (std::size_t row = 0; row < rows; ++row)
            own.x[std::size_t(own.matrix.node_of(row))] += bend[row] * kDifference;
        find_gradient(own.drive);
        own.matrix.multiply_mass(bend, own.mass_off);
        for (std::size_t row = 0; row < rows; ++row)
            own.off[row] = (own.drive[row] - own.gradient[row]) / kDifference + own.mass_off[row] / (h * h);
        own.rest.solve(own.off, pose.turn, own.direction);
        for (std::size_t row = 0; row < rows; ++row) own.direction[row] -= bend[row];
        const double shrink = longest_of(own.direction) / longest_of(bend) / pose.deformation;
        if (!std::isfinite(shrink)) return std::numeric_limits<double>::infinity();
        most = std::max(most, shrink);
    }
    return most;
}

Minimised minimise_by_rest(const FemModel& model, const Front& front, IncrementalPotential& potential, double h,
                           Workspace& work)
{
    ImplicitWork& own = work.implicit;
    const double enough = kEnough * model.size * h;
    own.x = own.inertial;
    for (std::size_t row = 0; row < own.matrix.rows(); ++row) {
        const auto k = std::size_t(own.matrix.node_of(row));
        if (!work.fixed.empty()) own.x[k] += get(work.a, k).as<double>() * (h * h);
    }
    for (std::size_t k = 0; k < work.fixed.size(); ++k)
        if (work.fixed[k]) own.x[k] = own.start[k] + get(work.v, k).as<double>() * h;
    const RestPose pose = closest_rest(front, own);

    Minimised result;
    double first = 0, before = 0;  // J at the start; m, the longest step of the last round
    double expected = 0;
    while (result.rounds < kMostByRest) {
        const IncrementalPotential::Energy now = potential.find_slope(own.x);
        if (result.rounds == 0) first = now.all;
        ++result.rounds;
        own.rest.solve(own.gradient, pose.turn, own.direction);
        double farthest = 0, slope = 0;
        for (std::size_t row = 0; row < own.matrix.rows(); ++row) {
            own.x[std::size_t(own.matrix.node_of(row))] -= own.direction[row];
            slope += dot(own.gradient[row], own.direction[row]);
            farthest = std::max(farthest, dot(own.direction[row], own.direction[row]));
        }
        farthest = std::sqrt(farthest);
        if (result.rounds == 1) {
            const double deformation = pose.deformation + farthest / model.size;
            expected = deformation < kBent ? std::min(kShrink, kCaution * own.rest_shrink * deformation) : kShrink;
        } else {
            expected = farthest / before;
            if (!(expected <= kShrink)) return result;
        }
        before = farthest;
        result.left = farthest * expected / (1 - expected);
        if (!(result.left < enough)) continue;
        const IncrementalPotential::Energy last = potential.energy(own.x);
        // A quadratic potential with this matrix would have fallen by half the slope. What it did not tells of another
        // matrix, unless rounding decides.
        const double rounding = kUndecided * std::abs(first);
        if (std::abs(slope - 2 * (now.all - last.all)) > expected * slope + rounding) continue;
        result.elastic = last.elastic;
        result.enough = last.all <= first + rounding;
        break;
    }
    return result;
}

Minimised minimise(const FemModel& model, const Front& front, IncrementalPotential& potential,
                   IncrementalPotential::Energy now, double h, bool held, ImplicitWork& own)
{
    const double enough = kEnough * model.size * h;
    const double little = model.total_mass * (kEnough * model.size) * (kEnough * model.size);  // J
    Minimised result;
    while (result.rounds < kMostNewton && result.conjugate < kMostInAll && !result.enough) {
        if (result.rounds > 0 && result.rounds < kRoundsOfFriction && !own.obstacles.empty()) {
            potential.press(own.x);
            now = potential.energy(own.x);
        }
        potential.differentiate(own.x);
        ++result.rounds;
        const NewtonStep step = find_step(front, potential, enough, held, own);
        result.conjugate += step.conjugate;
        const double slope = -own.matrix.dot(own.gradient, own.direction);  // downhill
        double farthest = 0;
        for (const Vec3d& d : own.direction) farthest = std::max(farthest, dot(d, d));
        farthest = std::sqrt(farthest);
        if (!(slope > 0) || !std::isfinite(farthest)) {
            result.enough = slope == 0;
            break;
        }
        double share = 1;
        IncrementalPotential::Energy next{};
        for (int halving = 0; halving <= kMostHalvings; ++halving, share /= 2) {
            try_direction(front, step.turning, share, own);
            next = potential.energy(own.tried);
            if (next.all <= now.all - kDownhill * share * slope) break;
        }
        if (!(next.all < now.all)) {  // rounding decides: no step is short enough to be seen to go downhill
            result.left = farthest;
            result.enough = farthest < enough || slope < 1e-12 * std::abs(now.all);
            break;
        }
        if (share < 1) potential.stop_foreseeing_friction();
        // A quadratic potential would have fallen by half the slope: by how much it did not, the next step will be
        // shorter than this one.
        const double quality = std::abs(1 - 2 * (now.all - next.all) / slope);
        result.left = farthest * (share < 1 ? 1.0 : std::min(1.0, quality + step.residual));
        result.enough = result.left < enough || slope * (share < 1 ? 1.0 : quality + step.residual) < little;
        now = next;
        own.x.swap(own.tried);
    }
    result.elastic = now.elastic;
    return result;
}

}  // namespace yawara::fem
