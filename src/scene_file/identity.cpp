// Identities are looked up in the document itself, so that they are right at any moment of its editing.
#include "scene_file/identity.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace yawara::scene_file {

namespace {

/// The lists whose entries have identities, and what one entry is called.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kLists{
    {{"bodies", "body"}, {"instances", "instance"}, {"obstacles", "obstacle"}}};

}  // namespace

std::string identity_of(const Json& entry, std::size_t index)
{
    for (const char* key : {"id", "name"})
        if (entry.is_object() && entry.contains(key) && entry[key].is_string()) return entry[key];
    return std::to_string(index + 1);
}

std::optional<std::size_t> find_identity(const Json& list, std::string_view identity)
{
    for (std::size_t k = 0; k < list.size(); ++k)
        if (identity_of(list[k], k) == identity) return k;
    return std::nullopt;
}

Result<Json::json_pointer> resolve_identities(const Json& document, const Json::json_pointer& pointer)
{
    std::vector<std::string> parts;
    for (Json::json_pointer rest = pointer; !rest.empty(); rest.pop_back()) parts.insert(parts.begin(), rest.back());
    Json::json_pointer plain;
    const Json* here = &document;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (parts[k].starts_with('@') && here && here->is_array()) {
            const auto list =
                std::ranges::find(kLists, k > 0 ? parts[k - 1] : "", [](const auto& l) { return l.first; });
            if (list == kLists.end())
                return Error{pointer.to_string(), "entries of this list have no identities, only numbers"};
            const auto found = find_identity(*here, std::string_view(parts[k]).substr(1));
            if (!found)
                return Error{pointer.to_string(),
                             fmt::format("there is no {} \"{}\"", list->second, parts[k].substr(1))};
            plain /= *found;
            here = &(*here)[*found];
            continue;
        }
        plain /= parts[k];
        const Json::json_pointer step = Json::json_pointer() / parts[k];
        here = here && parts[k] != "-" && here->contains(step) ? &here->at(step) : nullptr;
    }
    return plain;
}

std::string pointer_of(std::string_view place)
{
    std::string pointer = "/";
    for (const char c : place)
        if (c != ']') pointer += c == '.' || c == '[' ? '/' : c;
    return pointer;
}

}  // namespace yawara::scene_file
