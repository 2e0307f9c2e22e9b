// "bodies": one body of a scene.
#include "scene_file/acts.h"
#include "scene_file/build_cache.h"
#include "scene_file/identity.h"
#include "scene_file/read_field.h"
#include "scene_file/read_values.h"

namespace yawara::scene_file {
namespace {

MassesDocument read_masses(const Node& node, Findings& findings)
{
    MassesDocument masses;
    masses.where = node.path;
    if (node.json == "uniform")
        masses.spread = Masses::uniform;
    else if (node.json == "bending")
        masses.spread = Masses::bending;
    else if (node.json != "lumped")
        masses.values = read_field<double>(node, findings);
    return masses;
}

void read_initial(const Node& node, BodyDocument& body, Findings& findings)
{
    if (node.has("positions")) body.initial_positions = read_file(node["positions"], findings);
    if (node.has("velocities")) body.initial_velocities = read_file(node["velocities"], findings);
    if (body.initial_velocities && (body.velocity != Vec3d{} || body.spin != Vec3d{})) {
        findings.warning(node.path, "\"velocity\" and \"spin\" are not used, since velocities come from a file");
    }
}

/// What holds and pushes a body, or one of its instances.
void read_script(const Node& node, BodyDocument& body, Findings& findings)
{
    const Node pins = node["pins"], handles = node["handles"], forces = node["forces"];
    for (std::size_t i = 0; i < pins.size(); ++i) body.pins.push_back(read_selection(pins[i]["select"], findings));
    for (std::size_t i = 0; i < handles.size(); ++i) body.handles.push_back(read_handle(handles[i], findings));
    for (std::size_t i = 0; i < forces.size(); ++i) body.forces.push_back(read_force(forces[i], findings));
}

/// What the solid and the model of a body are made from: keys that act on them, and the files these name.
void name_sources(const Node& node, BodyDocument& body, const Findings& findings)
{
    Json model = model_part(node.json), solid;
    for (const char* key : {"solid", "surface", "place"})
        if (model.contains(key)) solid[key] = model[key];
    for (const char* key : {"id", "instances"}) model.erase(key);
    if (body.masses.spread == Masses::bending) model["masses"] = "bending";
    body.solid_source = solid.dump() + stamps_of({node.path + ".solid", node.path + ".surface"}, findings);
    body.model_source = model.dump() + stamps_of({node.path + "."}, findings);
}

RigidDocument read_rigid(const Node& node)
{
    RigidDocument rigid;
    if (node.has("mass")) rigid.mass = node["mass"].as<double>();
    if (node.has("inertia")) rigid.inertia = read_vector(node["inertia"]);
    return rigid;
}

constexpr float kDefaultYoung = 1e5f;  // Pa, a firm jelly

}  // namespace

void read_live_body(const Node& node, std::size_t index, BodyDocument& body, Findings& findings)
{
    body.where = node.path;
    body.name = node["name"].as<std::string>();
    body.identity = identity_of(node.json, index);
    read_matching_settings(node["matching"], body, findings);
    if (node.has("fem")) read_fem_settings(node["fem"], body.settings);
    if (node.has("rigid")) body.settings.drag = node["rigid"]["drag"].as<float>();
    body.placement = read_placement(node["place"], "translate", findings);
    body.settings.matching.time_offset = node["time_offset"].as<double>();
    body.velocity = read_vector(node["velocity"]);
    body.spin = read_vector(node["spin"]);
    read_initial(node["initial"], body, findings);
    body.settings.contact = read_contact(node["contact"]);
    read_script(node, body, findings);
    if (node.has("cavity")) {
        body.cavity_depth = node["cavity"]["depth"].as<double>();
        if (body.active.empty()) findings.error(node["cavity"].path, "only a body with an active layer has a depth");
    }
    body.look = read_body_look(node["look"], index, findings);
}

void finish_settings(const Node& node, BodyDocument& body, Findings& findings)
{
    check_matching(node["matching"], body, findings);
    const Node matching = node["matching"];
    MatchingSettings& settings = body.settings.matching;
    if (settings.young > 0) return;
    const bool open = !matching.has("alpha") && !matching.has("passes") && !settings.accelerate;
    settings.young = open && !body.model_says_stiffness ? kDefaultYoung : body.law_modulus;
}

BodyDocument read_body(const Node& node, std::size_t index, Findings& findings)
{
    BodyDocument body;
    read_live_body(node, index, body, findings);
    body.solid = read_solid(node["solid"], findings);
    if (node.has("surface")) body.surface = read_file(node["surface"], findings);
    body.density = read_field(node["density"], findings, body.density);
    read_matching(node["matching"], body, findings);
    // Regions by lists reach the largest modulus of their law by passes, as lattices do by width.
    const auto* volume = std::get_if<VolumeDocument>(&body.solid.kind);
    const bool lattice = (volume && !volume->as_tets) || std::holds_alternative<LatticeBoxDocument>(body.solid.kind) ||
                         std::holds_alternative<LatticeSurfaceDocument>(body.solid.kind);
    const bool lists = !lattice || (body.examples && (body.examples->choices.goal == ExampleGoal::offsets ||
                                                      body.examples->choices.rotation == ExampleRotation::joint));
    body.law_is_young = body.regions && body.regions->law.kind == StiffnessLaw::Kind::young;
    if (body.law_is_young && lists) body.law_modulus = float(body.regions->law.stiffest);
    if (node.has("rigid")) body.rigid = read_rigid(node["rigid"]);
    body.model_says_stiffness = volume || body.regions || node.has("fem") || body.rigid;
    finish_settings(node, body, findings);
    if (node.has("masses"))
        body.masses = read_masses(node["masses"], findings);
    else if (lattice && !node.has("fem") && !body.rigid && (body.settings.matching.young > 0 || body.law_is_young))
        body.masses.spread = Masses::bending;
    if (node.has("fem")) read_fem(node["fem"], body, findings);
    body.scale = node["place"]["scale"].as<double>();
    name_sources(node, body, findings);
    return body;
}

BodyDocument read_instance(const Node& node, std::size_t index, const BodyDocument& body, Findings& findings)
{
    BodyDocument copy = body;
    copy.where = node.path;
    const std::string number = identity_of(node.json, index);
    copy.name += "_" + number;
    copy.identity += "/" + number;
    const Placement there = read_placement(node, "translate", findings);
    copy.placement = {there.turn * body.placement.turn, there(body.placement.move)};
    copy.velocity = there.turn * body.velocity + read_vector(node["velocity"]);
    copy.spin = there.turn * body.spin;
    copy.settings.matching.time_offset += node["time_offset"].as<double>();
    if (node.has("color")) copy.look.color = read_color(node["color"]), copy.look.own_color = true;
    read_script(node, copy, findings);
    return copy;
}

std::vector<BodyDocument> read_instances(const Node& node, BodyDocument body, Findings& findings)
{
    const Node list = node["instances"];
    if (list.size() == 0) return {std::move(body)};
    if (body.initial_positions || body.initial_velocities)
        findings.error(list.path, "copies of a body whose start comes from a file would all be in one place");
    std::vector<BodyDocument> copies;
    for (std::size_t k = 0; k < list.size(); ++k) copies.push_back(read_instance(list[k], k, body, findings));
    return copies;
}

}  // namespace yawara::scene_file
