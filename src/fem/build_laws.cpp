#include "fem/build_laws.h"

#include <algorithm>
#include <cmath>

namespace yawara::fem {
namespace {

constexpr double kLimit = 100;  // of the values of a muscle's chart and their inverses

/// Of a coarse tet: along the direction that most of its fibres have, as stiff as they are on average.
MuscleModel::Fibre mean_of(std::span<const MuscleModel::Fibre> fibres)
{
    Eigen::Matrix3d directions = Eigen::Matrix3d::Zero();
    double stiffness = 0, delay = 0;
    for (const MuscleModel::Fibre& fibre : fibres) {
        const Eigen::Vector3d d(fibre.direction.x, fibre.direction.y, fibre.direction.z);
        directions += fibre.stiffness * d * d.transpose();
        stiffness += fibre.stiffness;
        delay += fibre.stiffness * double(fibre.delay);
    }
    if (!(stiffness > 0)) return {};
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(directions);
    const Eigen::Vector3d d = solver.eigenvectors().col(2);
    return {{d.x(), d.y(), d.z()}, stiffness / double(fibres.size()), float(delay / stiffness)};
}

bool same(const MuscleModel::Fibre& a, const MuscleModel::Fibre& b)
{
    return a.stiffness == b.stiffness && a.delay == b.delay &&
           (a.stiffness == 0 || std::abs(dot(a.direction, b.direction)) > 1 - 1e-12);
}

/// Sampled at the finest tets, which come last in the forest.
Result<MuscleModel> sample_muscle(const FemMuscle& muscle, const FieldPlaces& places, const TetForest& forest,
                                  std::vector<std::string>& warnings)
{
    const auto use = [&](const char* name) {
        return FieldUse{.name = muscle.where + "." + name, .warnings = &warnings};
    };
    Charts charts{muscle.period, kLimit, {muscle.chart, {}, {}}};
    if (const Status ok = check(charts); !ok) return Error{muscle.where + ".chart", ok.error().message()};
    if (!(std::abs(muscle.speed) > 0) || !std::isfinite(muscle.speed))
        return Error{muscle.where + ".speed", "is zero or not finite"};
    const Result<std::vector<Vec3d>> directions = sample(muscle.direction, places, use("direction"));
    if (!directions) return directions.error();
    FieldUse not_negative = use("stiffness");
    not_negative.low = 0;
    const Result<std::vector<double>> stiffness = sample(muscle.stiffness, places, not_negative);
    if (!stiffness) return stiffness.error();
    const Result<std::vector<double>> phase = sample(muscle.phase, places, use("phase"));
    if (!phase) return phase.error();

    MuscleModel model{muscles::ChartCurve(charts), std::vector<MuscleModel::Fibre>(forest.tet_count())};
    const auto first = std::size_t(forest.first_of(forest.levels()));
    bool any = false;
    for (std::size_t t = 0; t < places.points.size(); ++t) {
        const Vec3d direction = normalized((*directions)[t]);
        if (!(length(direction) > 0) || !((*stiffness)[t] > 0)) continue;
        const double delay = (*phase)[t] / muscle.speed;
        model.fibres[first + t] = {direction, (*stiffness)[t],
                                   float(delay - muscle.period * std::floor(delay / muscle.period))};
        any = true;
    }
    if (!any) warnings.push_back(muscle.where + ": has no fibres: nowhere both a direction and a stiffness");
    for (std::size_t t = forest.inner_count(); t-- > 0;)
        model.fibres[t] = mean_of(std::span(model.fibres).subspan(std::size_t(forest.first_child(std::int32_t(t))), 8));
    return model;
}

}  // namespace

Status choose_law(const Fem& spec, std::span<const Elasticity> materials, FemModel& model)
{
    const bool other = spec.law && spec.law->name() != st_venant_kirchhoff_law()->name();
    const bool nodal = spec.elements == Elements::nodal;
    model.elements = spec.elements;
    if (!other && !nodal && spec.muscles.empty()) return Done{};
    model.law = spec.law ? spec.law : st_venant_kirchhoff_law();

    const std::string where = other ? "law" : nodal ? "elements" : "muscles";
    if (model.plastic) return Error{where, "plasticity needs linear elements of the law stvk without muscles"};
    if (spec.strain_tolerances)
        return Error{where,
                     "the strain rule of refinement needs linear elements of the law stvk without muscles: "
                     "take the residual rule"};
    if (nodal && !spec.fronts.empty())
        return Error{"elements", "nodal elements are always at the finest level: there can be no fronts"};
    Lame lame;
    for (std::size_t m = 0; m < materials.size() && !model.law->takes_any_tensor(); ++m)
        if (!is_isotropic(materials[m], lame))
            return Error{"law", std::string(model.law->name()) +
                                    " needs isotropic materials: add fibres as a muscle, or take stvk"};
    return Done{};
}

Elasticity nearest_isotropic(const Elasticity& tensor)
{
    if (Lame lame; is_isotropic(tensor, lame)) return tensor;
    const Matrix6 C = to_kelvin(to_eigen(tensor));
    const double volume = C.topLeftCorner<3, 3>().sum() / 3;  // 3 K
    const double shape = (C.trace() - volume) / 5;            // 2 mu
    return isotropic_lame((volume - shape) / 3, shape / 2);
}

Status sample_muscles(const Fem& spec, const Channels& channels, FemModel& model, std::vector<std::string>& warnings)
{
    if (spec.muscles.empty()) return Done{};
    const TetForest& forest = model.forest;
    const Domain domain = spec.mesh;
    Result<FieldPlaces> places = finest_places(domain, spec.levels);
    if (!places) return places.error();
    places->channels = channels;
    for (const FemMuscle& muscle : spec.muscles) {
        Result<MuscleModel> sampled = sample_muscle(muscle, *places, forest, warnings);
        if (!sampled) return sampled.error();
        for (std::size_t t = 0; t < forest.inner_count(); ++t) {
            const auto first = std::size_t(forest.first_child(std::int32_t(t)));
            for (std::size_t c = first; c < first + 8; ++c)
                model.softened[t] |= !same(sampled->fibres[c], sampled->fibres[t]);
        }
        model.muscles.push_back(std::move(*sampled));
    }
    return Done{};
}

void add_muscle_frequencies(FemModel& model)
{
    for (const MuscleModel& muscle : model.muscles)
        for (std::size_t t = 0; t < muscle.fibres.size(); ++t) {
            const double volume = shape_of(model.forest.corners(std::int32_t(t))).volume;
            model.frequencies[t].square += model.frequencies[t].tension * float(volume * muscle.fibres[t].stiffness);
        }
}

}  // namespace yawara::fem
