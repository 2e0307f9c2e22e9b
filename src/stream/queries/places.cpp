// Where places of a body at rest are now: strokes go along with the body that they are drawn on.
#include "stream/queries/fields.h"

namespace yawara::stream {

Result<Answer> answer_places(const Json& query, const Snapshot& snapshot, Mirror& mirror)
{
    const auto asked = query.get<messages::QueryPlaces>();
    const auto found = body_named(asked.body, snapshot);
    if (!found) return found.error();
    const Snapshot::Body& body = **found;
    const auto depth = sampled_field(asked.depth, false, "depth", body, mirror);
    if (!depth) return depth.error();
    const auto embedding =
        mirror.kept().get<Embedding>(key_of("places", body, {&query.at("points")}), [&]() -> Result<Embedding> {
            std::vector<Vec3d> points;
            for (const Vec3& p : asked.points) points.push_back(p.as<double>() * body.fields.scale);
            return std::visit([&](const auto& solid) { return Embedding(solid, points); }, body.model.domain());
        });
    if (!embedding) return embedding.error();

    std::vector<Vec3> places(asked.points.size());
    std::vector<float> depths(asked.points.size()), positions;
    (*embedding)->apply(body.state.positions, places);
    (*embedding)->apply(**depth, depths);
    for (const Vec3& p : places) positions.insert(positions.end(), {p.x, p.y, p.z});
    return Answer(BinaryAnswer{{std::move(positions), std::move(depths)}});
}

}  // namespace yawara::stream
