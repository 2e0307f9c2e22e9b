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
    /// A new id, for a thing that is appended behind all others.
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
    /// Index of the thing; none if it was removed or never existed.
    std::optional<std::size_t> index(IdType id) const
    {
        if (id.slot >= slots_.size() || slots_[id.slot].generation != id.generation) return std::nullopt;
        return slots_[id.slot].index;
    }
    /// Removes the thing at an index; those behind it move up by one.
    void remove(std::size_t index)
    {
        slots_[ids_[index].slot].index.reset();
        free_.push_back(ids_[index].slot);
        ids_.erase(ids_.begin() + std::ptrdiff_t(index));
        for (std::size_t k = index; k < ids_.size(); ++k) slots_[ids_[k].slot].index = k;
    }
    /// Ids of all things, by index.
    std::span<const IdType> ids() const { return ids_; }

private:
    struct Slot {
        std::uint32_t generation = 0;
        std::optional<std::size_t> index;  ///< of the thing that has this slot; none: the slot is free
    };
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;  ///< slots without a thing
    std::vector<IdType> ids_;
};

}  // namespace yawara
