// Where the pins and handles of a body take hold of it: the middle of their particles at the start.
#include "stream/queries/query.h"

namespace yawara::stream {

Result<Answer> answer_grips(const Json& query, const Snapshot& snapshot, Mirror&)
{
    const auto body = body_named(query.get<messages::QueryGrips>().body, snapshot);
    if (!body) return body.error();
    messages::AnswerGrips answer;
    for (const Snapshot::Body::Grip& grip : (*body)->grips) {
        Vec3d sum;
        for (const std::int32_t i : grip.particles) sum += (*body)->start[std::size_t(i)].as<double>();
        const double count = static_cast<double>(grip.particles.size());
        messages::Grip entry;
        entry.path = grip.path;
        entry.particles = static_cast<std::int64_t>(grip.particles.size());
        entry.center = (sum * (1 / std::max(count, 1.0))).as<float>();
        answer.grips.push_back(std::move(entry));
    }
    return Answer(Json(answer));
}

}  // namespace yawara::stream
