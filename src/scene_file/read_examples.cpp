// "examples": poses that a body deforms towards, and how.
#include "scene_file/read_field.h"

#include <algorithm>
#include <numbers>

namespace yawara::scene_file {
namespace {

int read_axis(const Node& node)
{
    return node.as<std::string>()[0] - 'x';
}

DeformRange read_range(const Node& node, Findings& findings)
{
    const DeformRange range{node[std::size_t{0}].as<double>(), node[std::size_t{1}].as<double>()};
    if (!(range.from < range.to)) findings.error(node.path, "begins after its end");
    return range;
}

/// The axis to bend or shear towards.
int read_towards(const Node& node, Findings& findings)
{
    const int towards = read_axis(node["towards"]);
    if (towards == read_axis(node["axis"])) findings.error(node.path + ".towards", "is the axis itself");
    return towards;
}

constexpr double kDegree = std::numbers::pi / 180;

Deformer read_deformer(const Node& node, Findings& findings)
{
    const auto axis = [](const Node& n) { return read_axis(n["axis"]); };
    const auto range = [&](const Node& n) { return read_range(n["range"], findings); };
    if (node.has("twist")) {
        const Node n = node["twist"];
        return Twist{axis(n), n["degrees"].as<double>() * kDegree, range(n)};
    }
    if (node.has("bend")) {
        const Node n = node["bend"];
        return Bend{axis(n), read_towards(n, findings), n["degrees"].as<double>() * kDegree, range(n)};
    }
    if (node.has("taper")) {
        const Node n = node["taper"];
        return Taper{axis(n), n["factor"].as<double>(), range(n)};
    }
    if (node.has("stretch")) {
        const Node n = node["stretch"];
        return Stretch{axis(n), n["factor"].as<double>(), n["keep_volume"].as<bool>(), range(n)};
    }
    const Node n = node["shear"];
    return Shear{axis(n), read_towards(n, findings), n["amount"].as<double>(), range(n)};
}

PoseSamples read_captured(const Node& node, Findings& findings)
{
    PoseSamples samples;
    for (std::size_t i = 0; i < node["at"].size(); ++i) samples.at.push_back(read_vector(node["at"][i]));
    for (std::size_t i = 0; i < node["to"].size(); ++i) samples.to.push_back(read_vector(node["to"][i]));
    if (samples.at.size() != samples.to.size())
        findings.error(node.path + ".to", "has " + std::to_string(samples.to.size()) + " places, \"at\" has " +
                                              std::to_string(samples.at.size()));
    return samples;
}

PoseHandle read_handle(const Node& node)
{
    PoseHandle handle;
    handle.at = read_vector(node["at"]);
    handle.to = node.has("to") ? read_vector(node["to"]) : handle.at;
    handle.radius = node["radius"].as<double>();
    handle.move = read_vector(node["move"]);
    handle.turn = read_vector(node["turn"]) * kDegree;
    return handle;
}

PoseTouch read_touch(const Node& node)
{
    const std::string brush = node["brush"].as<std::string>();
    PoseTouch touch;
    touch.brush = brush == "grab"    ? PoseTouch::Brush::grab
                  : brush == "twist" ? PoseTouch::Brush::twist
                  : brush == "bulge" ? PoseTouch::Brush::bulge
                                     : PoseTouch::Brush::pinch;
    touch.at = read_vector(node["at"]);
    touch.radius = node["radius"].as<double>();
    touch.by = read_vector(node["by"]) * (touch.brush == PoseTouch::Brush::twist ? kDegree : 1.0);
    touch.amount = node["amount"].as<double>();
    return touch;
}

/// The value that goes with a word, if the key is there.
template <class Value>
void choose(const Node& node, const char* key, std::initializer_list<std::pair<const char*, Value>> words, Value& out)
{
    if (!node.has(key)) return;
    for (const auto& [word, value] : words)
        if (node[key].as<std::string>() == word) out = value;
}

/// The place of the first selection in the list that has a particle, or the length of the list.
Parts<std::int32_t> read_selections(const Node& list, Findings& findings)
{
    Parts<std::int32_t> parts;
    parts.base = std::make_shared<const Field<std::int32_t>>(std::int32_t(list.size()));
    for (std::size_t k = list.size(); k-- > 0;)  // the first has the last word
        parts.parts.push_back({read_selection(list[k], findings), std::int32_t(k)});
    return parts;
}

ExampleCue read_cue(const Node& node, const ExamplesDocument& examples, const std::vector<std::string>& controls,
                    Findings& findings)
{
    ExampleCue cue;
    cue.pose = node["pose"].as<std::string>();
    if (std::ranges::find(examples.poses, cue.pose, &PoseDocument::name) == examples.poses.end())
        findings.error(node.path + ".pose", "there is no pose \"" + cue.pose + "\"");
    choose<CueSource>(node, "listens",
                      {{"speed", CueSource::speed}, {"contact", CueSource::contact}, {"control", CueSource::control}},
                      cue.source);
    const bool by_control = cue.source == CueSource::control;
    if (node.has("control")) cue.control = node["control"].as<std::string>();
    if (by_control && !node.has("control")) findings.error(node.path, "needs \"control\", the name of what it listens to");
    if (!by_control && node.has("control"))
        findings.error(node.path + ".control", "it listens to something else: \"listens\" has to be \"control\"");
    if (by_control && node.has("control") && std::ranges::find(controls, cue.control) == controls.end())
        findings.error(node.path + ".control", "\"controls\" has no \"" + cue.control + "\"");
    if (node.has("group")) cue.group = node["group"].as<std::int32_t>();
    cue.low = node["from"].as<double>();
    cue.high = node["to"].as<double>();
    if (!(cue.low < cue.high)) findings.error(node.path + ".to", "has to be more than \"from\"");
    cue.fade = node["fade"].as<double>();
    if (cue.source == CueSource::contact && cue.fade <= 0)
        findings.error(node.path + ".fade", "of contact has to be above 0: a blow lasts no time");
    cue.strength = node["strength"].as<double>();
    return cue;
}

ExamplePlasticity read_plasticity(const Node& node)
{
    return {node["yield"].as<double>(), node["rate"].as<double>(), node["recovery"].as<double>(),
            node["bound"].as<double>()};
}

}  // namespace

std::vector<ControlDocument> read_controls(const Node& node, Findings& findings)
{
    std::vector<ControlDocument> controls;
    for (std::size_t k = 0; k < node.size(); ++k) {
        ControlDocument control{node[k]["name"].as<std::string>(), {}};
        if (std::ranges::find(controls, control.name, &ControlDocument::name) != controls.end())
            findings.error(node[k].path + ".name", "there are two controls \"" + control.name + "\"");
        const Node keys = node[k]["keys"];
        for (std::size_t i = 0; i < keys.size(); ++i) {
            control.keys.push_back({keys[i]["time"].as<double>(), keys[i]["value"].as<float>()});
            if (i > 0 && !(control.keys[i - 1].time < control.keys[i].time))
                findings.error(keys[i].path + ".time", "is not later than the key before");
        }
        if (control.keys.empty()) control.keys.push_back({0, node[k]["value"].as<float>()});
        controls.push_back(std::move(control));
    }
    return controls;
}

PoseDocument read_pose(const Node& node, Findings& findings)
{
    PoseDocument pose;
    pose.where = node.path;
    pose.name = node["name"].as<std::string>();
    const int starts = int(node.has("vertices")) + int(node.has("surface")) + int(node.has("captured"));
    if (starts > 1) findings.error(node.path, "may have one of \"vertices\", \"surface\" and \"captured\"");
    if (starts == 0 && !node.has("deform") && !node.has("handles") && !node.has("touches"))
        findings.error(node.path, "is the rest shape: give it \"deform\", \"handles\", \"touches\", \"captured\", \"vertices\" or "
                                  "\"surface\"");
    for (const char* of_surface : {"shape", "frame"})
        if (node.has(of_surface) && !node.has("surface"))
            findings.error(node.path + "." + of_surface, "belongs to a \"surface\", which is not given");
    if (node.has("shape") && node.has("frame"))
        findings.error(node.path + ".frame", "cannot be combined with \"shape\"");
    pose.strength = node["strength"].as<double>();
    if (node.has("shape")) pose.shape = node["shape"].as<std::string>();
    if (node.has("frame")) pose.frame = node["frame"].as<std::size_t>();
    if (node.has("mirror")) pose.mirror = read_axis(node["mirror"]);
    if (node.has("captured")) pose.captured = read_captured(node["captured"], findings);
    for (std::size_t i = 0; node.has("handles") && i < node["handles"].size(); ++i)
        pose.handles.push_back(read_handle(node["handles"][i]));
    for (std::size_t i = 0; node.has("touches") && i < node["touches"].size(); ++i)
        pose.touches.push_back(read_touch(node["touches"][i]));
    if (node.has("deform")) {
        const Node list = node["deform"];
        for (std::size_t i = 0; i < list.size(); ++i) pose.deform.push_back(read_deformer(list[i], findings));
    }
    if (node.has("vertices")) pose.vertices = read_file(node["vertices"], findings);
    if (node.has("surface")) pose.surface = read_file(node["surface"], findings);
    return pose;
}

ExamplesDocument read_examples(const Node& node, Findings& findings)
{
    ExamplesDocument examples;
    examples.where = node.path;
    for (std::size_t i = 0; i < node["poses"].size(); ++i)
        examples.poses.push_back(read_pose(node["poses"][i], findings));

    ExampleSet& choices = examples.choices;
    const std::string variant = node["variant"].as<std::string>();
    if (variant == "paper") choices = paper_variant(choices);
    if (variant == "variational") choices.rotation = ExampleRotation::joint;
    choose<ExampleMetric>(
        node, "metric",
        {{"energy", ExampleMetric::energy}, {"frobenius", ExampleMetric::frobenius}, {"plain6", ExampleMetric::plain6}},
        choices.metric);
    choose<ExampleWeights>(node, "weights", {{"exact", ExampleWeights::exact}, {"finite", ExampleWeights::finite}},
                           choices.weights);
    choose<ExampleRotation>(
        node, "rotation",
        {{"optimal", ExampleRotation::optimal}, {"fitted", ExampleRotation::fitted}, {"joint", ExampleRotation::joint}},
        choices.rotation);
    choose<ExampleGoal>(
        node, "goal",
        {{"automatic", ExampleGoal::automatic}, {"affine", ExampleGoal::affine}, {"offsets", ExampleGoal::offsets}},
        choices.goal);

    const Node groups = node["groups"];
    if (groups.json.is_string())
        choices.each_region = groups.as<std::string>() == "each";
    else if (groups.json.is_object())
        choices.groups = read_field<std::int32_t>(groups["labels"], findings);
    else
        choices.groups = read_selections(groups, findings);
    choices.border = node["border"].as<double>();
    if (choices.border > 0 && !choices.groups)
        findings.error(node.path + ".border", "\"groups\" gives no groups that it could lie between");
    std::vector<std::string> controls;
    for (std::size_t i = 0; i < node["controls"].size(); ++i)
        controls.push_back(node["controls"][i]["name"].as<std::string>());
    const Node cues = node["cues"];
    for (std::size_t i = 0; i < cues.size(); ++i)
        choices.cues.push_back(read_cue(cues[i], examples, controls, findings));
    for (std::size_t i = 0; i < controls.size(); ++i)
        if (std::ranges::find(choices.cues, controls[i], &ExampleCue::control) == choices.cues.end())
            findings.warning(node["controls"][i].path, "no cue listens to it");
    if (node.has("plasticity")) choices.plasticity = read_plasticity(node["plasticity"]);
    return examples;
}

}  // namespace yawara::scene_file
