// Commands keep patches in both directions, made by comparing the content before and after.
#include "stream/document.h"

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

}  // namespace

Result<Json> Document::patched(const Json& patch) const
{
    try {
        return content_.patch(patch);
    } catch (const Json::exception& mistake) {
        return Error{"changes", mistake.what()};
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
        commands_.back().forth = Json::diff(before, next);
        commands_.back().back = Json::diff(next, before);
    } else {
        commands_.push_back(
            {std::move(label), std::move(merge), Json::diff(content_, next), Json::diff(next, content_)});
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
