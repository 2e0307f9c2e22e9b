// The volume of a body: a bar, a surface filled with tets, a ready tet mesh, or a lattice; and the surface to be drawn.
#include <fmt/format.h>

#include <cmath>

#include "scene_file/build.h"
#include "scene_file/lost_limbs.h"
#include "yawara/io.h"

namespace yawara::scene_file {
namespace {

constexpr double kMostCells = 5e6;
/// The level set that decides which cells of a lattice are inside is this much finer than the lattice.
constexpr double kVoxelsPerCell = 4;

/// x -> scale * x + move
struct Similarity {
    double scale = 1;
    Vec3d move{};
    void apply(std::vector<Vec3d>& points) const
    {
        for (Vec3d& p : points) p = p * scale + move;
    }
};

Error about(const FileName& file, const Error& error)
{
    return {file.where, error.message()};
}

/// A surface and how it looks.
struct LoadedSurface {
    TriMesh mesh;
    std::shared_ptr<const Skin> skin;

    void take_over(BuiltSolid& built)
    {
        built.surface = std::move(mesh);
        if (skin)
            for (const std::string& warning : skin->warnings) built.warnings.push_back(warning);
        built.skin = std::move(skin);
    }
};

Result<LoadedSurface> load_surface(const FileName& file)
{
    if (is_tet_mesh_file(file.path)) {
        return Error{file.where, file.path.string() + " is a volume mesh: use { \"tets\": ... } for it"};
    }
    Result<TriMesh> mesh = load_tri_mesh(file.path);
    if (!mesh) return about(file, mesh.error());
    Result<std::shared_ptr<const Skin>> skin = load_skin(file.path);
    if (!skin) return about(file, skin.error());
    return LoadedSurface{*std::move(mesh), *std::move(skin)};
}

/// The scaling and standing that a document asks for.
Result<Similarity> fitted(const FitDocument& fit, std::span<const Vec3d> vertices, const FileName& file)
{
    Similarity similarity;
    const Box3 box = bounds(vertices);
    const Vec3d size = box.size();
    const double wanted = fit.height > 0 ? fit.height : fit.largest;
    const double found = fit.height > 0 ? size.y : std::max({size.x, size.y, size.z});
    if (wanted > 0 && !(found > 0)) return Error{file.where, "the mesh has no extent to be scaled"};
    if (wanted > 0) similarity.scale = wanted / found;
    if (fit.stand) {
        similarity.move = Vec3d{-box.center().x, -box.low.y, -box.center().z} * similarity.scale;
    }
    return similarity;
}

constexpr int kLookedAt = 128;  // points along each side of the box, in search of the inside

bool nowhere_negative(const std::function<double(Vec3d)>& inside, const Box3& box)
{
    const Vec3d step = box.size() / kLookedAt;
    for (int x = 0; x < kLookedAt; ++x)
        for (int y = 0; y < kLookedAt; ++y)
            for (int z = 0; z < kLookedAt; ++z)
                if (inside(box.low + Vec3d{(x + 0.5) * step.x, (y + 0.5) * step.y, (z + 0.5) * step.z}) < 0)
                    return false;
    return true;
}

/// The cell that gives the wanted number of particles, or nearly.
Result<double> cell_for(const FormulaSolidDocument& solid, const std::function<double(Vec3d)>& inside)
{
    const Vec3d size = solid.box.size();
    double cell = std::cbrt(2 * size.x * size.y * size.z / solid.particles) / 2, best = cell, miss = 1e300;
    for (int round = 0; round < 60 && miss > 0.002; ++round) {
        const Result<TetMesh> mesh = stuff(inside, solid.box, cell);
        if (!mesh && round == 0 && nowhere_negative(inside, solid.box))
            return Error{"formula", fmt::format("is negative at none of {}^3 points in the box; inside is where it is",
                                                kLookedAt)};
        if (!mesh && round >= 8) return mesh.error();
        if (!mesh) {  // no lattice point inside: the shape is thinner than a cell
            cell *= 0.7;
            continue;
        }
        const double ratio = double(mesh->vertices.size()) / solid.particles;
        if (std::abs(ratio - 1) < miss) miss = std::abs(ratio - 1), best = cell;
        // Counts jump where a layer of cells comes or goes: in the end small steps about the best, ever farther.
        cell = round < 8 ? cell * std::cbrt(ratio) : best * (1 + 0.003 * (round % 2 ? 1 : -1) * (round - 6) / 2);
    }
    return best;
}

Result<BuiltSolid> make(const FormulaSolidDocument& solid, Similarity&, const Progress& progress)
{
    const std::function<double(Vec3d)> inside = solid.inside;
    const Vec3d size = solid.box.size();
    Result<double> cell = solid.cell > 0 ? Result<double>(solid.cell) : cell_for(solid, inside);
    if (!cell) return cell.error();
    if (size.x * size.y * size.z > kMostCells * std::pow(*cell / solid.detail, 3))
        return Error{
            "", fmt::format(
                    "cells of {:g} m, drawn with {:g} times the detail, are too fine for a box of {:g} x {:g} x {:g} m",
                    *cell, solid.detail, size.x, size.y, size.z)};
    Result<TetMesh> mesh = stuff(inside, solid.box, *cell, progress);
    if (!mesh) return mesh.error();
    const Result<LevelSet> drawn = LevelSet::from_function(inside, solid.box, *cell / solid.detail);
    if (!drawn) return drawn.error();
    BuiltSolid built;
    built.domain = std::move(*mesh);
    built.surface = drawn->surface();
    built.warnings = lost_limbs(built.domain, built.surface, *cell);
    return built;
}

Result<BuiltSolid> make(const BarDocument& bar, Similarity&, const Progress&)
{
    BuiltSolid built;
    built.domain = make_bar(bar.size, bar.cells, {-bar.size.x / 2, 0, -bar.size.z / 2});
    return built;
}

Result<BuiltSolid> make(const SurfaceSolidDocument& solid, Similarity& similarity, const Progress& progress)
{
    Result<LoadedSurface> surface = load_surface(solid.file);
    if (!surface) return surface.error();
    std::vector<Vec3d>& vertices = surface->mesh.vertices;
    const Result<Similarity> fit = fitted(solid.fit, vertices, solid.file);
    if (!fit) return fit.error();
    similarity = *fit;
    similarity.apply(vertices);
    const Vec3d size = bounds(vertices).size();
    if (solid.cell > 0 && size.x * size.y * size.z > kMostCells * std::pow(solid.cell, 3)) {
        return Error{solid.file.where, fmt::format("cells of {:g} m are too fine for a surface of {:g} x {:g} x {:g} m",
                                                   solid.cell, size.x, size.y, size.z)};
    }
    SolidOptions options;
    options.cell = solid.cell;
    options.particles = solid.particles;
    options.progress = progress;
    Result<Solid> made = make_solid(surface->mesh, options);
    if (!made) return about(solid.file, made.error());
    BuiltSolid built;
    built.domain = std::move(made->mesh);
    built.warnings = made->report.warnings;
    surface->take_over(built);
    built.report = std::move(made->report);
    return built;
}

Result<BuiltSolid> make(const TetsDocument& tets, Similarity& similarity, const Progress&)
{
    Result<TetMesh> mesh = load_tet_mesh(tets.file.path);
    if (!mesh) return about(tets.file, mesh.error());
    const Result<Similarity> fit = fitted(tets.fit, mesh->vertices, tets.file);
    if (!fit) return fit.error();
    similarity = *fit;
    similarity.apply(mesh->vertices);
    Result<TetReport> report = repair(*mesh);
    if (!report) return about(tets.file, report.error());
    BuiltSolid built;
    built.domain = std::move(*mesh);
    built.warnings = report->messages();
    return built;
}

Result<BuiltSolid> make(const LatticeBoxDocument& box, Similarity&, const Progress&)
{
    std::vector<Int3> occupied;
    for (int z = 0; z < box.cells[2]; ++z) {
        for (int y = 0; y < box.cells[1]; ++y) {
            for (int x = 0; x < box.cells[0]; ++x) occupied.push_back({x, y, z});
        }
    }
    BuiltSolid built;
    built.domain = make_lattice({-box.size.x / 2, 0, -box.size.z / 2}, box.size.x / box.cells[0], occupied);
    return built;
}

Result<BuiltSolid> make(const LatticeSurfaceDocument& solid, Similarity&, const Progress& progress)
{
    Result<LoadedSurface> surface = load_surface(solid.file);
    if (!surface) return surface.error();
    const Box3 box = bounds(surface->mesh.vertices);
    const Vec3d counts{std::ceil(box.size().x / solid.cell), std::ceil(box.size().y / solid.cell),
                       std::ceil(box.size().z / solid.cell)};
    if (!(counts.x * counts.y * counts.z <= kMostCells)) {
        return Error{solid.file.where, fmt::format("cells of {:g} m are too fine for a surface of {:g} x {:g} x {:g} m",
                                                   solid.cell, box.size().x, box.size().y, box.size().z)};
    }
    const Result<LevelSet> inside = LevelSet::from_mesh(surface->mesh, solid.cell / kVoxelsPerCell, progress);
    if (!inside) return about(solid.file, inside.error());
    const Vec3d origin = box.center() - counts * (solid.cell / 2);
    std::vector<Int3> occupied;
    for (int z = 0; z < counts.z; ++z) {
        for (int y = 0; y < counts.y; ++y) {
            for (int x = 0; x < counts.x; ++x) {
                if ((*inside)(origin + Vec3d{x + 0.5, y + 0.5, z + 0.5} * solid.cell) < 0)
                    occupied.push_back({x, y, z});
            }
        }
    }
    if (occupied.empty()) {
        return Error{solid.file.where, fmt::format("no cell of {:g} m has its centre inside the surface", solid.cell)};
    }
    BuiltSolid built;
    built.domain = make_lattice(origin, solid.cell, occupied);
    built.warnings = lost_limbs(built.domain, surface->mesh, solid.cell);
    surface->take_over(built);
    return built;
}

void enlarge(BuiltSolid& solid, double scale)
{
    const Similarity larger{scale};
    larger.apply(solid.surface.vertices);
    if (auto* mesh = std::get_if<TetMesh>(&solid.domain)) {
        larger.apply(mesh->vertices);
    } else if (auto* lattice = std::get_if<Lattice>(&solid.domain)) {
        lattice->origin *= scale;
        lattice->cell *= scale;
    }
    if (solid.colors) {
        const auto colors = std::make_shared<InsideMap>(*solid.colors);
        colors->low *= float(scale);
        colors->cell *= float(scale);
        solid.colors = colors;
    }
}

}  // namespace

Result<BuiltSolid> build_solid(const BodyDocument& body, const Progress& progress)
{
    Similarity of_file;  // what happened to the coordinates of the solid's file: a surface beside it gets the same
    std::optional<TriMesh> carried;
    std::shared_ptr<const Skin> worn;
    if (body.surface) {
        Result<LoadedSurface> surface = load_surface(*body.surface);
        if (!surface) return surface.error();
        carried = std::move(surface->mesh);
        worn = std::move(surface->skin);
    }
    Result<BuiltSolid> built = std::visit(
        [&](const auto& kind) {
            if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, VolumeDocument>)
                return build_volume(kind, carried, progress);
            else
                return make(kind, of_file, progress);
        },
        body.solid.kind);
    if (!built) return built.error().where.empty() ? Error{body.solid.where, built.error().what} : built.error();
    if (carried) {
        of_file.apply(carried->vertices);
        LoadedSurface{*std::move(carried), std::move(worn)}.take_over(*built);
    }
    if (body.scale != 1) enlarge(*built, body.scale);
    built->file_scale = of_file.scale * body.scale;
    built->file_move = of_file.move * body.scale;
    return built;
}

}  // namespace yawara::scene_file
