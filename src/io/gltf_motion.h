// Keyframes of a glTF animation: the values of one property of a node over time.
#pragma once

#include <cstddef>
#include <vector>

namespace yawara::io {

struct GltfTrack {
    enum class Interpolation { step, linear, cubic };
    Interpolation interpolation = Interpolation::linear;
    bool turns = false;          ///< values are quaternions
    std::size_t width = 3;       ///< numbers of a value
    std::vector<double> times;   ///< s, growing
    std::vector<double> values;  ///< per key; of cubic ones: tangent in, value, tangent out

    /// Before the first key and after the last, as there.
    std::vector<double> at(double time) const;

private:
    const double* key(std::size_t k, std::size_t part) const;
};

}  // namespace yawara::io
