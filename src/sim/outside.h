// What others touch of a body: made once for all bodies of a model, in whatever scene.
#pragma once

#include <memory>

#include "contact/body_surface.h"
#include "yawara/body.h"

namespace yawara {

std::shared_ptr<const contact::BodySurface> outside_of(const BodyModel& model);

}  // namespace yawara
