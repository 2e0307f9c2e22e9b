// Gaits: ways to move that a layer of muscles blends, and its beat, which no blend interrupts.
#include "active/gait.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace yawara {
namespace muscles {

GaitCurve::GaitCurve(const ChartedLayer& layer)
{
    std::vector<GaitKey> keys = layer.keys;
    if (keys.empty()) {
        keys.emplace_back().weights.resize(layer.gaits.size() + 1);
        keys.front().weights[0] = 1;
    }
    for (GaitKey& given : keys) {
        Key key{given.time, 0, given.weights[0] / layer.charts.period,
                given.weights[0] / (layer.speed * layer.charts.period), std::move(given.weights)};
        for (std::size_t g = 0; g < layer.gaits.size(); ++g) {
            const Gait& gait = layer.gaits[g];
            key.frequency += key.weights[g + 1] / gait.charts.period;
            key.cycles_per_phase += key.weights[g + 1] / (gait.speed * gait.charts.period);
        }
        if (!keys_.empty()) {
            const Key& last = keys_.back();
            key.cycles = last.cycles + 0.5 * (last.frequency + key.frequency) * (key.time - last.time);
        }
        keys_.push_back(std::move(key));
    }
    const double start = at(0).cycles;  // a beat begins at time 0
    for (Key& key : keys_) key.cycles -= start, key.time -= layer.lead;
}

GaitCurve::At GaitCurve::at(double time) const
{
    const auto next = std::ranges::upper_bound(keys_, time, {}, &Key::time);
    const Key& from = next == keys_.begin() ? keys_.front() : *(next - 1);
    if (next == keys_.begin() || next == keys_.end())
        return {from.cycles + from.frequency * (time - from.time),
                from.frequency,
                from.cycles_per_phase,
                from.weights,
                from.weights,
                0};
    const Key& to = *next;
    const double since = time - from.time, share = since / (to.time - from.time);
    const double frequency = from.frequency + (to.frequency - from.frequency) * share;
    return {from.cycles + 0.5 * (from.frequency + frequency) * since,
            frequency,
            from.cycles_per_phase + (to.cycles_per_phase - from.cycles_per_phase) * share,
            from.weights,
            to.weights,
            share};
}

}  // namespace muscles

Beat beat(const ChartedLayer& layer, double time)
{
    const muscles::GaitCurve curve(layer);
    const auto at = curve.at(time);
    Beat now{at.cycles, at.frequency, at.cycles_per_phase, {}};
    for (std::size_t g = 0; g <= layer.gaits.size(); ++g) now.weights.push_back(at.weight(g));
    return now;
}

Status check(const ChartedLayer& layer)
{
    const auto check_speed = [](double speed) { return std::abs(speed) > 0 && std::isfinite(speed); };
    if (const Status good = check(layer.charts); !good) return good.error();
    if (!check_speed(layer.speed)) return Error{"speed", "is zero or not finite"};
    if (!std::isfinite(layer.strength)) return Error{"strength", "is not finite"};
    if (!std::isfinite(layer.lead)) return Error{"lead", "is not finite"};
    for (std::size_t g = 0; g < layer.gaits.size(); ++g) {
        const Gait& gait = layer.gaits[g];
        const std::string where = "gait \"" + gait.name + "\"";
        if (const Status good = check(gait.charts); !good) return Error{where, good.error().message()};
        if (!check_speed(gait.speed)) return Error{where, "its speed is zero or not finite"};
        for (std::size_t other = 0; other < g; ++other)
            if (layer.gaits[other].name == gait.name) return Error{where, "there are two of this name"};
    }
    for (std::size_t k = 0; k < layer.keys.size(); ++k) {
        const GaitKey& key = layer.keys[k];
        const std::string where = "gait key " + std::to_string(k);
        if (!std::isfinite(key.time)) return Error{where, "its time is not finite"};
        if (k > 0 && !(key.time > layer.keys[k - 1].time)) return Error{where, "is not later than the one before it"};
        if (key.weights.size() != layer.gaits.size() + 1)
            return Error{where, "has " + std::to_string(key.weights.size()) +
                                    " weights; the charts and the gaits are " + std::to_string(layer.gaits.size() + 1)};
        double sum = 0;
        for (const double weight : key.weights) {
            if (!(weight >= 0) || !std::isfinite(weight)) return Error{where, "a weight is negative or not finite"};
            sum += weight;
        }
        if (!(std::abs(sum - 1) < 1e-6)) return Error{where, "the sum of its weights is not 1"};
    }
    return Done{};
}

}  // namespace yawara
