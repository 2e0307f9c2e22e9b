// Charts: periodic curves through keys, straight or monotone cubic between logarithms ([ProcDef] 8).
#include "active/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "active/chart_pieces.h"

namespace yawara {
namespace {

/// Keys closer than this share of the period are at one time of it.
constexpr double kSameTime = 1e-6;

/// Keys by time within one period, with logarithms held to the limit.
struct LogKey {
    double time, log, slope = 0;
};

/// A key by its number in the chart and its time within one period.
struct PlacedKey {
    std::size_t number;
    double time;
};

double wrapped(double time, double period)
{
    const double t = time - period * std::floor(time / period);
    return t < period ? t : 0;
}

std::string brief(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

/// Keys in the order of their times. The end of a period is the start of the next one: a key there is at 0.
std::vector<PlacedKey> keys_by_time(const Chart& chart, double period)
{
    std::vector<PlacedKey> keys;
    for (std::size_t k = 0; k < chart.keys.size(); ++k) {
        const double time = wrapped(chart.keys[k].time, period);
        keys.push_back({k, period - time < kSameTime * period ? 0 : time});
    }
    std::ranges::stable_sort(keys, {}, &PlacedKey::time);
    return keys;
}

/// Slopes of a curve that never leaves the range of neighbouring keys (Fritsch and Carlson's harmonic means).
void find_slopes(std::vector<LogKey>& keys, double period)
{
    const std::size_t n = keys.size();
    const auto step = [&](std::size_t k) {
        const LogKey &a = keys[k], &b = keys[(k + 1) % n];
        return std::pair{k + 1 < n ? b.time - a.time : b.time + period - a.time, b.log - a.log};
    };
    for (std::size_t k = 0; k < n; ++k) {
        const auto [h0, d0] = step((k + n - 1) % n);
        const auto [h1, d1] = step(k);
        const double s0 = d0 / h0, s1 = d1 / h1;
        const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
        keys[k].slope = s0 * s1 > 0 ? (w0 + w1) / (w0 / s0 + w1 / s1) : 0;
    }
}

std::vector<LogKey> log_keys(const Charts& charts, int direction)
{
    const Chart& chart = charts.directions[std::size_t(direction)];
    const double most = std::log(charts.limit);
    std::vector<LogKey> keys;
    for (const PlacedKey& key : keys_by_time(chart, charts.period)) {
        if (!keys.empty() && key.time - keys.back().time < kSameTime * charts.period) continue;  // the same key again
        keys.push_back({key.time, std::clamp(std::log(chart.keys[key.number].value), -most, most)});
    }
    if (chart.smooth && keys.size() > 1) find_slopes(keys, charts.period);
    return keys;
}

/// Coefficients about `time`, which lies on the piece from a to b (seconds apart).
std::array<double, 4> piece_at(const LogKey& a, const LogKey& b, double length, double since, bool smooth)
{
    const double rise = (b.log - a.log) / length;
    std::array<double, 4> c{a.log, rise, 0, 0};
    if (smooth)
        c = {a.log, a.slope, (3 * rise - 2 * a.slope - b.slope) / length, (a.slope + b.slope - 2 * rise) / (length * length)};
    const double s = since;  // c0 + c1 (s+u) + c2 (s+u)^2 + c3 (s+u)^3 in powers of u
    return {c[0] + s * (c[1] + s * (c[2] + s * c[3])), c[1] + s * (2 * c[2] + s * 3 * c[3]), c[2] + 3 * s * c[3], c[3]};
}

std::array<double, 4> coefficients(const std::vector<LogKey>& keys, double period, bool smooth, double time)
{
    if (keys.empty()) return {};
    if (keys.size() == 1) return {keys[0].log, 0, 0, 0};
    std::size_t k = keys.size() - 1;  // before the first key: on the piece across the wrap
    for (std::size_t i = 0; i < keys.size() && keys[i].time <= time; ++i) k = i;
    const LogKey &a = keys[k], &b = keys[(k + 1) % keys.size()];
    const double length = b.time > a.time ? b.time - a.time : b.time + period - a.time;
    const double since = time >= a.time ? time - a.time : time + period - a.time;
    return piece_at(a, b, length, since, smooth);
}

/// Keys at one time of the period must have one value.
Status check_equal_times(const Chart& chart, double period)
{
    const std::vector<PlacedKey> keys = keys_by_time(chart, period);
    for (std::size_t k = 1; k < keys.size(); ++k) {
        if (keys[k].time - keys[k - 1].time >= kSameTime * period) continue;
        const auto [first, second] = std::minmax(keys[k - 1].number, keys[k].number);
        const ChartKey &a = chart.keys[first], &b = chart.keys[second];
        if (a.value == b.value) continue;
        return Error{"", "key " + std::to_string(first) + " at " + brief(a.time) + " s and key " +
                             std::to_string(second) + " at " + brief(b.time) +
                             " s are at one time of the period but have the values " + brief(a.value) + " and " +
                             brief(b.value)};
    }
    return Done{};
}

}  // namespace

Charts Charts::preserving_volume() const
{
    Charts charts = *this;
    Chart inverse = directions[0];
    for (ChartKey& key : inverse.keys) key.value = 1 / std::sqrt(key.value);
    charts.directions[1] = charts.directions[2] = inverse;
    return charts;
}

Status check(const Charts& charts)
{
    if (!(charts.period > 0) || !std::isfinite(charts.period)) return Error{"period", "is not a positive time"};
    if (!(charts.limit >= 1) || !std::isfinite(charts.limit)) return Error{"limit", "is not a number of at least 1"};
    for (std::size_t j = 0; j < 3; ++j) {
        const auto& keys = charts.directions[j].keys;
        const std::string where = "chart " + std::to_string(j + 1);
        for (std::size_t k = 0; k < keys.size(); ++k) {
            if (!std::isfinite(keys[k].time)) return Error{where, "time of key " + std::to_string(k) + " is not finite"};
            if (!(keys[k].value > 0) || !std::isfinite(keys[k].value))
                return Error{where, "value of key " + std::to_string(k) + " is not a positive number"};
        }
        if (Status clear = check_equal_times(charts.directions[j], charts.period); !clear)
            return Error{where, clear.error().what};
    }
    return Done{};
}

double chart_value(const Charts& charts, int direction, double time)
{
    const bool smooth = charts.directions[std::size_t(direction)].smooth;
    return std::exp(coefficients(log_keys(charts, direction), charts.period, smooth, wrapped(time, charts.period))[0]);
}

namespace muscles {

ChartTable::ChartTable(const Charts& charts) : period(charts.period)
{
    constexpr std::size_t kBins = 256;
    std::array<std::vector<LogKey>, 3> keys;
    std::vector<double> times{0};
    for (int j = 0; j < 3; ++j) {
        keys[std::size_t(j)] = log_keys(charts, j);
        for (const LogKey& key : keys[std::size_t(j)]) times.push_back(key.time);
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    for (std::size_t k = 0; k < times.size(); ++k) {
        ChartPiece piece{};
        for (std::size_t j = 0; j < 3; ++j) {
            const auto c = coefficients(keys[j], period, charts.directions[j].smooth, times[k]);
            for (std::size_t power = 0; power < 4; ++power) piece.c[power][j] = float(c[power]);
        }
        piece.c[0][3] = float(times[k]);
        piece.c[1][3] = k + 1 < times.size() ? float(times[k + 1]) : std::numeric_limits<float>::infinity();
        pieces.push_back(piece);
    }
    bins_per_second = float(double(kBins) / period);
    std::uint32_t k = 0;
    for (std::size_t bin = 0; bin < kBins + 2; ++bin) {  // rounding may ask for the one after the last
        const double begin = (double(bin) - 1) / double(bins_per_second);  // and for a little before the begin
        while (pieces[k].c[1][3] <= float(begin)) ++k;
        first.push_back(k);
    }
}

ChartCurve::ChartCurve(const Charts& charts)
{
    const ChartTable table(charts);
    period_ = table.period;
    bins_per_second_ = table.bins_per_second;
    first_ = table.first;
    for (const ChartPiece& from : table.pieces) {
        Piece piece{from.c[0][3], from.c[1][3], {}};
        for (std::size_t power = 0; power < 4; ++power) std::copy_n(from.c[power], 3, piece.c[power]);
        pieces_.push_back(piece);
    }
}

}  // namespace muscles
}  // namespace yawara
