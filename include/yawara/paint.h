// Paint over a base: every coat changes the values that are there where a brush, a flat side, a selection or a gradient
// reaches. What is kept is what a person did, so that it means the same on another mesh.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "yawara/field.h"

namespace yawara {

/// What lies in outlines drawn on a picture of the solid at rest.
struct Outline {
    std::array<double, 16> view{};           ///< from the solid to the picture before division by w, by columns
    std::vector<std::vector<double>> areas;  ///< polygons, x and y in turn; in any of them counts
    bool contains(Vec3d place) const;
};

/// One stroke or fill. Places are in the coordinates of the solid at rest, as those of all fields.
struct Coat {
    enum class Brush {
        stroke,    ///< within `radius` of the path, reached through the body from where it touches
        polygon,   ///< the corners of the outer triangle next to each place of the path
        flat,      ///< the side of the body next to the path, up to edges bent by `angle`, as deep as `radius`
        select,    ///< what `select` says
        gradient,  ///< everywhere: `value` at the start of the path, `end_value` at its end, evenly in between
    } brush = Brush::stroke;
    enum class Operation { set, add, subtract, multiply, smooth, erase } operation = Operation::set;
    /// Of a stroke. body: as deep as wide; skin: the outermost places alone; through: all along `along`, hidden or not.
    enum class Reach { body, skin, through } reach = Reach::body;
    double value = 0, end_value = 0;
    bool along_mesh = false;                   ///< of a gradient: by ways through the body, not straight through the air
    double strength = 1;                       ///< 0..1: share of the change that is made
    std::vector<Vec3d> path{};                 ///< of a stroke or a gradient; places of a flat side
    std::vector<double> pressures{};           ///< of a pen: strength at each place of the path; empty: 1
    Vec3d along{};                             ///< of Reach::through, any length
    double radius = 0;                         ///< m
    double angle = 30;                         ///< degrees
    Selection select{{}, SelectEverything{}};  ///< nowhere else
    std::optional<Outline> outline{};          ///< nor outside of this
    std::optional<int> mirror{};               ///< also on the other side of the middle of the body, across this axis
    double low = -std::numeric_limits<double>::infinity();  ///< only where the value so far is not below this
    double high = std::numeric_limits<double>::infinity();  ///< nor above this
    std::string where{};                                    ///< its path in a document, for messages
};

template <class T>
struct Painting {
    Field<T> base;
    std::vector<Coat> coats;
    double low = -std::numeric_limits<double>::infinity();  ///< what adding, subtracting and multiplying is held to
    double high = std::numeric_limits<double>::infinity();
    /// What no coat touches is filled smoothly, along the mesh, from what they touch; the base is seen where they touch
    /// nothing at all.
    bool filled = false;
};

/// A field of numbers, or of labels: these change where a coat counts at least half, and can neither be smoothed nor
/// graded.
template <class T>
Field<T> painted(Painting<T> painting);

/// A first guess of depth: 1 on the outer wall of a solid, less inwards.
enum class Walls {
    outside,  ///< by the distance from the surface, 0 at the deepest place
    both,     ///< of a hollow solid: 0 on its inner wall; refused where there is none
};
Field<double> wall_distance(Walls walls);

}  // namespace yawara
