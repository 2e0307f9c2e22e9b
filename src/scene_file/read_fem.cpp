// "fem": materials, levels and settings of a finite-element body.
#include "scene_file/read_field.h"
#include "scene_file/read_values.h"
#include "yawara/rotation.h"

namespace yawara::scene_file {
namespace {

template <class T>
T pick(const Node& node, std::initializer_list<std::pair<const char*, T>> words)
{
    const auto word = node.as<std::string>();
    for (const auto& [name, value] : words)
        if (word == name) return value;
    return words.begin()->second;
}

Elasticity read_constants(const Node& node)
{
    const auto values = node.as<std::vector<double>>();
    return from_21_constants(std::span<const double, 21>(values.data(), 21));
}

Elasticity read_lame(const Node& node)
{
    return isotropic_lame(node[std::size_t{0}].as<double>(), node[std::size_t{1}].as<double>());
}

/// What can be said of a tensor before anything is built.
Elasticity checked(const Result<Elasticity>& tensor, const Node& node, Findings& findings)
{
    if (!tensor) {
        findings.error(node.path + (tensor.error().where.empty() ? "" : "." + tensor.error().where),
                       tensor.error().what);
        return isotropic_lame(1, 1);
    }
    if (const Status ok = check_elasticity(*tensor); !ok) findings.error(node.path, ok.error().what);
    return *tensor;
}

FibreFields read_fibres(const Node& node, Findings& findings)
{
    FibreFields out;
    Fibres& f = out.fibres;
    f.young_along = node["young_along"].as<double>();
    f.young_across = node["young_across"].as<double>();
    f.poisson_along = node["poisson_along"].as<double>();
    f.poisson_across = node["poisson_across"].as<double>();
    f.shear_along = node["shear_along"].as<double>();
    out.direction = read_field<Vec3d>(node["direction"], findings);
    if (const Vec3d* constant = out.direction.constant()) f.direction = *constant;
    if (node.has("directions")) out.direction = read_field<Vec3d>(node["directions"], findings);
    if (node.has("strokes")) {
        const Node lines = node["strokes"];
        if (node.has("directions")) findings.error(node.path, "\"directions\" and \"strokes\" say the same: give one");
        Strokes strokes;
        for (std::size_t k = 0; k < lines.size(); ++k) strokes.lines.push_back({read_points(lines[k])});
        out.direction = std::move(strokes);
    }
    checked(transversely_isotropic(f), node, findings);
    return out;
}

/// Numbers are checked here; what differs from place to place, when it is sampled.
IsotropicFields read_isotropic(const Node& node, Elements elements, Findings& findings)
{
    IsotropicFields out{read_field<double>(node["young"], findings),
                        read_field<double>(node["poisson"], findings, 0.3)};
    const double *young = out.young.constant(), *poisson = out.poisson.constant();
    if (young && poisson) checked(isotropic(*young, *poisson), node, findings);
    if (elements == Elements::linear && poisson && *poisson >= 0.45 && *poisson < 0.5)
        findings.warning(
            node.path + ".poisson",
            "linear tetrahedra lock from 0.45 on, and the body will be too stiff: set \"elements\": \"nodal\"");
    return out;
}

Elasticity read_orthotropic(const Node& node, Findings& findings)
{
    const Result<Elasticity> along =
        orthotropic({read_vector(node["young"]), read_vector(node["poisson"]), read_vector(node["shear"])});
    const Elasticity tensor = checked(along, node, findings);
    return node.has("turn") ? turned(tensor, rotation_of(read_turn(node["turn"], findings))) : tensor;
}

FemVolumeDocument read_stiffness_volume(const Node& node, Findings& findings)
{
    FemVolumeDocument volume;
    volume.where = node.path;
    volume.folder = findings.folder;
    if (node["model"].json.is_string())
        volume.file = read_file(node["model"], findings);
    else
        volume.tree = node["model"].json.dump();
    volume.softest = node["softest"].as<double>();
    volume.stiffest = node["stiffest"].as<double>();
    return volume;
}

FemMaterialDocument read_material(const Node& node, Elements elements, Findings& findings)
{
    FemMaterialDocument document;
    FemPart& m = document.part;
    m.where = node.path;
    m.select = read_selection(node["select"], findings);
    if (node.has("regions")) m.labels = node["regions"].as<std::vector<std::int32_t>>();
    if (node.has("young")) {
        m.elasticity = read_isotropic(node, elements, findings);
    } else if (node.has("lame")) {
        m.elasticity = checked(read_lame(node["lame"]), node["lame"], findings);
    } else if (node.has("fibres")) {
        m.elasticity = read_fibres(node["fibres"], findings);
    } else if (node.has("orthotropic")) {
        m.elasticity = read_orthotropic(node["orthotropic"], findings);
    } else if (node.has("constants")) {
        m.elasticity = checked(read_constants(node["constants"]), node["constants"], findings);
    } else {
        document.file = ElasticityFile{read_file(node["file"], findings).path, node.path + ".file"};
    }
    if (node.has("factor")) m.factors.push_back(read_field<double>(node["factor"], findings, 1.0));
    if (node.has("volume")) document.volume = read_stiffness_volume(node["volume"], findings);
    if (node.has("viscosity")) {
        const Node viscosity = node["viscosity"];
        if (viscosity.has("time")) m.viscous_time = viscosity["time"].as<double>();
        if (viscosity.has("lame")) m.viscosity = read_lame(viscosity["lame"]);
        if (viscosity.has("constants")) m.viscosity = read_constants(viscosity["constants"]);
        if (m.viscosity)
            if (const Status ok = check_viscosity(*m.viscosity); !ok) findings.error(viscosity.path, ok.error().what);
    }
    if (node.has("density")) m.density = read_field<double>(node["density"], findings);
    if (node.has("plasticity")) {
        const Node plasticity = node["plasticity"];
        m.plasticity = {plasticity["yield"].as<double>(), plasticity["creep"].as<double>(),
                        plasticity["limit"].as<double>()};
        if (m.plasticity.limit < m.plasticity.yield)
            findings.warning(plasticity.path + ".limit", "is below the yield strain: hardly anything will stay");
    }
    return document;
}

FemMuscle read_muscle(const Node& node, Findings& findings)
{
    FemMuscle muscle;
    muscle.where = node.path;
    muscle.direction = read_field<Vec3d>(node["direction"], findings);
    muscle.stiffness = read_field<double>(node["stiffness"], findings);
    muscle.phase = read_field<double>(node["phase"], findings, 0.0);
    muscle.period = node["period"].as<double>();
    muscle.speed = node["speed"].as<double>();
    if (muscle.speed == 0) findings.error(node.path + ".speed", "is zero: a wave that never arrives");
    if (!node.has("chart")) return muscle;
    const Node chart = node["chart"], keys = chart["keys"];
    muscle.chart.smooth = chart["smooth"].as<bool>();
    for (std::size_t k = 0; k < keys.size(); ++k)
        muscle.chart.keys.push_back({keys[k].json[0].get<double>(), keys[k].json[1].get<double>()});
    if (const Status ok = check(Charts{.period = muscle.period, .directions = {muscle.chart, {}, {}}}); !ok)
        findings.error(chart.path, ok.error().message());
    return muscle;
}

ForcedFront read_front(const Node& node)
{
    ForcedFront front;
    front.time = node["time"].as<double>();
    front.tets = node["tets"].as<std::vector<std::int32_t>>();
    const Node boxes = node["boxes"];
    for (std::size_t k = 0; k < boxes.size(); ++k)
        front.boxes.push_back(
            {{read_vector(boxes[k]["low"]), read_vector(boxes[k]["high"])}, boxes[k]["level"].as<int>()});
    return front;
}

}  // namespace

void read_fem_settings(const Node& node, BodySettings& settings)
{
    FemSettings& s = settings.fem;
    s.refinement = pick<Refinement>(
        node["refinement"],
        {{"residual", Refinement::residual}, {"strain", Refinement::strain}, {"full", Refinement::full}});
    s.tolerance = node["tolerance"].as<double>();
    s.most_active = node["most_active"].as<int>();
    s.hysteresis = node["hysteresis"].as<double>();
    s.quiet_checks = node["quiet_checks"].as<int>();
    s.lumped_mass = node["mass"].as<std::string>() == "lumped";
    s.barrier = node["inversion"].as<std::string>() == "barrier";
    s.integration = pick<Integration>(node["integration"], {{"automatic", Integration::automatic},
                                                            {"explicit", Integration::explicit_steps},
                                                            {"implicit", Integration::implicit_step}});
    s.safety = node["safety"].as<double>();
    settings.drag = node["drag"].as<float>();
}

void read_fem(const Node& node, BodyDocument& body, Findings& findings)
{
    FemDocument fem;
    fem.where = node.path;
    fem.levels = node["levels"].as<int>();
    const Node materials = node["materials"], fronts = node["fronts"];
    fem.law = node["law"].as<std::string>();
    fem.elements = pick<Elements>(node["elements"], {{"linear", Elements::linear}, {"nodal", Elements::nodal}});
    for (std::size_t k = 0; k < materials.size(); ++k)
        fem.materials.push_back(read_material(materials[k], fem.elements, findings));
    if (fem.elements == Elements::nodal && fem.levels > 0 && body.settings.fem.refinement != Refinement::full)
        findings.warning(node.path + ".elements",
                         "nodal elements do not adapt: all tetrahedra are at the finest level");
    const Node muscles = node["muscles"];
    for (std::size_t k = 0; k < muscles.size(); ++k) fem.muscles.push_back(read_muscle(muscles[k], findings));
    fem.coarsening = pick<Coarsening>(node["coarsening"], {{"bounded", Coarsening::bounded},
                                                           {"harmonic", Coarsening::harmonic},
                                                           {"average", Coarsening::average},
                                                           {"voigt", Coarsening::voigt},
                                                           {"paper", Coarsening::paper}});
    fem.fit_tolerance = node["fit_tolerance"].as<double>();
    for (std::size_t k = 0; k < fronts.size(); ++k) {
        fem.fronts.push_back(read_front(fronts[k]));
        if (k > 0 && !(fem.fronts[k].time > fem.fronts[k - 1].time))
            findings.error(fronts[k].path + ".time", "is not later than that of the front before");
        for (const auto& box : fem.fronts[k].boxes)
            if (box.level > fem.levels)
                findings.error(fronts[k].path, "a box asks for a level that the body does not have");
    }
    fem.cache = node["cache"].as<bool>();
    body.fem = std::move(fem);
}

}  // namespace yawara::scene_file
