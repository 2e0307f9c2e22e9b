// Small line plots as inline SVG; colours come from the page (classes line-0, line-1, ... and axis, grid).
#pragma once

#include <string>
#include <vector>

namespace yawara::cli {

struct PlotLine {
    std::string name;
    std::vector<double> x, y;
};

struct Plot {
    std::string title;  ///< with the unit of y
    std::string x_unit;
    std::vector<PlotLine> lines;
};

std::string svg_plot(const Plot& plot);

/// Characters that mean something in HTML and SVG, made harmless.
std::string escape_html(std::string_view text);

}  // namespace yawara::cli
