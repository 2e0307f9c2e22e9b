// CSV as RFC 4180 has it, one record a line.
#include "sweep/row.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace yawara {

namespace {
constexpr std::array<std::string_view, 3> kStatuses{"ok", "grown", "failed"};
}

std::string_view to_string(RunStatus status)
{
    return kStatuses[static_cast<std::size_t>(status)];
}

namespace sweep {

std::string csv_field(std::string_view text)
{
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

std::vector<std::string> csv_fields(std::string_view line)
{
    std::vector<std::string> fields{""};
    bool quoted = false;
    for (std::size_t k = 0; k < line.size(); ++k) {
        const char c = line[k];
        if (quoted && c == '"' && k + 1 < line.size() && line[k + 1] == '"')
            fields.back() += line[++k];
        else if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

std::string row_of(const RunResult& result)
{
    std::string row = fmt::format("{},{}", to_string(result.status), result.frames);
    for (const MeasureSummary& m : result.measures) row += fmt::format(",{},{},{},{}", m.last, m.min, m.max, m.mean);
    std::string note = result.note;
    std::ranges::replace_if(
        note, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return row + fmt::format(",{:016x},{}", result.fingerprint, csv_field(note));
}

std::optional<RunResult> result_of(std::string_view row, std::size_t measures)
{
    const std::vector<std::string> fields = csv_fields(row);
    if (fields.size() != 4 + 4 * measures) return std::nullopt;
    RunResult result;
    const auto status = std::ranges::find(kStatuses, fields[0]);
    if (status == kStatuses.end()) return std::nullopt;
    result.status = static_cast<RunStatus>(status - kStatuses.begin());
    result.frames = std::atoi(fields[1].c_str());
    for (std::size_t m = 0; m < measures; ++m) {
        const auto number = [&](std::size_t k) { return std::strtod(fields[2 + 4 * m + k].c_str(), nullptr); };
        result.measures.push_back({number(0), number(1), number(2), number(3)});
    }
    result.fingerprint = std::strtoull(fields[2 + 4 * measures].c_str(), nullptr, 16);
    result.note = fields.back();
    return result;
}

}  // namespace sweep
}  // namespace yawara
