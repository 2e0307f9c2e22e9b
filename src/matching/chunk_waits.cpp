#include "matching/chunk_waits.h"

#include <algorithm>

namespace yawara::matching {

ChunkWaits::ChunkWaits(const Regions& regions, std::size_t slots_per_chunk)
{
    const std::size_t slots = regions.region_count();
    const std::size_t chunks = (slots + slots_per_chunk - 1) / slots_per_chunk;
    std::vector<std::vector<std::uint32_t>> waiting(chunks);
    std::vector<std::uint32_t> needed;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        needed.clear();
        for (std::size_t slot = chunk * slots_per_chunk; slot < std::min((chunk + 1) * slots_per_chunk, slots); ++slot)
            for (const std::int32_t region : regions.holders()[regions.particle_at(slot)])
                needed.push_back(std::uint32_t(regions.slot(std::size_t(region)) / slots_per_chunk));
        std::sort(needed.begin(), needed.end());
        needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
        counts_.push_back(std::uint32_t(needed.size()));
        for (const std::uint32_t k : needed) waiting[k].push_back(std::uint32_t(chunk));
    }
    offsets_.push_back(0);
    for (const std::vector<std::uint32_t>& list : waiting) {
        waiting_.insert(waiting_.end(), list.begin(), list.end());
        offsets_.push_back(std::uint32_t(waiting_.size()));
    }
    left_ = std::vector<std::atomic<std::uint32_t>>(chunks);
}

void ChunkWaits::begin()
{
    for (std::size_t k = 0; k < counts_.size(); ++k) left_[k].store(counts_[k], std::memory_order_relaxed);
}

}  // namespace yawara::matching
