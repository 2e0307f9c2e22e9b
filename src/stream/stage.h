// A loaded scene with what drawing it needs. A recording keeps its stage, so that it can be replayed when the document
// has become another.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "geometry/drawn_surface.h"
#include "yawara/quantities.h"
#include "yawara/scene_file.h"

namespace yawara::stream {

using Edges = std::vector<std::array<std::uint32_t, 2>>;

/// What a body is made of, for lines: edges of tets or cells, each once; the outer ones only if there are very many.
Edges edges_of(const Domain& domain);

struct Stage {
    struct Body {
        std::shared_ptr<const DrawnSurface> surface;
        std::shared_ptr<const TetMesh> solid;  ///< made when a cut is first asked for
        std::shared_ptr<const Edges> edges;    ///< made when they are first needed
        std::vector<float> particle_values, surface_values, drawn_values;
        std::vector<Vec3> drawn, normals, faces;
    };

    /// Shares with an `earlier` one what is expensive to prepare and belongs to the same models.
    explicit Stage(LoadedScene scene, Stage* earlier = nullptr);

    Scene& scene() { return loaded.scene(); }
    /// Of a body's solid.
    std::shared_ptr<const Edges> edges(std::size_t body);
    /// Makes ahead what is otherwise made when it is first sent: on another thread, before anybody sees the stage.
    void prepare();
    /// Takes over from an earlier one what belongs to the same models.
    void share(Stage& earlier);

    LoadedScene loaded;
    QuantityGauge gauge;
    std::vector<Body> bodies;
};

/// Bodies of the same models and identities in the same order: states of one are states of the other.
bool fit_together(Stage& one, Stage& other);

/// Gives the bodies of a stage the motion that bodies of the same identity have in another; others stay as they are.
void carry_motion(Stage& from, Stage& to);

}  // namespace yawara::stream
