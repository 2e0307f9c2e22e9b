// About the particle next to a point: its region, what is measured there, and whether something holds it.
#include <algorithm>

#include "stream/queries/query.h"
#include "stream/spots.h"

namespace yawara::stream {

Result<Answer> answer_pick(const Json& query, const Snapshot& snapshot, Mirror& mirror)
{
    const auto spot = query.get<messages::QueryPick>().spot;
    const auto found = body_at(spot, snapshot);
    if (!found) return found.error();
    const Snapshot::Body& body = **found;
    const BodyId id = mirror.id(static_cast<std::size_t>(*found - snapshot.bodies.data()));
    const std::int32_t particle =
        nearest_particle(mirror.scene(), id, static_cast<std::size_t>(spot.triangle),
                         {static_cast<float>(spot.weights[0]), static_cast<float>(spot.weights[1]),
                          static_cast<float>(spot.weights[2])});
    messages::AnswerPick answer;
    answer.body = spot.body;
    answer.particle = particle;
    const double dt = snapshot.settings.dt / std::max(snapshot.settings.substeps, 1);
    for (const std::int32_t i : region_members(body.model, body.state, dt, std::size_t(particle)))
        answer.region.push_back(i);
    std::vector<float> values(body.model.particle_count());
    for (const Quantity& quantity : mirror.gauge().quantities(mirror.scene(), id))
        if (mirror.gauge().measure(quantity.name, mirror.scene(), id, values))
            answer.values.push_back({quantity.label, values[std::size_t(particle)]});
    answer.held = std::ranges::find(body.held, particle) != body.held.end();
    return Answer(Json(answer));
}

}  // namespace yawara::stream
