// Stretch layers of a body, asked in their order, its examples among them. Called by sim/step_matching.cpp once a step,
// or by matching/passes.h in every pass if a layer looks at how the regions are stretched.
#pragma once

#include "core/aligned.h"
#include "matching/match.h"
#include "yawara/stretch.h"

namespace yawara::matching {

/// What is constant about the layers of a body, which are listed without its examples.
struct LayerPlan {
    std::size_t before_examples = 0;     ///< so many come before the examples: those do not see what these explain
    AlignedVector<RegionTensor> spread;  ///< by region_spread(), if a layer looks
    bool looks() const { return !spread.empty(); }
};
/// Layers as they are asked, neighbours that can be as one; none across the place of the examples, which comes behind
/// so many.
struct AskedLayers {
    StretchLayers layers;
    std::size_t before_examples = 0;
};
AskedLayers join_layers(const StretchLayers& layers, std::size_t before_examples);
LayerPlan plan_layers(const StretchLayers& layers, std::size_t before_examples, const Regions& regions,
                      const RegionSums& sums, std::span<const Vec3d> rest);

struct LayerQuestion {
    const StretchLayers& layers;
    const LayerPlan& plan;
    double time;  ///< s
};

/// What the layers want now of the particles as placed, added to `wanted`, which has the examples already.
void ask_layers(const LayerQuestion& question, const Regions& regions, float* rotations, WantedShapes& wanted,
                MatchMemory& memory);

}  // namespace yawara::matching
