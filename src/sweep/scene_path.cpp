// Keys that the scene does not have yet are made; the schema says afterwards whether they may be there.
#include "sweep/scene_path.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "scene_file/identity.h"
#include "yawara/spelling.h"

namespace yawara::sweep {

using scene_file::Json;

Result<ScenePath> ScenePath::parse(std::string_view text)
{
    ScenePath path;
    path.text_ = text;
    const auto wrong = [&] {
        return Error{std::string(text), "is not a path; expected one such as bodies[0].matching.young"};
    };
    std::size_t at = 0;
    while (at < text.size()) {
        if (text[at] == '[') {
            const std::size_t end = text.find(']', at);
            if (end == std::string_view::npos || end == at + 1 || path.steps_.empty()) return wrong();
            path.steps_.push_back(Entry{std::string(text.substr(at + 1, end - at - 1))});
            at = end + 1;
        } else {
            if (!path.steps_.empty()) {
                if (text[at] != '.') return wrong();
                ++at;
            }
            const std::size_t end = std::min(text.find_first_of(".[", at), text.size());
            if (end == at) return wrong();
            path.steps_.push_back(Key{std::string(text.substr(at, end - at))});
            at = end;
        }
    }
    if (path.steps_.empty()) return wrong();
    return path;
}

Status ScenePath::set(Json& document, const Json& whole, const Json& value) const
{
    return set_from(0, document, &whole, value);
}

Status ScenePath::set_from(std::size_t step, Json& here, const Json* whole, const Json& value) const
{
    if (step == steps_.size()) {
        here = value;
        return Done{};
    }
    if (here.is_null() && whole) here = *whole;
    if (const Key* key = std::get_if<Key>(&steps_[step])) {
        if (here.is_null()) here = Json::object();
        if (!here.is_object())
            return Error{text_, fmt::format("\"{}\" cannot stand in {}", key->name, scene_file::described(here))};
        const Json* deeper =
            whole && whole->is_object() && whole->contains(key->name) ? &whole->at(key->name) : nullptr;
        return set_from(step + 1, here[key->name], deeper, value);
    }
    const std::string& which = std::get<Entry>(steps_[step]).which;
    if (!here.is_array())
        return Error{text_, fmt::format("[{}] follows {}, not a list", which,
                                        here.is_null() ? "what is not in the scene" : scene_file::described(here))};
    const auto enter = [&](std::size_t index) {
        const Json* deeper = whole && whole->is_array() && index < whole->size() ? &whole->at(index) : nullptr;
        return set_from(step + 1, here[index], deeper, value);
    };
    if (which == "*") {
        if (here.empty()) return Error{text_, "[*] follows an empty list"};
        for (std::size_t k = 0; k < here.size(); ++k)
            if (Status done = enter(k); !done) return done;
        return Done{};
    }
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), index);
    if (error == std::errc{} && end == which.data() + which.size()) {
        if (index < here.size()) return enter(index);
        return Error{text_, fmt::format("there is no [{}]: the list has {}, counted from 0", which,
                                        here.size() == 1 ? "1 entry" : fmt::format("{} entries", here.size()))};
    }
    if (const auto found = scene_file::find_identity(here, which)) return enter(*found);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < here.size(); ++k) names.push_back(scene_file::identity_of(here[k], k));
    return Error{text_, fmt::format("there is no \"{}\" in this list{}", which, did_you_mean(which, names))};
}

}  // namespace yawara::sweep
