// A table of words and numbers, right-aligned under its headings, with a bar before some of the columns.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace yawara::bench {

struct Column {
    std::string heading;
    bool bar = false;  ///< before it
};

/// Words, or numbers with so many digits behind the point and a unit; a dash for what was not measured.
inline std::string cell(double value, int digits, const char* unit = "")
{
    return value > 0 ? fmt::format("{:.{}f}{}", value, digits, unit) : std::string("-");
}

/// As kept in results: null for what was not measured; and back.
inline nlohmann::json measured_or_null(double value)
{
    return value > 0 ? nlohmann::json(value) : nlohmann::json();
}
inline double measured_or_zero(const nlohmann::json& value)
{
    return value.is_null() ? 0 : value.get<double>();
}

inline void print_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows)
{
    const auto print_row = [&](const auto& word_of) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            std::size_t width = columns[c].heading.size();
            for (const auto& row : rows) width = std::max(width, row[c].size());
            fmt::print("{}{:>{}}", c == 0 ? "" : columns[c].bar ? " | " : " ", word_of(c), width);
        }
        fmt::print("\n");
    };
    print_row([&](std::size_t c) { return columns[c].heading; });
    for (const auto& row : rows) print_row([&](std::size_t c) { return row[c]; });
}

}  // namespace yawara::bench
