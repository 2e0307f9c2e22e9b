// Where a body and its pins stand in the document is known to the scene that was built from it.
#include "stream/pins.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace yawara::stream {

using scene_file::Json;

namespace {

/// Marks of pins are clicked from the outside: if the nearest particle is free, one held next to it is meant.
std::optional<std::size_t> grip_near(Playback& run, const Spot& spot)
{
    const std::size_t body = run.number_of(spot);
    const BodyId id = run.scene().bodies()[body];
    const auto& positions = run.scene().state(id).positions;
    const std::int32_t nearest = run.particle_at(spot);
    if (const auto grip = run.held_by(body, nearest)) return grip;
    const Vec3 place = positions[std::size_t(nearest)];
    std::optional<std::size_t> found;
    double least = 0;
    for (const std::int32_t i : run.particles_within(body, place, 1.1 * run.scene().model(id).spacing())) {
        const auto grip = run.held_by(body, i);
        const double away = length(positions[std::size_t(i)] - place);
        if (!grip || (found && away >= least)) continue;
        found = grip;
        least = away;
    }
    return found;
}

}  // namespace

Result<Json> with_pin(Json document, Playback& run, const Spot& spot)
{
    const std::size_t body = run.number_of(spot);
    const BodyId id = run.scene().bodies()[body];
    const double spacing = run.scene().model(id).spacing();
    const std::int32_t nearest = run.particle_at(spot);
    if (run.held_by(body, nearest)) return Error{"spot", "is held already"};
    const Vec3 place = run.scene().state(id).positions[std::size_t(nearest)];
    std::vector<std::int32_t> particles = run.particles_within(body, place, 1.1 * spacing);
    std::erase_if(particles, [&](std::int32_t i) { return run.held_by(body, i).has_value(); });
    if (particles.empty()) particles = {nearest};
    const Vec3 moved = place - run.start_of(body, nearest);
    Json& entry = document.at(Json::json_pointer(run.loaded().pointer(id)));
    Json held{{"select", {{"vertices", std::move(particles)}}}};
    if (length(moved) < 1e-3 * spacing) {
        entry["pins"].push_back(std::move(held));
    } else {
        const auto rounded = [](float x) { return std::round(1e6 * x) / 1e6; };
        held["path"] = Json::array({{{"time", 0}, {"move", {rounded(moved.x), rounded(moved.y), rounded(moved.z)}}}});
        entry["handles"].push_back(std::move(held));
    }
    return document;
}

Result<Json> without_pin(Json document, Playback& run, const Spot& spot)
{
    const auto grip = grip_near(run, spot);
    if (!grip) return Error{"spot", "nothing holds this point"};
    const BodyId id = run.scene().bodies()[run.number_of(spot)];
    const Json::json_pointer held(run.loaded().grip_pointers(id)[*grip]), list = held.parent_pointer();
    const Json::json_pointer entry(run.loaded().pointer(id));
    if (const Json::json_pointer owner = list.parent_pointer(); owner != entry) {
        Json& copies = document.at(owner / "instances");
        for (Json& copy : copies)
            if (&copy != &document.at(entry)) copy[list.back()].push_back(document.at(held));
    }
    document.at(list).erase(std::stoul(held.back()));
    return document;
}

}  // namespace yawara::stream
