// The reference of the scene format as Markdown, made from the schema: one section for the document and each
// definition.
#include <fmt/format.h>

#include "scene_file/schema_check.h"
#include "yawara/scene_file.h"

namespace yawara {
namespace scene_file {
namespace {

/// As GitHub makes them: lower case, spaces to dashes, other signs dropped.
std::string anchor(const std::string& title)
{
    std::string text;
    for (const char c : title) {
        if (std::isalnum(static_cast<unsigned char>(c)))
            text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (c == ' ' || c == '-') text += '-';
    }
    return text;
}

/// JSON as people write it: what fits stands on one line.
std::string laid_out(const Json& value, std::size_t indent)
{
    constexpr std::size_t kLine = 90;
    if (!value.is_structured() || value.empty()) return value.dump();
    std::vector<std::string> members;
    std::size_t width = indent + 4;
    for (const auto& [key, member] : value.items()) {
        members.push_back((value.is_object() ? Json(key).dump() + ": " : "") + laid_out(member, indent + 2));
        width += members.back().find('\n') == std::string::npos ? members.back().size() + 2 : kLine;
    }
    const char open = value.is_object() ? '{' : '[', close = value.is_object() ? '}' : ']';
    const char* space = value.is_object() ? " " : "";
    if (width <= kLine) return fmt::format("{}{}{}{}{}", open, space, fmt::join(members, ", "), space, close);
    const std::string line = "\n" + std::string(indent, ' ');
    return fmt::format("{}{}  {}{}{}", open, line, fmt::join(members, "," + line + "  "), line, close);
}

class Reference {
public:
    explicit Reference(const Json& schema) : schema_(schema) {}

    std::string text()
    {
        out_ =
            "# Scene format\n\nMade from [scene.schema.json](../schema/scene.schema.json); a test keeps the two in "
            "step.\n";
        for (const Json& example : schema_["examples"])
            out_ += fmt::format("\n```json\n{}\n```\n", laid_out(example, 0));
        section(schema_, "Scene");
        for (const auto& [name, part] : schema_["$defs"].items()) section(part, heading(part));
        return out_;
    }

private:
    static std::string heading(const Json& part)
    {
        std::string title = part["title"];
        title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
        return title;
    }

    static std::string bounds(const Json& part)
    {
        const bool low_open = part.contains("exclusiveMinimum"), high_open = part.contains("exclusiveMaximum");
        const double low = part.value("minimum", part.value("exclusiveMinimum", -1e300));
        const double high = part.value("maximum", part.value("exclusiveMaximum", 1e300));
        if (low == -1e300 && high == 1e300) return "";
        if (high == 1e300) return fmt::format(" {} {:g}", low_open ? ">" : "≥", low);
        if (low == -1e300) return fmt::format(" {} {:g}", high_open ? "<" : "≤", high);
        return fmt::format(" in {}{:g}, {:g}{}", low_open ? '(' : '[', low, high, high_open ? ')' : ']');
    }

    /// What a value of this part looks like, with a link if it has a section of its own.
    std::string kind(const Json& part) const
    {
        if (part.contains("$ref")) {
            const Json& target = resolved(schema_, part);
            const std::string title = target["title"];
            return fmt::format("[{}](#{}){}", title, anchor(heading(target)), bounds(part));
        }
        if (part.contains("const")) return "`" + part["const"].dump() + "`";
        if (part.contains("enum")) {
            std::string words;
            for (const Json& choice : part["enum"]) words += (words.empty() ? "`" : ", `") + choice.dump() + "`";
            return words;
        }
        const std::string type = part.value("type", "");
        if (type == "array" && part.contains("title")) return part["title"];
        if (type == "array") return part.contains("items") ? "list of " + kind(part["items"]) : "list";
        if (type == "string") return "text";
        if (type == "boolean") return "true or false";
        if (type == "integer") return "whole number" + bounds(part);
        if (type == "number") return "number" + bounds(part);
        return type;
    }

    void properties(const Json& part)
    {
        out_ += "\n| key | value | default | meaning |\n|---|---|---|---|\n";
        const Json required = part.value("required", Json::array());
        for (const auto& [key, property] : part["properties"].items()) {
            const bool needed = std::find(required.begin(), required.end(), Json(key)) != required.end();
            const std::string standard = needed                         ? "required"
                                         : property.contains("default") ? "`" + property["default"].dump() + "`"
                                                                        : "–";
            out_ += fmt::format("| `{}` | {} | {} | {} |\n", key, kind(property), standard,
                                property["description"].get<std::string>());
        }
    }

    void branch(const Json& part)
    {
        if (part.contains("properties") && !part.contains("$ref")) {
            const auto first = part["properties"].begin();
            out_ += fmt::format("- `{{ \"{}\": ... }}` with {}: {}\n", first.key(), kind(first.value()),
                                part["description"].get<std::string>());
        } else if (part.contains("description") && !part.contains("$ref")) {
            out_ += fmt::format("- {}: {}\n", kind(part), part["description"].get<std::string>());
        } else {
            out_ += fmt::format("- {}\n", part.contains("$ref") ? kind(part) : part["title"].get<std::string>());
        }
    }

    void choices(const Json& part, const char* keyword, const char* words)
    {
        if (!part.contains(keyword)) return;
        if (part.contains("properties")) {
            std::string keys;
            for (const Json& choice : part[keyword]) {
                keys += (keys.empty() ? "`" : ", `") + choice["required"][0].get<std::string>() + "`";
            }
            out_ += fmt::format("\n{} these keys: {}.\n", words, keys);
            return;
        }
        out_ += "\nOne of:\n\n";
        for (const Json& choice : part[keyword]) branch(choice);
    }

    void section(const Json& part, const std::string& title)
    {
        out_ += fmt::format("\n## {}\n\n{}\n", title, part["description"].get<std::string>());
        if (part.contains("properties")) properties(part);
        choices(part, "oneOf", "Exactly one of");
        choices(part, "anyOf", "At least one of");
    }

    const Json& schema_;
    std::string out_;
};

}  // namespace
}  // namespace scene_file

std::string scene_format_reference()
{
    const scene_file::Json schema = scene_file::Json::parse(scene_schema());
    return scene_file::Reference(schema).text();
}

}  // namespace yawara
