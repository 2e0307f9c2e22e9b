// Fields of questions, as scene files have them, at the particles of a body.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stream/queries/query.h"
#include "yawara/active.h"

namespace yawara::stream {

/// A field of numbers, or of labels; `name` stands in messages. One that was asked for a moment ago is there already.
Result<std::shared_ptr<const std::vector<float>>> sampled_field(const Json& field, bool labels, const std::string& name,
                                                                const Snapshot::Body& body, Mirror& mirror);

/// Frames of muscles with this depth and direction.
Result<std::shared_ptr<const ActiveFields>> sampled_frames(const Json& depth, const Json& direction,
                                                           const Snapshot::Body& body, Mirror& mirror);

/// Names what belongs to a body and some documents. Files may change behind a name.
std::string key_of(const char* what, const Snapshot::Body& body, std::initializer_list<const Json*> documents);

}  // namespace yawara::stream
