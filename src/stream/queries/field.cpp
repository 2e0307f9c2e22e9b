// A field of a scene file on a body: at the vertices that are drawn, and on the cut. It need not be in the document, so
// that a page can show what paint will do before it is there.
#include "stream/queries/fields.h"

namespace yawara::stream {

namespace {

/// The section of a body: where it is, where that is at rest as fields see it, and the values there.
struct CutField {
    std::vector<float> points, rests, values;
};

CutField cut_field(const Snapshot::Body& body, std::span<const float> particles, const CutPlane& plane)
{
    const TetMesh solid = solid_of(body.model.domain());
    CutField out;
    Section3 section;
    std::vector<Vec3> rest;
    for (const Vec3d& p : body.model.rest_positions()) rest.push_back((p / body.fields.scale).as<float>());
    cut_tets(solid.tets, body.state.positions, particles, plane, section, rest);
    for (const Vec3& p : section.rests) out.rests.insert(out.rests.end(), {p.x, p.y, p.z});
    out.points.reserve(3 * section.points.size());
    for (const Vec3& p : section.points) out.points.insert(out.points.end(), {p.x, p.y, p.z});
    out.values = std::move(section.values);
    return out;
}

}  // namespace

Result<Answer> answer_field(const Json& query, const Snapshot& snapshot, Mirror& mirror)
{
    const auto asked = query.get<messages::QueryField>();
    const auto found = body_named(asked.body, snapshot);
    if (!found) return found.error();
    const Snapshot::Body& body = **found;
    const auto values = sampled_field(asked.field, asked.labels, "field", body, mirror);
    if (!values) return values.error();
    const std::vector<float>& particles = **values;

    std::vector<float> vertices(body.model.surface().vertices.size()), drawn(body.surface->vertex_count());
    carry_to_surface(body.model.embedding(), particles, vertices);
    body.surface->spread(vertices, drawn);
    CutField cut;
    if (asked.cut) cut = cut_field(body, particles, {asked.cut->point, asked.cut->normal});
    return Answer(BinaryAnswer{{std::move(drawn), std::move(cut.points), std::move(cut.rests), std::move(cut.values)}});
}

}  // namespace yawara::stream
