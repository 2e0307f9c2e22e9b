// Selections: some places of a body at rest (particles, or finest tets by their centres), by number or by position.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "yawara/collider.h"
#include "yawara/core.h"
#include "yawara/math.h"

namespace yawara {

struct Selection;

struct SelectEverything {};
struct SelectVertices {
    std::vector<std::int32_t> particles;
};
struct SelectBox {
    Box3 box;
};
struct SelectNearest {
    Vec3d point;
};
struct SelectAnyOf {
    std::vector<Selection> parts;
};
struct SelectAllOf {
    std::vector<Selection> parts;
};
struct SelectNotIn {
    std::vector<Selection> part;  ///< one
};

struct Selection {
    std::string where;  ///< its path in a document, for messages
    std::variant<SelectEverything, SelectVertices, SelectBox, Sphere, Plane, SelectNearest, SelectAnyOf, SelectAllOf,
                 SelectNotIn>
        kind;
};

/// The particles, sorted, each once. An empty selection or a number out of range is an error.
Result<std::vector<std::int32_t>> select_particles(const Selection& selection, std::span<const Vec3d> rest);

}  // namespace yawara
