// Lines along a field of directions on a surface, evenly spaced: to see which way fibres run.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "yawara/active.h"
#include "yawara/section.h"

namespace yawara {

/// A direction that has no sense, times how strongly it is given (0 to 1): strength d d^T. Their means do not care
/// which way a direction was drawn, and directions that disagree weaken each other.
struct LineTensor {
    double xx{}, yy{}, zz{}, yz{}, xz{}, xy{};
};
LineTensor line_tensor(Vec3d unit, double strength);

/// A place on a triangle of the surface.
struct StreamPoint {
    std::int32_t triangle = 0;
    std::array<double, 3> weights{};
    double strength = 0;  ///< of the direction along the surface there, 0 to 1
};
using Streamline = std::vector<StreamPoint>;

/// `directions` at the vertices; `spacing`, m, between neighbouring lines. A line ends at a border, where the direction
/// is unknown or leaves the surface, and where it comes too near to another.
std::vector<Streamline> streamlines(const TriMesh& surface, std::span<const LineTensor> directions, double spacing);

/// A surface of a body at rest with the directions of its fibres at the vertices, as strongly as they are known.
struct FibreSurface {
    TriMesh rest;
    std::vector<LineTensor> directions;
};
/// The drawn surface.
FibreSurface fibres_on_surface(const BodyModel& model, const ActiveFields& fields);
/// A layer of equal depth or a cut.
FibreSurface fibres_on_section(const BodyModel& model, const ActiveFields& fields, const Section& section);

}  // namespace yawara
