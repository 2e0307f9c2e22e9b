#include "core/crew.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace yawara {
namespace {

constexpr int kSpins = 3000;  // about 40 us, then a helper sleeps
constexpr int kSpinsBeforeYield = 1000;
/// Waking more of them one by one would take longer than the workers of oneTBB need, which wake each other.
constexpr unsigned kMostThreads = 8;

void pause()
{
#if defined(__SSE2__)
    _mm_pause();
#endif
}

thread_local bool side_by_side = false;
thread_local bool in_loop = false;  // of the crew: loops inside it are done by this thread alone

using Call = void (*)(const void* body, std::size_t k);

class Crew {
public:
    Crew() : processors_(std::max(std::thread::hardware_concurrency(), 1u)), posts_(std::min(processors_, kMostThreads))
    {
        try {
            for (std::size_t p = 1; p < posts_.size(); ++p) threads_.emplace_back([this, p] { wait_at(p); });
        } catch (const std::system_error&) {  // no more threads are allowed here: those there are will do
        }
    }
    ~Crew()
    {
        for (Post& post : posts_) {
            post.state.store(kEnd);
            post.state.notify_one();
        }
        for (std::thread& thread : threads_) thread.join();
    }

    std::size_t size() const { return threads_.size() + 1; }
    /// Whether more threads could take part in a loop than the crew has.
    bool is_small_for(std::size_t threads) const { return std::min<std::size_t>(threads, processors_) > kMostThreads; }

    /// At least as many chunks as parts.
    bool run(std::size_t count, std::size_t parts, Call call, const void* body)
    {
        if (taken_.exchange(true, std::memory_order_acquire)) return false;
        for (std::size_t p = 0; p < parts; ++p) {
            Post& post = posts_[p];
            post.call = call, post.body = body, post.parts = std::uint32_t(parts);
            // The first chunk is taken already: to take it later would mean to wait until others have seen the offers.
            post.next.store(p * count / parts + (p == 0), std::memory_order_relaxed);
            post.end = (p + 1) * count / parts;
        }
        for (std::size_t p = 1; p < parts; ++p) {
            std::atomic<std::uint32_t>& state = posts_[p].state;
            const bool asleep = state.load(std::memory_order_relaxed) == kAsleep;
            state.store(kOffered, std::memory_order_release);
            if (asleep) state.notify_one();
        }
        work(0, call, body, parts, true);
        for (std::size_t p = 1; p < parts; ++p) take_back(posts_[p].state);
        if (failed_.load(std::memory_order_relaxed)) {
            const std::exception_ptr failure = std::exchange(failure_, nullptr);
            failed_.store(false, std::memory_order_relaxed);
            taken_.store(false, std::memory_order_release);
            std::rethrow_exception(failure);
        }
        taken_.store(false, std::memory_order_release);
        return true;
    }

private:
    enum : std::uint32_t { kFree, kAsleep, kOffered, kAccepted, kEnd };
    /// Where a helper waits, the first one for the caller: all it needs to know in one line of the cache. What is
    /// offered there belongs to the caller unless it has been accepted.
    struct alignas(128) Post {
        std::atomic<std::uint32_t> state{kFree};
        std::uint32_t parts = 0;  ///< the caller does part 0, helper p part p; who is done helps the others
        Call call = nullptr;
        const void* body = nullptr;
        /// Its part, chunks that are not taken yet: the same ones for the same thread in every loop, so that it finds
        /// their data in its cache.
        std::atomic<std::size_t> next{0};
        std::size_t end = 0;
    };

    void wait_at(std::size_t p)
    {
        Post& post = posts_[p];
        for (int spins = 0;;) {
            std::uint32_t state = post.state.load(std::memory_order_acquire);
            if (state == kEnd) return;
            if (state == kOffered && post.state.compare_exchange_strong(state, kAccepted)) {
                work(p, post.call, post.body, post.parts, false);
                post.state.store(kFree, std::memory_order_release);
                spins = 0;
            } else if (spins < kSpins) {
                ++spins;
                pause();
            } else if (state == kFree && post.state.compare_exchange_strong(state, kAsleep)) {
                post.state.wait(kAsleep);
                spins = 0;
            }
        }
    }

    /// Until the helper has nothing to do with the loop any more.
    static void take_back(std::atomic<std::uint32_t>& state)
    {
        std::uint32_t now = state.load(std::memory_order_acquire);
        if (now == kOffered && state.compare_exchange_strong(now, kFree)) {
            state.notify_one();  // it fell asleep while the offer was made
            return;
        }
        for (int spins = 0; state.load(std::memory_order_acquire) == kAccepted; ++spins)
            spins < kSpinsBeforeYield ? pause() : std::this_thread::yield();
    }

    void work(std::size_t first, Call call, const void* body, std::size_t parts, bool has_one)
    {
        in_loop = true;
        try {
            if (has_one) call(body, 0);
            for (std::size_t p = first; p < first + parts; ++p) {
                Post& part = posts_[p % parts];
                if (part.next.load(std::memory_order_relaxed) >= part.end) continue;
                for (;;) {
                    const std::size_t k = part.next.fetch_add(1, std::memory_order_relaxed);
                    if (k >= part.end || failed_.load(std::memory_order_relaxed)) break;
                    call(body, k);
                }
            }
        } catch (...) {
            if (!failed_.exchange(true)) failure_ = std::current_exception();
        }
        in_loop = false;
    }

    unsigned processors_;
    std::vector<Post> posts_;
    std::vector<std::thread> threads_;
    alignas(128) std::atomic<bool> taken_{false};
    alignas(128) std::atomic<bool> failed_{false};  // read by all, hardly ever written
    std::exception_ptr failure_;
};

Crew& crew()
{
    static Crew shared;
    return shared;
}

}  // namespace

SideBySide::SideBySide() : before_(side_by_side)
{
    side_by_side = true;
}

SideBySide::~SideBySide()
{
    side_by_side = before_;
}

bool run_with_crew(std::size_t count, void (*call)(const void* body, std::size_t k), const void* body)
{
    if (side_by_side) return false;
    const auto allowed = std::min(std::size_t(tbb::this_task_arena::max_concurrency()),
                                  tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
    if (in_loop || count < 2 || allowed < 2 || crew().size() < 2) {
        for (std::size_t k = 0; k < count; ++k) call(body, k);
        return true;
    }
    if (crew().is_small_for(std::min(allowed, count))) return false;
    return crew().run(count, std::min({allowed, count, crew().size()}), call, body);
}

}  // namespace yawara
