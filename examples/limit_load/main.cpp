// What the elastic laws make of a bar that is pressed together: force against shortening, as a plot.
// Usage: limit_load [FILE.svg]
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "yawara/yawara.h"

namespace {

constexpr double kPoisson = 0.3;

/// Pressure on the ends of a bar whose sides are free, over Young's modulus and of the area at rest, when it is pressed
/// to a share of its length: its thickness is the one that leaves no stress on the sides.
double pressure(const yawara::ElasticLaw& law, double length)
{
    const yawara::Elasticity material =
        yawara::isotropic_lame(kPoisson / ((1 + kPoisson) * (1 - 2 * kPoisson)), 1 / (2 * (1 + kPoisson)));
    const auto stress = [&](double thickness) {
        return law.stress(material, {{length, 0, 0}, {0, thickness, 0}, {0, 0, thickness}});
    };
    double thin = 1, thick = 3;  // pressed and pulled sideways
    for (int halving = 0; halving < 60; ++halving) {
        const double thickness = (thin + thick) / 2;
        (stress(thickness).c1.y < 0 ? thin : thick) = thickness;
    }
    return -stress(thin).c0.x;
}

struct Curve {
    std::string law, colour;
    std::vector<double> pressures;
};

constexpr int kPoints = 70;
constexpr double kMost = 0.7;     // shortening at the last point
constexpr double kHighest = 0.8;  // pressure at the top of the plot
constexpr double kLeft = 60, kTop = 20, kWidth = 520, kHeight = 300;

double place_x(double shortening)
{
    return kLeft + kWidth * shortening / kMost;
}
double place_y(double value)
{
    return kTop + kHeight * (1 - value / kHighest);
}

void write_text(std::ofstream& out, double x, double y, const char* anchor, const std::string& text)
{
    out << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\">" << text << "</text>\n";
}

void write_plot(std::ofstream& out, const std::vector<Curve>& curves)
{
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 375\" font-family=\"sans-serif\" "
           "font-size=\"13\">\n<rect width=\"760\" height=\"375\" fill=\"#ffffff\"/>\n";
    char number[16];
    for (int k = 0; k <= 7; ++k) {
        const double x = place_x(0.1 * k);
        out << "<path d=\"M" << x << " " << kTop << "v" << kHeight << "\" stroke=\"#dddddd\"/>\n";
        std::snprintf(number, sizeof number, "%d %%", 10 * k);
        write_text(out, x, kTop + kHeight + 18, "middle", number);
    }
    for (int k = 0; k <= 8; k += 2) {
        const double y = place_y(0.1 * k);
        out << "<path d=\"M" << kLeft << " " << y << "h" << kWidth << "\" stroke=\"#dddddd\"/>\n";
        std::snprintf(number, sizeof number, "%.1f", 0.1 * k);
        write_text(out, kLeft - 8, y + 4, "end", number);
    }
    write_text(out, kLeft + kWidth / 2, kTop + kHeight + 42, "middle", "shortening of the bar");
    out << "<g transform=\"rotate(-90)\">\n";
    write_text(out, -(kTop + kHeight / 2), 18, "middle", "force / (area x Young's modulus)");
    out << "</g>\n";
    for (const Curve& curve : curves) {
        out << "<path fill=\"none\" stroke-width=\"2\" stroke=\"" << curve.colour << "\" d=\"";
        double x = 0, y = 0;
        for (int k = 0; k <= kPoints && curve.pressures[std::size_t(k)] <= kHighest; ++k) {
            x = place_x(kMost * k / kPoints), y = place_y(curve.pressures[std::size_t(k)]);
            std::snprintf(number, sizeof number, "%c%.1f %.1f", k == 0 ? 'M' : 'L', x, y);
            out << number;
        }
        out << "\"/>\n<g fill=\"" << curve.colour << "\">\n";
        write_text(out, x + 6, y + 4, "start", curve.law);
        out << "</g>\n";
    }
    out << "</svg>\n";
}

}  // namespace

int main(int argc, char** argv)
{
    std::vector<Curve> curves{{"stvk", "#c0392b", {}}, {"neo-hookean", "#2471a3", {}}, {"corotational", "#1e8449", {}}};
    for (Curve& curve : curves) {
        const auto law = yawara::law_named(curve.law);
        int highest = 0;
        for (int k = 0; k <= kPoints; ++k) {
            curve.pressures.push_back(pressure(*law, 1 - kMost * k / kPoints));
            if (curve.pressures.back() > curve.pressures[std::size_t(highest)]) highest = k;
        }
        std::printf("%s: at most %.4f of Young's modulus, at %.0f %% shortening\n", curve.law.c_str(),
                    curve.pressures[std::size_t(highest)], 100 * kMost * highest / kPoints);
    }
    std::ofstream out(argc > 1 ? argv[1] : "limit_load.svg");
    write_plot(out, curves);
    return out.good() ? 0 : 1;
}
