// Each doubt: what is looked at, from where on it is worth a word, and where it is worst.
#include "yawara/doubts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "matching/regions.h"
#include "math/pseudo_inverse.h"
#include "sim/body_model.h"

namespace yawara {
namespace {

constexpr double kFewCells = 4;         // across a bend, [ProcDef] 4.6
constexpr double kNoticeable = 0.02;    // logarithm of a stretch that is seen
constexpr double kUnknownShare = 0.05;  // of the particles
constexpr double kWaveShare = 0.5;      // of the speed of sound that a wave may have
constexpr double kAtOnce = 0.1;         // of a period: places less apart than this contract as one
constexpr double kPhaseJump = 0.3;      // between neighbours: more than fields that mean to be smooth have
constexpr double kCycleJump = 0.05;     // of a period that is not seen
constexpr double kNoSlope = 1e-6;       // of a period, between neighbours

std::string text(const char* format, auto... values)
{
    char out[256];
    std::snprintf(out, sizeof out, format, values...);
    return out;
}

/// What a body is looked at by.
struct Looked {
    const BodyModel& model;
    std::span<const Vec3d> rest;
    matching::Lists links;
    double cell = 0;  ///< m, mean distance to the nearest neighbour

    explicit Looked(const BodyModel& body)
        : model(body),
          rest(body.rest_positions()),
          links(std::visit([](const auto& domain) { return matching::links(domain); }, body.domain()))
    {
        for (std::size_t i = 0; i < rest.size(); ++i) {
            double nearest = 0;
            for (const std::int32_t j : links[i]) {
                const double away = length(rest[std::size_t(j)] - rest[i]);
                nearest = nearest > 0 ? std::min(nearest, away) : away;
            }
            cell += nearest / double(rest.size());
        }
    }

    /// m: how far the neighbours of a particle reach along a unit vector, on average of those that do.
    double cell_along(std::size_t i, Vec3d unit) const
    {
        double most = 0, sum = 0, count = 0;
        const auto reach = [&](std::int32_t j) { return std::abs(dot(rest[std::size_t(j)] - rest[i], unit)); };
        for (const std::int32_t j : links[i]) most = std::max(most, reach(j));
        for (const std::int32_t j : links[i])
            if (reach(j) > 0.5 * most) sum += reach(j), ++count;
        return count > 0 ? sum / count : 0;
    }

    Vec3d gradient(const std::vector<double>& values, std::size_t i) const
    {
        Mat3d A = Mat3d::zero();
        Vec3d b;
        for (const std::int32_t j : links[i]) {
            const Vec3d d = rest[std::size_t(j)] - rest[i];
            A = A + outer(d, d);
            b += d * (values[std::size_t(j)] - values[i]);
        }
        return pseudo_inverse(A) * b;
    }
};

/// The largest logarithm of a chart of any gait.
double strongest(const ChartedLayer& layer, int direction)
{
    double most = 0;
    const auto look = [&](const Charts& charts) {
        for (const ChartKey& key : charts.directions[std::size_t(direction)].keys)
            most = std::max(most, std::abs(std::log(std::clamp(key.value, 1 / charts.limit, charts.limit))));
    };
    look(layer.charts);
    for (const Gait& gait : layer.gaits) look(gait.charts);
    return most * std::abs(layer.strength);
}

using Found = std::optional<MuscleDoubt>;

/// Where the amplitude changes across the fibres the body bends, as well as its cells let it.
Found coarse_bend(const Looked& body, const ActiveParts& parts)
{
    if (strongest(parts.layer, 0) < kNoticeable) return {};
    double steepest = 0;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < body.rest.size(); ++i) {
        const Vec3d g = body.gradient(parts.fields.amplitude, i), d = parts.fields.frames[i].c0;
        const Vec3d across = g - d * dot(g, d);
        const double steep = length(across), change = steep > 0 ? steep * body.cell_along(i, across / steep) : 0;
        if (change > steepest) steepest = change, worst = i;
    }
    const double cells = 2 / steepest;  // from -1 to 1
    if (!(cells < kFewCells * (1 - 1e-6))) return {};
    const double reached = 100 / (1 + 3 / (cells * cells));
    return MuscleDoubt{MuscleDoubt::Kind::coarse_bend, 0,
                       text("the amplitude changes sign within %.2g cells: it bends to about %.0f %% of what it is asked "
                            "for; four cells or more would be enough",
                            cells, reached),
                       body.rest[worst]};
}

Found unknown_direction(const Looked& body, const ActiveParts& parts)
{
    const double c1 = strongest(parts.layer, 0), c2 = strongest(parts.layer, 1), c3 = strongest(parts.layer, 2);
    if (std::max({c1, c2, c3}) - std::min({c1, c2, c3}) < kNoticeable) return {};  // the same in all directions
    std::vector<std::size_t> unknown;
    Vec3d middle;
    for (std::size_t i = 0; i < body.rest.size(); ++i) {
        if (parts.fields.stroke_confidence[i] >= 0.5 || parts.fields.amplitude[i] == 0) continue;
        unknown.push_back(i);
        middle += body.rest[i];
    }
    const double share = double(unknown.size()) / double(body.rest.size());
    if (share <= kUnknownShare) return {};
    middle = middle / double(unknown.size());
    const auto away = [&](std::size_t i) { return length(body.rest[i] - middle); };
    return MuscleDoubt{
        MuscleDoubt::Kind::unknown_direction, 0,
        text("the direction of the fibres is unknown at %.0f %% of its places, which stretch alike in all "
             "directions across the depth: strokes there would set it",
             100 * share),
        body.rest[*std::ranges::min_element(unknown, {}, away)]};
}

/// m/s: how fast a change of shape runs through the body.
double sound_speed(const Looked& body, const MatchingSettings& settings, double dt)
{
    const BodyModel::Data& data = body.model.data();
    if (settings.young > 0) {
        const TetMesh solid = solid_of(body.model.domain());
        double volume = 0;
        for (const Int4& t : solid.tets) {
            const auto at = [&](int k) { return solid.vertices[std::size_t(t[std::size_t(k)])]; };
            volume += std::abs(dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0))) / 6;
        }
        return std::sqrt(double(settings.young) * volume / data.total_mass);
    }
    return 0.7 * std::sqrt(double(settings.passes) * double(settings.alpha)) * body.cell / dt;  // [ProcDef] 4.5
}

Found fast_wave(const Looked& body, const ActiveParts& parts, const MatchingSettings& settings, double dt)
{
    const auto [low, high] = std::ranges::minmax(parts.fields.phase);
    const double sound = sound_speed(body, settings, dt);
    double fastest = 0, period = parts.charts.period;
    for (const Gait& gait : parts.layer.gaits) {
        fastest = std::max(fastest, std::abs(gait.speed));
        period = std::min(period, gait.charts.period);
    }
    fastest = std::max(fastest, std::abs(parts.speed));
    if ((high - low) / fastest < kAtOnce * period) return {};
    // The slope that most of the wave has: a wave stands still where the phase does.
    std::vector<std::pair<double, std::size_t>> slopes;
    for (std::size_t i = 0; i < body.rest.size(); ++i)
        slopes.emplace_back(length(body.gradient(parts.fields.phase, i)), i);
    std::ranges::nth_element(slopes, slopes.begin() + std::ptrdiff_t(slopes.size() / 2));
    const auto [slope, place] = slopes[slopes.size() / 2];
    if (!(slope * body.cell > 1e-6) || !(fastest / slope > kWaveShare * sound)) return {};
    return MuscleDoubt{MuscleDoubt::Kind::fast_wave, 0,
                       text("its wave runs at %.3g m/s, and a change of shape at %.3g m/s: the body cannot follow; a "
                            "slower wave, a stiffer body or more substeps would help",
                            fastest / slope, sound),
                       body.rest[place]};
}

Found phase_jump(const Looked& body, const ActiveParts& parts)
{
    const std::vector<double>& phase = parts.fields.phase;
    const double cycles_per_phase = 1 / (std::abs(parts.speed) * parts.charts.period);
    const auto jump = [&](std::size_t i, std::int32_t j) { return std::abs(phase[std::size_t(j)] - phase[i]); };
    std::vector<double> slopes(body.rest.size());  // between neighbours where the phase runs on, in cycles
    for (std::size_t i = 0; i < slopes.size(); ++i)
        for (const std::int32_t j : body.links[i])
            if (jump(i, j) < kPhaseJump) slopes[i] = std::max(slopes[i], jump(i, j) * cycles_per_phase);
    double most = 0;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < body.rest.size(); ++i)
        for (const std::int32_t j : body.links[i]) {
            if (jump(i, j) < kPhaseJump) continue;
            // A part that has one phase all over is a beat of its own, and its border is meant.
            if (!(slopes[i] > kNoSlope) || !(slopes[std::size_t(j)] > kNoSlope)) continue;
            const double cycles = jump(i, j) * cycles_per_phase;
            const double seen =
                std::abs(cycles - std::round(cycles)) - 2 * slopes[i];  // across a seam it may be twice that
            if (seen > most) most = seen, worst = i;
        }
    if (most < kCycleJump) return {};
    return MuscleDoubt{MuscleDoubt::Kind::phase_jump, 0,
                       text("neighbours are %.2g of a period apart: around a ring, 1 / speed has to be a multiple of "
                            "the period, %.3g s",
                            most, parts.charts.period),
                       body.rest[worst]};
}

}  // namespace

std::vector<MuscleDoubt> muscle_doubts(const BodyModel& model, const MatchingSettings& settings, double dt)
{
    std::vector<MuscleDoubt> doubts;
    const std::vector<const ActiveParts*> layers = all_active_parts(model);
    if (layers.empty()) return doubts;
    const Looked body(model);
    for (std::size_t k = 0; k < layers.size(); ++k) {
        if (layers[k]->layer.strength == 0) continue;
        for (Found found : {coarse_bend(body, *layers[k]), unknown_direction(body, *layers[k]),
                            fast_wave(body, *layers[k], settings, dt), phase_jump(body, *layers[k])}) {
            if (!found) continue;
            found->layer = k;
            doubts.push_back(*std::move(found));
        }
    }
    return doubts;
}

}  // namespace yawara
