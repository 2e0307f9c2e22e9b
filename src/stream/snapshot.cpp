// Copies cost less than a step: no more is copied than a question needs.
#include "stream/snapshot.h"

#include <algorithm>

namespace yawara::stream {

const Snapshot::Body* Snapshot::find(std::string_view identity) const
{
    const auto found = std::ranges::find(bodies, identity, &Body::identity);
    return found == bodies.end() ? nullptr : &*found;
}

Snapshot take_snapshot(Playback& run, bool with_motion)
{
    Scene& scene = run.scene();
    Snapshot snapshot;
    snapshot.settings = scene.settings();
    for (std::size_t k = 0; k < run.body_count(); ++k) {
        const BodyId id = scene.bodies()[k];
        Snapshot::Body body{run.loaded().identity(id), scene.model(id), run.shared_surface(k),
                            scene_file::field_scope(run.loaded(), id), run.loaded().looks()[k]};
        if (with_motion) {
            body.settings = scene.body_settings(id);
            body.state = scene.state(id);
            body.start = run.loaded().start(id).positions;
            const std::span<const std::string> paths = run.loaded().grip_pointers(id);
            const std::span<const Grip> grips = scene.scripted_grips(id);
            for (std::size_t g = 0; g < grips.size(); ++g) {
                const std::vector<std::int32_t>& particles = grips[g].particles;
                if (grips[g].stiffness <= 0) body.held.insert(body.held.end(), particles.begin(), particles.end());
                if (g < paths.size()) body.grips.push_back({paths[g], particles});
            }
        }
        snapshot.bodies.push_back(std::move(body));
    }
    if (with_motion) snapshot.colliders.assign(scene.colliders().begin(), scene.colliders().end());
    return snapshot;
}

bool Mirror::fits(const Snapshot& snapshot) const
{
    if (!scene_ || ids_.size() != snapshot.bodies.size()) return false;
    for (std::size_t k = 0; k < ids_.size(); ++k)
        if (scene_->model(ids_[k]).revision() != snapshot.bodies[k].model.revision()) return false;
    return true;
}

void Mirror::show(const Snapshot& snapshot)
{
    if (!fits(snapshot)) {
        gauge_.reset();
        scene_.emplace(snapshot.settings);
        ids_.clear();
        colliders_.clear();
        for (const Snapshot::Body& body : snapshot.bodies) {
            BodyState start = body.state;
            start.positions = body.start;  // the gauge measures displacement from there
            ids_.push_back(scene_->add(body.model, body.settings, std::move(start)));
        }
        gauge_.emplace(*scene_);
    }
    scene_->settings() = snapshot.settings;
    for (const ColliderId collider : colliders_) (void)scene_->remove(collider);
    colliders_.clear();
    for (const Collider& collider : snapshot.colliders) colliders_.push_back(scene_->add(collider));
    for (std::size_t k = 0; k < ids_.size(); ++k) {
        scene_->body_settings(ids_[k]) = snapshot.bodies[k].settings;
        scene_->state(ids_[k]) = snapshot.bodies[k].state;
    }
}

}  // namespace yawara::stream
