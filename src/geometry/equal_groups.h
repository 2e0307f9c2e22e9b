// Finding equal faces, edges and tets: keys are brought next to their equals in close to linear time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace yawara {

/// Order of `keys` (each with its entries ascending, all in [0, limit)) in which equal keys are neighbours, and among
/// equals the earlier one comes first: a counting sort by first entry, then a small sort of each bucket.
template <std::size_t N>
std::vector<std::int32_t> group_equal(std::span<const std::array<std::int32_t, N>> keys, std::size_t limit)
{
    std::vector<std::int32_t> start(limit + 1, 0);
    for (const auto& key : keys) ++start[static_cast<std::size_t>(key[0]) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());

    std::vector<std::int32_t> order(keys.size());
    std::vector<std::int32_t> next(start.begin(), start.end() - 1);
    for (std::size_t k = 0; k < keys.size(); ++k) {
        order[static_cast<std::size_t>(next[static_cast<std::size_t>(keys[k][0])]++)] = static_cast<std::int32_t>(k);
    }
    for (std::size_t bucket = 0; bucket < limit; ++bucket) {
        std::sort(order.begin() + start[bucket], order.begin() + start[bucket + 1],
                  [&](std::int32_t a, std::int32_t b) {
                      const auto& key_a = keys[static_cast<std::size_t>(a)];
                      const auto& key_b = keys[static_cast<std::size_t>(b)];
                      for (std::size_t n = 1; n < N; ++n)  // all of a bucket have the same first entry
                          if (key_a[n] != key_b[n]) return key_a[n] < key_b[n];
                      return a < b;
                  });
    }
    return order;
}

/// Call visit(group) with the indices of every set of equal keys, in the order of group_equal.
template <std::size_t N, class Visit>
void for_each_group(std::span<const std::array<std::int32_t, N>> keys, std::size_t limit, Visit&& visit)
{
    const std::vector<std::int32_t> order = group_equal(keys, limit);
    for (std::size_t first = 0, last; first < order.size(); first = last) {
        const auto& key = keys[static_cast<std::size_t>(order[first])];
        for (last = first + 1; last < order.size() && keys[static_cast<std::size_t>(order[last])] == key;) ++last;
        visit(std::span<const std::int32_t>(order).subspan(first, last - first));
    }
}

/// The key of a face, edge or tet: its vertices in ascending order.
template <std::size_t N>
std::array<std::int32_t, N> sorted_key(std::array<std::int32_t, N> vertices)
{
    std::sort(vertices.begin(), vertices.end());
    return vertices;
}

}  // namespace yawara
