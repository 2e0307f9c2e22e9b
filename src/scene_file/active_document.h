// "active": muscles of a body as a document says them, before there is a solid to fill.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scene_file/file_name.h"
#include "scene_file/formula.h"
#include "yawara/active.h"

namespace yawara::scene_file {

/// A touch of a brush: what it paints depends on the surface of the solid.
struct PaintTouch {
    std::string where;
    enum class Brush { point, polygon, flat, stroke } brush = Brush::point;
    std::vector<Vec3d> path;  ///< one place, or the way of a stroke
    std::optional<std::int32_t> vertex;
    double value = 0, angle = 30, radius = 0;
};
struct PaintDocument {
    std::vector<PaintTouch> touches;  ///< later ones paint over earlier ones
    Filling filling = Filling::rbf;
};
/// Coordinates are those of the solid before "place".
using ScalarDocument = std::variant<double, Formula, PaintDocument, FileName>;

struct DirectionDocument {
    std::vector<Stroke> strokes;
    std::vector<Formula> formulas;  ///< three, or none
    bool oriented = false;
};

struct ActiveFieldsDocument {
    std::string where;
    ScalarDocument depth = 0.0, amplitude = 1.0, phase = 0.0;
    DirectionDocument direction;
};

struct ActiveDocument {
    std::string where;
    std::variant<ActiveFieldsDocument, FileName> fields;  ///< here, or in a file of their own
    Charts charts;
    double speed = 1;
};

}  // namespace yawara::scene_file
