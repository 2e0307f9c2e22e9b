// Gives out ids and finds what they name: things lie densely in the order they were added.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "yawara/id.h"

namespace yawara {

template <class IdType>
class IdTable {
public:
    /// For a thing that is put behind all others.
    IdType add()
    {
        if (free_.empty()) {
            free_.push_back(std::uint32_t(slots_.size()));
            slots_.emplace_back();
        }
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        slots_[slot].index = ids_.size();
        ids_.push_back({slot, ++slots_[slot].generation});
        return ids_.back();
    }
    /// Where the thing lies; none if it was removed or never was.
    std::optional<std::size_t> index(IdType id) const
    {
        if (id.slot >= slots_.size() || slots_[id.slot].generation != id.generation) return std::nullopt;
        return slots_[id.slot].index;
    }
    /// The things behind the one at an index move up.
    void remove(std::size_t index)
    {
        slots_[ids_[index].slot].index.reset();
        free_.push_back(ids_[index].slot);
        ids_.erase(ids_.begin() + std::ptrdiff_t(index));
        for (std::size_t k = index; k < ids_.size(); ++k) slots_[ids_[k].slot].index = k;
    }
    /// Of all things, in their order.
    std::span<const IdType> ids() const { return ids_; }

private:
    struct Slot {
        std::uint32_t generation = 0;
        std::optional<std::size_t> index;  ///< none: free
    };
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;  ///< slots without a thing
    std::vector<IdType> ids_;
};

}  // namespace yawara
