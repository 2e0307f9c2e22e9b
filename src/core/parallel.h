// Loops over fixed chunks on all workers. Chunks depend on the problem alone, never on the number of workers, so
// whatever is computed per chunk has the same bits for any number of them.
#pragma once

#include <tbb/parallel_for.h>

#include <cstddef>

#include "core/crew.h"
#include "core/jobs.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace yawara {

/// Denormal numbers (bodies that almost rest) cost a hundred times more: treat them as zero while this lives.
class FlushDenormals {
public:
#if defined(__SSE2__)
    FlushDenormals() : saved_(_mm_getcsr())
    {
        if (!was_on()) _mm_setcsr(saved_ | kFlush);
    }
    ~FlushDenormals()
    {
        if (!was_on()) _mm_setcsr(saved_);
    }

private:
    static constexpr unsigned kFlush = 0x8040u;
    bool was_on() const
    {
        return (saved_ & kFlush) == kFlush;
    }  // to set it costs more than to look
    unsigned saved_;
#else
    FlushDenormals() {}
#endif
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;
};

inline std::size_t chunk_count(std::size_t count, std::size_t chunk)
{
    return (count + chunk - 1) / chunk;
}

/// body(k) for every k in [0, count), by all workers.
template <class Body>
void for_each_in_parallel(std::size_t count, const Body& body)
{
    const auto call = [](const void* of, std::size_t k) { (*static_cast<const Body*>(of))(k); };
    if (!run_with_crew(count, call, &body)) tbb::parallel_for(std::size_t{0}, count, body);
}

/// The same for few tasks of unequal length.
template <class Body>
void for_each_task(std::size_t count, const Body& body)
{
    const auto call = [](const void* of, std::size_t k) { (*static_cast<const Body*>(of))(k); };
    if (!run_on_host(count, call, &body)) tbb::parallel_for(std::size_t{0}, count, body);
}

/// The same for tasks that loop in parallel themselves.
template <class Body>
void for_each_side_by_side(std::size_t count, const Body& body)
{
    if (count == 1) return body(0);
    for_each_task(count, [&](std::size_t k) {
        const SideBySide others;
        body(k);
    });
}

/// body(chunk_index, begin, end) for every chunk of [0, count).
template <class Body>
void for_each_chunk(std::size_t count, std::size_t chunk, const Body& body)
{
    const auto run = [&](std::size_t k) {
        const FlushDenormals flush;
        const std::size_t begin = k * chunk;
        body(k, begin, begin + chunk < count ? begin + chunk : count);
    };
    const std::size_t chunks = chunk_count(count, chunk);
    if (chunks == 1)
        run(0);
    else if (chunks > 1)
        for_each_in_parallel(chunks, run);
}

}  // namespace yawara
