// The table of a sweep: runs.csv, which is the same however the runs were done, seconds.csv, and both for NumPy.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "io/zip.h"
#include "sweep/journal.h"
#include "sweep/row.h"
#include "yawara/replace_file.h"

namespace yawara {

namespace fs = std::filesystem;
using namespace sweep;

namespace {

/// A value of JSON as a cell: texts without their quotes.
std::string cell(const std::string& json)
{
    if (json.size() >= 2 && json.front() == '"' && json.find('\\') == std::string::npos)
        return json.substr(1, json.size() - 2);
    return json;
}

std::optional<double> number(const std::string& json)
{
    if (json == "true" || json == "false") return json == "true" ? 1.0 : 0.0;
    char* end = nullptr;
    const double value = std::strtod(json.c_str(), &end);
    return !json.empty() && end == json.c_str() + json.size() ? std::optional(value) : std::nullopt;
}

/// An array as the bytes of an .npy file.
std::string npy(std::string_view type, const std::string& shape, std::string_view data)
{
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
    header.resize((header.size() + 10 + 64) / 64 * 64 - 11, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() % 256);
    bytes += static_cast<char>(header.size() / 256);
    return bytes + header + std::string(data);
}

template <class T>
std::string npy(std::string_view type, const std::vector<T>& values)
{
    return npy(type, fmt::format("({},)", values.size()),
               {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

/// Texts as NumPy's arrays of bytes of one length.
std::string npy_texts(const std::vector<std::string>& texts)
{
    std::size_t length = 1;
    for (const std::string& text : texts) length = std::max(length, text.size());
    std::string data;
    for (std::string text : texts) {
        text.resize(length, '\0');
        data += text;
    }
    return npy(fmt::format("|S{}", length), fmt::format("({},)", texts.size()), data);
}

std::string parameter_array(const SweepTable& table, std::size_t parameter)
{
    std::vector<double> numbers;
    std::vector<std::string> texts;
    for (const SweepTable::Row& row : table.rows) {
        texts.push_back(cell(row.values[parameter]));
        if (const auto value = number(row.values[parameter])) numbers.push_back(*value);
    }
    return numbers.size() == table.rows.size() ? npy("<f8", numbers) : npy_texts(texts);
}

Result<std::string> npz(const SweepTable& table)
{
    std::map<std::string, std::string> files;
    const auto add = [&](std::string name, std::string bytes) {
        std::ranges::replace(name, '/', '_');
        files[name + ".npy"] = std::move(bytes);
    };
    const auto column = [&](auto&& value) {
        std::vector<std::decay_t<decltype(value(table.rows[0]))>> values;
        for (const SweepTable::Row& row : table.rows) values.push_back(value(row));
        return values;
    };
    using Row = SweepTable::Row;
    for (std::size_t p = 0; p < table.parameters.size(); ++p) add(table.parameters[p], parameter_array(table, p));
    for (std::size_t m = 0; m < table.measures.size(); ++m) {
        const std::string& name = table.measures[m];
        add(name + ".last", npy("<f8", column([m](const Row& r) { return r.result.measures[m].last; })));
        add(name + ".min", npy("<f8", column([m](const Row& r) { return r.result.measures[m].min; })));
        add(name + ".max", npy("<f8", column([m](const Row& r) { return r.result.measures[m].max; })));
        add(name + ".mean", npy("<f8", column([m](const Row& r) { return r.result.measures[m].mean; })));
    }
    add("run", npy("<i8", column([](const Row& r) { return static_cast<std::int64_t>(r.run); })));
    add("frames_done", npy("<i4", column([](const Row& r) { return static_cast<std::int32_t>(r.result.frames); })));
    add("seconds", npy("<f8", column([](const Row& r) { return r.result.seconds; })));
    add("fingerprint", npy("<u8", column([](const Row& r) { return r.result.fingerprint; })));
    add("status", npy_texts(column([](const Row& r) { return std::string(to_string(r.result.status)); })));
    return io::zip(files);
}

}  // namespace

Result<SweepTable> read_sweep_table(const SweepPlan& plan, const fs::path& folder)
{
    const auto journal = Journal::read_all(folder);
    if (!journal) return journal.error();
    SweepTable table;
    table.parameters.assign(plan.parameters().begin(), plan.parameters().end());
    table.measures.assign(plan.measures().begin(), plan.measures().end());
    for (const auto& [run, done] : journal->done) {
        auto result = result_of(done.row, table.measures.size());
        if (!result || run >= plan.size())
            return Error{(folder / "journal").string(), fmt::format("run {} has a row of another sweep", run)};
        result->seconds = done.seconds;
        table.rows.push_back({run, plan.values(run), *std::move(result)});
    }
    return table;
}

Status write_sweep_table(const SweepTable& table, const fs::path& folder)
{
    std::string runs = "run", seconds = "run,seconds\n";
    for (const std::string& name : table.parameters) runs += fmt::format(",{}", csv_field(name));
    runs += ",status,frames_done";
    for (const std::string& name : table.measures)
        for (const char* what : {".last", ".min", ".max", ".mean"}) runs += fmt::format(",{}", csv_field(name + what));
    runs += ",fingerprint,note\n";
    for (const SweepTable::Row& row : table.rows) {
        runs += std::to_string(row.run);
        for (const std::string& value : row.values) runs += fmt::format(",{}", csv_field(cell(value)));
        runs += fmt::format(",{}\n", row_of(row.result));
        seconds += fmt::format("{},{:.6g}\n", row.run, row.result.seconds);
    }
    auto arrays = npz(table);
    if (!arrays) return arrays.error();
    for (const auto& [name, content] :
         {std::pair{"runs.csv", &runs}, {"seconds.csv", &seconds}, {"runs.npz", &*arrays}})
        if (Status written = replace_file(folder / name, *content); !written) return written;
    return Done{};
}

}  // namespace yawara
