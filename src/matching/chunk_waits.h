// Chunks of particles wait for the chunks of regions that hold their particles. Who finishes the last of these goes on
// with the particles, whose lists and transforms are then still in a cache.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "matching/regions.h"

namespace yawara::matching {

class ChunkWaits {
public:
    /// For chunks of as many slots, of particles and of regions alike.
    ChunkWaits(const Regions& regions, std::size_t slots_per_chunk);

    /// All chunks of regions are to be done again.
    void begin();
    /// A chunk of regions is done; each(chunk) for the chunks of particles that waited for no other.
    template <class Each>
    void finish(std::size_t chunk, const Each& each)
    {
        for (std::uint32_t k = offsets_[chunk]; k < offsets_[chunk + 1]; ++k)
            if (left_[waiting_[k]].fetch_sub(1, std::memory_order_acq_rel) == 1) each(std::size_t(waiting_[k]));
    }

private:
    std::vector<std::uint32_t> offsets_, waiting_;  ///< chunks of particles that wait for each chunk of regions
    std::vector<std::uint32_t> counts_;             ///< chunks of regions that each chunk of particles waits for
    std::vector<std::atomic<std::uint32_t>> left_;
};

}  // namespace yawara::matching
