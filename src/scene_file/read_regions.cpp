// "regions" of a lattice body: widths, stiffness, and how one becomes the other.
#include "scene_file/read_values.h"

namespace yawara::scene_file {
namespace {

StrokeDocument read_stroke(const Node& node, Findings& findings)
{
    return {read_selection(node["select"], findings), node["value"].as<double>()};
}

void read_law(const Node& node, RegionsDocument& regions, Findings& findings)
{
    using Kind = StiffnessLaw::Kind;
    const auto law = node["law"].as<std::string>();
    regions.law.kind = law == "young" ? Kind::young : law == "paper" ? Kind::paper : Kind::contrast;
    regions.law.widths = node["classes"].as<std::vector<int>>();
    if (!node.has("range")) {
        if (law == "young")
            findings.error(node.path, "the law \"young\" needs \"range\": the moduli at S = 0 and S = 1, Pa");
        return;
    }
    const auto range = node["range"].as<std::vector<double>>();
    if (range[0] > range[1]) findings.error(node.path + ".range", "the first value has to be the smaller");
    if (regions.law.kind == Kind::paper) {
        if (range[1] > 30) {
            findings.error(node.path + ".range", "widths are at most 30");
            return;
        }
        regions.law.lowest = int(range[0]);
        regions.law.highest = int(range[1]);
    } else {
        if (range[0] <= 0) findings.error(node.path + ".range", "both values have to be positive");
        regions.law.softest = range[0];
        regions.law.stiffest = range[1];
    }
}

}  // namespace

RegionsDocument read_regions(const Node& node, Findings& findings)
{
    RegionsDocument regions;
    regions.where = node.path;
    regions.rule = node["rule"].as<std::string>() == "paper" ? RegionRule::paper : RegionRule::sharp;
    if (node.has("widths")) {
        const Node widths = node["widths"];
        if (widths.json.is_string())
            regions.widths_file = read_file(widths, findings);
        else if (widths.json.is_array())
            regions.widths = read_counts(widths);
        else
            regions.widths = Int3{widths.as<int>(), widths.as<int>(), widths.as<int>()};
    }
    if (node.has("alphas")) regions.alphas_file = read_file(node["alphas"], findings);
    if (node.has("stiffness")) {
        const Node stiffness = node["stiffness"];
        if (stiffness.json.is_string())
            regions.stiffness_file = read_file(stiffness, findings);
        else if (stiffness.json.is_array())
            for (std::size_t k = 0; k < stiffness.size(); ++k)
                regions.strokes.push_back(read_stroke(stiffness[k], findings));
        else
            regions.strokes.push_back({Selection{stiffness.path, SelectEverything{}}, stiffness.as<double>()});
    }
    const Node changes = node["changes"];
    for (std::size_t k = 0; k < changes.size(); ++k) {
        const Node change = changes[k];
        StiffnessChangeDocument made{read_stroke(change, findings), change["from"].as<double>(), 0};
        made.until = change.has("until") ? change["until"].as<double>() : made.from;
        if (made.until < made.from) findings.error(change.path, "\"until\" is before \"from\"");
        regions.changes.push_back(std::move(made));
    }
    read_law(node, regions, findings);
    if (node.has("rigid"))
        regions.rigid = node["rigid"].as<float>();
    else if (regions.law.kind != StiffnessLaw::Kind::contrast)
        regions.rigid = 2;
    const bool by_stiffness = regions.stiffness_file || !regions.strokes.empty();
    if ((regions.widths || regions.widths_file) && by_stiffness)
        findings.error(node.path, "\"widths\" and \"stiffness\": one of them decides");
    return regions;
}

}  // namespace yawara::scene_file
