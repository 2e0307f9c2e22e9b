// Numbers of the bodies of a scene that are followed over time: how far a bar is twisted, how high a body reaches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "yawara/cavity.h"
#include "yawara/quantities.h"
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
/// Between a point of the body and one of another body, or of the same, m. Both by their places at rest.
struct MeasurePoints {
    BodyId other;
    Vec3d from, to;
};
/// Stretch along the fibres at a place of the body at rest, as a factor: what its muscles ask for, or what it does.
struct MeasureFiber {
    Vec3d at;
    bool asked = false;
};
/// Inside a hollow of the body, see cavity_of(), m^3.
struct MeasureCavity {
    double depth = 0;
};
/// How far the centre of mass went along an axis in the last period of the muscles, m.
struct MeasureAdvance {
    int axis = 0;
};
/// How fast the contraction runs along the body, from the last period of what the body did, m/s at rest.
struct MeasureWave {};
using MeasureKind = std::variant<MeasureExtent, MeasureTwist, MeasureCenter, MeasureWeight, MeasureVolume,
                                 MeasureDistance, MeasurePoints, MeasureFiber, MeasureCavity, MeasureAdvance, MeasureWave>;

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
    /// What the measures of muscles have to know.
    struct Muscles {
        struct Sample {
            double time = 0;
            std::vector<double> values;
        };
        std::size_t particle = 0;           ///< where fibres are measured
        std::optional<StretchGauge> gauge;  ///< of the tets that are looked at
        std::optional<CavityGauge> cavity;
        std::vector<double> phases;      ///< of the slices of a wave; empty: there is none
        std::vector<int> slices;         ///< per particle: of a wave; -1: of none
        double phase_slope = 0;          ///< 1/m, mean
        std::vector<Sample> history{};   ///< of the last period
    };
    struct Measure {
        MeasureSpec spec;
        std::uint64_t revision = 0;              ///< of the model that what follows was found for
        std::vector<std::vector<int>> layers{};  ///< particles from the low end to the high one, for twists
        std::size_t example = 0;                 ///< for weights
        Vec3d offset{};                          ///< of the other body at the start, for distances
        std::uint64_t other_revision = 0;        ///< for points: of the model of the other body
        Embedding from{}, to{};                  ///< for points: where they hang in their bodies
        Muscles muscles{};
    };
    static Status prepare(Measure& measure, const Scene& scene);
    static Status prepare_muscles(Measure& measure, const Scene& scene);
    static double value(Measure& measure, Scene& scene);
    static double value_of_muscles(Measure& measure, Scene& scene);

    std::vector<Measure> measures_;
    std::vector<MeasureInfo> infos_;
};

}  // namespace yawara
