// Numbers of a scene that are followed over time: how far a bar is twisted, how high a body reaches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scene_file/scene_document.h"

namespace yawara::scene_file {

/// All measures of a scene whose bodies are built, in the order of the document.
class Measures {
public:
    /// Remembers what they compare with: the scene as it is now.
    static Result<Measures> make(const std::vector<MeasureDocument>& documents, Scene& scene);

    std::span<const MeasureInfo> infos() const { return infos_; }
    /// The numbers now.
    std::vector<double> now(Scene& scene);

private:
    struct One {
        MeasureDocument document;
        BodyId body, other;
        std::size_t example = 0;               ///< of the body, for weights
        std::vector<std::vector<int>> layers;  ///< particles from the low end to the high one, for twists
        Vec3d offset;                          ///< of the other body at the start, for distances
    };
    static double value(const One& one, Scene& scene);

    std::vector<One> all_;
    std::vector<MeasureInfo> infos_;
};

}  // namespace yawara::scene_file
