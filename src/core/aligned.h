// Vectors whose storage starts on a cache line, for kernels that load eight floats at a time, and is in large pages
// where it is long.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace yawara {

/// Asks for large pages before memory is first used: sweeps that jump from page to page then miss none.
inline void use_large_pages(void* data, std::size_t bytes)
{
#ifdef __linux__
    constexpr std::size_t kPage = std::size_t{2} << 20;
    const auto begin = (reinterpret_cast<std::size_t>(data) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<std::size_t>(data) + bytes) / kPage * kPage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
    (void)data, (void)bytes;
#endif
}

template <class T>
struct CacheLineAllocator {
    using value_type = T;
    static constexpr std::align_val_t kAlignment{64};

    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&)
    {
    }
    T* allocate(std::size_t count)
    {
        void* const storage = ::operator new(count * sizeof(T), kAlignment);
        use_large_pages(storage, count * sizeof(T));
        return static_cast<T*>(storage);
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }
    friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace yawara
