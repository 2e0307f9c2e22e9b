// "regions" of a lattice body: widths, stiffness, and how one becomes the other.
#include "scene_file/read_field.h"

namespace yawara::scene_file {
namespace {

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

std::vector<StiffnessChangeDocument> read_stiffness_changes(const Node& node, Findings& findings)
{
    std::vector<StiffnessChangeDocument> changes;
    for (std::size_t k = 0; k < node.size(); ++k) {
        const Node change = node[k];
        StiffnessChangeDocument made{read_selection(change["select"], findings), change["value"].as<double>(),
                                     change["from"].as<double>(), 0};
        made.until = change.has("until") ? change["until"].as<double>() : made.from;
        if (made.until < made.from) findings.error(change.path, "\"until\" is before \"from\"");
        changes.push_back(std::move(made));
    }
    return changes;
}

RegionsDocument read_regions(const Node& node, const Field<double>& omitted, Findings& findings)
{
    RegionsDocument regions;
    regions.where = node.path;
    regions.rule = node["rule"].as<std::string>() == "paper" ? RegionRule::paper : RegionRule::sharp;
    if (node.has("widths")) regions.widths = read_field<Int3>(node["widths"], findings, Int3{1, 1, 1});
    if (node.has("alphas")) regions.alphas = read_field<double>(node["alphas"], findings, 1.0);
    if (node.has("stiffness")) regions.stiffness = read_field(node["stiffness"], findings, omitted);
    read_law(node, regions, findings);
    if (node.has("rigid"))
        regions.rigid = node["rigid"].as<float>();
    else if (regions.law.kind != StiffnessLaw::Kind::contrast)
        regions.rigid = 2;
    if (regions.widths && regions.stiffness)
        findings.error(node.path, "\"widths\" and \"stiffness\": one of them decides");
    return regions;
}

}  // namespace yawara::scene_file
