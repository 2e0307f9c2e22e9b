// JSON of scene documents: strict parsing with places, and words for messages. The only header that shows nlohmann's.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "yawara/core.h"

namespace yawara::scene_file {

/// Keeps the order of keys, so that errors come in the order of the document.
using Json = nlohmann::ordered_json;

/// Refuses, with line and column: syntax errors, comments, repeated keys, numbers beyond double, nesting beyond 200, and
/// more values than a person's scene could have. `progress` is told how much of the text is read, and may end it.
Result<Json> parse_json(std::string_view text, const std::string& name, const Progress& progress = {});
inline constexpr std::size_t kMostValues = 20'000'000;

/// `path.key`, or `path["odd key"]`
std::string join(const std::string& path, std::string_view key);
/// `path[index]`
std::string join(const std::string& path, std::size_t index);

/// A value as it stands in messages: whole if short, otherwise its beginning.
std::string brief(const Json& value);
/// Kind and value, e.g. `the text "soft"`, `a list of 4`.
std::string described(const Json& value);

}  // namespace yawara::scene_file
