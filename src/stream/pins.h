// Pins set and freed by hand: edits of the document that a run plays.
#pragma once

#include "scene_file/json.h"
#include "stream/playback.h"

namespace yawara::stream {

/// A particle of a run.
struct PinPlace {
    std::size_t body = 0;
    std::int32_t particle = 0;
};
PinPlace pin_place(Playback& run, const Spot& spot);

/// The document with a pin on the particles around a place: they are held where they start; in the run itself where
/// they are now, until it is reset. A copy of a body is held by a pin of its own.
Result<scene_file::Json> with_pin(scene_file::Json document, Playback& run, PinPlace at);

/// The document without the pin or handle that holds the particle or one next to it. What holds all copies of a body
/// goes over to the others.
Result<scene_file::Json> without_pin(scene_file::Json document, Playback& run, PinPlace at);

/// A pin that was set or freed while the scene was still being built: by its place in the rest shape, which other
/// particles may have taken by the time the scene is there.
struct WaitingPin {
    std::string body;  ///< its identity
    Vec3d rest;        ///< m
    bool set = true;   ///< else freed
};
WaitingPin waiting_pin(Playback& run, PinPlace at, bool set);
/// The particle nearest to it; none if the body is gone.
std::optional<PinPlace> pin_place(Playback& run, const WaitingPin& pin);

}  // namespace yawara::stream
