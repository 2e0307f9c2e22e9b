// Where a body and its pins stand in the document is known to the scene that was built from it.
#include "stream/pins.h"

#include <algorithm>
#include <optional>

namespace yawara::stream {

using scene_file::Json;

namespace {

/// Marks of pins are clicked from the outside: if the nearest particle is free, one held next to it is meant.
std::optional<std::size_t> grip_near(Playback& run, PinPlace at)
{
    const auto [body, nearest] = at;
    const BodyId id = run.scene().bodies()[body];
    const auto& positions = run.scene().state(id).positions;
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

PinPlace pin_place(Playback& run, const Spot& spot)
{
    return {run.number_of(spot), run.particle_at(spot)};
}

WaitingPin waiting_pin(Playback& run, PinPlace at, bool set)
{
    const BodyId id = run.scene().bodies()[at.body];
    return {run.loaded().identity(id), run.scene().model(id).rest_positions()[std::size_t(at.particle)], set};
}

std::optional<PinPlace> pin_place(Playback& run, const WaitingPin& pin)
{
    const auto body = run.find(pin.body);
    if (!body) return std::nullopt;
    const std::span<const Vec3d> rest = run.scene().model(run.scene().bodies()[*body]).rest_positions();
    const auto nearest = std::ranges::min_element(rest, {}, [&](Vec3d p) { return length(p - pin.rest); });
    return PinPlace{*body, std::int32_t(nearest - rest.begin())};
}

Result<Json> with_pin(Json document, Playback& run, PinPlace at)
{
    const auto [body, nearest] = at;
    const BodyId id = run.scene().bodies()[body];
    const BodyModel& model = run.scene().model(id);
    if (run.held_by(body, nearest)) return Error{"spot", "is already pinned"};
    // By their rest positions: which ones they are does not depend on how the body is bent now.
    const std::span<const Vec3d> rest = model.rest_positions();
    std::vector<std::int32_t> particles;
    for (std::size_t i = 0; i < rest.size(); ++i)
        if (length(rest[i] - rest[std::size_t(nearest)]) <= 1.1 * model.spacing() &&
            !run.held_by(body, std::int32_t(i)))
            particles.push_back(std::int32_t(i));
    Json& entry = document.at(Json::json_pointer(run.loaded().pointer(id)));
    entry["pins"].push_back({{"select", {{"vertices", std::move(particles)}}}});
    return document;
}

Result<Json> without_pin(Json document, Playback& run, PinPlace at)
{
    const auto grip = grip_near(run, at);
    if (!grip) return Error{"spot", "this point is not pinned"};
    const BodyId id = run.scene().bodies()[at.body];
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
