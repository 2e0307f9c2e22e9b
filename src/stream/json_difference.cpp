// Objects key by key, arrays entry by entry from the front, everything else as a whole.
#include "stream/json_difference.h"

#include <algorithm>
#include <string>
#include <vector>

namespace yawara::stream {

namespace {

using scene_file::Json;
using Pointer = Json::json_pointer;

class Difference {
public:
    Json patch = Json::array();

    void compare(const Json& before, const Json& after, const Pointer& place)
    {
        if (before.is_object() && after.is_object()) return compare_objects(before, after, place);
        if (before.is_array() && after.is_array()) return compare_arrays(before, after, place);
        if (before != after) patch.push_back({{"op", "replace"}, {"path", place.to_string()}, {"value", after}});
    }

private:
    void remove(const Pointer& place) { patch.push_back({{"op", "remove"}, {"path", place.to_string()}}); }
    void add(const Pointer& place, const Json& value)
    {
        patch.push_back({{"op", "add"}, {"path", place.to_string()}, {"value", value}});
    }

    void compare_arrays(const Json& before, const Json& after, const Pointer& place)
    {
        const std::size_t both = std::min(before.size(), after.size());
        for (std::size_t k = 0; k < both; ++k) compare(before[k], after[k], place / k);
        for (std::size_t k = before.size(); k > both; --k) remove(place / (k - 1));
        for (std::size_t k = both; k < after.size(); ++k) add(place / "-", after[k]);
    }

    void compare_objects(const Json& before, const Json& after, const Pointer& place)
    {
        std::vector<std::string> kept;  // in the order they have
        for (const auto& [key, value] : before.items())
            if (after.contains(key)) kept.push_back(key);
        // As many keys as stand where they should stay; those behind are put in again.
        std::size_t right = 0;
        for (const auto& [key, value] : after.items()) {
            if (right == kept.size() || kept[right] != key) break;
            ++right;
        }
        const auto stays = [&](const std::string& key) {
            return std::find(kept.begin(), kept.begin() + std::ptrdiff_t(right), key) !=
                   kept.begin() + std::ptrdiff_t(right);
        };
        for (const auto& [key, value] : before.items())
            if (!stays(key)) remove(place / key);
        for (const auto& [key, value] : after.items()) {
            if (stays(key))
                compare(before[key], value, place / key);
            else
                add(place / key, value);
        }
    }
};

}  // namespace

Json json_difference(const Json& before, const Json& after)
{
    Difference difference;
    difference.compare(before, after, Pointer());
    return std::move(difference.patch);
}

}  // namespace yawara::stream
