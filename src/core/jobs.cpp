#include "core/jobs.h"

#include <atomic>
#include <exception>

#include "yawara/jobs.h"

namespace yawara {
namespace {

thread_local Jobs* lent = nullptr;

/// A loop as the host's threads see it: those lend themselves to loops inside it, and what a call throws is kept.
struct Loop {
    void (*call)(const void* body, std::size_t k);
    const void* body;
    Jobs* jobs;
    std::atomic<bool> failed{false};
    std::exception_ptr failure{};

    void run(std::size_t k)
    {
        const JobsScope scope(jobs);
        if (failed.load(std::memory_order_relaxed)) return;
        try {
            call(body, k);
        } catch (...) {
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    }
};

}  // namespace

JobsScope::JobsScope(Jobs* jobs) : before_(lent)
{
    if (jobs) lent = jobs;
}

JobsScope::~JobsScope()
{
    lent = before_;
}

bool run_on_host(std::size_t count, void (*call)(const void* body, std::size_t k), const void* body)
{
    if (!lent) return false;
    Loop loop{call, body, lent};
    lent->run(
        count, [](const void* of, std::size_t k) { const_cast<Loop*>(static_cast<const Loop*>(of))->run(k); }, &loop);
    if (loop.failure) std::rethrow_exception(loop.failure);
    return true;
}

}  // namespace yawara
