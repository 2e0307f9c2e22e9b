// Which loads awaken which example, and what the shape of now asks for.
#include <fmt/format.h>

#include "stream/queries/query.h"

namespace yawara::stream {

Result<Answer> answer_couplings(const Json& query, const Snapshot& snapshot, Mirror&)
{
    const auto asked = query.get<messages::QueryCouplings>();
    const auto found = body_named(asked.body, snapshot);
    if (!found) return found.error();
    const BodyModel& model = (*found)->model;
    const bool each = model.example_groups() == model.region_count();
    const std::size_t groups = each ? 1 : model.example_groups(), group = std::size_t(asked.group);
    if (model.examples().empty()) return Error{"body", "has no examples"};
    if (group >= groups) return Error{"group", fmt::format("there are {} groups, the first is 0", groups)};
    messages::AnswerCouplings answer;
    for (const ExampleReport& report : model.examples()) answer.examples.push_back(report.name);
    answer.groups = std::int64_t(groups);
    for (const ExampleCoupling& coupling : example_couplings(model, group))
        answer.loads.push_back({coupling.load, coupling.weights});
    answer.now = raw_example_weights(model, (*found)->state, group);
    return Answer(Json(answer));
}

}  // namespace yawara::stream
