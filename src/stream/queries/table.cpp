// The table of questions.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stream/queries/query.h"

namespace yawara::stream {

namespace {

constexpr std::array<Query, 18> kQueries{{
    {"pick", true, answer_pick},
    {"rest_place", false, answer_rest_place},
    {"brush", false, answer_brush},
    {"rest_shape", false, answer_rest_shape},
    {"inside", false, answer_inside},
    {"grips", true, answer_grips},
    {"field", true, answer_field},
    {"layer", true, answer_layer},
    {"streamlines", true, answer_streamlines},
    {"places", true, answer_places},
    {"lasso", true, answer_lasso},
    {"model", false, answer_model},
    {"model_cut", false, answer_model_cut},
    {"model_lattice", false, answer_model_lattice},
    {"model_file", false, answer_model_file},
    {"pose", false, answer_pose},
    {"capture", true, answer_capture},
    {"couplings", true, answer_couplings},
}};

}  // namespace

std::span<const Query> all_queries()
{
    return kQueries;
}

const Query* find_query(std::string_view about)
{
    const auto found = std::ranges::find(kQueries, about, &Query::about);
    return found == kQueries.end() ? nullptr : &*found;
}

Result<const Snapshot::Body*> body_named(std::string_view identity, const Snapshot& snapshot)
{
    const Snapshot::Body* body = snapshot.find(identity);
    if (!body) return Error{"body", fmt::format("there is no body \"{}\"", identity)};
    return body;
}

Result<const Snapshot::Body*> body_at(const messages::Spot& spot, const Snapshot& snapshot)
{
    const Snapshot::Body* body = snapshot.find(spot.body);
    if (!body) return Error{"spot.body", fmt::format("there is no body \"{}\"", spot.body)};
    if (spot.triangle >= std::ssize(body->model.surface().triangles))
        return Error{"spot.triangle", "there is no such triangle: the scene has changed"};
    return body;
}

}  // namespace yawara::stream
