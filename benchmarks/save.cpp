#include "save.h"

#include <fmt/format.h>

#include "yawara/replace_file.h"

namespace yawara::bench {
namespace {

using nlohmann::json;

std::string cell(const json& value)
{
    if (value.is_string()) {
        std::string text = value.get<std::string>();
        std::replace(text.begin(), text.end(), ',', ';');
        return text;
    }
    if (value.is_null()) return "-";
    // Four digits: what a second run gives again.
    return value.is_number_float() ? fmt::format("{:.4g}", value.get<double>()) : value.dump();
}

/// Single values of an object, those of objects in it by both names.
void flatten(const json& object, const std::string& prefix, json& into)
{
    for (const auto& [key, value] : object.items()) {
        if (value.is_object())
            flatten(value, prefix + key + "_", into);
        else if (!value.is_array())
            into[prefix + key] = value;
    }
}

bool write(const std::filesystem::path& file, const json& rows)
{
    std::string text;
    for (const auto& [key, value] : rows.front().items()) text += (text.empty() ? "" : ",") + key;
    for (const json& row : rows) {
        std::string line;
        for (const auto& [key, value] : rows.front().items())
            line += (line.empty() ? "" : ",") + (row.contains(key) ? cell(row[key]) : std::string("-"));
        text += "\n" + line;
    }
    const Status written = replace_file(file, text + "\n");
    if (!written) fmt::print(stderr, "{}\n", written.error().message());
    return bool(written);
}

bool is_table(const json& value)
{
    return value.is_array() && !value.empty() && value.front().is_object();
}

}  // namespace

bool save_tables(const std::filesystem::path& folder, const std::string& section, const json& measured)
{
    const auto file = [&](const std::string& more) { return folder / (section + more + ".csv"); };
    if (is_table(measured)) return write(file(""), measured);
    bool good = true, has_rows = false;
    for (const auto& [key, value] : measured.items()) {
        if (!is_table(value)) continue;
        json rows = json::array();
        for (const json& row : value) flatten(row, "", rows.emplace_back(json::object()));
        good = write(file(key == "rows" ? "" : "_" + key), rows) && good;
        has_rows |= key == "rows";
    }
    json numbers = json::object();
    flatten(measured, "", numbers);
    numbers.erase("unit");
    if (!numbers.empty()) good = write(file(has_rows ? "_numbers" : ""), json::array({numbers})) && good;
    return good;
}

}  // namespace yawara::bench
