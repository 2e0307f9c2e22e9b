// Charts: periodic curves of stretch over time, which muscles of matching bodies and of finite elements follow.
#pragma once

#include <array>
#include <vector>

#include "yawara/core.h"

namespace yawara {

struct ChartKey {
    double time = 0;   ///< s; wrapped into the period
    double value = 1;  ///< factor of stretch: below 1 contracts
    friend bool operator==(const ChartKey&, const ChartKey&) = default;
};
/// A periodic curve of stretch, closed across the wrap. No keys: 1; one key: constant.
struct Chart {
    std::vector<ChartKey> keys;
    bool smooth = false;  ///< monotone cubic instead of straight lines; both between the logarithms, without overshoot
    friend bool operator==(const Chart&, const Chart&) = default;
};
/// One chart for each direction of the frames.
struct Charts {
    double period = 1;  ///< s
    double limit = 2;   ///< A, at least 1: values are held to [1/A, A]
    std::array<Chart, 3> directions;
    /// The same with the second and third chart the inverse square root of the first.
    Charts preserving_volume() const;
    friend bool operator==(const Charts&, const Charts&) = default;
};
/// Refuses a period or limit out of range, values that are not positive, and two values at one time of the period.
Status check(const Charts& charts);
/// Value of one chart at any time, before or after the period.
double chart_value(const Charts& charts, int direction, double time);

}  // namespace yawara
