// Where a point of the moving surface lies in the rest shape: on the same triangle, with the same weights.
#include "stream/queries/query.h"

namespace yawara::stream {

Result<Answer> answer_rest_place(const Json& query, const Snapshot& snapshot, Mirror&)
{
    const auto spot = query.get<messages::QueryRestPlace>().spot;
    const auto body = body_at(spot, snapshot);
    if (!body) return body.error();
    const TriMesh& rest = (*body)->model.surface();
    const Int3& corners = rest.triangles[static_cast<std::size_t>(spot.triangle)];
    Vec3d place;
    for (std::size_t k = 0; k < 3; ++k) place += rest.vertices[std::size_t(corners[k])] * spot.weights[k];
    return Answer(Json(messages::AnswerRestPlace{place.as<float>()}));
}

}  // namespace yawara::stream
