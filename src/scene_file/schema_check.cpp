// One walk over document and schema together. For "one of these" it finds the branch that was meant, by its key or kind
// of value, and reports the errors of that branch instead of "no branch matched".
#include "scene_file/schema_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <unordered_map>

#include "yawara/spelling.h"

namespace yawara::scene_file {
namespace {

/// Six digits if they say it exactly, else as many as it takes.
std::string exact(double x)
{
    const std::string six = fmt::format("{:g}", x);
    return std::stod(six) == x ? six : fmt::format("{}", x);
}

constexpr std::array<std::string_view, 30> kKeywords{
    "$schema",     "$id",        "$ref",        "$defs",     "title",
    "description", "default",    "type",        "const",     "enum",
    "minimum",     "maximum",    "pattern",     "format",    "exclusiveMinimum",
    "items",       "minItems",   "maxItems",    "minLength", "exclusiveMaximum",
    "maxLength",   "properties", "required",    "oneOf",     "additionalProperties",
    "anyOf",       "not",        "prefixItems", "examples",  "x-acts"};

/// The library's regular expressions recurse over the text: long ones are refused unread.
constexpr std::size_t kLongestPatternText = 1000;

bool has_type(const Json& value, const std::string& type)
{
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "number") return value.is_number();
    if (type == "integer") {
        return value.is_number_integer() ||
               (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>());
    }
    return false;
}

std::string type_words(const std::string& type)
{
    if (type == "object") return "an object";
    if (type == "array") return "a list";
    if (type == "string") return "a text";
    if (type == "boolean") return "true or false";
    if (type == "integer") return "a whole number";
    return type == "number" ? "a number" : type;
}

/// `a, b or c`
std::string listed(const std::vector<std::string>& words)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

std::string in_quotes(const std::string& word)
{
    return "\"" + word + "\"";
}

/// Length in characters, as the standard counts.
std::size_t text_length(const std::string& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// A place in the document, written out only when something is said about it.
class Place {
public:
    Place() = default;
    explicit Place(const std::string& root) : key_(root) {}
    Place(const Place& up, std::string_view key) : up_(&up), key_(key) {}
    Place(const Place& up, std::size_t index) : up_(&up), index_(index), in_list_(true) {}

    std::string text() const
    {
        if (!up_) return std::string(key_);
        return in_list_ ? join(up_->text(), index_) : join(up_->text(), key_);
    }

private:
    const Place* up_ = nullptr;
    std::string_view key_{};
    std::size_t index_ = 0;
    bool in_list_ = false;
};

/// Long lists are lists of numbers: what may stand in one, looked up once for the list.
struct NumberRule {
    bool usable = false, integer = false;
    double low = -HUGE_VAL, high = HUGE_VAL;  ///< both allowed

    NumberRule() = default;
    NumberRule(const Json& target, const Json& items)
    {
        static constexpr std::array<std::string_view, 6> kKnown{"title",   "description", "type",
                                                                "minimum", "maximum",     "x-acts"};
        const std::string type = target.value("type", "");
        usable = (type == "number" || type == "integer") && (&target == &items || items.size() == 1);
        integer = type == "integer";
        for (const auto& [key, value] : target.items())
            usable = usable && std::ranges::find(kKnown, key) != kKnown.end();
        if (target.contains("minimum")) low = target["minimum"].get<double>();
        if (target.contains("maximum")) high = target["maximum"].get<double>();
    }
    bool accepts(const Json& value) const
    {
        if (!usable || !(integer ? value.is_number_integer() : value.is_number())) return false;
        const double x = value.get<double>();
        return x >= low && x <= high;
    }
};

class Checker {
public:
    explicit Checker(const Json& schema) : root_(schema) {}

    SchemaFindings found;
    const Progress* progress = nullptr;

    void check(const Json& schema, Json& value, const Place& path)
    {
        if (found.errors.size() >= kMostErrors || !goes_on()) return;
        if (schema.contains("$ref")) check(resolved(root_, schema), value, path);
        if (schema.contains("type") && !has_type(value, schema["type"])) {
            return error(path, fmt::format("expected {}, found {}", expectation(schema), described(value)));
        }
        check_choice(schema, value, path);
        if (value.is_number()) check_range(schema, value, path);
        if (value.is_string()) check_text(schema, value.get_ref<const std::string&>(), path);
        if (value.is_array()) check_list(schema, value, path);
        bool unknown_keys = false;
        if (value.is_object()) unknown_keys = check_keys(schema, value, path);
        if (schema.contains("not")) check_not(schema["not"], value, path);
        if (schema.contains("oneOf")) check_branches(schema["oneOf"], true, unknown_keys, value, path);
        if (schema.contains("anyOf")) check_branches(schema["anyOf"], false, unknown_keys, value, path);
        if (value.is_object()) add_defaults(schema, value, path);
    }

private:
    void error(const Place& path, std::string what)
    {
        if (found.errors.size() + 1 < kMostErrors) {
            found.errors.push_back({path.text(), std::move(what)});
        } else if (found.errors.size() + 1 == kMostErrors) {
            found.errors.push_back({path.text(), "and more errors that are not listed"});
        }
    }

    bool passes(const Json& schema, const Json& value) const
    {
        Checker trial(root_);
        Json copy = value;
        trial.check(schema, copy, Place());
        return trial.found.errors.empty();
    }

    /// In words: what a value of this schema is.
    std::string expectation(const Json& schema) const
    {
        const Json& target = resolved(root_, schema);
        if (schema.contains("title") && target.value("type", "") != "object") return schema["title"];
        if (target.contains("const")) return brief(target["const"]);
        if (target.contains("enum")) {
            std::vector<std::string> words;
            for (const Json& choice : target["enum"]) words.push_back(brief(choice));
            return listed(words);
        }
        if (target.contains("required") && target.value("type", "") == "object") {
            return fmt::format("an object with \"{}\"", target["required"][0].get<std::string>());
        }
        if (target.contains("title") && target.value("type", "object") != "object") return target["title"];
        if (target.contains("type")) return type_words(target["type"]);
        return "a value";
    }

    bool accepts_type(const Json& schema, const Json& value) const
    {
        const Json& target = resolved(root_, schema);
        const auto same_kind = [&](const Json& other) {
            return other.type() == value.type() || (other.is_number() && value.is_number());
        };
        if (target.contains("type")) return has_type(value, target["type"]);
        if (target.contains("const")) return same_kind(target["const"]);
        if (target.contains("enum")) return std::any_of(target["enum"].begin(), target["enum"].end(), same_kind);
        return true;
    }

    void check_choice(const Json& schema, const Json& value, const Place& path)
    {
        if (schema.contains("const") && value != schema["const"]) {
            error(path, fmt::format("expected {}, found {}", brief(schema["const"]), brief(value)));
        }
        if (!schema.contains("enum")) return;
        const Json& choices = schema["enum"];
        if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
        std::vector<std::string> words;
        for (const Json& choice : choices) {
            if (choice.is_string()) words.push_back(choice);
        }
        error(path, fmt::format("expected {}, found {}{}", expectation(schema), brief(value),
                                value.is_string() ? did_you_mean(value.get<std::string>(), words) : ""));
    }

    void check_range(const Json& schema, const Json& value, const Place& path)
    {
        const double x = value.get<double>();
        const bool low_open = schema.contains("exclusiveMinimum"), high_open = schema.contains("exclusiveMaximum");
        const bool low = low_open || schema.contains("minimum"), high = high_open || schema.contains("maximum");
        const Json low_end = low ? schema[low_open ? "exclusiveMinimum" : "minimum"] : Json();
        const Json high_end = high ? schema[high_open ? "exclusiveMaximum" : "maximum"] : Json();
        const bool too_low = low && (low_open ? x <= low_end.get<double>() : x < low_end.get<double>());
        const bool too_high = high && (high_open ? x >= high_end.get<double>() : x > high_end.get<double>());
        if (!too_low && !too_high) return;
        if (low && high) {
            return error(
                path, fmt::format("{} is outside {}{}, {}{}", value.dump(), low_open ? '(' : '[',
                                  exact(low_end.get<double>()), exact(high_end.get<double>()), high_open ? ')' : ']'));
        }
        error(path, fmt::format("{} has to be {} {}", value.dump(),
                                low ? (low_open ? "more than" : "at least") : (high_open ? "less than" : "at most"),
                                exact((low ? low_end : high_end).get<double>())));
    }

    void check_text(const Json& schema, const std::string& text, const Place& path)
    {
        const std::size_t before = found.errors.size();
        const std::size_t length = text_length(text);
        if (length < schema.value("minLength", std::size_t{0})) error(path, "the text is empty or too short");
        if (schema.contains("maxLength") && length > schema["maxLength"].get<std::size_t>()) {
            error(path, fmt::format("a text of {} characters; at most {} are allowed", length,
                                    schema["maxLength"].get<std::size_t>()));
        }
        if (found.errors.size() == before && schema.contains("pattern")) {
            const std::regex pattern(schema["pattern"].get<std::string>(), std::regex::ECMAScript);
            if (text.size() > kLongestPatternText || !std::regex_search(text, pattern)) {
                error(path, fmt::format("expected {}, found {}", expectation(schema), brief(Json(text))));
            }
        }
        if (schema.value("format", "") == "file" && found.errors.size() == before) {
            if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
                return error(path, "a file name cannot hold control characters");
            }
            found.files.push_back({path.text(), text});
        }
    }

    void check_list(const Json& schema, Json& value, const Place& path)
    {
        const std::size_t count = value.size();
        const std::size_t least = schema.value("minItems", std::size_t{0});
        const std::size_t most = schema.value("maxItems", std::size_t(-1));
        if (count < least || count > most) {
            const std::string wanted = most == 0       ? std::string("expected an empty list")
                                       : least == most ? fmt::format("expected {} values", least)
                                       : count < least ? fmt::format("expected at least {}", least)
                                                       : fmt::format("expected at most {}", most);
            return error(path, fmt::format("{}, found {}", wanted, count));
        }
        const std::size_t first = schema.contains("prefixItems") ? schema["prefixItems"].size() : 0;
        for (std::size_t i = 0; i < std::min(first, count); ++i)
            check(schema["prefixItems"][i], value[i], Place(path, i));
        if (!schema.contains("items")) return;
        const NumberRule& numbers = number_rule(schema["items"]);
        for (std::size_t i = first; i < count; ++i)
            if (!numbers.accepts(value[i])) check(schema["items"], value[i], Place(path, i));
    }

    /// True if there were unknown keys.
    bool check_keys(const Json& schema, Json& value, const Place& path)
    {
        bool unknown = false;
        const Json none = Json::object();
        const Json& properties = schema.contains("properties") ? schema["properties"] : none;
        const bool closed = schema.contains("additionalProperties") && !schema["additionalProperties"].get<bool>();
        for (auto& [key, member] : value.items()) {
            if (found.errors.size() >= kMostErrors) return true;
            if (properties.contains(key)) {
                check(properties[key], member, Place(path, key));
            } else if (closed) {
                unknown = true;
                error(Place(path, key), "unknown key" + did_you_mean(key, names(properties)));
            }
        }
        if (schema.contains("required")) {
            for (const Json& key : schema["required"]) {
                const std::string& name = key.get_ref<const std::string&>();
                if (value.contains(name)) continue;
                error(path, fmt::format("the key \"{}\" is missing", name));
            }
        }
        return unknown;
    }

    static std::vector<std::string> names(const Json& object)
    {
        std::vector<std::string> keys;
        for (const auto& [key, member] : object.items()) keys.push_back(key);
        return keys;
    }

    void check_not(const Json& schema, const Json& value, const Place& path)
    {
        if (schema.contains("anyOf")) {
            for (const Json& branch : schema["anyOf"]) check_not(branch, value, path);
            return;
        }
        if (!passes(schema, value)) return;
        if (schema.contains("required")) {
            std::vector<std::string> keys;
            for (const Json& key : schema["required"]) keys.push_back(in_quotes(key));
            return error(path, fmt::format("give {}, not more than one of them", listed(keys)));
        }
        error(path, fmt::format("must not be {}", brief(value)));
    }

    /// The key by which a branch is known.
    std::string tag(const Json& branch) const
    {
        const Json& target = resolved(root_, branch);
        return target.contains("required") ? target["required"][0].get<std::string>() : std::string();
    }

    void check_branches(const Json& branches, bool exactly_one, bool unknown_keys, Json& value, const Place& path)
    {
        std::vector<const Json*> candidates;
        for (const Json& branch : branches) {
            if (accepts_type(branch, value)) candidates.push_back(&branch);
        }
        if (candidates.empty()) return error(path, none_fits(branches, value));
        if (candidates.size() == 1) return check(*candidates[0], value, path);
        if (value.is_object()) return check_tagged(candidates, exactly_one, unknown_keys, value, path);
        std::vector<const Json*> fitting;
        for (const Json* branch : candidates) {
            if (passes(*branch, value)) fitting.push_back(branch);
        }
        if (fitting.empty()) return error(path, none_fits(branches, value));
        if (exactly_one && fitting.size() > 1) return error(path, brief(value) + " has more than one meaning here");
        check(*fitting[0], value, path);
    }

    std::string none_fits(const Json& branches, const Json& value) const
    {
        std::vector<std::string> wanted, words;
        for (const Json& branch : branches) {
            const std::string text = expectation(branch);
            if (std::find(wanted.begin(), wanted.end(), text) == wanted.end()) wanted.push_back(text);
            for (const Json& choice : resolved(root_, branch).value("enum", Json::array())) {
                if (choice.is_string()) words.push_back(choice);
            }
        }
        return fmt::format("expected {}, found {}{}", listed(wanted), described(value),
                           value.is_string() ? did_you_mean(value.get<std::string>(), words) : "");
    }

    void check_tagged(const std::vector<const Json*>& candidates, bool exactly_one, bool unknown_keys, Json& value,
                      const Place& path)
    {
        std::vector<const Json*> present;
        std::vector<std::string> tags, present_tags;
        for (const Json* branch : candidates) {
            tags.push_back(tag(*branch));
            if (!value.contains(tags.back())) continue;
            present.push_back(branch);
            present_tags.push_back(in_quotes(tags.back()));
        }
        if (exactly_one && present.size() > 1) {
            return error(
                path, fmt::format("has {} keys where one is expected: give {}", present.size(), listed(present_tags)));
        }
        for (const Json* branch : present) check(*branch, value, path);
        if (!present.empty() || unknown_keys) return;
        bool meant = false;
        for (const auto& [key, member] : value.items()) {
            const std::string suggestion = did_you_mean(key, tags);
            if (suggestion.empty()) continue;
            error(Place(path, key), "unknown key" + suggestion);
            meant = true;
        }
        if (meant) return;
        for (std::string& word : tags) word = in_quotes(word);
        error(path, fmt::format("expected one of the keys {}, found {}", listed(tags),
                                value.empty() ? "none" : in_quotes(value.begin().key())));
    }

    void add_defaults(const Json& schema, Json& value, const Place& path)
    {
        if (!schema.contains("properties")) return;
        for (const auto& [key, property] : schema["properties"].items()) {
            if (!property.contains("default") || value.contains(key)) continue;
            value[key] = property["default"];
            check(property, value[key], Place(path, key));
        }
    }

    /// Asks now and then whether to go on.
    bool goes_on()
    {
        if (cancelled_ || !progress || !*progress || ++checked_ % 4096 != 0) return !cancelled_;
        if ((*progress)("checking", 0)) return true;
        cancelled_ = true;
        found.errors.push_back({"", "cancelled"});
        return false;
    }

    const NumberRule& number_rule(const Json& items)
    {
        const auto [known, is_new] = number_rules_.try_emplace(&items);
        if (is_new) known->second = NumberRule(resolved(root_, items), items);
        return known->second;
    }

    const Json& root_;
    std::unordered_map<const Json*, NumberRule> number_rules_;
    std::size_t checked_ = 0;
    bool cancelled_ = false;
};

}  // namespace

const Json& resolved(const Json& schema, const Json& part)
{
    if (!part.contains("$ref")) return part;
    const std::string& reference = part["$ref"].get_ref<const std::string&>();
    return resolved(schema, schema.at(Json::json_pointer(reference.substr(1))));
}

std::span<const std::string_view> schema_keywords()
{
    return kKeywords;
}

SchemaFindings check_schema(const Json& schema, Json& document, const Progress& progress)
{
    Checker checker(schema);
    checker.progress = &progress;
    checker.check(schema, document, Place());
    return std::move(checker.found);
}

SchemaFindings check_schema(const Json& schema, const Json& part, Json& value, const std::string& path)
{
    Checker checker(schema);
    checker.check(part, value, Place(path));
    return std::move(checker.found);
}

}  // namespace yawara::scene_file
