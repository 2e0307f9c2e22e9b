// What happens to a body by plan: pins hold, handles move along their paths and let go, forces come and go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene_file/handle_path.h"
#include "scene_file/scene_document.h"
#include "yawara/scene.h"

namespace yawara::scene_file {

/// Keeps the first grips and pushes of its body; others may follow them in the scene's lists and are left alone.
class BodyScript {
public:
    void add_pin(std::span<const std::int32_t> particles, std::span<const Vec3> start);
    void add_handle(const HandleDocument& handle, std::span<const std::int32_t> particles, std::span<const Vec3> start);
    void add_force(const ForceDocument& force, std::span<const std::int32_t> particles);

    /// Puts grips and pushes into empty lists.
    void install(std::vector<Grip>& grips, std::vector<Push>& pushes) const;
    /// Sets them for the step from `begin` to `end`; allocates nothing.
    void apply(double begin, double end, std::span<Grip> grips, std::span<Push> pushes) const;

private:
    struct Handle {
        std::size_t grip;
        std::vector<std::int32_t> particles;
        std::vector<Vec3d> start;
        HandlePath path;
        double release;  ///< s; may be infinite
    };
    struct Force {
        Vec3 force, acceleration;
        double from, until;
    };

    std::vector<Grip> grips_;  ///< as at the start: pins and handles
    std::vector<Handle> handles_;
    std::vector<Push> pushes_;
    std::vector<Force> forces_;
};

}  // namespace yawara::scene_file
