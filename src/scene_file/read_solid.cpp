// "solid": the kinds of volume a body can have.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene_file/read_values.h"

namespace yawara::scene_file {
namespace {

constexpr double kMostParticles = 2e6;  // as `particles` of meshed solids
/// How far cells may be from cubes, as a share of their size: what rounding of typed numbers gives.
constexpr double kCubeTolerance = 1e-4;

void check_count(const Node& grid, Int3 cells, Findings& findings)
{
    const double particles = (cells[0] + 1.0) * (cells[1] + 1.0) * (cells[2] + 1.0);
    if (particles <= kMostParticles) return;
    findings.error(grid.path + ".cells",
                   fmt::format("{}, {} and {} cells make {:.3g} particles; at most {:.3g} are allowed", cells[0],
                               cells[1], cells[2], particles, kMostParticles));
}

FitDocument read_fit(const Node& node)
{
    FitDocument fit;
    if (node.has("height")) fit.height = node["height"].as<double>();
    if (node.has("size")) fit.largest = node["size"].as<double>();
    fit.stand = node["stand"].as<bool>();
    return fit;
}

SurfaceSolidDocument read_from(const Node& node, const Findings& findings)
{
    SurfaceSolidDocument solid;
    solid.file = read_file(node["from"], findings);
    if (node.has("cell")) solid.cell = node["cell"].as<double>();
    if (node.has("particles")) solid.particles = node["particles"].as<int>();
    solid.fit = read_fit(node);
    return solid;
}

LatticeBoxDocument read_lattice_box(const Node& node, Findings& findings)
{
    const LatticeBoxDocument box{read_vector(node["size"]), read_counts(node["cells"])};
    check_count(node, box.cells, findings);
    const Vec3d cell{box.size.x / box.cells[0], box.size.y / box.cells[1], box.size.z / box.cells[2]};
    const auto [smallest, largest] = std::minmax({cell.x, cell.y, cell.z});
    if (largest - smallest > kCubeTolerance * largest) {
        findings.error(node.path, fmt::format("cells of a lattice are cubes; these are {:g} x {:g} x {:g} m", cell.x,
                                              cell.y, cell.z));
    }
    return box;
}

FormulaSolidDocument read_formula_solid(const Node& node, Findings& findings)
{
    FormulaSolidDocument solid;
    if (Result<Formula> formula = Formula::parse(node["formula"].as<std::string>())) {
        solid.inside = *std::move(formula);
    } else {
        findings.error(node.path + ".formula", formula.error().what);
    }
    solid.box = read_box(node["box"], findings);
    if (node.has("cell")) solid.cell = node["cell"].as<double>();
    if (node.has("particles")) solid.particles = node["particles"].as<int>();
    solid.detail = node["detail"].as<double>();
    return solid;
}

VolumeDocument read_volume(const Node& node, Findings& findings)
{
    VolumeDocument volume;
    volume.where = node.path;
    volume.folder = findings.folder;
    if (node["volume"].json.is_string())
        volume.file = read_file(node["volume"], findings);
    else
        volume.tree = node["volume"].json.dump();
    volume.cell = node["cell"].as<double>();
    volume.as_tets = node["as"].as<std::string>() == "tets";
    volume.voxels = node["voxels"].as<int>();
    volume.fill = node["fill"].as<double>();
    volume.hardness = node["hardness"].as<double>();
    volume.draw_points = node["draw"].as<std::string>() == "points";
    if (volume.draw_points && volume.as_tets) findings.error(node.path + ".draw", "only lattices are drawn as points");
    if (node.has("cut")) volume.cut = read_plane(node["cut"], findings);
    return volume;
}

}  // namespace

SolidDocument read_solid(const Node& node, Findings& findings)
{
    SolidDocument solid;
    solid.where = node.path;
    if (node.has("formula")) {
        solid.kind = read_formula_solid(node, findings);
    } else if (node.has("bar")) {
        const BarDocument bar{read_vector(node["bar"]["size"]), read_counts(node["bar"]["cells"])};
        check_count(node["bar"], bar.cells, findings);
        solid.kind = bar;
    } else if (node.has("from")) {
        solid.kind = read_from(node, findings);
    } else if (node.has("tets")) {
        solid.kind = TetsDocument{read_file(node["tets"], findings), read_fit(node)};
    } else if (node.has("volume")) {
        solid.kind = read_volume(node, findings);
    } else if (const Node lattice = node["lattice"]; lattice.has("box")) {
        solid.kind = read_lattice_box(lattice["box"], findings);
    } else {
        solid.kind = LatticeSurfaceDocument{read_file(lattice["from"], findings), lattice["cell"].as<double>()};
    }
    return solid;
}

}  // namespace yawara::scene_file
