// From "fem" of a document to a Fem: arrays loaded, selections resolved to the finest tets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "scene_file/build.h"
#include "scene_file/tree_json.h"
#include "yawara/active.h"
#include "yawara/io.h"
#include "yawara/quantities.h"

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

/// One material of the document, ready to be asked for any tet.
struct Source {
    const FemMaterialDocument* document = nullptr;
    std::vector<std::uint8_t> chosen;  ///< per finest tet; empty: all
    std::vector<Elasticity> per_tet;   ///< of a file, or of fibres that turn from place to place
    bool per_base = false;             ///< those are per tet of the given mesh
    Elasticity one;
    std::vector<double> factors;         ///< per vertex; empty: 1
    std::vector<double> volume_factors;  ///< per finest tet; empty: 1
};

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

/// Directions of the fibres at the vertices, from a file or from strokes.
Result<std::vector<Vec3d>> fibre_directions(const FibreDocument& document, const TetMesh& mesh, double scale)
{
    std::vector<Vec3d> directions;
    if (!document.directions.empty()) {
        const Result<Array> array = load_npy(document.directions);
        if (!array) return Error{document.where, array.error().message()};
        if (array->shape != std::vector<std::size_t>{mesh.vertices.size(), 3})
            return Error{document.where + ".directions",
                         fmt::format("{} has shape ({}), expected ({}, 3)", document.directions.string(),
                                     fmt::join(array->shape, ", "), mesh.vertices.size())};
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
            const double* d = &array->values[3 * v];
            directions.push_back({d[0], d[1], d[2]});
        }
        return directions;
    }
    FieldsSpec fields;
    std::vector<Stroke> strokes;
    for (const auto& points : document.strokes) {
        Stroke& stroke = strokes.emplace_back();
        for (const Vec3d& p : points) stroke.points.push_back(p * scale);
    }
    fields.direction = std::move(strokes);
    const Result<ActiveFields> made = make_fields(fields, mesh);
    if (!made) return Error{document.where + ".strokes", made.error().message()};
    for (const Mat3d& frame : made->frames) directions.push_back(frame.c0);
    return directions;
}

Result<std::vector<Elasticity>> turn_fibres(const FibreDocument& document, const TetMesh& mesh, double scale)
{
    const Result<std::vector<Vec3d>> directions = fibre_directions(document, mesh, scale);
    if (!directions) return directions.error();
    std::vector<Elasticity> tensors;
    for (const Int4& tet : mesh.tets) {
        Vec3d mean;  // fibres have no sense: each is counted the way the first one points
        for (const std::int32_t v : tet) {
            const Vec3d d = (*directions)[std::size_t(v)];
            mean += dot(d, mean) < 0 ? -d : d;
        }
        Fibres fibres = document.fibres;
        if (length(mean) > 0) fibres.direction = mean;
        const Result<Elasticity> tensor = transversely_isotropic(fibres);
        if (!tensor) return Error{document.where, tensor.error().message()};
        tensors.push_back(*tensor);
    }
    return tensors;
}

Result<std::vector<double>> load_factors(const FemMaterialDocument& m, std::size_t vertices)
{
    Result<Array> array = load_npy(m.factor);
    if (!array) return Error{m.where + ".factor", array.error().message()};
    if (array->shape != std::vector<std::size_t>{vertices})
        return Error{m.where + ".factor", fmt::format("{} has shape ({}), expected ({},)", m.factor.string(),
                                                      fmt::join(array->shape, ", "), vertices)};
    for (std::size_t v = 0; v < vertices; ++v)
        if (!(array->values[v] > 0))
            return Error{m.where + ".factor",
                         fmt::format("value {} is {:g}; factors are positive", v, array->values[v])};
    return std::move(array->values);
}

/// Factors of a volume model at the centres of the finest tets.
Result<std::vector<double>> sample_volume(const FemVolumeDocument& document, const std::vector<Vec3d>& centers)
{
    Result<cvg::Tree> tree = document.file
                                 ? cvg::load_tree(document.file->path)
                                 : tree_from(Json::parse(document.tree), document.where + ".model", document.folder);
    if (!tree) return document.file ? Error{document.where + ".model", tree.error().message()} : tree.error();
    std::vector<double> factors;
    factors.reserve(centers.size());
    const double ratio = document.stiffest / document.softest;
    bool inside = false;
    for (const Vec3d& p : centers) {
        const cvg::Sample here = tree->at(p);
        inside |= here.opacity > 0;
        factors.push_back(document.softest * std::pow(ratio, double(here.stiffness)));
    }
    if (!inside) return Error{document.where + ".model", "the body lies wholly outside the model"};
    return factors;
}

/// A value of the vertices at a place inside a tet.
double interpolated(const TetMesh& mesh, const std::vector<double>& values, std::int32_t tet, Vec3d p)
{
    const Int4& v = mesh.tets[std::size_t(tet)];
    const auto at = [&](std::size_t a) { return mesh.vertices[std::size_t(v[a])]; };
    const Vec3d a = at(1) - at(0), b = at(2) - at(0), c = at(3) - at(0), q = p - at(0);
    const double det = dot(cross(a, b), c);
    const double u1 = dot(cross(q, b), c) / det, u2 = dot(cross(a, q), c) / det, u3 = dot(cross(a, b), q) / det;
    const auto value = [&](std::size_t k) { return values[std::size_t(v[k])]; };
    return (1 - u1 - u2 - u3) * value(0) + u1 * value(1) + u2 * value(2) + u3 * value(3);
}

}  // namespace

Result<Fem> build_fem(const BodyDocument& body, const Domain& domain)
{
    const FemDocument& document = *body.fem;
    Fem fem;
    fem.mesh = solid_of(domain);
    fem.levels = document.levels;
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

    const std::size_t base = fem.mesh.tets.size(), finest = base << (3 * document.levels);
    std::vector<Vec3d> centers;  // before "place", and only if somebody asks
    auto sources = std::make_shared<std::vector<Source>>();
    for (const FemMaterialDocument& m : document.materials) {
        Source source;
        source.document = &m;
        const bool selects = !std::holds_alternative<SelectEverything>(m.select.kind);
        if (centers.empty() && (selects || m.volume)) {
            centers = finest_centers(fem.mesh, fem.levels);
            for (Vec3d& c : centers) c = c / body.scale;
        }
        if (selects) {
            const auto chosen = select_particles(m.select, centers);
            if (!chosen) return chosen.error();
            source.chosen.assign(finest, 0);
            for (const std::int32_t t : *chosen) source.chosen[std::size_t(t)] = 1;
        }
        if (const auto* one = std::get_if<Elasticity>(&m.elasticity)) {
            source.one = *one;
        } else if (const auto* fibres = std::get_if<FibreDocument>(&m.elasticity)) {
            if (fibres->directions.empty() && fibres->strokes.empty()) {
                source.one = transversely_isotropic(fibres->fibres).value();
            } else {
                Result<std::vector<Elasticity>> tensors = turn_fibres(*fibres, fem.mesh, body.scale);
                if (!tensors) return tensors.error();
                source.per_tet = std::move(*tensors);
            }
        } else {
            Result<std::vector<Elasticity>> tensors =
                load_elasticities(std::get<ElasticityFile>(m.elasticity), base, finest);
            if (!tensors) return tensors.error();
            source.per_tet = std::move(*tensors);
        }
        if (!m.factor.empty()) {
            Result<std::vector<double>> factors = load_factors(m, fem.mesh.vertices.size());
            if (!factors) return factors.error();
            source.factors = std::move(*factors);
        }
        if (m.volume) {
            Result<std::vector<double>> factors = sample_volume(*m.volume, centers);
            if (!factors) return factors.error();
            source.volume_factors = std::move(*factors);
        }
        source.per_base = source.per_tet.size() == base;
        sources->push_back(std::move(source));
    }
    // The document lives as long as the build.
    const auto mesh = std::make_shared<const TetMesh>(fem.mesh);
    fem.material = [sources, mesh](const MaterialPlace& at) -> FemMaterial {
        for (auto source = sources->rbegin(); source != sources->rend(); ++source) {
            const FemMaterialDocument& m = *source->document;
            if (!source->chosen.empty() && !source->chosen[std::size_t(at.tet)]) continue;
            if (!m.regions.empty() && std::find(m.regions.begin(), m.regions.end(), at.region) == m.regions.end())
                continue;
            const Elasticity& tensor = source->per_tet.empty()
                                           ? source->one
                                           : source->per_tet[std::size_t(source->per_base ? at.base_tet : at.tet)];
            const Elasticity viscosity = m.viscosity ? *m.viscosity : tensor * m.viscous_time;
            double factor = 1;
            if (!source->factors.empty()) factor = interpolated(*mesh, source->factors, at.base_tet, at.position);
            if (!source->volume_factors.empty()) factor *= source->volume_factors[std::size_t(at.tet)];
            return {tensor * factor, viscosity * factor, m.density, m.plasticity};
        }
        return {};  // refused as not positive definite, with the number of the tet
    };
    return fem;
}

}  // namespace yawara::scene_file
