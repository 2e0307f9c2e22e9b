// What is active about a built body.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "matching/combine.h"
#include "sim/body_model.h"
#include "yawara/active.h"

namespace yawara {

const ActiveParts* active_parts(const BodyModel& model)
{
    for (const auto& layer : model.data().stretch)
        if (const ActiveParts* parts = active_parts(*layer)) return parts;
    return nullptr;
}

std::vector<const ActiveParts*> all_active_parts(const BodyModel& model)
{
    std::vector<const ActiveParts*> all;
    for (const auto& layer : model.data().stretch)
        if (const ActiveParts* parts = active_parts(*layer)) all.push_back(parts);
    return all;
}

Result<BodyModel> with_charts(const BodyModel& model, std::span<const ChartedLayer> layers)
{
    auto data = std::make_shared<BodyModel::Data>(model.data());
    std::size_t next = 0;
    for (auto& layer : data->stretch) {
        const ActiveParts* parts = active_parts(*layer);
        if (!parts) continue;
        if (next == layers.size()) return Error{"charts", "there are fewer than the body has active layers"};
        auto charted = active(parts->fields, layers[next]);
        if (!charted) return charted.error();
        layer = *std::move(charted);
        ++next;
    }
    if (next != layers.size()) return Error{"charts", "there are more than the body has active layers"};
    data->asked = matching::join_layers(data->stretch, data->stretch_before_examples).layers;
    return BodyModel(std::move(data)).renamed(model.name());
}

std::vector<ChartedLayer> going_on(const BodyModel& from, std::vector<ChartedLayer> layers, double time)
{
    const std::vector<const ActiveParts*> old = all_active_parts(from);
    for (std::size_t k = 0; k < std::min(old.size(), layers.size()); ++k) {
        const ChartedLayer& before = old[k]->layer;
        if (before.keys.size() > 1 || layers[k].keys.size() > 1) continue;
        layers[k].lead = before.lead;
        const Beat was = beat(before, time), is = beat(layers[k], time);
        if (was.frequency == is.frequency) continue;
        const double behind = was.cycles - is.cycles;
        layers[k].lead += (behind - std::round(behind)) / is.frequency;
    }
    return layers;
}

std::vector<Sym3> wanted_stretch(const BodyModel& model, double time)
{
    const BodyModel::Data& data = model.data();
    std::vector<Sym3> wanted, other;
    for (const auto& shared : data.stretch) {
        const StretchLayer& layer = *shared;
        if (layer.looks()) continue;
        if (wanted.empty()) {
            wanted.resize(data.regions.region_count());
            layer.target(time, wanted);
        } else {
            other.resize(wanted.size());
            layer.target(time, other);
            matching::combine(wanted, other);
        }
    }
    return wanted;
}

std::vector<double> asked_along_fibers(const BodyModel& model, double time)
{
    std::vector<double> asked;
    const ActiveParts* const active = active_parts(model);
    if (!active) return asked;
    for (const Sym3& T : wanted_stretch(model, time)) {
        const Vec3d d = active->fields.frames[asked.size()].c0;
        asked.push_back(length(Vec3d{T.xx * d.x + T.xy * d.y + T.xz * d.z, T.xy * d.x + T.yy * d.y + T.yz * d.z,
                                     T.xz * d.x + T.yz * d.y + T.zz * d.z}));
    }
    return asked;
}

Result<CavityGauge> cavity_of(const BodyModel& model, double depth)
{
    const ActiveParts* const active = active_parts(model);
    if (!active) return Error{"depth", "only a body with an active layer has a depth"};
    const std::vector<double>& depths = active->fields.depth;
    std::vector<std::int32_t> particle_of;
    std::vector<Int3> wall;
    for (const Int3& t : boundary_surface(solid_of(model.domain()), &particle_of).triangles) {
        const Int3 p{particle_of[std::size_t(t[0])], particle_of[std::size_t(t[1])], particle_of[std::size_t(t[2])]};
        if (std::max({depths[std::size_t(p[0])], depths[std::size_t(p[1])], depths[std::size_t(p[2])]}) <= depth)
            wall.push_back(p);
    }
    if (!wall.empty()) return CavityGauge(std::move(wall));
    const auto brief = [](double number) {
        char text[32];
        std::snprintf(text, sizeof text, "%g", number);
        return std::string(text);
    };
    return Error{"depth", "no outer triangle has a depth of at most " + brief(depth) + "; the least depth is " +
                              brief(*std::ranges::min_element(depths))};
}

}  // namespace yawara
