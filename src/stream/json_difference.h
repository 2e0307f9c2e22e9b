// A JSON patch from one text to another that also keeps the order of keys: undone and done again, a document is the same
// byte for byte.
#pragma once

#include "scene_file/json.h"

namespace yawara::stream {

/// RFC 6902 with add, replace and remove alone. Applied in order, new keys come last: keys that would stand in another
/// order are taken out and put in again.
scene_file::Json json_difference(const scene_file::Json& before, const scene_file::Json& after);

}  // namespace yawara::stream
