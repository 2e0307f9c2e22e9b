// What is active about a built body.
#include "sim/body_model.h"
#include "yawara/active.h"

namespace yawara {

const ActiveParts* active_parts(const BodyModel& model)
{
    for (const auto& layer : model.data().stretch)
        if (const ActiveParts* parts = active_parts(*layer)) return parts;
    return nullptr;
}

}  // namespace yawara
