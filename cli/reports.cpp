// Facts about meshes.
#include "reports.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "yawara/surface.h"

namespace yawara::cli {

using Json = nlohmann::ordered_json;

namespace {

std::string plural(int count, std::string_view one, std::string_view many)
{
    return fmt::format("{} {}", with_commas(static_cast<std::size_t>(count)), count == 1 ? one : many);
}

}  // namespace

std::string size_in_words(Vec3d size)
{
    return fmt::format("{} x {} x {} m", brief(size.x), brief(size.y), brief(size.z));
}

Json to_json(Vec3d v)
{
    return {v.x, v.y, v.z};
}

Json to_json(const SolidReport& report)
{
    return {{"closed", report.closed},
            {"border_edges", report.border_edges},
            {"nonmanifold_edges", report.nonmanifold_edges},
            {"flipped_edges", report.flipped_edges},
            {"duplicate_vertices", report.duplicate_vertices},
            {"unreferenced_vertices", report.unreferenced_vertices},
            {"degenerate_triangles", report.degenerate_triangles},
            {"input_parts", report.input_parts},
            {"output_parts", report.output_parts},
            {"cell", report.cell},
            {"input_volume", report.input_volume},
            {"volume", report.volume},
            {"surface_error", report.surface_error},
            {"left_out", report.left_out},
            {"thickened_parts", report.thickened_parts},
            {"thickened_by", report.thickened_by},
            {"smallest_dihedral", report.smallest_dihedral},
            {"largest_dihedral", report.largest_dihedral},
            {"warnings", report.warnings}};
}

Firmness firmness_of(Scene& scene, BodyId body)
{
    const SceneSettings& settings = scene.settings();
    return firmness(scene.model(body), scene.body_settings(body), settings.dt / settings.substeps, settings.gravity);
}

Json to_json(const Firmness& firmness)
{
    return {{"softest_young", firmness.softest}, {"stiffest_young", firmness.stiffest}, {"sink", firmness.sink}};
}

std::string in_words(const Firmness& firmness)
{
    if (std::isinf(firmness.softest)) return "rigid";
    const bool even = firmness.stiffest <= 1.001 * firmness.softest;
    return fmt::format(
        "Young's modulus {} Pa, sinks by {} % under its own weight",
        even ? brief(firmness.softest) : fmt::format("{} to {}", brief(firmness.softest), brief(firmness.stiffest)),
        brief(100 * firmness.sink));
}

std::vector<std::string> in_words(const SolidReport& report)
{
    std::string defects;
    const auto found = [&](int count, std::string_view one, std::string_view many) {
        if (count > 0) defects += (defects.empty() ? "" : ", ") + plural(count, one, many);
    };
    found(report.border_edges, "border edge", "border edges");
    found(report.nonmanifold_edges, "non-manifold edge", "non-manifold edges");
    found(report.flipped_edges, "edge between triangles that face opposite ways",
          "edges between triangles that face opposite ways");
    found(report.duplicate_vertices, "duplicate vertex", "duplicate vertices");
    found(report.unreferenced_vertices, "unreferenced vertex", "unreferenced vertices");
    found(report.degenerate_triangles, "triangle without area", "triangles without area");
    std::string volume = fmt::format("volume {} m^3", brief(report.volume));
    if (report.closed && report.input_volume > 0)
        volume += fmt::format(" ({:+.2f} % of the surface's)", 100 * (report.volume / report.input_volume - 1));
    return {
        fmt::format("surface {}{}", report.closed ? "closed" : "not closed",
                    defects.empty() ? ", no defects" : "; found " + defects),
        fmt::format("{} in, {} out", plural(report.input_parts, "part", "parts"),
                    plural(report.output_parts, "part", "parts")),
        fmt::format("cell {} m, {}, surface within {} m", brief(report.cell), volume, brief(report.surface_error)),
        fmt::format("dihedral angles {:.1f} to {:.1f} degrees", report.smallest_dihedral, report.largest_dihedral),
    };
}

Json facts_of(const TetMesh& mesh)
{
    const auto dihedral = dihedral_range(mesh);
    return {{"vertices", mesh.vertices.size()},
            {"tets", mesh.tets.size()},
            {"parts", connected_parts(mesh.tets, mesh.vertices.size())},
            {"volume", volume(mesh)},
            {"size", to_json(bounds(mesh.vertices).size())},
            {"smallest_dihedral", dihedral[0]},
            {"largest_dihedral", dihedral[1]}};
}

Json facts_of(const TriMesh& mesh)
{
    const auto welded = check_surface(mesh);  // as `mesh` sees it: vertices at one position are one
    return {{"vertices", mesh.vertices.size()},
            {"triangles", mesh.triangles.size()},
            {"parts", welded ? welded->parts : connected_parts(mesh.triangles, mesh.vertices.size())},
            {"closed", welded && welded->watertight},
            {"volume", signed_volume(mesh)},
            {"size", to_json(bounds(mesh.vertices).size())},
            {"texture_coordinates", !mesh.corner_uvs.empty()},
            {"vertex_colors", !mesh.colors.empty()}};
}

void say_facts(const Terminal& terminal, const Json& facts)
{
    for (const auto& [name, value] : facts.items()) {
        std::string words = name;
        std::ranges::replace(words, '_', ' ');
        if (value.is_boolean())
            terminal.say("  {}: {}", words, value.get<bool>() ? "yes" : "no");
        else if (value.is_array() && value.size() == 3 && value[0].is_number())
            terminal.say("  {}: {}", words, size_in_words({value[0], value[1], value[2]}));
        else if (value.is_number_integer() && value.get<std::int64_t>() >= 0)
            terminal.say("  {}: {}", words, with_commas(value.get<std::size_t>()));
        else if (value.is_number())
            terminal.say("  {}: {}", words, brief(value.get<double>()));
        else if (value.is_string())
            terminal.say("  {}: {}", words, value.get<std::string>());
    }
}

}  // namespace yawara::cli
