// Measures a finished tet mesh against its surface and says in sentences what a person should know.
#include "meshing/solid_report.h"

#include <algorithm>
#include <numeric>

#include "meshing/strands.h"
#include "meshing/words.h"

namespace yawara::meshing {
namespace {

/// Largest distance of the surface from the tets, where it is outside of them.
double farthest_left_out(const SolidSources& sources, const TetMesh& mesh)
{
    std::vector<Vec3d> points = sample_surface(sources.surface, kSampleSpacing * sources.cell).points;
    points.insert(points.end(), sources.surface.vertices.begin(), sources.surface.vertices.end());
    return std::ranges::max(distances_outside(points, mesh, 0));
}

double largest_outer_distance(const SolidSources& sources, const TriMesh& outside)
{
    double largest = 0;
    for (const Vec3d& v : outside.vertices) {
        double d = sources.tree.distance(v);
        // Caps over holes are far from every triangle; they are measured against the level set, which made them.
        if (!sources.surface.watertight) d = std::min(d, std::abs(sources.level_set(v)));
        largest = std::max(largest, d);
    }
    return largest;
}

void tell_about_input(const SolidSources& sources, std::vector<std::string>& warnings)
{
    const Surface& s = sources.surface;
    if (s.border_edges > 0) {
        warnings.push_back("The surface is open (" + counted(s.border_edges, "border edge", "border edges") +
                           "); its holes were closed.");
    }
    if (s.nonmanifold_edges > 0) {
        warnings.push_back(counted(s.nonmanifold_edges, "edge has", "edges have") + " more than two triangles.");
    }
    if (s.one_sided > 0) warnings.push_back("A piece of the surface has only one side, like a Moebius strip.");
    if (s.flipped_edges > 0) {
        warnings.push_back("Neighbouring triangles disagree on the front side at " +
                           counted(s.flipped_edges, "edge", "edges") + "; they were turned the same way.");
    }
    if (s.turned_patches > 0) {
        warnings.push_back(counted(s.turned_patches, "piece of the surface was", "pieces of the surface were") +
                           " inside out and turned.");
    }
    if (s.repeated_triangles > 0) {
        warnings.push_back(counted(s.repeated_triangles, "triangle is", "triangles are") +
                           " there more than once; copies were left out.");
    }
    if (sources.notes.overlapping) {
        warnings.push_back("The surface runs through itself; what it encloses twice counts once.");
    }
    if (sources.notes.capped > 0.1) {
        warnings.push_back("There was no surface for " + percent(sources.notes.capped) +
                           " of the solid's outside; it was made up to close the holes.");
    }
    if (sources.notes.flooded) {
        warnings.push_back("Front and back sides are mixed up; every space sealed off from outside was filled.");
    }
}

void tell_about_fit(const SolidSources& sources, const SolidReport& report, std::vector<std::string>& warnings)
{
    const auto parts = static_cast<int>(sources.wanted_parts);
    if (report.output_parts < parts) {
        warnings.push_back(counted(parts, "solid part", "solid parts") + " became " +
                           std::to_string(report.output_parts) +
                           ": parts closer to each other than a cell merge, parts thinner than a cell are lost; use a "
                           "smaller cell.");
    } else if (report.output_parts > parts) {
        warnings.push_back(counted(parts, "solid part", "solid parts") + " fell into " +
                           std::to_string(report.output_parts) +
                           ": bridges between them are thinner than a cell; use a smaller cell.");
    }
    if (report.input_parts > parts) {
        warnings.push_back("The surface has " + std::to_string(report.input_parts) + " pieces but encloses " +
                           counted(parts, "solid part", "solid parts") +
                           ": pieces overlap, touch, lie in one another, or enclose nothing.");
    } else if (report.input_parts < parts) {
        warnings.push_back("The surface is in " + counted(report.input_parts, "piece", "pieces") + " but encloses " +
                           counted(parts, "separate solid part", "separate solid parts") +
                           ", which meet in a point or through a neck much thinner than a cell.");
    }
    if (sources.strands > 0) {
        warnings.push_back(counted(sources.strands, "part thinner than a cell was", "parts thinner than a cell were") +
                           " thickened by up to " + number(sources.strand_excess) + " (" +
                           number(sources.strand_excess / sources.cell) + " cells) so that nothing is lost.");
    }
    if (sources.thickened && report.surface_error > 0.25 * sources.cell) {
        warnings.push_back("Features thinner than a cell were thickened by up to " + number(report.surface_error) +
                           " so that they are not lost; the rest gave the volume.");
    }
    if (sources.crumbs > 0) {
        warnings.push_back(counted(sources.crumbs, "loose crumb", "loose crumbs") +
                           " of features thinner than a cell left out.");
    }
    const double volume_error = std::abs(report.volume / sources.target_volume - 1);
    if (volume_error > 0.02) {
        warnings.push_back("The volume is off by " + percent(volume_error) +
                           ": much of the shape is thinner than a cell; use a smaller cell.");
    }
    if (report.left_out > 0.5 * sources.cell) {
        warnings.push_back("Sharp corners and thin tips are cut off: the surface reaches up to " +
                           number(report.left_out) + " (" + number(report.left_out / sources.cell) +
                           " cells) beyond the tets.");
    }
}

}  // namespace

std::vector<double> solid_part_volumes(const LevelSet& level_set, double smallest)
{
    const TriMesh surface = level_set.surface();
    std::vector<std::int32_t> part;
    const int parts = connected_parts(surface.triangles, surface.vertices.size(), &part);
    const Vec3d middle = level_set.bounds().center();
    std::vector<double> volumes(static_cast<std::size_t>(parts), 0.0);
    for (const Int3& t : surface.triangles) {
        const Vec3d a = surface.vertices[static_cast<std::size_t>(t[0])] - middle;
        const Vec3d b = surface.vertices[static_cast<std::size_t>(t[1])] - middle;
        const Vec3d c = surface.vertices[static_cast<std::size_t>(t[2])] - middle;
        volumes[static_cast<std::size_t>(part[static_cast<std::size_t>(t[0])])] += dot(a, cross(b, c)) / 6;
    }
    std::erase_if(volumes, [&](double v) { return v < smallest; });
    return volumes;
}

int drop_crumbs(TetMesh& mesh, std::size_t wanted, double largest_share)
{
    std::vector<std::int32_t> part;
    const auto parts = static_cast<std::size_t>(connected_parts(mesh.tets, mesh.vertices.size(), &part));
    if (parts <= wanted) return 0;
    const auto part_of = [&](const Int4& t) { return static_cast<std::size_t>(part[static_cast<std::size_t>(t[0])]); };
    std::vector<double> volumes(parts, 0.0);
    for (const Int4& t : mesh.tets) volumes[part_of(t)] += signed_volume(mesh, t);
    std::vector<std::size_t> order(parts);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return volumes[a] < volumes[b]; });
    const double most = largest_share * std::accumulate(volumes.begin(), volumes.end(), 0.0);
    std::vector<char> dropped(parts, 0);
    int count = 0;
    for (std::size_t k = 0; k < parts - wanted && volumes[order[k]] < most; ++k, ++count) dropped[order[k]] = 1;
    if (count == 0) return 0;

    std::erase_if(mesh.tets, [&](const Int4& t) { return dropped[part_of(t)]; });
    std::vector<std::int32_t> moved(mesh.vertices.size(), -1);
    std::vector<Vec3d> kept;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (dropped[static_cast<std::size_t>(part[v])]) continue;
        moved[v] = static_cast<std::int32_t>(kept.size());
        kept.push_back(mesh.vertices[v]);
    }
    mesh.vertices = std::move(kept);
    for (Int4& t : mesh.tets) {
        for (std::int32_t& v : t) v = moved[static_cast<std::size_t>(v)];
    }
    return count;
}

SolidReport make_report(const SolidSources& sources, const TetMesh& mesh)
{
    const Surface& s = sources.surface;
    SolidReport report;
    report.border_edges = s.border_edges;
    report.nonmanifold_edges = s.nonmanifold_edges;
    report.flipped_edges = s.flipped_edges;
    report.duplicate_vertices = s.duplicate_vertices;
    report.unreferenced_vertices = s.unreferenced_vertices;
    report.degenerate_triangles = s.degenerate_triangles;
    report.closed = s.border_edges == 0 && s.watertight;
    report.input_parts = s.parts;
    report.output_parts = connected_parts(mesh.tets, mesh.vertices.size());
    report.cell = sources.cell;
    report.input_volume = sources.target_volume;
    report.volume = volume(mesh);
    const TriMesh outside = boundary_surface(mesh);
    report.surface_error = largest_outer_distance(sources, outside);
    report.left_out = farthest_left_out(sources, mesh);
    report.thickened_parts = sources.strands;
    report.thickened_by = sources.strand_excess;
    const auto [smallest, largest] = dihedral_range(mesh);
    report.smallest_dihedral = smallest;
    report.largest_dihedral = largest;
    tell_about_input(sources, report.warnings);
    tell_about_fit(sources, report, report.warnings);
    return report;
}

}  // namespace yawara::meshing
