// Spots in messages.
#pragma once

#include "messages.h"
#include "stream/playback.h"

namespace yawara::stream {

/// A spot of a body that is there.
Result<Spot> spot_of(Playback& run, const messages::Spot& message);

}  // namespace yawara::stream
