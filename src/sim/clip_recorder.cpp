// Frames of a clip from a scene; where a body has another model than in the frame before, its writer is told first.
#include <algorithm>

#include "yawara/recorder.h"

namespace yawara {

ClipBody clip_body(const Scene& scene, BodyId body, std::vector<std::string> quantities, bool lines)
{
    const BodyModel& model = scene.model(body);
    ClipBody clip;
    clip.name = model.name();
    clip.surface = model.surface();
    clip.solid = solid_of(model.domain());
    clip.value_names = std::move(quantities);
    clip.lines = lines && !front_lines(model, scene.state(body)).empty();
    return clip;
}

ClipRecorder::ClipRecorder(const Scene& scene, std::span<const ClipBody> bodies) : gauge_(scene)
{
    known_.assign(scene.bodies().begin(), scene.bodies().end());
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        const ClipBody& b = bodies[k];
        bodies_.push_back({known_[k],
                           scene.model(known_[k]).revision(),
                           {.name = b.name, .surface = {}, .solid = {}, .value_names = b.value_names, .color = b.color},
                           b.lines,
                           std::vector<std::vector<float>>(b.value_names.size()),
                           {}});
        bodies_.back().shown.lines = b.lines;
    }
}

Status ClipRecorder::follow(const Scene& scene, std::size_t k, ClipWriter& writer)
{
    Body& body = bodies_[k];
    const std::uint64_t revision = scene.contains(body.id) ? scene.model(body.id).revision() : 0;
    if (revision == body.revision) return Done{};
    body.revision = revision;
    ClipBody now;
    if (revision != 0) now = clip_body(scene, body.id, {}, body.wants_lines);
    now.name = body.shown.name;
    now.value_names = body.shown.value_names;
    now.color = body.shown.color;
    body.shown.lines = now.lines;
    return writer.change(k, now);
}

void ClipRecorder::look_for_new(const Scene& scene)
{
    for (const BodyId id : scene.bodies()) {
        if (std::ranges::find(known_, id) != known_.end()) continue;
        known_.push_back(id);
        missing_.push_back(scene.model(id).name());
    }
}

Status ClipRecorder::frame(Scene& scene, ClipWriter& writer)
{
    look_for_new(scene);
    std::vector<ClipFrame> frame(bodies_.size());
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        if (Status changed = follow(scene, k, writer); !changed) return changed;
        Body& body = bodies_[k];
        frame[k].values.assign(body.values.size(), {});
        if (body.revision == 0) continue;
        const BodyState& state = std::as_const(scene).state(body.id);
        frame[k].particles = state.positions;
        frame[k].surface = scene.surface(body.id);
        for (std::size_t v = 0; v < body.values.size(); ++v) {
            body.values[v].resize(state.positions.size());
            gauge_.measure(body.shown.value_names[v], scene, body.id, body.values[v]);
            frame[k].values[v] = body.values[v];
        }
        if (!body.shown.lines) continue;
        body.lines = front_lines(scene.model(body.id), state);
        frame[k].lines = body.lines;
    }
    return writer.frame(scene.time(), frame);
}

}  // namespace yawara
