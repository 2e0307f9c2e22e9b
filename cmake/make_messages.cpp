// make_messages SCHEMA: prints a C++ header with one struct for each definition of schema/protocol.schema.json, read
// from JSON and written to it by stream/message_json.h. The build runs it, as studio/build.mjs makes the page's types.
#include <fstream>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::ordered_json;

std::string pascal(const std::string& name)
{
    std::string out;
    bool up = true;
    for (const char c : name) {
        if (c != '_') out += up ? char(std::toupper(c)) : c;
        up = c == '_';
    }
    return out;
}

/// Keys that are words of C++ get a mark behind them.
std::string member(const std::string& key)
{
    static const std::set<std::string> words{"signed", "new", "continue", "throw", "default", "class"};
    return words.contains(key) ? key + "_" : key;
}

std::string type_of(const Json& schema)
{
    if (schema.contains("$ref")) return pascal(schema["$ref"].get<std::string>().substr(8));  // "#/$defs/"
    if (schema.contains("anyOf")) {                                                           // a value or null
        for (const Json& branch : schema["anyOf"])
            if (branch.value("type", "") != "null") return "std::optional<" + type_of(branch) + ">";
    }
    if (schema.contains("enum")) return "std::string";
    const std::string type = schema.value("type", "");
    if (type == "array") return "std::vector<" + type_of(schema["items"]) + ">";
    if (type == "integer") return "std::int64_t";
    if (type == "number") return "double";
    if (type == "string") return "std::string";
    if (type == "boolean") return "bool";
    return "Json";
}

void write_struct(const std::string& name, const Json& schema, std::ostream& header, std::ostream& source)
{
    std::set<std::string> required;
    for (const Json& key : schema.value("required", Json::array())) required.insert(key.get<std::string>());
    std::string members, reads, writes, fixed;
    for (const auto& [key, part] : schema["properties"].items()) {
        if (part.contains("const")) {
            fixed += "    json[\"" + key + "\"] = " + part["const"].dump() + ";\n";
            continue;
        }
        const bool needed = required.contains(key);
        const std::string type = needed ? type_of(part) : "std::optional<" + type_of(part) + ">";
        members += "    " + type + " " + member(key) + "{};  ///< " + part.value("description", "") + "\n";
        reads += std::string("    ") + (needed ? "read_value" : "read_possible") + "(json, \"" + key + "\", message." +
                 member(key) + ");\n";
        writes += std::string("    ") + (needed ? "write_value" : "write_possible") + "(json, \"" + key +
                  "\", message." + member(key) + ");\n";
    }
    header << "/// " << schema.value("description", "") << "\nstruct " << name << " {\n" << members << "};\n";
    header << "void from_json(const Json& json, " << name << "& message);\n";
    header << "void to_json(Json& json, const " << name << "& message);\n\n";
    source << "void from_json([[maybe_unused]] const Json& json, [[maybe_unused]] " << name << "& message)\n{\n"
           << reads << "}\n";
    source << "void to_json(Json& json, [[maybe_unused]] const " << name
           << "& message)\n{\n    json = Json::object();\n"
           << fixed << writes << "}\n\n";
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 3) return 1;
    std::ifstream in(argv[1]);
    const Json schema = Json::parse(in);
    const std::string folder = argv[2], made = "// Made by cmake/make_messages.cpp from schema/protocol.schema.json.\n";
    std::ofstream header(folder + "/messages.h"), source(folder + "/messages.cpp");
    header << made << "#pragma once\n\n#include \"stream/message_json.h\"\n\nnamespace yawara::stream::messages {\n\n";
    source << made << "#include \"messages.h\"\n\nnamespace yawara::stream::messages {\n\n";
    for (const auto& [key, definition] : schema["$defs"].items()) {
        if (key == "vector") continue;  // Vec3, see message_json.h
        if (definition.value("type", "") == "object")
            write_struct(pascal(key), definition, header, source);
        else
            header << "/// " << definition.value("description", "") << "\nusing " << pascal(key) << " = "
                   << type_of(definition) << ";\n\n";
    }
    header << "}  // namespace yawara::stream::messages\n";
    source << "}  // namespace yawara::stream::messages\n";
    return header && source ? 0 : 1;
}
