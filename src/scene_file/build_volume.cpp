// A volume model as the solid of a body: evaluated, then cells or tetrahedra, with a smooth coloured surface.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cvg/settle_surface.h"
#include "scene_file/build.h"
#include "scene_file/lost_limbs.h"
#include "scene_file/tree_json.h"
#include "yawara/io.h"

namespace yawara::scene_file {
namespace {

/// A small ball around every particle that is not cut away: an octahedron with its edges halved and pushed out.
TriMesh points_mesh(const cvg::VolumeLattice& made, const std::optional<Plane>& cut)
{
    const double radius = 0.24 * made.lattice.cell;
    constexpr int kAxes[6] = {0, 1, 2, 3, 4, 5};  // +x, -x, +y, ...
    TriMesh mesh;
    for (std::size_t i = 0; i < made.lattice.nodes.size(); ++i) {
        const Vec3d at = made.lattice.position(int(i));
        if (cut && dot(at - cut->point, cut->normal) > 1e-9) continue;
        const auto add = [&](Vec3d way) {
            mesh.vertices.push_back(at + way * (radius / length(way)));
            mesh.colors.push_back(made.colors[i]);
            return std::int32_t(mesh.vertices.size() - 1);
        };
        const auto axis = [](int k) {
            Vec3d v;
            v[k / 2] = k % 2 ? -1 : 1;
            return v;
        };
        std::int32_t corner[6], middle[6][6] = {};
        for (const int k : kAxes) corner[k] = add(axis(k));
        for (const int a : kAxes)
            for (const int b : kAxes)
                if (a / 2 < b / 2) middle[a][b] = middle[b][a] = add(axis(a) + axis(b));
        for (int k = 0; k < 8; ++k) {
            int a = k & 1, b = 2 + (k >> 1 & 1);
            const int c = 4 + (k >> 2);
            if ((a + b + c) % 2) std::swap(a, b);  // fronts show outwards
            const std::int32_t ab = middle[a][b], bc = middle[b][c], ca = middle[c][a];
            for (const Int3& t :
                 {Int3{corner[a], ab, ca}, Int3{corner[b], bc, ab}, Int3{corner[c], ca, bc}, Int3{ab, bc, ca}})
                mesh.triangles.push_back(t);
        }
    }
    return mesh;
}

/// The colours of a volume, for cuts; null: it has one alone.
std::shared_ptr<const InsideMap> colors_in(const cvg::Volume& volume)
{
    const auto map = std::make_shared<InsideMap>(InsideMap::over(volume.bounds()));
    std::vector<Vec3d> places;
    for (int z = 0; z < map->nodes[2]; ++z)
        for (int y = 0; y < map->nodes[1]; ++y)
            for (int x = 0; x < map->nodes[0]; ++x) places.push_back(map->place(x, y, z));
    const std::vector<cvg::Sample> samples = volume.sample(places, volume.voxel());
    for (std::size_t k = 0; k < samples.size(); ++k) {
        const auto byte = [](float share) { return std::uint32_t(std::lround(255 * std::clamp(share, 0.0f, 1.0f))); };
        map->rgba[k] |= byte(samples[k].r) | byte(samples[k].g) << 8 | byte(samples[k].b) << 16;
    }
    if (std::ranges::all_of(map->rgba, [&](std::uint32_t color) { return color == map->rgba.front(); })) return {};
    return map;
}

}  // namespace

Result<BuiltSolid> build_volume(const VolumeDocument& document, const std::optional<TriMesh>& carried,
                                const Progress& progress)
{
    Result<cvg::Tree> tree = document.file
                                 ? cvg::load_tree(document.file->path)
                                 : tree_from(Json::parse(document.tree), document.where + ".volume", document.folder);
    if (!tree) return document.file ? Error{document.where + ".volume", tree.error().message()} : tree.error();
    const double voxel = document.cell / document.voxels;
    Result<cvg::Volume> volume = cvg::Volume::evaluate(*tree, voxel, progress);
    if (!volume && !document.file && volume.error().where.starts_with(document.where)) return volume.error();
    if (!volume) return Error{document.where, volume.error().message()};

    BuiltSolid built;
    built.channels = cvg::channels_of(*volume, document.cell, document.hardness);
    built.colors = colors_in(*volume);
    cvg::SurfaceOptions look;
    if (document.cut) look.cut = std::pair(document.cut->point, document.cut->normal);
    if (!document.draw_points) {
        built.surface = volume->surface(look);
        cvg::settle_surface(*tree, voxel, look, built.surface);
    }
    if (document.as_tets) {
        SolidOptions options;
        options.cell = document.cell;
        options.progress = progress;
        Result<Solid> made = make_solid(volume->surface(), options);
        if (!made) return Error{document.where, made.error().message()};
        for (const cvg::Sample& s : volume->sample(made->mesh.vertices, document.cell, document.hardness))
            built.stiffness.push_back(s.stiffness);
        built.domain = std::move(made->mesh);
        built.warnings = made->report.warnings;
        built.report = std::move(made->report);
        return built;
    }
    cvg::LatticeOptions options;
    options.cell = document.cell;
    options.fill = document.fill;
    options.hardness = document.hardness;
    if (carried) options.also = carried->vertices;
    Result<cvg::VolumeLattice> lattice = volume->lattice(options);
    if (!lattice) return Error{document.where, lattice.error().message()};
    if (lattice->volume_parts > lattice->lattice_parts)
        built.warnings.push_back(fmt::format("{} parts of the volume became {}: gaps narrower than a cell were closed",
                                             lattice->volume_parts, lattice->lattice_parts));
    if (document.draw_points) built.surface = points_mesh(*lattice, document.cut);
    built.domain = std::move(lattice->lattice);
    if (document.fill > 0)  // else every cell that holds anything is there
        for (std::string& warning : lost_limbs(built.domain, volume->surface(), document.cell))
            built.warnings.push_back(std::move(warning));
    built.stiffness = std::move(lattice->stiffness);
    // Where its particles are asked for, the lattice has summed the stiffness itself.
    built.channels.values = [others = std::move(built.channels.values), own = built.stiffness](
                                std::string_view name, const FieldPlaces& places) {
        if (name != "stiffness" || !places.tets.empty() || places.points.size() != own.size())
            return others(name, places);
        return std::vector<double>(own.begin(), own.end());
    };
    return built;
}

}  // namespace yawara::scene_file
