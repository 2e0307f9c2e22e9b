// Measures of muscles: what they ask for and what the body does, how far it gets in a period, how fast its wave runs.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "yawara/active.h"
#include "yawara/measures.h"

namespace yawara {
namespace {

constexpr int kSlices = 24;  // of a wave, by phase

bool is_of_muscles(const MeasureKind& what)
{
    return std::holds_alternative<MeasureFiber>(what) || std::holds_alternative<MeasureCavity>(what) ||
           std::holds_alternative<MeasureAdvance>(what) || std::holds_alternative<MeasureWave>(what);
}

std::size_t nearest_particle(std::span<const Vec3d> rest, Vec3d place)
{
    const auto away = [&](const Vec3d& p) { return dot(p - place, p - place); };
    return std::size_t(std::ranges::min_element(rest, {}, away) - rest.begin());
}

/// The tets around a particle, with the vertices of all.
TetMesh around(const TetMesh& solid, std::size_t particle)
{
    TetMesh ring{solid.vertices, {}, {}};
    for (const Int4& tet : solid.tets)
        if (std::ranges::find(tet, std::int32_t(particle)) != tet.end()) ring.tets.push_back(tet);
    return ring;
}

/// Mean length of the gradient of a field, by volume.
double mean_slope(const TetMesh& solid, const std::vector<double>& values)
{
    double sum = 0, volume = 0;
    for (const Int4& t : solid.tets) {
        const auto at = [&](int k) { return solid.vertices[std::size_t(t[std::size_t(k)])]; };
        const auto value = [&](int k) { return values[std::size_t(t[std::size_t(k)])] - values[std::size_t(t[0])]; };
        const Vec3d a = at(1) - at(0), b = at(2) - at(0), c = at(3) - at(0);
        const double det = dot(cross(a, b), c);
        if (det == 0) continue;
        sum += std::abs(det) * length(cross(b, c) * value(1) + cross(c, a) * value(2) + cross(a, b) * value(3)) /
               std::abs(det);
        volume += std::abs(det);
    }
    return volume > 0 ? sum / volume : 0;
}

double center_along(const BodyModel& model, const BodyState& state, int axis)
{
    double sum = 0, mass = 0;
    for (std::size_t i = 0; i < state.positions.size(); ++i) {
        sum += model.masses()[i] * double(state.positions[i][axis]);
        mass += model.masses()[i];
    }
    return sum / mass;
}

double beat_time(Scene& scene, BodyId body)
{
    return scene.time() + scene.body_settings(body).matching.time_offset;
}

std::vector<float> achieved(const ActiveParts& active, const StretchGauge& gauge, const BodyState& state)
{
    std::vector<Vec3> fibres;
    for (const Mat3d& frame : active.fields.frames) fibres.push_back(frame.c0.as<float>());
    std::vector<float> stretch(state.positions.size());
    gauge.measure_along(fibres, state.positions, stretch);
    return stretch;
}

/// Phase units per second at which a beat of a period runs through slices of known phases; unknown if none does.
template <class Samples>
double wave_speed(const std::vector<double>& phases, const Samples& history, double period)
{
    // The first harmonic of each slice: the later it comes, the farther its angle has turned.
    std::vector<std::complex<double>> harmonics(phases.size());
    for (std::size_t s = 0; s < phases.size(); ++s) {
        double mean = 0;
        for (const auto& sample : history) mean += sample.values[s] / double(history.size());
        for (const auto& sample : history)
            harmonics[s] += (sample.values[s] - mean) * std::polar(1.0, 2 * std::numbers::pi * sample.time / period);
    }
    double sw = 0, sp = 0, sa = 0, spp = 0, spa = 0, angle = std::arg(harmonics[0]);
    for (std::size_t s = 0; s < phases.size(); ++s) {
        const double turned = std::arg(harmonics[s]) - angle;
        angle += turned - 2 * std::numbers::pi * std::round(turned / (2 * std::numbers::pi));
        const double w = std::norm(harmonics[s]), p = phases[s];
        sw += w, sp += w * p, sa += w * angle, spp += w * p * p, spa += w * p * angle;
    }
    const double slope = (sw * spa - sp * sa) / (sw * spp - sp * sp);
    return 2 * std::numbers::pi / (slope * period);
}

}  // namespace

Status Measures::prepare_muscles(Measure& measure, const Scene& scene)
{
    if (!is_of_muscles(measure.spec.what)) return Done{};
    const BodyModel& model = scene.model(measure.spec.body);
    const ActiveParts* const active = active_parts(model);
    if (!active) return Error{"body", "\"" + model.name() + "\" has no muscles"};
    Muscles& own = measure.muscles = {};
    if (const auto* fiber = std::get_if<MeasureFiber>(&measure.spec.what)) {
        own.particle = nearest_particle(model.rest_positions(), fiber->at);
        own.gauge.emplace(around(solid_of(model.domain()), own.particle));
    }
    if (const auto* cavity = std::get_if<MeasureCavity>(&measure.spec.what)) {
        Result<CavityGauge> made = cavity_of(model, cavity->depth);
        if (!made) return made.error();
        own.cavity = *std::move(made);
    }
    if (std::holds_alternative<MeasureWave>(measure.spec.what)) {
        const TetMesh solid = solid_of(model.domain());
        const std::vector<double>& phase = active->fields.phase;
        own.gauge.emplace(solid);
        own.phase_slope = mean_slope(solid, phase);
        const auto [low, high] = std::ranges::minmax(phase);
        if (!(high - low > 1e-6)) return Done{};  // no wave: its speed is unknown
        std::vector<double> sums(kSlices), counts(kSlices);
        for (const double p : phase) {
            const int slice = std::min(kSlices - 1, int((p - low) / (high - low) * kSlices));
            own.slices.push_back(slice);
            sums[std::size_t(slice)] += p, ++counts[std::size_t(slice)];
        }
        std::vector<int> kept(kSlices, -1);
        for (std::size_t s = 0; s < kSlices; ++s)
            if (counts[s] > 0) kept[s] = int(own.phases.size()), own.phases.push_back(sums[s] / counts[s]);
        for (int& slice : own.slices) slice = kept[std::size_t(slice)];
    }
    return Done{};
}

double Measures::value_of_muscles(Measure& measure, Scene& scene)
{
    const BodyId body = measure.spec.body;
    const BodyModel& model = scene.model(body);
    const BodyState& state = std::as_const(scene).state(body);
    const ActiveParts* const active = active_parts(model);
    Muscles& own = measure.muscles;
    if (!active) return std::numeric_limits<double>::quiet_NaN();
    if (const auto* fiber = std::get_if<MeasureFiber>(&measure.spec.what)) {
        if (!fiber->asked) return 1 + double(achieved(*active, *own.gauge, state)[own.particle]);
        return asked_along_fibers(model, beat_time(scene, body))[own.particle];
    }
    if (own.cavity) return own.cavity->volume(state.positions);
    if (std::holds_alternative<MeasureWave>(measure.spec.what) && own.phases.empty())
        return std::numeric_limits<double>::quiet_NaN();

    // What happened in the last period; what lies in the future of a scene that was taken back is forgotten.
    const double now = scene.time(), period = 1 / beat(active->layer, beat_time(scene, body)).frequency;
    std::erase_if(own.history, [&](const auto& sample) { return sample.time >= now; });
    Muscles::Sample sample{now, {}};
    if (const auto* advance = std::get_if<MeasureAdvance>(&measure.spec.what)) {
        sample.values = {center_along(model, state, advance->axis)};
    } else {
        sample.values.resize(own.phases.size());
        const std::vector<float> stretch = achieved(*active, *own.gauge, state);
        for (std::size_t i = 0; i < stretch.size(); ++i)
            sample.values[std::size_t(own.slices[i])] += active->fields.amplitude[i] * std::log1p(double(stretch[i]));
    }
    own.history.push_back(std::move(sample));
    const auto after = std::ranges::upper_bound(own.history, now - period, {}, &Muscles::Sample::time);
    if (after == own.history.begin()) {
        if (now - own.history.front().time < period * (1 - 1e-9)) return std::numeric_limits<double>::quiet_NaN();
    }
    const auto first = after == own.history.begin() ? after : after - 1;
    own.history.erase(own.history.begin(), first);
    if (own.history.size() < 3) return std::numeric_limits<double>::quiet_NaN();
    if (own.phases.empty()) {
        const auto &a = own.history[0], &b = own.history[1];
        const double share = std::clamp((now - period - a.time) / (b.time - a.time), 0.0, 1.0);
        return own.history.back().values[0] - (a.values[0] + (b.values[0] - a.values[0]) * share);
    }
    const std::span<const Muscles::Sample> cycle(own.history.begin() + 1, own.history.end());
    return wave_speed(own.phases, cycle, period) / own.phase_slope;
}

}  // namespace yawara
