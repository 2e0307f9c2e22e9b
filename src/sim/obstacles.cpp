#include "sim/obstacles.h"

#include <algorithm>
#include <cmath>

#include "contact/shapes.h"

namespace yawara {
namespace {

/// Whether a placement is a rotation and a move, by finite numbers.
bool is_rigid(const Placement& placement)
{
    constexpr double kTolerance = 1e-6;
    const Mat3d off = transpose(placement.turn) * placement.turn - Mat3d{};
    const double most = std::max({length(off.c0), length(off.c1), length(off.c2)});
    return is_finite(placement.move) && most < kTolerance && determinant(placement.turn) > 0;
}

/// Whether a shape is somewhere, and of some size; a MeshDistance was checked when it was built.
bool is_there(const Collider& collider)
{
    struct There {
        bool operator()(const Plane& plane) const { return is_finite(plane.point) && is_finite(plane.normal); }
        bool operator()(const Box& box) const { return is_finite(box.half_size) && is_rigid(box.placement); }
        bool operator()(const Sphere& sphere) const { return is_finite(sphere.center) && std::isfinite(sphere.radius); }
        bool operator()(const Capsule& capsule) const
        {
            return is_finite(capsule.a) && is_finite(capsule.b) && std::isfinite(capsule.radius);
        }
        bool operator()(const MeshDistance&) const { return true; }
    };
    return std::visit(There{}, collider.shape) && is_finite(collider.belt);
}

Error nowhere()
{
    return {"scene", "the numbers of an obstacle have to be finite, and its turn a rotation"};
}

Placement placement_of(const Collider& collider)
{
    return collider.motion ? collider.motion->end : Placement{};
}

}  // namespace

void copy_for_step(const Collider& from, Collider& to)
{
    to.shape = from.shape;
    to.friction = from.friction;
    to.restitution = from.restitution;
    to.friction_along = from.friction_along;
    to.filter = from.filter;
    to.motion = from.motion;
}

Error Obstacles::stale()
{
    return {"scene", "there is no obstacle with this id: it was removed, or belongs elsewhere"};
}

ColliderId Obstacles::add(Collider collider, double time)
{
    if (!is_there(collider)) throw Exception(nowhere());
    colliders_.push_back(std::move(collider));
    targets_.emplace_back();
    deforming_.emplace_back();
    place(colliders_.size() - 1, time);
    return ids_.add();
}

Status Obstacles::remove(ColliderId id)
{
    const auto k = ids_.index(id);
    if (!k) return stale();
    colliders_.erase(colliders_.begin() + std::ptrdiff_t(*k));
    targets_.erase(targets_.begin() + std::ptrdiff_t(*k));
    deforming_.erase(deforming_.begin() + std::ptrdiff_t(*k));
    sliced_.clear();
    ids_.remove(*k);
    return Done{};
}

Status Obstacles::replace(ColliderId id, Collider with, double time)
{
    const auto k = ids_.index(id);
    if (!k) return stale();
    if (!is_there(with)) return nowhere();
    colliders_[*k] = std::move(with);
    deforming_[*k].reset();
    place(*k, time);
    return Done{};
}

Status Obstacles::move(ColliderId id, const Placement& to, int steps)
{
    const auto k = ids_.index(id);
    if (!k) return stale();
    if (!colliders_[*k].path.empty()) return Error{"scene", "the obstacle follows a path: it cannot be moved"};
    if (!is_rigid(to)) return Error{"scene", "an obstacle can only be turned and moved, by finite numbers"};
    targets_[*k] = {to, steps};
    return Done{};
}

Status Obstacles::deform(ColliderId id, std::span<const Vec3d> vertices, int steps)
{
    const auto k = ids_.index(id);
    if (!k) return stale();
    const auto* mesh = std::get_if<MeshDistance>(&colliders_[*k].shape);
    if (!mesh) return Error{"scene", "the obstacle is not a mesh: it has no vertices that could move"};
    if (colliders_[*k].animation) return Error{"scene", "the obstacle has an animation: its vertices cannot be moved"};
    if (vertices.size() != mesh->mesh().vertices.size())
        return Error{"scene", "the mesh of the obstacle has " + std::to_string(mesh->mesh().vertices.size()) +
                                  " vertices, but " + std::to_string(vertices.size()) + " positions were given"};
    if (!std::all_of(vertices.begin(), vertices.end(), [](Vec3d v) { return is_finite(v); }))
        return Error{"scene", "a vertex of an obstacle can only be moved to a finite position"};
    Deforming& shape = deforming(*k);
    std::copy(vertices.begin(), vertices.end(), shape.target.begin());
    shape.steps = steps;
    return Done{};
}

Obstacles::Deforming& Obstacles::deforming(std::size_t k)
{
    std::optional<Deforming>& made = deforming_[k];
    if (!made) {
        const auto& mesh = std::get<MeshDistance>(colliders_[k].shape);
        const std::vector<Vec3d>& vertices = mesh.mesh().vertices;
        made = Deforming{contact::DeformingMesh(mesh), vertices, vertices, vertices, 0};
        colliders_[k].shape = made->mesh.shape();
    }
    return *made;
}

/// Puts an obstacle where it is now, at rest.
void Obstacles::place(std::size_t k, double time)
{
    Collider& collider = colliders_[k];
    if (!collider.path.empty()) {
        const Placement here = collider.path.at(time);
        collider.motion = ColliderMotion{here, here};
    }
    targets_[k] = {placement_of(collider)};
    if (collider.animation && std::holds_alternative<MeshDistance>(collider.shape)) {
        Deforming& shape = deforming(k);
        collider.animation->at(time, shape.next);
        shape.mesh.place(shape.next);
        collider.shape = shape.mesh.shape();
    }
}

void Obstacles::set_time(double time)
{
    for (std::size_t k = 0; k < colliders_.size(); ++k)
        if (!colliders_[k].path.empty() || colliders_[k].animation) place(k, time);
}

std::vector<SceneMoment::Obstacle> Obstacles::moment() const
{
    std::vector<SceneMoment::Obstacle> moment;
    for (std::size_t k = 0; k < colliders_.size(); ++k) {
        moment.push_back({ids_.ids()[k], {}, {}, 0, {}, {}, 0});
        if (colliders_[k].path.empty()) {
            moment.back().motion = colliders_[k].motion;
            moment.back().target = targets_[k].placement;
            moment.back().steps_to_target = targets_[k].steps;
        }
        if (!deforming_[k] || colliders_[k].animation) continue;
        const std::span<const Vec3d> vertices = deforming_[k]->mesh.vertices();
        moment.back().vertices.assign(vertices.begin(), vertices.end());
        moment.back().target_vertices = deforming_[k]->target;
        moment.back().steps_to_shape = deforming_[k]->steps;
    }
    return moment;
}

void Obstacles::go_to(std::span<const SceneMoment::Obstacle> moment)
{
    for (const SceneMoment::Obstacle& then : moment) {
        const auto k = ids_.index(then.id);
        if (!k) continue;
        Collider& collider = colliders_[*k];
        if (collider.path.empty()) {
            collider.motion = then.motion;
            targets_[*k] = {then.target, then.steps_to_target};
        }
        const auto* mesh = std::get_if<MeshDistance>(&collider.shape);
        if (!mesh || collider.animation || (then.vertices.empty() && !deforming_[*k])) continue;
        Deforming& shape = deforming(*k);
        const bool as_built = then.vertices.size() != shape.built.size();
        shape.mesh.place(as_built ? shape.built : then.vertices);
        shape.target = as_built ? shape.built : then.target_vertices;
        shape.steps = as_built ? 0 : then.steps_to_shape;
        collider.shape = shape.mesh.shape();
    }
}

/// The vertices of a mesh go where they are at the end of a step. Whether they move.
bool Obstacles::advance_shape(std::size_t k, double time, double dt)
{
    if (!deforming_[k]) return false;
    Deforming& shape = *deforming_[k];
    Collider& collider = colliders_[k];
    if (collider.animation) {
        collider.animation->at(time + dt, shape.next);
        shape.mesh.advance(shape.next);
    } else if (shape.steps > 0) {
        const std::span<const Vec3d> now = shape.mesh.vertices();
        for (std::size_t v = 0; v < now.size(); ++v) shape.next[v] = now[v] + (shape.target[v] - now[v]) / shape.steps;
        if (--shape.steps == 0) std::copy(shape.target.begin(), shape.target.end(), shape.next.begin());
        shape.mesh.advance(shape.next);
    } else {
        shape.mesh.rest();
    }
    collider.shape = shape.mesh.shape();
    return std::get<MeshDistance>(collider.shape).deforms();
}

void Obstacles::advance(double time, double dt, const std::function<void(const Collider&)>& near)
{
    for (std::size_t k = 0; k < colliders_.size(); ++k) {
        Collider& collider = colliders_[k];
        const bool deforms = advance_shape(k, time, dt);
        if (collider.path.empty() && targets_[k].steps == 0 && collider.belt == Vec3d{} && !deforms) {
            if (collider.motion) collider.motion = ColliderMotion{collider.motion->end, collider.motion->end};
            continue;
        }
        ColliderMotion motion{placement_of(collider), placement_of(collider), {}, dt};
        if (!collider.path.empty()) {
            motion = {collider.path.at(time), collider.path.at(time + dt), {}, dt};
        } else if (Target& target = targets_[k]; target.steps > 0) {
            motion.end = target.placement;
            motion.end = motion.part(0, 1.0 / target.steps--).end;
        }
        motion.belt = motion.end.turn * collider.belt;
        if (motion.start == motion.end && motion.belt == Vec3d{} && !deforms) motion.duration = 0;
        collider.motion = motion;
        if (motion.moves()) near(collider);
    }
}

bool Obstacles::any_moves() const
{
    return std::any_of(colliders_.begin(), colliders_.end(),
                       [](const Collider& c) { return c.motion && c.motion->moves(); });
}

void Obstacles::cut(int slice, int slices)
{
    sliced_.resize(slices > 1 && any_moves() ? colliders_.size() : 0);
    for (std::size_t k = 0; k < sliced_.size(); ++k) {
        Collider& collider = sliced_[k];
        copy_for_step(colliders_[k], collider);
        contact::cut_motion(collider, double(slice) / slices, double(slice + 1) / slices);
    }
}

}  // namespace yawara
