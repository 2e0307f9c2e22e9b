// Times several rivals in turn, round after round, so that a busy machine slows them all alike.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace yawara::bench {

struct Rival {
    std::string name;
    std::function<void()> work;  ///< one repetition
    double seconds = 0;          ///< out: of the quickest repetition
};

/// Repeats all rivals in turn for about this long, at least three rounds. `own_time`: of the calling thread alone, for
/// work that needs no other; what else the machine does then counts little.
void race(std::vector<Rival>& rivals, double seconds, bool own_time = false);

std::string cpu_name();

}  // namespace yawara::bench
