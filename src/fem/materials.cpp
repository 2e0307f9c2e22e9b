// material_of(): what every finest tet is made of, from parts whose numbers are fields.
#include <algorithm>
#include <cmath>

#include "fem/forest.h"
#include "yawara/fem.h"

namespace yawara {
namespace {

/// Of a field that was sampled: one for all tets, or one per finest tet.
double value(const std::vector<double>& values, std::size_t tet)
{
    return values[values.size() == 1 ? 0 : tet];
}

/// One part with its fields sampled, ready to be asked for any tet.
struct SampledPart {
    FemPart part;
    std::vector<std::uint8_t> chosen;    ///< per finest tet; empty: all
    std::vector<double> young, poisson;  ///< of IsotropicFields that are not constant, see value()
    std::vector<Vec3d> directions;       ///< of FibreFields that are not constant, per finest tet
    bool tensors_per_base = false;       ///< tensors are those of the given tets
    std::vector<std::vector<double>> factors;
    std::vector<double> densities;
    Elasticity one;  ///< where it is the same everywhere

    Elasticity elasticity(const MaterialPlace& at) const
    {
        const auto tet = std::size_t(at.tet);
        if (!young.empty()) return isotropic(value(young, tet), value(poisson, tet)).value();
        if (!directions.empty()) {
            Fibres fibres = std::get<FibreFields>(part.elasticity).fibres;
            if (length(directions[tet]) > 0) fibres.direction = directions[tet];
            return transversely_isotropic(fibres).value();
        }
        if (const auto* tensors = std::get_if<std::vector<Elasticity>>(&part.elasticity))
            return (*tensors)[std::size_t(tensors_per_base ? at.base_tet : at.tet)];
        return one;
    }
    FemMaterial material(const MaterialPlace& at) const
    {
        const Elasticity tensor = elasticity(at);
        const Elasticity viscosity = part.viscosity ? *part.viscosity : tensor * part.viscous_time;
        double factor = 1;
        for (const std::vector<double>& field : factors) factor *= value(field, std::size_t(at.tet));
        return {tensor * factor, viscosity * factor, value(densities, std::size_t(at.tet)), part.plasticity};
    }
    bool has(const MaterialPlace& at) const
    {
        if (!chosen.empty() && !chosen[std::size_t(at.tet)]) return false;
        return part.labels.empty() || std::find(part.labels.begin(), part.labels.end(), at.region) != part.labels.end();
    }
};

std::string named(const std::string& part, const char* field)
{
    return part.empty() ? field : part + "." + field;
}

class PartSampler {
public:
    explicit PartSampler(const FieldPlaces& places) : places_(places) {}

    Result<SampledPart> operator()(FemPart part) const
    {
        SampledPart out;
        if (const Status ok = select(part, out); !ok) return ok.error();
        const Status ok =
            std::visit([&](const auto& kind) { return elasticity(kind, part.where, out); }, part.elasticity);
        if (!ok) return ok.error();
        for (const Field<double>& factor : part.factors) {
            Result<std::vector<double>> values = sampled(factor, positive(named(part.where, "factor")));
            if (!values) return values.error();
            out.factors.push_back(std::move(*values));
        }
        Result<std::vector<double>> densities = sampled(part.density, {.name = named(part.where, "density"), .low = 0});
        if (!densities) return densities.error();
        out.densities = std::move(*densities);
        out.part = std::move(part);
        return out;
    }

private:
    /// One value if it is the same everywhere: there may be many parts, and very many tets.
    Result<std::vector<double>> sampled(const Field<double>& field, const FieldUse& use) const
    {
        if (!field.constant()) return sample(field, places_, use);
        return sample(field, FieldPlaces{places_.domain, {Vec3d{}}, {}}, use);
    }
    Status select(const FemPart& part, SampledPart& out) const
    {
        if (std::holds_alternative<SelectEverything>(part.select.kind)) return Done{};
        const auto chosen = select_particles(part.select, places_.unscaled());
        if (!chosen)
            return chosen.error().where.empty() ? Error{named(part.where, "select"), chosen.error().what}
                                                : chosen.error();
        out.chosen.assign(places_.points.size(), 0);
        for (const std::int32_t t : *chosen) out.chosen[std::size_t(t)] = 1;
        return Done{};
    }
    Status elasticity(const Elasticity& tensor, const std::string&, SampledPart& out) const
    {
        out.one = tensor;
        return Done{};
    }
    Status elasticity(const IsotropicFields& fields, const std::string& where, SampledPart& out) const
    {
        if (fields.young.constant() && fields.poisson.constant()) {
            const Result<Elasticity> tensor = isotropic(*fields.young.constant(), *fields.poisson.constant());
            if (!tensor) return Error{where, tensor.error().message()};
            out.one = *tensor;
            return Done{};
        }
        Result<std::vector<double>> young = sampled(fields.young, positive(named(where, "young")));
        if (!young) return young.error();
        const double below_half = std::nextafter(0.5, 0.0);
        Result<std::vector<double>> poisson = sampled(
            fields.poisson, {.name = named(where, "poisson"), .low = -1, .high = below_half, .above_low = true});
        if (!poisson) return poisson.error();
        out.young = std::move(*young);
        out.poisson = std::move(*poisson);
        return Done{};
    }
    Status elasticity(const FibreFields& fields, const std::string& where, SampledPart& out) const
    {
        Fibres fibres = fields.fibres;
        if (const Vec3d* d = fields.direction.constant(); d && length(*d) > 0) fibres.direction = *d;
        const Result<Elasticity> tensor = transversely_isotropic(fibres);
        if (!tensor) return Error{where, tensor.error().message()};
        out.one = *tensor;
        if (fields.direction.constant()) return Done{};
        Result<std::vector<Vec3d>> directions =
            sample(fields.direction, places_, {.name = named(where, "fibres.direction")});
        if (!directions) return directions.error();
        out.directions = std::move(*directions);
        return Done{};
    }
    Status elasticity(const std::vector<Elasticity>& tensors, const std::string& where, SampledPart& out) const
    {
        const std::size_t base = std::get<TetMesh>(places_.domain).tets.size(), finest = places_.points.size();
        if (tensors.size() != base && tensors.size() != finest)
            return Error{where, std::to_string(tensors.size()) + " tensors for " + std::to_string(base) + " tets or " +
                                    std::to_string(finest) + " finest ones"};
        out.tensors_per_base = tensors.size() == base;
        return Done{};
    }

    const FieldPlaces& places_;
};

}  // namespace

Result<FieldPlaces> finest_places(const Domain& domain, int levels)
{
    if (const Status ok = fem::check_size(std::get<TetMesh>(domain), levels); !ok) return ok.error();
    FieldPlaces places{domain, finest_centers(std::get<TetMesh>(domain), levels), {}};
    for (std::size_t t = 0; t < places.points.size(); ++t) places.tets.push_back(std::int32_t(t >> (3 * levels)));
    return places;
}

Result<std::function<FemMaterial(const MaterialPlace&)>> material_of(std::vector<FemPart> parts,
                                                                     const FieldPlaces& finest)
{
    auto sampled = std::make_shared<std::vector<SampledPart>>();
    for (FemPart& part : parts) {
        Result<SampledPart> made = PartSampler(finest)(std::move(part));
        if (!made) return made.error();
        sampled->push_back(std::move(*made));
    }
    return std::function<FemMaterial(const MaterialPlace&)>([sampled](const MaterialPlace& at) -> FemMaterial {
        const auto part =
            std::find_if(sampled->rbegin(), sampled->rend(), [&](const SampledPart& p) { return p.has(at); });
        return part == sampled->rend() ? FemMaterial{}
                                       : part->material(at);  // none: refused with the number of the tet
    });
}

}  // namespace yawara
