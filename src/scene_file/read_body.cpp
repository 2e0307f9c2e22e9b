// "bodies": one elastic body of a scene.
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

/// The body without what can change while its model stays: where it starts, what holds it, how it looks, and the
/// settings that a step reads anew. A key that is not named here costs a new model when it changes, nothing else.
std::string model_source(const Node& node, Masses masses)
{
    Json source = node.json;
    for (const char* key : {"id", "name", "velocity", "spin", "initial", "pins", "handles", "forces", "look",
                            "instances", "time_offset", "cavity"})
        source.erase(key);
    source["place"] = source["place"]["scale"];
    for (const char* key : {"alpha", "passes", "accelerate", "young", "damping", "region_damping", "drag", "align"})
        if (source.contains("matching")) source["matching"].erase(key);
    if (source.contains("matching") && source["matching"].contains("examples"))
        source["matching"]["examples"].erase("beta");
    if (masses == Masses::bending) source["masses"] = "bending";
    return source.dump();
}

}  // namespace

BodyDocument read_body(const Node& node, std::size_t index, Findings& findings)
{
    BodyDocument body;
    body.where = node.path;
    body.name = node["name"].as<std::string>();
    body.identity = identity_of(node.json, index);
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
    if (body.regions && body.regions->law.kind == StiffnessLaw::Kind::young && lists &&
        body.settings.matching.young == 0)
        body.settings.matching.young = float(body.regions->law.stiffest);
    if (node.has("masses"))
        body.masses = read_masses(node["masses"], findings);
    else if (lattice && !node.has("fem") &&
             (body.settings.matching.young > 0 ||
              (body.regions && body.regions->law.kind == StiffnessLaw::Kind::young)))
        body.masses.spread = Masses::bending;
    if (node.has("fem")) read_fem(node["fem"], body, findings);
    body.scale = node["place"]["scale"].as<double>();
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
    body.look = read_body_look(node["look"], index);
    body.model_source = model_source(node, body.masses.spread);
    return body;
}

std::vector<BodyDocument> read_instances(const Node& node, BodyDocument body, Findings& findings)
{
    const Node list = node["instances"];
    if (list.size() == 0) return {std::move(body)};
    if (body.initial_positions || body.initial_velocities)
        findings.error(list.path, "copies of a body whose start comes from a file would all be in one place");
    std::vector<BodyDocument> copies;
    for (std::size_t k = 0; k < list.size(); ++k) {
        BodyDocument copy = body;
        copy.where = list[k].path;
        const std::string number = identity_of(list[k].json, k);
        copy.name += "_" + number;
        copy.identity += "/" + number;
        const Placement there = read_placement(list[k], "translate", findings);
        copy.placement = {there.turn * body.placement.turn, there(body.placement.move)};
        copy.velocity = there.turn * body.velocity + read_vector(list[k]["velocity"]);
        copy.spin = there.turn * body.spin;
        copy.settings.matching.time_offset += list[k]["time_offset"].as<double>();
        if (list[k].has("color")) copy.look.color = read_color(list[k]["color"]);
        read_script(list[k], copy, findings);
        copies.push_back(std::move(copy));
    }
    return copies;
}

}  // namespace yawara::scene_file
