// What took long to make, for the next one who needs the same: the newest few things, by name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "yawara/core.h"

namespace yawara::stream {

class Kept {
public:
    /// What is there under this key, or else what `make` gives, a Result<T>; mistakes are not kept. A key stands for
    /// things of one type.
    template <class T, class Make>
    Result<std::shared_ptr<const T>> get(const std::string& key, Make&& make)
    {
        const auto found = std::ranges::find(things_, key, &Entry::first);
        if (found != things_.end()) {
            std::rotate(things_.begin(), found, found + 1);
            return std::static_pointer_cast<const T>(things_.front().second);
        }
        Result<T> made = make();
        if (!made) return made.error();
        auto thing = std::make_shared<const T>(*std::move(made));
        things_.emplace_front(key, thing);
        if (things_.size() > kMost) things_.pop_back();
        return thing;
    }

private:
    static constexpr std::size_t kMost = 12;
    using Entry = std::pair<std::string, std::shared_ptr<const void>>;
    std::deque<Entry> things_;  ///< the newest first
};

}  // namespace yawara::stream
