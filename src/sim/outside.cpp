#include "sim/outside.h"

#include <algorithm>

#include "sim/body_model.h"
#include "sim/solid_kind.h"

namespace yawara {

std::shared_ptr<const contact::BodySurface> outside_of(const BodyModel& model)
{
    OutsideOnce& outside = *model.data().outside;
    std::call_once(outside.once, [&] {
        contact::BodySurface shape = contact::make_body_surface(model.domain(), model.rest_positions());
        if (!kind_of(model).needs_ribs) shape.ribs.clear();
        // Triangles of a rigid body may be as large as the body: what lies on it should not seem to float.
        constexpr float kRigidThickness = 0.004f;
        if (model.is_rigid()) shape.thickness = std::min(shape.thickness, kRigidThickness * shape.size);
        outside.surface = std::make_shared<const contact::BodySurface>(std::move(shape));
    });
    return outside.surface;
}

}  // namespace yawara
