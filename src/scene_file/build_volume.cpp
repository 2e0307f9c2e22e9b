// A volume model as the solid of a body: evaluated, then cells or tetrahedra, with a smooth coloured surface.
#include <fmt/format.h>

#include "scene_file/build.h"
#include "scene_file/tree_json.h"
#include "yawara/io.h"

namespace yawara::scene_file {

Result<BuiltSolid> build_volume(const VolumeDocument& document, const std::optional<TriMesh>& carried,
                                const Progress& progress)
{
    Result<cvg::Tree> tree = document.file
                                 ? cvg::load_tree(document.file->path)
                                 : tree_from(Json::parse(document.tree), document.where + ".volume", document.folder);
    if (!tree) return document.file ? Error{document.where + ".volume", tree.error().message()} : tree.error();
    const double voxel = document.cell / document.voxels;
    Result<cvg::Volume> volume = cvg::Volume::evaluate(*tree, voxel, progress);
    if (!volume) return Error{document.where, volume.error().message()};

    BuiltSolid built;
    cvg::SurfaceOptions look;
    if (document.cut) look.cut = std::pair(document.cut->point, document.cut->normal);
    built.surface = volume->surface(look);
    if (document.as_tets) {
        SolidOptions options;
        options.cell = document.cell;
        options.progress = progress;
        Result<Solid> made = make_solid(volume->surface(), options);
        if (!made) return Error{document.where, made.error().message()};
        for (const Vec3d& p : made->mesh.vertices) built.stiffness.push_back(volume->at(p).stiffness);
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
    built.domain = std::move(lattice->lattice);
    built.stiffness = std::move(lattice->stiffness);
    return built;
}

}  // namespace yawara::scene_file
