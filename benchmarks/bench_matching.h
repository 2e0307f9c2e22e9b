// The matching step against its plain twin and against Bullet, on bars of three sizes.
#pragma once

#include <string>
#include <vector>

namespace yawara::bench {

struct MatchingRow {
    int vertices = 0, tets = 0;
    double one_thread = 0, two_threads = 0, plain = 0, bullet = 0;  ///< ns per vertex and step
};

/// One row a size, about `seconds` each.
std::vector<MatchingRow> bench_matching(bool large, double seconds);

/// The fast step and its twin, run side by side: the largest distance between their particles after some steps, as a
/// share of the bar's length; and the same for one and two threads, which must be zero.
struct MatchingCheck {
    double against_plain = 0, between_threads = 0;
};
MatchingCheck check_matching();

}  // namespace yawara::bench
