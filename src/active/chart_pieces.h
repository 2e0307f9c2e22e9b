// Three charts as one table of polynomial pieces of the logarithms, four floats to a row: what the loops of a layer
// read.
#pragma once

#include <vector>

#include "active/layer_kernels.h"
#include "yawara/chart.h"

namespace yawara::muscles {

struct ChartTable {
    explicit ChartTable(const Charts& charts);
    CurveView view() const { return {pieces.data(), first.data(), bins_per_second}; }

    double period;
    float bins_per_second;
    std::vector<ChartPiece> pieces;    ///< those between all keys; the last one never ends
    std::vector<std::uint32_t> first;  ///< per bin: the piece at its begin
};

}  // namespace yawara::muscles
