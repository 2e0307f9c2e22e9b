// Axes, ranges and measures as they are typed on a command line, written out as a sweep file.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>

#include "scene_file/json.h"
#include "yawara/sweep.h"

namespace yawara {

using scene_file::Json;

namespace {

bool is_name(std::string_view text)
{
    const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; };
    return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) && std::ranges::all_of(text, fits);
}

bool looks_like_path(std::string_view text)
{
    const auto fits = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) ||
               std::string_view("_-.[]*").find(c) != std::string_view::npos;
    };
    return !text.empty() && std::ranges::all_of(text, fits);
}

std::vector<std::string> split(std::string_view text, char at)
{
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::optional<double> number(const std::string& text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// `PATH=VALUES` or `NAME=PATH=VALUES`.
struct Assignment {
    Json entry;  ///< with path and, if given, name
    std::string values;
};
Result<Assignment> assignment(const std::string& option, const std::string& words)
{
    const std::size_t first = words.find('=');
    if (first == std::string::npos || first == 0)
        return Error{option,
                     fmt::format("found \"{}\"; expected PATH=VALUES, such as bodies[0].density=500:2000:4", words)};
    Assignment found;
    const std::size_t second = words.find('=', first + 1);
    const std::string left = words.substr(0, first);
    if (second != std::string::npos && is_name(left) &&
        looks_like_path(std::string_view(words).substr(first + 1, second - first - 1))) {
        found.entry["path"] = words.substr(first + 1, second - first - 1);
        found.entry["name"] = left;
        found.values = words.substr(second + 1);
    } else {
        found.entry["path"] = left;
        found.values = words.substr(first + 1);
    }
    return found;
}

/// `[1,2,3]`, `LOW:HIGH:COUNT`, `LOW:HIGH:log:COUNT`, or one value.
Result<Json> axis(const std::string& option, const std::string& words)
{
    auto found = assignment(option, words);
    if (!found) return found.error();
    Json entry = found->entry;
    const std::string& values = found->values;
    const std::vector<std::string> parts = split(values, ':');
    if (parts.size() >= 3 && number(parts[0]) && number(parts[1])) {
        const bool has_scale = parts.size() == 4;
        const auto count = number(parts.back());
        const std::string scale = has_scale ? parts[2] : "linear";
        if (parts.size() > 4 || !count || *count != std::floor(*count) || (scale != "linear" && scale != "log"))
            return Error{option, fmt::format("found \"{}\"; expected LOW:HIGH:COUNT or LOW:HIGH:log:COUNT", values)};
        entry["from"] = *number(parts[0]);
        entry["to"] = *number(parts[1]);
        entry["count"] = static_cast<std::int64_t>(std::clamp(*count, -1e15, 1e15));
        entry["scale"] = scale;
        return entry;
    }
    Json list = Json::parse(values, nullptr, false);
    if (values.starts_with('[') && list.is_discarded())
        return Error{option,
                     fmt::format("found \"{}\"; expected a list in JSON, such as [1, 2, 3] or [\"a\", \"b\"]", values)};
    if (list.is_discarded()) list = values;  // a text without quotes
    entry["values"] = list.is_array() ? list : Json::array({list});
    return entry;
}

/// `LOW:HIGH`, then `:log` or `:whole`; `in:LOW:HIGH` is the latter, too.
Result<Json> range(const std::string& option, const std::string& words)
{
    auto found = assignment(option, words);
    if (!found) return found.error();
    std::vector<std::string> parts = split(found->values, ':');
    const bool whole_first = parts[0] == "in";
    if (whole_first) parts.erase(parts.begin());
    const std::string kind = parts.size() == 3 ? parts[2] : "";
    if (parts.size() < 2 || parts.size() > 3 || !number(parts[0]) || !number(parts[1]) ||
        (parts.size() == 3 && kind != "log" && kind != "whole"))
        return Error{option,
                     fmt::format("found \"{}\"; expected LOW:HIGH, LOW:HIGH:log or LOW:HIGH:whole", found->values)};
    Json entry = found->entry;
    entry["from"] = *number(parts[0]);
    entry["to"] = *number(parts[1]);
    if (kind == "log") entry["scale"] = "log";
    if (whole_first || kind == "whole") entry["whole"] = true;
    return entry;
}

/// `NAME=WHAT:BODY:AXIS`, the axis only where one is needed.
Result<Json> measure(const std::string& option, const std::string& words)
{
    const std::size_t equals = words.find('=');
    const std::vector<std::string> parts = split(equals == std::string::npos ? "" : words.substr(equals + 1), ':');
    if (equals == 0 || parts.size() < 2 || parts.size() > 3)
        return Error{option,
                     fmt::format("found \"{}\"; expected NAME=WHAT:BODY:AXIS, such as reach=extent:bar:x", words)};
    Json entry{{"name", words.substr(0, equals)}, {"what", parts[0]}, {"body", parts[1]}};
    if (parts.size() == 3) entry["axis"] = parts[2];
    return entry;
}

using Reader = Result<Json> (*)(const std::string&, const std::string&);

Status add(Json& document, const char* key, const std::string& option, const std::vector<std::string>& words,
           Reader reader)
{
    for (const std::string& word : words) {
        auto entry = reader(option, word);
        if (!entry) return entry.error();
        document[key].push_back(*std::move(entry));
    }
    return Done{};
}

}  // namespace

Result<std::string> sweep_text(const SweepWords& words)
{
    std::error_code failed;
    Json document{{"yawara_sweep", 1},
                  {"scene", std::filesystem::absolute(words.scene, failed).lexically_normal().string()}};
    for (const Status& added :
         {add(document, "grid", "--set", words.grid, axis), add(document, "zip", "--zip", words.zip, axis),
          add(document, "random", "--random", words.random, range),
          add(document, "latin", "--latin", words.latin, range),
          add(document, "measures", "--measure", words.measures, measure)})
        if (!added) return added.error();
    if (words.samples) document["samples"] = *words.samples;
    if (words.repeats) document["repeats"] = *words.repeats;
    if (words.seed) document["seed"] = *words.seed;
    if (words.frames) document["frames"] = *words.frames;
    if (!words.where.empty()) document["where"] = words.where;
    if (!words.keep.empty()) document["keep"] = words.keep;
    return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace yawara
