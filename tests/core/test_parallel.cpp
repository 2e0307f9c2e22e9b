#include <doctest/doctest.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/parallel.h"

using namespace yawara;

namespace {

/// How often each index of a loop was done.
std::vector<int> counts_of(std::size_t count)
{
    std::vector<std::atomic<int>> done(count);
    for_each_in_parallel(count, [&](std::size_t k) { ++done[k]; });
    return {done.begin(), done.end()};
}

}  // namespace

TEST_CASE("a parallel loop does everything once, however short it is")
{
    for (std::size_t count = 1; count < 200; ++count) CHECK(counts_of(count) == std::vector<int>(count, 1));
    for (int round = 0; round < 20000; ++round) REQUIRE(counts_of(3) == std::vector<int>(3, 1));
}

TEST_CASE("chunks cover a range without gaps, the last one is shorter")
{
    std::vector<int> done(1000, 0);
    for_each_chunk(done.size(), 64, [&](std::size_t chunk, std::size_t first, std::size_t last) {
        CHECK(first == chunk * 64);
        CHECK(last - first == (chunk == 15 ? 40u : 64u));
        for (std::size_t k = first; k < last; ++k) ++done[k];
    });
    CHECK(done == std::vector<int>(1000, 1));
}

TEST_CASE("a loop in a loop, and loops of several threads at once, are whole")
{
    std::atomic<int> sum = 0;
    for_each_in_parallel(20, [&](std::size_t) { for_each_in_parallel(30, [&](std::size_t) { ++sum; }); });
    CHECK(sum == 600);

    sum = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int round = 0; round < 500; ++round) for_each_in_parallel(5, [&](std::size_t) { ++sum; });
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(sum == 10000);

    sum = 0;
    for_each_side_by_side(8, [&](std::size_t) { for_each_in_parallel(50, [&](std::size_t) { ++sum; }); });
    CHECK(sum == 400);
}

TEST_CASE("what a loop throws comes out of it, and the next loop is sound")
{
    for (int round = 0; round < 50; ++round) {
        const auto fail = [&] {
            for_each_in_parallel(40, [&](std::size_t k) {
                if (k == std::size_t(round % 40)) throw std::runtime_error("in a loop");
            });
        };
        CHECK_THROWS_AS(fail(), std::runtime_error);
        CHECK(counts_of(40) == std::vector<int>(40, 1));
    }
}

TEST_CASE("an arena of one thread keeps loops on it")
{
    tbb::task_arena(1).execute([&] {
        std::set<std::thread::id> threads;
        for_each_in_parallel(100, [&](std::size_t) { threads.insert(std::this_thread::get_id()); });
        CHECK(threads == std::set{std::this_thread::get_id()});
    });
}
