// Volume models of questions, as scene files have them.
#pragma once

#include "cvg/draft.h"
#include "stream/queries/query.h"

namespace yawara::stream {

/// `model` may be a draft; mistakes are named by their place in it, "model.root.args[1]". What its files hold is kept.
Result<cvg::Tree> model_tree(Json model, const Snapshot::Body& body, Mirror& mirror);

void append(std::vector<float>& numbers, const std::vector<Vec3>& vectors);

}  // namespace yawara::stream
