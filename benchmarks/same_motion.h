// Whether a fast step and its plain twin move particles alike, and one and two threads to the bit.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "yawara/yawara.h"

namespace yawara::bench {

/// Of the first body of both scenes. `plain(i)` is where the twin has particle i, as an Eigen vector; distances are
/// told as multiples of `unit`.
template <class Plain>
bool same_motion(const char* name, const Scene& one, const Scene& two, const Plain& plain, double unit,
                 const char* unit_name, double tolerance)
{
    double against_plain = 0, between_threads = 0;
    for (std::size_t i = 0; i < one.state(one.bodies()[0]).positions.size(); ++i) {
        const Vec3 a = one.state(one.bodies()[0]).positions[i], b = two.state(two.bodies()[0]).positions[i];
        const auto& p = plain(i);
        against_plain = std::max(against_plain, double(length(a - Vec3{p.x(), p.y(), p.z()})) / unit);
        between_threads = std::max(between_threads, double(length(a - b)));
    }
    fmt::print("{}: fast and plain differ by {:.2g} {} (at most {:.0e}), one and two threads by {}\n", name,
               against_plain, unit_name, tolerance, between_threads);
    return against_plain < tolerance && between_threads == 0;
}

}  // namespace yawara::bench
