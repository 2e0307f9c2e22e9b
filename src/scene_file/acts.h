// What keys of the scene schema act on, by their "x-acts": used to tell differences apart, to name models by what they
// are made from, and to read of a document only what a running scene can take.
#pragma once

#include "scene_file/live_edit.h"

namespace yawara::scene_file {

/// The schema of scenes, parsed once.
const Json& parsed_scene_schema();

/// Of a body of a checked document: what its model is made from.
Json model_part(const Json& body);
/// Of a body of any document: the rest, as live_schema() wants it.
Json live_part(const Json& body);
/// The schema without keys that act on models.
const Json& live_schema();

}  // namespace yawara::scene_file
