// What users may see of a finite-element body: its forest, and where its front is.
#include <algorithm>

#include "sim/body_model.h"

namespace yawara {

ForestView BodyModel::forest() const
{
    ForestView view;
    if (!is_fem()) return view;
    const fem::FemModel& model = *data_->fem;
    const fem::TetForest& forest = model.forest;
    view.nodes.assign(forest.rest().begin(), forest.rest().end());
    view.levels = forest.levels();
    view.coarsening_seconds = model.coarsening_seconds;
    view.from_cache = model.from_cache;
    view.law = (model.law ? model.law : st_venant_kirchhoff_law())->name();
    view.elements = model.elements;
    for (auto t = std::size_t(forest.first_of(forest.levels())); t < forest.tet_count(); ++t)
        view.muscle_tets += std::any_of(model.muscles.begin(), model.muscles.end(),
                                        [&](const fem::MuscleModel& m) { return m.fibres[t].stiffness > 0; });
    view.stable_step = 1e30;
    for (std::int32_t t = 0; t < std::int32_t(forest.tet_count()); ++t) {
        const Int4& v = forest.tet(t);
        const auto material = std::size_t(model.material_of[std::size_t(t)]);
        view.tets.push_back({v[0], v[1], v[2], v[3], forest.level_of(t), forest.parent(t)});
        view.elasticity.push_back(model.elasticities[material]);
        view.viscosity.push_back(model.viscosities[material]);
        if (t < forest.first_of(forest.levels())) continue;
        view.stable_step = std::min(view.stable_step, double(model.frequencies[std::size_t(t)].stable_step(1, 0)));
    }
    return view;
}

std::vector<std::int32_t> active_levels(const BodyModel& model, const BodyState& state)
{
    std::vector<std::int32_t> levels;
    if (!model.is_fem()) return levels;
    const fem::TetForest& forest = model.data().fem->forest;
    levels.assign(forest.count_of(forest.levels()), 0);
    const std::int32_t first = forest.first_of(forest.levels());
    // Parents come first, so what a deeper split writes stands.
    for (std::size_t t = 0; t < state.fem.front.size() && t < forest.inner_count(); ++t) {
        if (state.fem.front[t] == 0) continue;
        const auto [begin, end] = forest.finest_in(std::int32_t(t));
        std::fill(levels.begin() + (begin - first), levels.begin() + (end - first),
                  forest.level_of(std::int32_t(t)) + 1);
    }
    return levels;
}

std::vector<Int4> active_tets(const BodyModel& model, const BodyState& state)
{
    std::vector<Int4> tets;
    if (!model.is_fem()) return tets;
    const fem::TetForest& forest = model.data().fem->forest;
    const auto is_split = [&](std::int32_t t) {
        const auto k = std::size_t(t);
        return k < std::min(state.fem.front.size(), forest.inner_count()) && state.fem.front[k] != 0;
    };
    const auto visit = [&](auto&& self, std::int32_t t, int level) -> void {
        if (!is_split(t)) return tets.push_back(forest.tet(t));
        const std::int32_t first = forest.first_of(level + 1) + 8 * (t - forest.first_of(level));
        for (std::int32_t c = first; c < first + 8; ++c) self(self, c, level + 1);
    };
    for (std::int32_t t = 0; t < std::int32_t(forest.base_count()); ++t) visit(visit, t, 0);
    return tets;
}

}  // namespace yawara
