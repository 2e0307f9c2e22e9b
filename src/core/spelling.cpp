// Edit distance with swapped neighbours counted once (optimal string alignment), the usual slips of a keyboard.
#include "yawara/spelling.h"

#include <algorithm>
#include <array>
#include <vector>

namespace yawara {
namespace {

constexpr std::size_t kLongestWord = 64;

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> two_back(b.size() + 1), back(b.size() + 1), now(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) back[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = back[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = std::min({replaced, back[j] + 1, now[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = std::min(now[j], two_back[j - 2] + 1);
            }
        }
        std::swap(two_back, back);
        std::swap(back, now);
    }
    return back[b.size()];
}

}  // namespace

std::string closest_word(std::string_view word, std::span<const std::string> words)
{
    if (word.empty() || word.size() > kLongestWord) return {};
    std::string best;
    std::size_t best_distance = 1 + std::max<std::size_t>(1, (word.size() + 1) / 3);
    if (word.size() >= 4) best_distance = std::max<std::size_t>(best_distance, 3);
    for (const std::string& candidate : words) {
        const std::size_t distance = edit_distance(word, candidate);
        // A word without a letter in common is no slip.
        if (distance < best_distance && distance < std::max(word.size(), candidate.size())) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> words)
{
    const std::string closest = closest_word(word, words);
    return closest.empty() ? std::string() : ", did you mean \"" + closest + "\"?";
}

}  // namespace yawara
