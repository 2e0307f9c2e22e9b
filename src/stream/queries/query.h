// Questions of the page that change nothing. Each has a file of its own here, an entry in the table below, and
// query_NAME in schema/protocol.schema.json; they are answered on a thread of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "messages.h"
#include "stream/protocol.h"
#include "stream/snapshot.h"

namespace yawara::stream {

/// Numbers that are sent as they lie in memory; in the order that the schema names them.
struct BinaryAnswer {
    std::vector<std::variant<std::vector<float>, std::vector<std::uint32_t>>> arrays;
};
using Answer = std::variant<Json, BinaryAnswer>;

struct Query {
    std::string_view about;
    bool needs_motion;  ///< looks at where things are now; the mirror shows it
    Result<Answer> (*answer)(const Json& query, const Snapshot& snapshot, Mirror& mirror);
};

/// Null: there is no such question.
const Query* find_query(std::string_view about);
std::span<const Query> all_queries();

// ---- for those who answer

Result<const Snapshot::Body*> body_named(std::string_view identity, const Snapshot& snapshot);
/// The body of a spot, if the spot is one of its surface.
Result<const Snapshot::Body*> body_at(const messages::Spot& spot, const Snapshot& snapshot);

Result<Answer> answer_pick(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_rest_place(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_brush(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_rest_shape(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_inside(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_grips(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_field(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_layer(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_streamlines(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_places(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_model(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_model_cut(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_model_lattice(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_model_file(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_pose(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_capture(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_couplings(const Json& query, const Snapshot& snapshot, Mirror& mirror);
Result<Answer> answer_lasso(const Json& query, const Snapshot& snapshot, Mirror& mirror);

}  // namespace yawara::stream
