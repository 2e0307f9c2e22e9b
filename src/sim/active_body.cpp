// What is active about a built body.
#include "sim/body_model.h"
#include "yawara/active.h"

namespace yawara {

const ActiveParts* active_parts(const BodyModel& model)
{
    for (const auto& layer : model.data().stretch)
        if (const ActiveParts* parts = active_parts(*layer)) return parts;
    return nullptr;
}

Result<BodyModel> with_charts(const BodyModel& model, std::span<const ChartedLayer> layers)
{
    auto data = std::make_shared<BodyModel::Data>(model.data());
    std::size_t next = 0;
    for (auto& layer : data->stretch) {
        const ActiveParts* parts = active_parts(*layer);
        if (!parts) continue;
        if (next == layers.size()) return Error{"charts", "there are fewer than the body has active layers"};
        auto charted = active(parts->fields, layers[next].charts, layers[next].speed);
        if (!charted) return charted.error();
        layer = *std::move(charted);
        ++next;
    }
    if (next != layers.size()) return Error{"charts", "there are more than the body has active layers"};
    return BodyModel(std::move(data)).renamed(model.name());
}

}  // namespace yawara
