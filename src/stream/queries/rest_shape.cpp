// The drawn surface of a body at rest: what a page shows of where a body will start.
#include "stream/queries/query.h"

namespace yawara::stream {

Result<Answer> answer_rest_shape(const Json& query, const Snapshot& snapshot, Mirror&)
{
    const auto body = body_named(query.get<messages::QueryRestShape>().body, snapshot);
    if (!body) return body.error();
    const TriMesh& rest = (*body)->model.surface();
    std::vector<float> positions;
    positions.reserve(3 * (*body)->surface->vertex_count());
    for (const std::int32_t v : (*body)->surface->source()) {
        const Vec3 p = rest.vertices[std::size_t(v)].as<float>();
        positions.insert(positions.end(), {p.x, p.y, p.z});
    }
    return Answer(BinaryAnswer{{std::move(positions)}});
}

}  // namespace yawara::stream
