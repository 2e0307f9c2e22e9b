// Commands keep patches in both directions, made by comparing the content before and after.
#include "stream/document.h"

#include <charconv>
#include <optional>

#include "scene_file/identity.h"
#include "stream/json_difference.h"

namespace yawara::stream {

namespace {

constexpr std::size_t kMostCommands = 1000;
const std::string kNothing;

void write_pretty(const Json& value, std::size_t width, std::size_t indent, std::string& out)
{
    const std::string flat = [&] {
        std::string text;
        bool inside = false;
        for (const char c : value.dump()) {  // "{"a":1,"b":2}" with blanks, as in our scenes
            if (c == '"' && (text.empty() || text.back() != '\\')) inside = !inside;
            text += c;
            if (!inside && (c == ':' || c == ',')) text += ' ';
        }
        return text;
    }();
    if (!value.is_structured() || value.empty() || flat.size() + indent <= width) {
        out += flat;
        return;
    }
    const std::string pad(indent + 2, ' ');
    out += value.is_object() ? "{\n" : "[\n";
    std::size_t k = 0;
    for (const auto& item : value.items()) {
        out += pad;
        if (value.is_object()) out += Json(item.key()).dump() + ": ";
        write_pretty(item.value(), width, indent + 2, out);
        out += ++k < value.size() ? ",\n" : "\n";
    }
    out += std::string(indent, ' ') + (value.is_object() ? "}" : "]");
}

std::optional<std::size_t> number_in(const std::string& text)
{
    std::size_t number = 0;
    const auto [end, mistake] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (mistake != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// A body without an id is named by its name: that becomes its id when the name changes.
void keep_identity_of_renamed(Json& body, const Json& change)
{
    if (!body.is_object() || body.contains("id") || !body.contains("name")) return;
    if (change.value("value", Json()) != body["name"]) body["id"] = body["name"];
}

/// Entries without a name are named by their numbers: those that move up or down keep them as ids, and one that comes
/// gets a number that is free.
void keep_identities_of_numbered(Json& list, std::size_t at, Json& change)
{
    const bool comes = change.at("op") == "add";
    for (std::size_t k = comes ? at : at + 1; k < list.size(); ++k)
        if (list[k].is_object() && !list[k].contains("id")) list[k]["id"] = std::to_string(k + 1);
    if (!comes || !change.contains("value") || !change["value"].is_object() || change["value"].contains("id")) return;
    const auto taken = [&](std::size_t number) {
        return scene_file::find_identity(list, std::to_string(number)).has_value();
    };
    if (!taken(at + 1)) return;
    std::size_t number = list.size() + 1;
    while (taken(number)) ++number;
    change["value"]["id"] = std::to_string(number);
}

void keep_identities(Json& content, Json& change)
{
    const Json::json_pointer place(change.at("path").get<std::string>());
    if (place.empty() || place.parent_pointer().empty()) return;
    const Json::json_pointer around = place.parent_pointer();
    if (!content.contains(around)) return;
    if (place.back() == "name" && around.parent_pointer().to_string() == "/bodies")
        return keep_identity_of_renamed(content[around], change);
    const bool numbered = around.to_string() == "/obstacles" || around.back() == "instances";
    Json& list = content[around];
    if (!numbered || !list.is_array() || change.at("op") == "replace") return;
    const auto at = place.back() == "-" ? list.size() : number_in(place.back());
    if (at && *at <= list.size()) keep_identities_of_numbered(list, *at, change);
}

}  // namespace

Result<Json> Document::patched(const Json& patch) const
{
    std::string where = "changes";
    try {
        Json next = content_;
        for (Json change : patch) {
            where = change.at("path").get<std::string>();
            const auto place =
                scene_file::resolve_identities(next, Json::json_pointer(change.at("path").get<std::string>()));
            if (!place) return place.error();
            change["path"] = place->to_string();
            keep_identities(next, change);
            next.patch_inplace(Json::array({std::move(change)}));
        }
        return next;
    } catch (const Json::exception&) {
        return Error{where, "cannot be changed: the scene has nothing at this place"};
    }
}

void Document::apply(std::string label, std::string merge, Json next)
{
    commands_.resize(done_);
    if (saved_at_ > static_cast<std::ptrdiff_t>(done_)) saved_lost_ = true;
    const bool joins = may_merge_ && !merge.empty() && !commands_.empty() && commands_.back().merge == merge &&
                       saved_at_ != static_cast<std::ptrdiff_t>(done_);
    if (joins) {
        const Json before = content_.patch(commands_.back().back);
        commands_.back().forth = json_difference(before, next);
        commands_.back().back = json_difference(next, before);
    } else {
        commands_.push_back(
            {std::move(label), std::move(merge), json_difference(content_, next), json_difference(next, content_)});
        ++done_;
    }
    content_ = std::move(next);
    may_merge_ = true;
    if (commands_.size() > kMostCommands) {
        commands_.erase(commands_.begin());
        --done_;
        if (--saved_at_ < 0) saved_lost_ = true;
    }
}

Json Document::undone() const
{
    return done_ == 0 ? Json() : content_.patch(commands_[done_ - 1].back);
}

Json Document::redone() const
{
    return done_ == commands_.size() ? Json() : content_.patch(commands_[done_].forth);
}

void Document::undo()
{
    content_ = undone();
    --done_;
    may_merge_ = false;
}

void Document::redo()
{
    content_ = redone();
    ++done_;
    may_merge_ = false;
}

const std::string& Document::undo_label() const
{
    return done_ == 0 ? kNothing : commands_[done_ - 1].label;
}

const std::string& Document::redo_label() const
{
    return done_ == commands_.size() ? kNothing : commands_[done_].label;
}

void Document::mark_saved()
{
    saved_at_ = static_cast<std::ptrdiff_t>(done_);
    saved_lost_ = false;
}

std::string pretty(const Json& value, std::size_t width)
{
    std::string out;
    write_pretty(value, width, 0, out);
    return out + "\n";
}

}  // namespace yawara::stream
