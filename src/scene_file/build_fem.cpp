// From "fem" of a document to a Fem: files of tensors and volume models loaded, fields sampled at the finest tets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "scene_file/build.h"
#include "scene_file/tree_json.h"
#include "yawara/io.h"
#include "yawara/law.h"

namespace yawara::scene_file {
namespace {

/// Where this user's programs keep what they can compute again; empty if there is no such place.
std::filesystem::path cache_folder()
{
    if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder && *folder)
        return std::filesystem::path(folder) / "yawara" / "fem";
    if (const char* home = std::getenv("HOME"); home && *home)
        return std::filesystem::path(home) / ".cache" / "yawara" / "fem";
    return {};
}

Result<std::vector<Elasticity>> load_elasticities(const ElasticityFile& file, std::size_t base, std::size_t finest)
{
    const Result<Array> array = load_npy(file.path);
    if (!array) return Error{file.where, array.error().message()};
    const auto& shape = array->shape;
    if (shape.size() != 3 || shape[1] != 6 || shape[2] != 6 || (shape[0] != base && shape[0] != finest))
        return Error{file.where, fmt::format("{} has shape ({}), expected ({}, 6, 6) or ({}, 6, 6)", file.path.string(),
                                             fmt::join(shape, ", "), base, finest)};
    std::vector<Elasticity> tensors(shape[0]);
    for (std::size_t t = 0; t < tensors.size(); ++t)
        std::copy_n(array->values.begin() + std::ptrdiff_t(36 * t), 36, tensors[t].c.begin());
    return tensors;
}

/// Factors of a volume model at the centres of the finest tets.
Result<std::vector<double>> sample_volume(const FemVolumeDocument& document, const FieldPlaces& places)
{
    Result<cvg::Tree> tree = document.file
                                 ? cvg::load_tree(document.file->path)
                                 : tree_from(Json::parse(document.tree), document.where + ".model", document.folder);
    if (!tree) return document.file ? Error{document.where + ".model", tree.error().message()} : tree.error();
    std::vector<double> factors;
    factors.reserve(places.points.size());
    const double ratio = document.stiffest / document.softest;
    bool inside = false;
    for (const Vec3d& p : places.unscaled()) {
        const cvg::Sample here = tree->at(p);
        inside |= here.opacity > 0;
        factors.push_back(document.softest * std::pow(ratio, double(here.stiffness)));
    }
    if (!inside) return Error{document.where + ".model", "the body lies wholly outside the model"};
    return factors;
}

/// A field with its values instead, and what there is to say about them.
template <class T>
Status sample_in_place(Field<T>& field, const FieldPlaces& places, const FieldUse& use)
{
    if (field.constant()) return Done{};
    Result<std::vector<T>> values = sample(field, places, use);
    if (!values) return values.error();
    field = *std::move(values);
    return Done{};
}

/// What is painted on a material is sampled here: what the engine does not find is told with its place.
Status sample_paint(FemPart& part, const FieldPlaces& places, std::vector<std::string>& warnings)
{
    const auto name = [&](const char* field) { return part.where + "." + field; };
    const auto told = [&](FieldUse use) {
        use.warnings = &warnings;
        return use;
    };
    for (Field<double>& factor : part.factors)
        if (const Status ok = sample_in_place(factor, places, told(positive(name("factor")))); !ok) return ok;
    if (auto* fields = std::get_if<IsotropicFields>(&part.elasticity))
        if (const Status ok = sample_in_place(fields->young, places, told(positive(name("young")))); !ok) return ok;
    return sample_in_place(part.density, places, told({.name = name("density"), .low = 0}));
}

/// A material with its files read.
Result<FemPart> part_of(const FemMaterialDocument& document, std::size_t base, std::size_t finest)
{
    FemPart part = document.part;
    if (document.file) {
        Result<std::vector<Elasticity>> tensors = load_elasticities(*document.file, base, finest);
        if (!tensors) return tensors.error();
        part.elasticity = std::move(*tensors);
    }
    if (document.volume)
        part.factors.push_back(
            Deferred<double>{[volume = *document.volume](const FieldPlaces& places, const FieldUse&) {
                return sample_volume(volume, places);
            }});
    return part;
}

/// A muscle with its fields sampled: places know how the body was enlarged, the engine does not.
Result<FemMuscle> sampled_muscle(FemMuscle muscle, const FieldPlaces& places, std::vector<std::string>& warnings)
{
    const auto replace = [&](auto& field, const char* name) -> Status {
        auto values = sample(field, places, {.name = muscle.where + "." + name, .warnings = &warnings});
        if (!values) return values.error();
        field = std::move(*values);
        return Done{};
    };
    if (const Status ok = replace(muscle.direction, "direction"); !ok) return ok.error();
    if (const Status ok = replace(muscle.stiffness, "stiffness"); !ok) return ok.error();
    if (const Status ok = replace(muscle.phase, "phase"); !ok) return ok.error();
    return muscle;
}

}  // namespace

Result<Fem> build_fem(const BodyDocument& body, const FieldPlaces& places, std::vector<std::string>& warnings)
{
    const FemDocument& document = *body.fem;
    Fem fem;
    fem.mesh = std::get<TetMesh>(places.domain);
    fem.levels = document.levels;
    fem.law = law_named(document.law);
    fem.elements = document.elements;
    for (const FemMuscle& muscle : document.muscles) {
        Result<FemMuscle> sampled = sampled_muscle(muscle, places, warnings);
        if (!sampled) return sampled.error();
        fem.muscles.push_back(std::move(*sampled));
    }
    fem.coarsening = document.coarsening;
    fem.fit_tolerance = document.fit_tolerance;
    fem.strain_tolerances = body.settings.fem.refinement == Refinement::strain;
    fem.fronts = document.fronts;
    for (ForcedFront& front : fem.fronts)
        for (ForcedFront::Region& region : front.boxes) {
            region.box.low *= body.scale;
            region.box.high *= body.scale;
        }
    if (document.cache) fem.cache = cache_folder();

    std::vector<FemPart> parts;
    for (const FemMaterialDocument& m : document.materials) {
        Result<FemPart> part = part_of(m, fem.mesh.tets.size(), places.points.size());
        if (!part) return part.error();
        if (const Status ok = sample_paint(*part, places, warnings); !ok) return ok.error();
        parts.push_back(std::move(*part));
    }
    auto material = material_of(std::move(parts), places);
    if (!material) return material.error();
    fem.material = std::move(*material);
    return fem;
}

}  // namespace yawara::scene_file
