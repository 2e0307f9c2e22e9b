// What a SweepPlan is made of: axes that form a grid, draws, conditions, and the scene that they change.
#pragma once

#include <string>
#include <vector>

#include "scene_file/json.h"
#include "sweep/condition.h"
#include "sweep/scene_path.h"
#include "yawara/sweep.h"

namespace yawara::sweep {

using scene_file::Json;

/// Equal steps or factors between two ends, which are exact; what lies between is rounded to 12 digits.
struct Range {
    double from = 0, to = 1;
    bool log = false;

    double at(double share) const;  ///< 0..1
};

/// A place in the scene that takes given values.
struct Axis {
    ScenePath path;
    std::vector<Json> values{};  ///< empty: `count` of the range
    Range range{};
    std::size_t count = 0;

    Json value(std::size_t index) const;
};

/// Axes that go through their values together.
struct AxisGroup {
    std::size_t first = 0, axes = 1;  ///< of the plan's
    std::size_t count = 1;
};

/// A place in the scene whose values are drawn.
struct Draw {
    ScenePath path;
    Range range{};
    bool whole = false;
    std::vector<std::uint32_t> strata{};  ///< of a Latin hypercube, by repeat and sample; empty: drawn independently

    Json value(std::uint64_t seed, std::size_t number, std::size_t samples, std::size_t sample,
               std::size_t repeat) const;
};

}  // namespace yawara::sweep

namespace yawara {

struct SweepPlan::Data {
    std::string text;
    std::filesystem::path scene_file;
    scene_file::Json document, whole;  ///< the scene, and with all its defaults
    std::vector<sweep::Axis> axes;
    std::vector<sweep::AxisGroup> groups;
    std::vector<sweep::Draw> draws;
    std::size_t samples = 1, repeats = 1;
    std::uint64_t seed = 1;
    std::vector<std::string> names, measures, keep;
    std::vector<std::uint32_t> accepted;  ///< combinations that meet the conditions
    bool has_conditions = false;

    std::size_t combinations() const;
    /// Of a combination, before conditions: a value for each name.
    std::vector<scene_file::Json> values(std::size_t combination) const;
    /// The scene with these values.
    Result<scene_file::Json> scene(std::span<const scene_file::Json> values) const;
    std::size_t combination(std::size_t run) const { return has_conditions ? accepted[run] : run; }
};

}  // namespace yawara
