// "did you mean ...?": the known word closest to one that is not.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace yawara {

/// The closest of the words, or an empty text if none is close.
std::string closest_word(std::string_view word, std::span<const std::string> words);

/// `, did you mean "alpha"?`, or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> words);

}  // namespace yawara
