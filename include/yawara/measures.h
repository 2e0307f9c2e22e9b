// Numbers of the bodies of a scene that are followed over time: how far a bar is twisted, how high a body reaches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "yawara/scene.h"

namespace yawara {

// What of a body is measured. Axes: 0, 1, 2 for x, y, z.

/// How far the body reaches along an axis, m.
struct MeasureExtent {
    int axis = 1;
};
/// Angle between both ends about an axis, degrees; whole turns count.
struct MeasureTwist {
    int axis = 1;
};
/// Coordinate of the centre of mass, m.
struct MeasureCenter {
    int axis = 1;
};
/// Weight of an example, by its name, in a group of regions.
struct MeasureWeight {
    std::string example;
    int group = 0;
};
/// Inside the drawn surface, m^3.
struct MeasureVolume {};
/// Root mean square between the surfaces of two bodies of the same make, less their distance at the start, m.
struct MeasureDistance {
    BodyId other;
};
using MeasureKind =
    std::variant<MeasureExtent, MeasureTwist, MeasureCenter, MeasureWeight, MeasureVolume, MeasureDistance>;

struct MeasureSpec {
    std::string name;
    std::string label;  ///< empty: what it is, with its unit
    BodyId body;
    MeasureKind what;
};

struct MeasureInfo {
    std::string name;   ///< as given
    std::string label;  ///< what it is, with its unit; measures with the same label belong in one plot
};

class Measures {
public:
    /// Remembers what the measure compares with: the scene as it is now. `where` of an error is the part of the
    /// specification that is wrong: "body", "example", "group", "other", "axis".
    Status add(MeasureSpec spec, Scene& scene);

    std::span<const MeasureInfo> infos() const { return infos_; }
    /// The numbers now, in the order they were added. Not a number, if a body was removed or if it was replaced by one
    /// that cannot be measured this way.
    std::vector<double> values(Scene& scene);

private:
    struct Measure {
        MeasureSpec spec;
        std::uint64_t revision = 0;              ///< of the model that what follows was found for
        std::vector<std::vector<int>> layers{};  ///< particles from the low end to the high one, for twists
        std::size_t example = 0;                 ///< for weights
        Vec3d offset{};                          ///< of the other body at the start, for distances
    };
    static Status prepare(Measure& measure, const Scene& scene);
    static double value(const Measure& measure, Scene& scene);

    std::vector<Measure> measures_;
    std::vector<MeasureInfo> infos_;
};

}  // namespace yawara
