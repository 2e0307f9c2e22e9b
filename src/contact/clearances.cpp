#include "contact/clearances.h"

#include "contact/mesh_data.h"

namespace yawara::contact {

void Clearances::renew(std::span<const Collider> colliders, std::size_t particles)
{
    about_.resize(colliders.size());
    for (std::size_t k = 0; k < colliders.size(); ++k) {
        const auto* const mesh = std::get_if<MeshDistance>(&colliders[k].shape);
        const std::shared_ptr<const MeshDistance::Data> now = mesh && mesh->data()->grid ? mesh->data() : nullptr;
        About& about = about_[k];
        if (about.mesh == now && about.balls.size() == (now ? particles : 0)) continue;
        about.mesh = now;
        about.balls.assign(now ? particles : 0, {});
    }
}

std::span<const ClearBall> Clearances::known_about(std::size_t index, const Collider& collider) const
{
    const auto* const mesh = std::get_if<MeshDistance>(&collider.shape);
    if (!mesh || index >= about_.size() || about_[index].mesh != mesh->data()) return {};
    return about_[index].balls;
}

namespace {

Vec3 in_frame_of(const Collider& collider, Vec3 point)
{
    return collider.motion ? collider.motion->end.undo(point.as<double>()).as<float>() : point;
}

bool is_in(const ClearBall& ball, Vec3 p, double path)
{
    return double(length(p - ball.center)) + path < double(ball.radius);
}

}  // namespace

bool is_clear_of(const Collider& collider, Vec3 point, double path, ClearBall& ball)
{
    constexpr float kRounding = 0.9999f;
    const Vec3 p = in_frame_of(collider, point);
    if (is_in(ball, p, path)) return true;
    ball = {p, kRounding * float(std::get<MeshDistance>(collider.shape).clearance(p, path))};
    return double(ball.radius) > path;
}

bool is_known_clear(const Collider& collider, Vec3 point, double path, const ClearBall& ball)
{
    return is_in(ball, in_frame_of(collider, point), path);
}

}  // namespace yawara::contact
