// The shape of a body as it is now, by a few of its places: what "capture" makes a pose of.
#include <algorithm>
#include <cmath>

#include "stream/queries/query.h"
#include "yawara/posing.h"

namespace yawara::stream {

namespace {

/// A hundred thousandth of the size: no more digits than mean something.
std::vector<std::vector<double>> tidy(std::span<const Vec3d> points, double scale, double size)
{
    const double grain = std::pow(10.0, std::floor(std::log10(size / scale)) - 5);
    std::vector<std::vector<double>> out;
    for (const Vec3d& p : points) {
        std::vector<double>& row = out.emplace_back();
        for (int k = 0; k < 3; ++k) row.push_back(std::round(p[k] / scale / grain) * grain);
    }
    return out;
}

}  // namespace

Result<Answer> answer_capture(const Json& query, const Snapshot& snapshot, Mirror&)
{
    const auto found = body_named(query.get<messages::QueryCapture>().body, snapshot);
    if (!found) return found.error();
    const Snapshot::Body& body = **found;
    const std::span<const Vec3d> rest = body.model.rest_positions();
    std::vector<Vec3d> now;
    for (const Vec3& p : body.state.positions) now.push_back(p.as<double>());
    now = laid_on(rest, std::move(now));
    const double size = length(bounds(rest).size());
    double moved = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) moved = std::max(moved, length(now[i] - rest[i]));
    const PoseSamples samples = pose_samples(rest, now);
    messages::AnswerCapture answer;
    answer.at = tidy(samples.at, body.fields.scale, size);
    answer.to = tidy(samples.to, body.fields.scale, size);
    answer.moved = moved / size;
    return Answer(Json(answer));
}

}  // namespace yawara::stream
