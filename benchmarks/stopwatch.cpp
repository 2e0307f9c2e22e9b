#include "stopwatch.h"

#include <time.h>

#include <fstream>
#include <limits>

namespace yawara::bench {

namespace {

double now(clockid_t clock)
{
    timespec t{};
    clock_gettime(clock, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

}  // namespace

void race(std::vector<Rival>& rivals, double seconds, bool own_time)
{
    const clockid_t clock = own_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    for (Rival& r : rivals) r.seconds = std::numeric_limits<double>::infinity();
    const double start = now(CLOCK_MONOTONIC);
    for (int round = 0; round < 3 || now(CLOCK_MONOTONIC) - start < seconds; ++round)
        for (Rival& r : rivals) {
            const double t = now(clock);
            r.work();
            r.seconds = std::min(r.seconds, now(clock) - t);
        }
}

std::string cpu_name()
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown";
}

}  // namespace yawara::bench
