// HTML of a sweep. The numbers stand in the page as JSON; its script draws them, so that a reader can choose and point.
#include "sweep_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gallery_style.h"
#include "svg_plot.h"
#include "sweep_page_parts.h"
#include "terminal.h"

namespace yawara::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kMostRows = 20'000, kMostNotes = 200;

/// Rows that the page draws: all, or evenly chosen ones.
std::vector<const SweepTable::Row*> chosen_rows(const SweepTable& table)
{
    std::vector<const SweepTable::Row*> rows;
    const std::size_t count = std::min(kMostRows, table.rows.size());
    for (std::size_t k = 0; k < count; ++k) rows.push_back(&table.rows[k * table.rows.size() / count]);
    return rows;
}

json number(double value)
{
    return std::isfinite(value) ? json(value) : json();
}

json data_of(const SweepTable& table, const std::vector<const SweepTable::Row*>& rows, bool pictures)
{
    json data{{"pictures", pictures}, {"parameters", json::array()}, {"measures", json::array()}};
    for (std::size_t p = 0; p < table.parameters.size(); ++p) {
        json values = json::array();
        for (const auto* row : rows) values.push_back(json::parse(row->values[p], nullptr, false));
        data["parameters"].push_back({{"name", table.parameters[p]}, {"values", values}});
    }
    for (std::size_t m = 0; m < table.measures.size(); ++m) {
        json last, min, max, mean;
        for (const auto* row : rows) {
            const MeasureSummary& summary = row->result.measures[m];
            last.push_back(number(summary.last));
            min.push_back(number(summary.min));
            max.push_back(number(summary.max));
            mean.push_back(number(summary.mean));
        }
        data["measures"].push_back(
            {{"name", table.measures[m]}, {"last", last}, {"min", min}, {"max", max}, {"mean", mean}});
    }
    for (const auto* row : rows) {
        data["run"].push_back(row->run);
        data["status"].push_back(to_string(row->result.status));
    }
    return data;
}

/// JSON that cannot end the script it stands in.
std::string in_script(const json& data)
{
    std::string text = data.dump(-1, ' ', false, json::error_handler_t::replace);
    for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at + 3))
        text.insert(at + 1, "\\");
    return text;
}

std::string figures_html(const SweepPlan& plan, const SweepTable& table)
{
    std::size_t failed = 0, grown = 0;
    double seconds = 0;
    for (const auto& row : table.rows) {
        failed += row.result.status == RunStatus::failed;
        grown += row.result.status == RunStatus::grown;
        seconds += row.result.seconds;
    }
    std::string html = "<dl class=\"figures\">";
    const auto add = [&](const std::string& value, const char* what) {
        html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", what, value);
    };
    add(with_commas(table.rows.size()), "runs done");
    if (table.rows.size() < plan.size()) add(with_commas(plan.size() - table.rows.size()), "left to do");
    add(with_commas(failed), "failed");
    if (grown > 0) add(with_commas(grown), "pulled apart");
    add(brief(seconds), "core seconds");
    return html + "</dl>\n";
}

/// Runs that have something to say, with their reasons.
std::string notes_html(const SweepTable& table)
{
    std::string rows;
    std::size_t count = 0;
    for (const auto& row : table.rows) {
        if (row.result.note.empty() || ++count > kMostNotes) continue;
        rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>", row.run,
                            to_string(row.result.status), escape_html(row.result.note));
    }
    if (count == 0) return {};
    return fmt::format("<section><h2>Notes on runs</h2><p>{}</p><table class=\"notes\">{}</table></section>\n",
                       count > kMostNotes ? fmt::format("The first {} of {}; all are in runs.csv.", kMostNotes, count)
                                          : "Why runs failed, and what was odd.",
                       rows);
}

}  // namespace

std::string sweep_page(const SweepPlan& plan, const SweepTable& table, const std::filesystem::path& folder)
{
    const auto rows = chosen_rows(table);
    std::error_code none;
    const bool pictures = plan.keeps("picture") && std::ranges::any_of(rows, [&](const auto* row) {
                              return std::filesystem::exists(run_folder(folder, row->run) / "picture.png", none);
                          });
    const std::string title = plan.scene_file().stem().string();
    std::string html = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{0} - sweep</title>\n"
        "<link rel=\"icon\" href=\"data:,\">\n<style>{1}{2}</style>\n</head>\n<body>\n"
        "<header><h1>{0} <span>sweep</span></h1>\n{3}</header>\n",
        escape_html(title), kGalleryStyle, kSweepStyle, figures_html(plan, table));
    html +=
        "<p class=\"links\"><a href=\"runs.csv\">runs.csv</a> <a href=\"runs.npz\">runs.npz</a> "
        "<a href=\"seconds.csv\">seconds.csv</a> <a href=\"sweep.json\">sweep.json</a></p>\n";
    if (rows.size() < table.rows.size())
        html += fmt::format("<p>{} of {} runs are drawn, evenly chosen.</p>\n", with_commas(rows.size()),
                            with_commas(table.rows.size()));
    html += kSweepBody;
    html += notes_html(table);
    return html + fmt::format("<script>const sweep = {};\n{}</script>\n</body>\n</html>\n",
                              in_script(data_of(table, rows, pictures)), kSweepScript);
}

}  // namespace yawara::cli
