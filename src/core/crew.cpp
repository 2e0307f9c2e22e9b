#include "core/crew.h"

#include "core/jobs.h"

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

/// Bodies side by side keep loops over so few chunks to themselves: to hand them out takes longer than to do them.
constexpr std::size_t kFew = 4;

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
    std::size_t count = 0;
    std::size_t parts = 0;  ///< the caller does part 0, helper k part k; who is done helps the others
};

class Crew {
public:
    Crew()
        : processors_(std::max(std::thread::hardware_concurrency(), 1u)),
          parts_(std::min(processors_, kMostThreads)),
          reports_(parts_.size())
    {
        try {
            for (std::size_t p = 1; p < parts_.size(); ++p) threads_.emplace_back([this, p] { help(p); });
        } catch (const std::system_error&) {  // no more threads are allowed here: those there are will do
        }
    }
    ~Crew()
    {
        for (Part& part : parts_) {
            part.left.store(kEnd);
            part.left.notify_one();
        }
        for (std::thread& thread : threads_) thread.join();
    }

    std::size_t size() const { return threads_.size() + 1; }
    /// Whether more threads could take part in a loop than the crew has.
    bool is_small_for(std::size_t threads) const { return std::min<std::size_t>(threads, processors_) > kMostThreads; }

    bool run(const Job& job)
    {
        if (taken_.exchange(true, std::memory_order_acquire)) return false;
        in_loop = true;
        for (std::size_t p = job.parts; p-- > 0;) {  // its own part last: the others begin meanwhile
            const std::size_t first = p * job.count / job.parts;
            Part& part = parts_[p];
            part.job = job;
            part.end = (p + 1) * job.count / job.parts;
            part.left.store(std::uint32_t(part.end - first), std::memory_order_release);
            if (p > 0) part.left.notify_one();  // should it sleep on all the same, the others do its part
        }
        for_helpers_ += job.count - work(parts_[0]);
        for (int spins = 0; reported() != for_helpers_; ++spins) {
            for (std::size_t p = 1; p < job.parts; ++p) for_helpers_ -= work(parts_[p]);
            spins < kSpinsBeforeYield ? pause() : std::this_thread::yield();
        }
        in_loop = false;
        const std::exception_ptr failure = std::exchange(failure_, nullptr);
        if (failure) failed_.store(false, std::memory_order_relaxed);
        taken_.store(false, std::memory_order_release);
        if (failure) std::rethrow_exception(failure);
        return true;
    }

private:
    static constexpr std::uint32_t kEnd = ~0u;
    /// Of the chunks: the same ones for the same thread in every loop, so that it finds their data in its cache. Who
    /// lowers `left` has taken a chunk and may read the rest, which stays as it is until that chunk is reported: all
    /// that a helper needs to begin is in one line of the cache.
    struct alignas(64) Part {
        std::atomic<std::uint32_t> left{0};
        std::size_t end = 0;
        Job job;
    };
    struct alignas(64) Report {
        std::atomic<std::size_t> done{0};  ///< chunks, of all loops so far
    };

    std::size_t reported() const
    {
        std::size_t sum = 0;
        for (const Report& report : reports_) sum += report.done.load(std::memory_order_acquire);
        return sum;
    }

    void help(std::size_t own)
    {
        in_loop = true;
        std::atomic<std::uint32_t>& left = parts_[own].left;
        std::size_t all_done = 0;
        const auto work_and_report = [&](std::size_t p) {
            const std::size_t done = work(parts_[p]);
            if (done > 0) reports_[own].done.store(all_done += done, std::memory_order_release);
            return done;
        };
        for (int spins = 0;;) {
            if (const std::size_t done = work_and_report(own); done > 0) {
                // Whose part was one chunk need not look at the others, which are no longer and have been begun.
                for (std::size_t p = 1; done > 1 && p < parts_.size(); ++p) work_and_report((own + p) % parts_.size());
                spins = 0;
            } else if (left.load(std::memory_order_relaxed) == kEnd) {
                return;
            } else if (spins < kSpins) {
                ++spins;
                pause();
            } else {
                left.wait(0);
            }
        }
    }

    /// Takes chunks of the part while there are any. How many it did.
    std::size_t work(Part& part)
    {
        std::size_t done = 0;
        std::uint32_t left = part.left.load(std::memory_order_relaxed);
        while (left > 0 && left != kEnd)
            if (part.left.compare_exchange_weak(left, left - 1, std::memory_order_acquire)) {
                call(part.job, part.end - left);
                ++done, --left;
            }
        return done;
    }

    void call(const Job& job, std::size_t k)
    {
        if (failed_.load(std::memory_order_relaxed)) return;
        try {
            job.call(job.body, k);
        } catch (...) {
            if (!failed_.exchange(true)) failure_ = std::current_exception();
        }
    }

    unsigned processors_;
    std::vector<Part> parts_;
    std::vector<Report> reports_;  ///< of the helper of each part; none of part 0
    std::vector<std::thread> threads_;
    std::exception_ptr failure_;
    std::atomic<bool> failed_{false};
    alignas(64) std::atomic<bool> taken_{false};  ///< and below: written in every loop
    std::size_t for_helpers_ = 0;                 ///< chunks, of all loops so far
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
    if (run_on_host(count, call, body)) return true;
    const bool alone = in_loop || (side_by_side && count <= kFew);
    const std::size_t in_arena = alone ? 1 : std::size_t(tbb::this_task_arena::max_concurrency());
    const std::size_t allowed =
        in_arena < 2  // then there is no need to ask for more, which takes a lock
            ? in_arena
            : std::min(in_arena, tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
    if (allowed < 2 || crew().size() < 2) {
        for (std::size_t k = 0; k < count; ++k) call(body, k);
        return true;
    }
    if (side_by_side) return false;
    if (crew().is_small_for(std::min(allowed, count))) return false;
    return crew().run({call, body, count, std::min({allowed, count, crew().size()})});
}

}  // namespace yawara
