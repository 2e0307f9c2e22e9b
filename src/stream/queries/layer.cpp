// A layer of equal depth inside a body, where it is now: to draw strokes on.
#include <algorithm>

#include "stream/queries/fields.h"

namespace yawara::stream {

namespace {

void append(std::vector<float>& numbers, Vec3 p)
{
    numbers.insert(numbers.end(), {p.x, p.y, p.z});
}

}  // namespace

Result<Answer> answer_layer(const Json& query, const Snapshot& snapshot, Mirror& mirror)
{
    const auto asked = query.get<messages::QueryLayer>();
    const auto found = body_named(asked.body, snapshot);
    if (!found) return found.error();
    const Snapshot::Body& body = **found;
    const auto depth = sampled_field(asked.depth, false, "depth", body, mirror);
    if (!depth) return depth.error();
    const auto [low, high] = std::ranges::minmax(**depth);
    const Json level = asked.level;
    const auto section = mirror.kept().get<yawara::Section>(
        key_of("layer", body, {&asked.depth, &level}), [&]() -> Result<yawara::Section> {
            return iso_section(solid_of(body.model.domain()), std::vector<double>((*depth)->begin(), (*depth)->end()),
                               asked.level);
        });
    if (!section) return section.error();

    std::vector<Vec3> rest;
    for (const Vec3d& p : body.model.rest_positions()) rest.push_back((p / body.fields.scale).as<float>());
    std::vector<float> positions, rests;
    for (const Vec3& p : (*section)->values<Vec3>(body.state.positions)) append(positions, p);
    for (const Vec3& p : (*section)->values<Vec3>(rest)) append(rests, p);
    std::vector<std::uint32_t> triangles;
    for (const Int3& t : (*section)->triangles)
        for (const std::int32_t v : t) triangles.push_back(static_cast<std::uint32_t>(v));
    return Answer(
        BinaryAnswer{{std::move(positions), std::move(rests), std::move(triangles), std::vector<float>{low, high}}});
}

}  // namespace yawara::stream
