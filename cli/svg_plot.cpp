// A plot is a frame, round ticks and polylines; text is set in the page's font.
#include "svg_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terminal.h"

namespace yawara::cli {

namespace {

constexpr double kPlotWidth = 440, kPlotHeight = 180, kLeft = 48, kRight = 10, kTop = 30, kBottom = 20;

/// A direction of the plot: from values to places, with round ticks.
struct Axis {
    double low, high, step;
    double start, length;  ///< place of `low`, and signed distance to `high`

    double place(double value) const { return start + length * (value - low) / (high - low); }
};

Axis make_axis(double low, double high, double start, double length, int ticks)
{
    if (!(high - low > 1e-9 * std::max(std::abs(low), std::abs(high)))) {
        const double margin = std::max(0.5 * std::abs(high), 1e-6);
        low -= margin;
        high += margin;
    }
    const double rough = (high - low) / ticks, decade = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * decade;
    for (const double factor : {5.0, 2.0, 1.0})
        if (factor * decade >= rough) step = factor * decade;
    return {low, high, step, start, length};
}

std::string tick_label(double value, double step)
{
    return brief(std::abs(value) < step * 1e-6 ? 0.0 : value);
}

}  // namespace

std::string escape_html(std::string_view text)
{
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

std::string svg_plot(const Plot& plot)
{
    double x_low = 1e300, x_high = -1e300, y_low = 1e300, y_high = -1e300;
    for (const PlotLine& line : plot.lines) {
        for (const double x : line.x) x_low = std::min(x_low, x), x_high = std::max(x_high, x);
        for (const double y : line.y) y_low = std::min(y_low, y), y_high = std::max(y_high, y);
    }
    if (x_low > x_high) return {};
    // A quantity that comes near zero is shown from zero.
    if (y_low > 0 && y_low < 0.4 * y_high) y_low = 0;
    const Axis across = make_axis(x_low, x_high, kLeft, kPlotWidth - kLeft - kRight, 6);
    Axis up = make_axis(y_low, y_high, kPlotHeight - kBottom, -(kPlotHeight - kTop - kBottom), 4);
    up.low = std::floor(up.low / up.step + 1e-9) * up.step;
    up.high = std::ceil(up.high / up.step - 1e-9) * up.step;

    std::string svg = fmt::format("<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">",
                                  kPlotWidth, kPlotHeight, escape_html(plot.title));
    svg += fmt::format("<text class=\"title\" x=\"0\" y=\"14\">{}</text>", escape_html(plot.title));
    for (double y = up.low; y <= up.high + 0.5 * up.step; y += up.step) {
        const double at = up.place(y);
        svg += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/>", kLeft, at, kPlotWidth - kRight);
        svg += fmt::format("<text class=\"tick\" text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>", kLeft - 6,
                           at + 3.5, tick_label(y, up.step));
    }
    std::string unit = " " + escape_html(plot.x_unit);  // beside the last tick
    for (double x = std::floor(across.high / across.step + 1e-9) * across.step; x >= across.low - 1e-9;
         x -= across.step) {
        const std::string anchor = across.place(x) > kPlotWidth - kRight - 12 ? "end" : "middle";
        svg += fmt::format("<text class=\"tick\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{}\">{}{}</text>", anchor,
                           across.place(x), kPlotHeight - kBottom + 15, tick_label(x, across.step), unit);
        unit.clear();
    }
    double legend = kPlotWidth - kRight;
    for (std::size_t k = plot.lines.size(); k-- > 0;) {
        const PlotLine& line = plot.lines[k];
        svg += fmt::format("<polyline class=\"line line-{}\" points=\"", k);
        for (std::size_t n = 0; n < std::min(line.x.size(), line.y.size()); ++n)
            svg += fmt::format("{}{:.1f},{:.1f}", n ? " " : "", across.place(line.x[n]), up.place(line.y[n]));
        svg += "\"/>";
        if (plot.lines.size() < 2) continue;
        svg += fmt::format("<text class=\"key\" text-anchor=\"end\" x=\"{}\" y=\"14\">{}</text>", legend, line.name);
        legend -= 5.6 * static_cast<double>(line.name.size()) + 8;
        svg += fmt::format("<path class=\"line line-{}\" d=\"M{:.1f} 10h14\"/>", k, legend - 12);
        legend -= 26;
    }
    return svg + "</svg>";
}

}  // namespace yawara::cli
