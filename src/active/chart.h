// Three charts as one list of polynomial pieces of the logarithms: what a step evaluates.
#pragma once

#include <array>
#include <vector>

#include "yawara/chart.h"

namespace yawara::muscles {

/// Natural logarithms of the three factors over one period, exact: the pieces are those between all keys.
class ChartCurve {
public:
    explicit ChartCurve(const Charts& charts);

    double period() const { return period_; }
    /// `time` in [0, period].
    std::array<float, 3> logs(float time) const
    {
        std::size_t k = first_[std::size_t(time * bins_per_second_)];
        while (time >= pieces_[k].end) ++k;
        const Piece& p = pieces_[k];
        const float s = time - p.begin;
        std::array<float, 3> out;
        for (std::size_t j = 0; j < 3; ++j) out[j] = p.c[0][j] + s * (p.c[1][j] + s * (p.c[2][j] + s * p.c[3][j]));
        return out;
    }

private:
    struct Piece {
        float begin, end;
        float c[4][3];  ///< of 1, s, s^2, s^3 for the three charts
    };
    double period_;
    float bins_per_second_;
    std::vector<Piece> pieces_;         ///< the last one never ends
    std::vector<std::uint32_t> first_;  ///< per bin: the piece at its begin
};

}  // namespace yawara::muscles
