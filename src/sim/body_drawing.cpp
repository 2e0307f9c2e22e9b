#include "sim/body_drawing.h"

#include <algorithm>

#include "sim/body_model.h"

namespace yawara {

std::shared_ptr<const DrawnSurface> drawn_surface_of(const BodyModel& model)
{
    DrawnOnce& drawn = *model.data().drawn;
    std::call_once(drawn.once, [&] { drawn.surface = std::make_shared<const DrawnSurface>(model.surface()); });
    return drawn.surface;
}

BodyDrawing::BodyDrawing(const BodyModel& model)
    : surface_(drawn_surface_of(model)),
      positions_(surface_->vertex_count()),
      last_positions_(positions_.size()),
      normals_(positions_.size()),
      tangents_(positions_.size()),
      faces_(surface_->triangles().size())
{
}

void BodyDrawing::draw(std::span<const Vec3> vertices, std::uint64_t tick)
{
    if (moved_ && tick != tick_) std::swap(positions_, last_positions_);
    surface_->spread(vertices, positions_);
    if (!moved_) std::copy(positions_.begin(), positions_.end(), last_positions_.begin());
    surface_->normals(positions_, faces_, normals_);
    surface_->tangents(positions_, normals_, faces_, tangents_);
    tick_ = tick;
    moved_ = true;
}

Drawing BodyDrawing::view() const
{
    return {positions_,      last_positions_,       normals_,          tangents_,
            surface_->uvs(), surface_->triangles(), surface_->source()};
}

}  // namespace yawara
