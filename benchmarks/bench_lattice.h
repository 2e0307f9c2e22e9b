// The lattice step at several widths, on solid blocks and a ball, against its plain twins.
#pragma once

#include <string>
#include <vector>

namespace yawara::bench {

struct LatticeRow {
    std::string shape;   ///< "32^3", "64^3", "ball 64"
    std::string widths;  ///< "1", ..., or "1 3 8 mixed"
    int particles = 0;
    double one_thread = 0, two_threads = 0;  ///< ns per particle and step
    double plain = 0, brute = 0;             ///< of the twins; 0: not run
};
std::vector<LatticeRow> bench_lattice(bool large, double seconds);

/// Distance between the fast step and the plain twin after some steps, in cells; and between one and two threads.
struct LatticeCheck {
    double against_plain = 0, between_threads = 0;
};
LatticeCheck check_lattice();

}  // namespace yawara::bench
