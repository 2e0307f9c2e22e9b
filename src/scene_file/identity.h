// Identities: what names an entry of "bodies", "instances" or "obstacles" while others come and go around it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scene_file/json.h"

namespace yawara::scene_file {

/// Of an entry in its list: its "id", or else its "name", or else its number from 1.
std::string identity_of(const Json& entry, std::size_t index);

/// The entry of a list that has an identity.
std::optional<std::size_t> find_identity(const Json& list, std::string_view identity);

/// A JSON pointer in which "@identity" may stand for the number of an entry, as a plain one:
/// /bodies/@bell/instances/@3/pins -> /bodies/0/instances/2/pins.
Result<Json::json_pointer> resolve_identities(const Json& document, const Json::json_pointer& pointer);

/// The JSON pointer of a place as messages name it: bodies[0].pins[1] -> /bodies/0/pins/1.
std::string pointer_of(std::string_view place);

}  // namespace yawara::scene_file
