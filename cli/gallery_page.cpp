// HTML of the gallery. Nothing is loaded from elsewhere; colours follow the reader's light or dark setting.
#include "gallery_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "gallery_style.h"

namespace yawara::cli {

namespace {

std::string clip_html(const GalleryCard& card)
{
    const std::string alt = escape_html("Clip of " + card.title);
    return fmt::format(
        "<figure class=\"clip\" style=\"aspect-ratio:{0}/{1}\">"
        "<picture><source srcset=\"{3}\" media=\"(prefers-reduced-motion: reduce)\">"
        "<img src=\"{2}\" alt=\"{4}\" width=\"{0}\" height=\"{1}\" loading=\"lazy\" decoding=\"async\" "
        "style=\"background-image:url({3})\"></picture>"
        "<button type=\"button\" data-clip=\"{2}\" data-poster=\"{3}\">Stop</button></figure>\n",
        card.width, card.height, escape_html(card.clip), escape_html(card.poster), alt);
}

std::string figures_html(const Rows& figures)
{
    std::string html = "<dl class=\"figures\">";
    for (const auto& [value, what] : figures)
        html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escape_html(what), escape_html(value));
    return html + "</dl>\n";
}

/// One bar, as long as a step, cut into its phases.
std::string phases_html(const std::vector<std::pair<std::string, double>>& phases)
{
    double total = 0;
    for (const auto& [name, ms] : phases) total += ms;
    if (!(total > 0)) return {};
    std::string bar, keys;
    for (std::size_t k = 0; k < phases.size(); ++k) {
        const auto& [name, ms] = phases[k];
        bar += fmt::format("<i class=\"fill-{}\" style=\"flex-grow:{:.4f}\"></i>", k, ms / total);
        keys += fmt::format("<li><i class=\"fill-{}\"></i>{} <b>{}</b></li>", k, escape_html(name),
                            ms < 0.001 ? "0" : brief(ms));
    }
    return fmt::format(
        "<div class=\"phases\"><div class=\"bar\" role=\"img\" aria-label=\"Time of a step by phase\">{}</div>"
        "<ul><li>ms by phase</li>{}</ul></div>\n",
        bar, keys);
}

std::string parameters_html(const Rows& parameters)
{
    std::string html = "<details><summary>Parameters</summary><table>";
    for (const auto& [name, value] : parameters)
        html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>", escape_html(name), escape_html(value));
    return html + "</table></details>\n";
}

std::string card_html(const GalleryCard& card)
{
    std::string html = fmt::format("<article class=\"card\" id=\"{}\">\n", escape_html(card.name));
    if (card.error.empty()) html += clip_html(card);
    html += fmt::format("<div class=\"text\"><h2>{}</h2>\n<p>{}</p>\n", escape_html(card.title),
                        escape_html(card.description));
    if (!card.error.empty())
        return html + fmt::format("<p class=\"error\">{}</p></div></article>\n", escape_html(card.error));
    html += figures_html(card.figures) + phases_html(card.phases);
    for (const Plot& plot : card.plots) html += svg_plot(plot) + "\n";
    html += parameters_html(card.parameters);
    if (!card.scene_text.empty())
        html += fmt::format("<details><summary>Scene file</summary><pre>{}</pre></details>\n",
                            escape_html(card.scene_text));
    for (const std::string& warning : card.warnings)
        html += fmt::format("<p class=\"warning\">{}</p>\n", escape_html(warning));
    html += fmt::format(
        "<p class=\"links\"><a href=\"{0}\">{0}</a> <a href=\"{1}\">{1}</a> <a "
        "href=\"{2}\">{2}</a></p></div></article>\n",
        escape_html(card.scene_file), escape_html(card.glb), escape_html(card.clip));
    return html;
}

}  // namespace

std::string gallery_page(const std::vector<GalleryCard>& cards, const std::string& machine)
{
    std::string html = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Yawara gallery</title>\n"
        "<link rel=\"icon\" href=\"data:,\">\n<style>{}</style>\n</head>\n<body>\n"
        "<header><h1>Yawara <span>gallery</span></h1>\n"
        "<p>Elastic solids in real time. Every clip was simulated and drawn by the command <code>yawara demo</code>; "
        "times are medians of one step.</p>\n<p class=\"machine\">{}</p>\n</header>\n",
        kGalleryStyle, escape_html(machine));
    if (cards.size() > 1) {
        html += "<nav aria-label=\"Scenes\">";
        for (const GalleryCard& card : cards)
            html += fmt::format("<a href=\"#{}\">{}</a>", escape_html(card.name), escape_html(card.title));
        html += "</nav>\n";
    }
    html += "<main>\n";
    for (const GalleryCard& card : cards) html += card_html(card);
    return html + fmt::format("</main>\n<script>{}</script>\n</body>\n</html>\n", kGalleryScript);
}

}  // namespace yawara::cli
