// Widths of a lattice body from its document: arrays read, strokes laid on, the volume's stiffness taken over.
#include <fmt/format.h>

#include "scene_file/build.h"
#include "yawara/io.h"

namespace yawara::scene_file {
namespace {

Result<Array> load_per_particle(const FileName& file, std::size_t particles, bool triples_too)
{
    Result<Array> array = load_npy(file.path);
    if (!array) return Error{file.where, array.error().message()};
    const bool one = array->shape == std::vector<std::size_t>{particles};
    const bool three = triples_too && array->shape == std::vector<std::size_t>{particles, 3};
    if (!one && !three)
        return Error{file.where, fmt::format("{} has shape ({}), expected ({}){}", file.path.string(),
                                             fmt::join(array->shape, ", "), particles,
                                             triples_too ? fmt::format(" or ({}, 3)", particles) : "")};
    return array;
}

}  // namespace

Result<Widths> build_widths(const BodyDocument& body, const std::vector<Vec3d>& rest, std::vector<float> from_volume)
{
    Widths widths;
    const std::size_t n = rest.size();
    widths.stiffness = std::move(from_volume);
    if (!body.regions) return widths;
    const RegionsDocument& regions = *body.regions;
    widths.rule = regions.rule;
    widths.law = regions.law;
    widths.rigid = regions.rigid;
    if (regions.widths) widths.reach.assign(n, *regions.widths);
    if (regions.widths_file) {
        const Result<Array> array = load_per_particle(*regions.widths_file, n, true);
        if (!array) return array.error();
        const std::size_t columns = array->shape.size() == 2 ? 3 : 1;
        for (std::size_t i = 0; i < n; ++i) {
            Int3 reach;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double w = array->values[i * columns + (columns == 3 ? axis : 0)];
                if (!(w >= 0 && w <= 30) || w != std::floor(w))
                    return Error{regions.widths_file->where,
                                 fmt::format("width {} is {:g}; expected a whole number from 0 to 30", i, w)};
                reach[axis] = int(w);
            }
            widths.reach.push_back(reach);
        }
    }
    if (!widths.reach.empty()) widths.stiffness.clear();
    if (regions.alphas_file) {
        const Result<Array> array = load_per_particle(*regions.alphas_file, n, false);
        if (!array) return array.error();
        widths.alphas.assign(array->values.begin(), array->values.end());
    }
    if (regions.stiffness_file) {
        const Result<Array> array = load_per_particle(*regions.stiffness_file, n, false);
        if (!array) return array.error();
        widths.stiffness.assign(array->values.begin(), array->values.end());
    }
    if (!regions.strokes.empty()) {
        if (widths.stiffness.empty()) widths.stiffness.assign(n, 0.0f);
        std::vector<Vec3d> places = rest;
        for (Vec3d& p : places) p = p / body.scale;
        for (const StrokeDocument& stroke : regions.strokes) {
            const auto particles = select_particles(stroke.select, places);
            if (!particles) return particles.error();
            for (const std::int32_t i : *particles) widths.stiffness[std::size_t(i)] = float(stroke.value);
        }
    }
    if (!regions.changes.empty() && widths.stiffness.empty())
        return Error{regions.where + ".changes", "there is no stiffness that could change"};
    return widths;
}

}  // namespace yawara::scene_file
