// "matching": the material of a body that is simulated by shape matching, and doubts about odd combinations.
#include "scene_file/read_values.h"

namespace yawara::scene_file {

void read_matching(const Node& node, BodyDocument& body, Findings& findings)
{
    body.hops = node["hops"].as<int>();
    if (node.has("examples")) body.examples = read_examples(node["examples"], findings);
    const Node stretch = node["stretch"];
    for (std::size_t k = 0; k < stretch.size(); ++k) read_active_source(stretch[k]["active"], body.active[k], findings);
    if (node.has("regions")) {
        const bool of_volume = std::holds_alternative<VolumeDocument>(body.solid.kind);
        body.regions =
            read_regions(node["regions"], of_volume ? Channel{"stiffness", {}} : Field<double>(0.0), findings);
    }
}

void read_matching_settings(const Node& node, BodyDocument& body, Findings& findings)
{
    MatchingSettings& settings = body.settings.matching;
    if (node.has("alpha")) settings.alpha = node["alpha"].as<float>();
    if (node.has("passes")) settings.passes = node["passes"].as<int>();
    settings.accelerate = node["accelerate"].as<bool>();
    if (node.has("young")) settings.young = node["young"].as<float>();
    settings.damping = node["damping"].as<float>();
    settings.region_damping = node["region_damping"].as<float>();
    body.settings.drag = node["drag"].as<float>();
    settings.align = node["align"].as<bool>();
    if (node.has("examples")) {
        settings.beta = node["examples"]["beta"].as<float>();
        body.controls = read_controls(node["examples"]["controls"], findings);
    }
    const Node stretch = node["stretch"];
    for (std::size_t k = 0; k < stretch.size(); ++k)
        body.active.push_back(read_active_charts(stretch[k], findings));
    if (node.has("regions")) body.changes = read_stiffness_changes(node["regions"]["changes"], findings);
}

void check_matching(const Node& node, const BodyDocument& body, Findings& findings)
{
    const MatchingSettings& settings = body.settings.matching;
    if (settings.alpha <= 0) findings.error(node.path + ".alpha", "too small to be told from 0");
    if (settings.alpha < 0.05f)
        findings.warning(node.path, "an alpha this small hardly keeps a shape; more substeps stiffen it");
    if (settings.alpha < 1 && settings.passes > 1) {
        findings.warning(node.path, "several passes stiffen and an alpha below 1 softens: one of the two is enough");
    }
    if ((settings.young > 0 || body.law_is_young) && (settings.passes > 1 || settings.alpha < 1)) {
        findings.warning(node.path,
                         "\"young\" alone says how stiff the body is: \"passes\" does nothing, \"alpha\" softens");
    }
    if (!settings.align && settings.passes == 1 && settings.young == 0)
        findings.warning(node.path, "\"align\" does nothing with one pass");
    if (settings.damping >= 0.5f || settings.region_damping >= 0.5f) {
        findings.warning(node.path, "so much damping makes the body move nearly like a rigid one");
    }
}

}  // namespace yawara::scene_file
