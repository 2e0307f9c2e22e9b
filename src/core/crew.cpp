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

struct Job {
    void (*call)(const void* body, std::size_t k) = nullptr;
    const void* body = nullptr;
    std::size_t parts = 0;  ///< the caller does part 0, helper k part k; who is done helps the others
};

class Crew {
public:
    Crew()
        : processors_(std::max(std::thread::hardware_concurrency(), 1u)),
          posts_(std::min(processors_, kMostThreads) - 1),
          parts_(posts_.size() + 1)
    {
        try {
            for (std::size_t k = 0; k < posts_.size(); ++k)
                threads_.emplace_back([this, k] { wait_at(posts_[k], k + 1); });
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

    bool run(std::size_t count, const Job& job)
    {
        if (taken_.exchange(true, std::memory_order_acquire)) return false;
        for (std::size_t p = 0; p < job.parts; ++p) {
            parts_[p].next.store(p * count / job.parts, std::memory_order_relaxed);
            parts_[p].end = (p + 1) * count / job.parts;
        }
        for (std::size_t k = 0; k + 1 < job.parts; ++k) {
            posts_[k].job = job;
            posts_[k].state.store(kOffered, std::memory_order_release);
            posts_[k].state.notify_one();  // should it sleep on all the same, the others do its part
        }
        work(job, 0);
        for (std::size_t k = 0; k + 1 < job.parts; ++k) {
            std::uint32_t state = kOffered;
            if (posts_[k].state.compare_exchange_strong(state, kFree)) continue;
            for (int spins = 0; posts_[k].state.load(std::memory_order_acquire) != kFree; ++spins)
                spins < kSpinsBeforeYield ? pause() : std::this_thread::yield();
        }
        const std::exception_ptr failure = std::exchange(failure_, nullptr);
        failed_.store(false, std::memory_order_relaxed);
        taken_.store(false, std::memory_order_release);
        if (failure) std::rethrow_exception(failure);
        return true;
    }

private:
    enum : std::uint32_t { kFree, kOffered, kAccepted, kEnd };
    /// Where a helper waits. The job belongs to the caller unless it has been accepted.
    struct alignas(64) Post {
        std::atomic<std::uint32_t> state{kFree};
        Job job;
    };
    /// Of the chunks: the same ones for the same thread in every loop, so that it finds their data in its cache.
    struct alignas(64) Part {
        std::atomic<std::size_t> next{0};
        std::size_t end = 0;
    };

    void wait_at(Post& post, std::size_t part)
    {
        for (int spins = 0;;) {
            std::uint32_t state = post.state.load(std::memory_order_acquire);
            if (state == kEnd) return;
            if (state == kOffered && post.state.compare_exchange_strong(state, kAccepted)) {
                work(post.job, part);
                post.state.store(kFree, std::memory_order_release);
                spins = 0;
            } else if (spins < kSpins) {
                ++spins;
                pause();
            } else {
                post.state.wait(state);
            }
        }
    }

    void work(const Job& job, std::size_t first)
    {
        in_loop = true;
        try {
            for (std::size_t p = first; p < first + job.parts; ++p) {
                Part& part = parts_[p % job.parts];
                if (part.next.load(std::memory_order_relaxed) >= part.end) continue;
                for (;;) {
                    const std::size_t k = part.next.fetch_add(1, std::memory_order_relaxed);
                    if (k >= part.end || failed_.load(std::memory_order_relaxed)) break;
                    job.call(job.body, k);
                }
            }
        } catch (...) {
            if (!failed_.exchange(true)) failure_ = std::current_exception();
        }
        in_loop = false;
    }

    unsigned processors_;
    std::vector<Post> posts_;
    std::vector<Part> parts_;
    alignas(64) std::atomic<bool> taken_{false};
    std::atomic<bool> failed_{false};
    std::exception_ptr failure_;
    std::vector<std::thread> threads_;
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
    if (in_loop || allowed < 2 || crew().size() < 2) {
        for (std::size_t k = 0; k < count; ++k) call(body, k);
        return true;
    }
    if (crew().is_small_for(std::min(allowed, count))) return false;
    return crew().run(count, {call, body, std::min({allowed, count, crew().size()})});
}

}  // namespace yawara
