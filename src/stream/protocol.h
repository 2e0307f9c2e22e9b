// Messages of the studio as JSON: schema/protocol.schema.json says what they may hold, and nothing else is let in.
#pragma once

#include <string>
#include <string_view>

#include "scene_file/json.h"
#include "yawara/math.h"

namespace yawara::stream {

using scene_file::Json;

/// The JSON Schema of the protocol, as published.
std::string_view protocol_schema();

/// A message of the page: parsed and checked. The error names the type of the message, if it has one, in `about`.
struct ReadMessage {
    Json message;
    std::string about;
    std::string where, what;  ///< why it was refused; `what` is empty if it was not
    bool good() const { return what.empty(); }
};
ReadMessage read_client_message(std::string_view text);

/// The parameters of a question, by query_ABOUT of the schema.
Status check_query(const std::string& about, const Json& query);

/// Checks a message that the engine is about to send; for tests.
Status check_server_message(const Json& message);

Vec3 vector_of(const Json& list);
Json to_json(Vec3 v);

}  // namespace yawara::stream
