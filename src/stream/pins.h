// Pins set and freed by hand: edits of the document that a run plays.
#pragma once

#include "scene_file/json.h"
#include "stream/playback.h"

namespace yawara::stream {

/// The document with a pin on the particles around a spot: they are held where they start; in the run itself where they
/// are now, until it is reset. A copy of a body is held by a pin of its own.
Result<scene_file::Json> with_pin(scene_file::Json document, Playback& run, const Spot& spot);

/// The document without the pin or handle that holds the particle next to a spot. What holds all copies of a body goes
/// over to the others.
Result<scene_file::Json> without_pin(scene_file::Json document, Playback& run, const Spot& spot);

}  // namespace yawara::stream
