// A scene at one moment as other threads may look at it: models are shared, what moves is a copy.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stream/kept.h"
#include "stream/playback.h"

namespace yawara::stream {

struct Snapshot {
    struct Body {
        std::string identity;
        BodyModel model;
        std::shared_ptr<const DrawnSurface> surface;
        scene_file::FieldScope fields{};
        BodyLook look{};
        // only with motion
        BodySettings settings{};
        BodyState state{};
        std::vector<Vec3> start{};         ///< positions at the start
        std::vector<std::int32_t> held{};  ///< particles that pins and handles hold
        struct Grip {
            std::string path;  ///< in the document, a JSON pointer
            std::vector<std::int32_t> particles;
        };
        std::vector<Grip> grips{};  ///< pins and handles, in the order of the document
    };
    std::vector<Body> bodies;
    SceneSettings settings;
    std::vector<Collider> colliders;  ///< only with motion

    const Body* find(std::string_view identity) const;
};

/// With motion: all that moves is copied, too.
Snapshot take_snapshot(Playback& run, bool with_motion);

/// The same scene for a thread of its own: what is expensive to prepare is kept from one snapshot to the next.
class Mirror {
public:
    /// Shows a snapshot with motion.
    void show(const Snapshot& snapshot);
    Scene& scene() { return *scene_; }
    BodyId id(std::size_t body) const { return ids_[body]; }
    QuantityGauge& gauge() { return *gauge_; }
    /// What questions made for the next ones.
    Kept& kept() { return kept_; }

private:
    bool fits(const Snapshot& snapshot) const;

    std::optional<Scene> scene_;
    std::optional<QuantityGauge> gauge_;
    std::vector<BodyId> ids_;
    std::vector<ColliderId> colliders_;
    Kept kept_;
};

}  // namespace yawara::stream
