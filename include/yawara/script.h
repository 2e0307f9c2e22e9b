// What happens to a body by plan: pins hold, handles move along paths and let go, forces come and go, stiffness
// changes. All of it is a function of time alone, so that a run continued from a saved state needs nothing but the
// clock.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "yawara/path.h"
#include "yawara/topology.h"

namespace yawara {

constexpr double kForever = std::numeric_limits<double>::infinity();

/// How a handle leads its particles.
struct HandleMotion {
    std::vector<PathKey> keys;
    bool smooth = true;
    double stiffness = 0;       ///< N/m for each particle; 0: hard
    double release = kForever;  ///< s, when it lets go
};

/// A force that acts for a while.
struct ForcePlan {
    Vec3 force{};                       ///< N, on each particle
    Vec3 acceleration{};                ///< m/s^2
    double from = 0, until = kForever;  ///< s
};

/// Stiffness that goes over to a value and keeps it.
struct StiffnessChange {
    std::vector<std::int32_t> particles;
    double from = 0, until = 0;  ///< s
    float value = 0;             ///< 0..1
};

/// What a control of the examples is from a time on; straight lines between keys.
struct ControlKey {
    double time = 0;  ///< s
    float value = 0;
    friend bool operator==(const ControlKey&, const ControlKey&) = default;
};

class Script {
public:
    /// Holds particles where they are in `start`, the positions of all particles at time 0.
    void add_pin(std::span<const std::int32_t> particles, std::span<const Vec3> start);
    void add_handle(const HandleMotion& motion, std::span<const std::int32_t> particles, std::span<const Vec3> start);
    /// No particles: all.
    void add_force(const ForcePlan& force, std::span<const std::int32_t> particles);
    /// Only of bodies whose stiffness decides about their regions, see Widths.
    void add_stiffness_change(StiffnessChange change) { changes_.push_back(std::move(change)); }

    /// By its place in BodyModel::example_controls(); keys in the order of their times, one at least.
    void add_control(std::size_t control, std::vector<ControlKey> keys)
    {
        if (!keys.empty()) controls_.push_back({control, std::move(keys)});
    }

    bool empty() const { return grips_.empty() && pushes_.empty() && changes_.empty() && controls_.empty(); }
    /// Grips in the order they were added, pins and handles alike: what apply() fills.
    std::size_t grip_count() const { return grips_.size(); }

    /// Sets grips and pushes for the step from `begin` to `end`. Allocates nothing when called again.
    void apply(double begin, double end, std::vector<Grip>& grips, std::vector<Push>& pushes) const;
    /// The stiffness at a time; `built` is that of the model. Leaves it alone if nothing changes it.
    void apply_stiffness(double time, std::span<const float> built, std::vector<float>& stiffness) const;

    /// Those controls at a time that it leads.
    void apply_controls(double time, std::span<float> controls) const;

    /// The same script for a body whose particles changed.
    Script carried(const TopologyChange& change) const;

private:
    struct Handle {
        std::size_t grip;
        std::vector<std::int32_t> particles;
        std::vector<Vec3d> start;  ///< of each
        Path path;
        double release;
    };

    std::vector<Grip> grips_;  ///< as at the start: pins and handles
    std::vector<Handle> handles_;
    std::vector<Push> pushes_;  ///< whom the forces push
    std::vector<ForcePlan> forces_;
    std::vector<StiffnessChange> changes_;
    struct Control {
        std::size_t control;
        std::vector<ControlKey> keys;
    };
    std::vector<Control> controls_;
};

}  // namespace yawara
