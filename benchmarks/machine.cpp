#include "machine.h"

#include <ctime>

#include <algorithm>
#include <vector>

namespace yawara::bench {
namespace {

using f8 = float __attribute__((vector_size(32)));
using i8 = int __attribute__((vector_size(32)));

/// Keeps a value that nobody reads.
template <class Value>
void keep(const Value& value)
{
    asm volatile("" : : "m"(value) : "memory");
}

/// Of this thread alone.
double seconds_now()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// Seconds of the quickest of several calls: a busy machine does little harm.
template <class Work>
double quickest(const Work& work)
{
    double best = 1e9;
    for (int round = 0; round < 15; ++round) {
        const double start = seconds_now();
        work();
        best = std::min(best, seconds_now() - start);
    }
    return best;
}

}  // namespace

double peak_flops()
{
    constexpr int kSums = 10, kRounds = 200000;  // as many sums as multiply-adds are under way at a time
    f8 sums[kSums]{}, factor{}, more{};
    for (int lane = 0; lane < 8; ++lane) factor[lane] = 0.999f, more[lane] = 1e-3f;
    const double seconds = quickest([&] {
        f8 s[kSums];
        std::copy(sums, sums + kSums, s);
        for (int round = 0; round < kRounds; ++round)
            for (f8& sum : s) sum = sum * factor + more;
        std::copy(s, s + kSums, sums);
        for (const f8& sum : sums) keep(sum);
    });
    return 2.0 * 8 * kSums * kRounds / seconds;
}

double read_bandwidth(std::size_t bytes)
{
    constexpr std::size_t kSums = 8;
    const std::size_t count = std::max(bytes / sizeof(i8) / kSums, std::size_t{1}) * kSums;
    const std::vector<i8> values(count);
    const std::size_t rounds = std::max(std::size_t{1}, std::size_t(64e6) / (count * sizeof(i8)));
    const double seconds = quickest([&] {
        for (std::size_t round = 0; round < rounds; ++round) {
            i8 all[kSums]{}, one{};
            for (std::size_t k = 0; k < count; k += kSums)
                for (std::size_t s = 0; s < kSums; ++s) all[s] |= values[k + s];  // more a cycle than sums
            for (const i8& some : all) one |= some;
            keep(one);
        }
    });
    return double(rounds * count * sizeof(i8)) / seconds;
}

}  // namespace yawara::bench
