// Strict JSON parsing: nlohmann's reader drives a handler that builds the document and knows where it is in the text.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_set>
#include <vector>

#include "scene_file/json.h"

namespace yawara::scene_file {
namespace {

constexpr std::size_t kDeepest = 200;
constexpr std::size_t kLongestMessage = 200;
constexpr std::size_t kFewKeys = 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Reads characters and tells how far the reader has come.
struct TrackedIterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    const char* at;
    const char** reached;

    reference operator*() const { return *at; }
    TrackedIterator& operator++()
    {
        *reached = std::max(*reached, ++at);
        return *this;
    }
    TrackedIterator operator++(int)
    {
        TrackedIterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const TrackedIterator& a, const TrackedIterator& b) { return a.at == b.at; }
};

/// What nlohmann says, without its prefix; plain characters only, since the text may not be UTF-8.
std::string plain_message(std::string message)
{
    if (const auto bracket = message.find("] "); bracket != std::string::npos) message.erase(0, bracket + 2);
    if (message.starts_with("parse error at line")) {
        if (const auto colon = message.find(": "); colon != std::string::npos) message.erase(0, colon + 2);
    }
    if (message.size() > kLongestMessage) message = message.substr(0, kLongestMessage) + "...";
    for (char& c : message) {
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
    }
    return message;
}

/// Builds the document; stops with `problem` set.
class Builder : public nlohmann::json_sax<Json> {
public:
    /// `goes_on` is asked now and then.
    explicit Builder(std::function<bool()> goes_on) : goes_on_(std::move(goes_on)) {}

    Json document;
    std::string problem;

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return fail("binary data"); }
    bool start_object(std::size_t) override
    {
        keys_.emplace_back();
        return open(Json::object());
    }
    bool end_object() override
    {
        keys_.pop_back();
        open_.pop_back();
        return true;
    }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_array() override
    {
        open_.pop_back();
        return true;
    }
    bool key(string_t& name) override
    {
        if (!is_new(name)) return fail(fmt::format("the key {} occurs twice", brief(Json(name))));
        key_ = std::move(name);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override
    {
        return fail(plain_message(error.what()));
    }

private:
    bool fail(std::string what)
    {
        problem = std::move(what);
        return false;
    }
    /// Few keys are compared one by one; many are kept in a set beside.
    bool is_new(const std::string& name)
    {
        const auto& members = open_.back()->get_ref<const Json::object_t&>();
        std::unordered_set<std::string>& set = keys_.back();
        if (members.size() < kFewKeys)
            return std::ranges::find(members, name, [](const auto& member) -> const std::string& {
                       return member.first;
                   }) == members.end();
        if (set.empty())
            for (const auto& member : members) set.insert(member.first);
        return set.insert(name).second;
    }
    Json* append(Json value)
    {
        if (open_.empty()) {
            document = std::move(value);
            return &document;
        }
        Json& parent = *open_.back();
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        // Past ordered_map's own insertion, which would compare with every earlier key: keys_ has done that.
        auto& members = parent.get_ref<Json::object_t&>();
        static_cast<Json::object_t::Container&>(members).emplace_back(std::move(key_), std::move(value));
        return &members.back().second;
    }
    bool count()
    {
        if (++count_ > kMostValues)
            return fail(fmt::format("there are more than {} million values", kMostValues / 1'000'000));
        return count_ % 65536 != 0 || goes_on_() || fail("cancelled");
    }
    bool add(Json value)
    {
        append(std::move(value));
        return count();
    }
    bool open(Json empty)
    {
        if (!count()) return false;
        if (open_.size() >= kDeepest) return fail(fmt::format("nested deeper than {} levels", kDeepest));
        open_.push_back(append(std::move(empty)));
        return true;
    }

    std::vector<Json*> open_;  ///< from the outermost; a parent does not grow while a child is open
    std::vector<std::unordered_set<std::string>> keys_;  ///< of every open object
    std::string key_;
    std::size_t count_ = 0;
    std::function<bool()> goes_on_;
};

}  // namespace

std::string join(const std::string& path, std::string_view key)
{
    const auto plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '$';
    };
    if (key.empty() || !std::all_of(key.begin(), key.end(), plain)) {
        return fmt::format("{}[{}]", path, brief(Json(std::string(key))));
    }
    std::string joined = path;
    if (!joined.empty()) joined += '.';
    return joined.append(key);
}

std::string join(const std::string& path, std::size_t index)
{
    return path + "[" + std::to_string(index) + "]";
}

std::string brief(const Json& value)
{
    constexpr std::size_t kLongest = 60;
    if (value.is_structured() && value.size() > kLongest) return described(value);
    std::string text = value.dump();
    if (text.size() <= kLongest) return text;
    std::size_t cut = kLongest;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;  // not within a UTF-8 character
    return text.substr(0, cut) + "...";
}

std::string described(const Json& value)
{
    switch (value.type()) {
        case Json::value_t::null:
            return "null";
        case Json::value_t::boolean:
            return value.get<bool>() ? "true" : "false";
        case Json::value_t::string:
            return "the text " + brief(value);
        case Json::value_t::array:
            return fmt::format("a list of {}", value.size());
        case Json::value_t::object:
            return fmt::format("an object of {} keys", value.size());
        default:
            return "the number " + value.dump();
    }
}

Result<Json> parse_json(std::string_view text, const std::string& name, const Progress& progress)
{
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        return Error{name, "is UTF-16 text; expected UTF-8: save it that way in your editor"};
    const char* const begin = text.data();
    const char* reached = begin;
    Builder builder([&] { return !progress || progress("reading", double(reached - begin) / double(text.size())); });
    const bool good =
        Json::sax_parse(TrackedIterator{begin, &reached}, TrackedIterator{begin + text.size(), &reached}, &builder);
    if (good) return std::move(builder.document);

    const std::string_view before =
        text.substr(0, static_cast<std::size_t>(std::max<std::ptrdiff_t>(reached - begin - 1, 0)));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto line_start = before.rfind('\n');
    const auto column = 1 + before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1);
    return Error{fmt::format("{}:{}:{}", name, line, column), builder.problem};
}

}  // namespace yawara::scene_file
