#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/parallel.h"
#include "yawara/jobs.h"

using namespace yawara;

namespace {

/// Threads made for every loop, and a list of all that made a call.
class Host : public Jobs {
public:
    void run(std::size_t count, void (*call)(const void*, std::size_t), const void* context) override
    {
        ++loops;
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t k = next++; k < count; k = next++) call(context, k);
        };
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t)
            threads.emplace_back([&] {
                {
                    const std::lock_guard lock(mutex);
                    own.insert(std::this_thread::get_id());
                }
                work();
            });
        for (std::thread& thread : threads) thread.join();
    }
    std::atomic<int> loops{0};
    std::mutex mutex;
    std::set<std::thread::id> own;
};

}  // namespace

TEST_CASE("loops run on the host's threads and on no others while it lends them")
{
    Host host;
    std::vector<std::thread::id> who(1000);
    std::vector<std::thread::id> inner(100 * 10);
    {
        const JobsScope scope(&host);
        for_each_in_parallel(who.size(), [&](std::size_t k) { who[k] = std::this_thread::get_id(); });
        for_each_side_by_side(100, [&](std::size_t k) {  // loops inside loops, too
            for_each_chunk(10 * 64, 64, [&](std::size_t chunk, std::size_t, std::size_t) {
                inner[10 * k + chunk] = std::this_thread::get_id();
            });
        });
    }
    CHECK(host.loops >= 2 + 100);
    for (const auto& id : who) CHECK(host.own.contains(id));
    for (const auto& id : inner) CHECK(host.own.contains(id));
    const int loops = host.loops;
    for_each_in_parallel(who.size(), [&](std::size_t k) { who[k] = std::this_thread::get_id(); });
    CHECK(host.loops == loops);  // it was given back
}

TEST_CASE("what a call throws on a thread of the host is thrown where the loop was started")
{
    Host host;
    const JobsScope scope(&host);
    CHECK_THROWS_AS(for_each_in_parallel(100,
                                         [](std::size_t k) {
                                             if (k == 37) throw std::runtime_error("37");
                                         }),
                    std::runtime_error);
}
