// How far a layer of muscles is in its beat while it goes from one gait to another.
#pragma once

#include <span>
#include <vector>

#include "yawara/active.h"

namespace yawara::muscles {

/// The beat over time: frequencies are straight lines between keys, so the cycles are parabolas.
class GaitCurve {
public:
    explicit GaitCurve(const ChartedLayer& layer);

    struct At {
        double cycles, frequency, cycles_per_phase;
        std::span<const double> from, to;  ///< weights of the keys around
        double share;                      ///< of the way between them
        double weight(std::size_t gait) const { return from[gait] + (to[gait] - from[gait]) * share; }
    };
    At at(double time) const;

private:
    struct Key {
        double time, cycles, frequency, cycles_per_phase;
        std::vector<double> weights;
    };
    std::vector<Key> keys_;  ///< at least one
};

}  // namespace yawara::muscles
