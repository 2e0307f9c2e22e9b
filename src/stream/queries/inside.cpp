// What a body looks like inside, as a grid over it at rest: the page draws cuts by it.
#include "stream/queries/query.h"

namespace yawara::stream {

Result<Answer> answer_inside(const Json& query, const Snapshot& snapshot, Mirror&)
{
    const auto found = body_named(query.get<messages::QueryInside>().body, snapshot);
    if (!found) return found.error();
    const Snapshot::Body& body = **found;
    const InsideMap map =
        make_inside_map(body.model.surface(), body.look.inside.value_or(Inside{}), body.look.volume_colors.get());
    std::vector<float> frame{map.low.x, map.low.y, map.low.z, map.cell, map.deepest};
    std::vector<std::uint32_t> nodes;
    for (const std::int32_t n : map.nodes) nodes.push_back(std::uint32_t(n));
    return Answer(BinaryAnswer{{std::move(frame), std::move(nodes), map.rgba}});
}

}  // namespace yawara::stream
