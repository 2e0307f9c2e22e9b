// What build() precomputes: everything about a body that does not move.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fem/fem_model.h"
#include "matching/examples.h"
#include "matching/layers.h"
#include "matching/widths.h"
#include "yawara/body.h"

namespace yawara {

namespace contact {
struct BodySurface;
}
class DrawnSurface;
struct RigidSolid;

/// What others touch of a body: made when a scene first asks for it, by whichever thread comes first.
struct OutsideOnce {
    std::once_flag once;
    std::shared_ptr<const contact::BodySurface> surface;
};

/// Likewise, how the drawn surface is split into vertices.
struct DrawnOnce {
    std::once_flag once;
    std::shared_ptr<const DrawnSurface> surface;
};

/// Another number at every call.
std::uint64_t next_revision();

struct BodyModel::Data {
    std::string name;
    Domain domain;
    StretchLayers stretch;                    ///< without the examples
    std::size_t stretch_before_examples = 0;  ///< so many of them come before these
    StretchLayers asked;                      ///< `stretch` as it is asked
    matching::LayerPlan layer_plan;           ///< of `asked`
    std::vector<Vec3d> rest;                  ///< per particle
    std::vector<double> masses;               ///< kg, per particle
    std::vector<float> masses_f, inverse_masses;
    matching::Regions regions;
    std::optional<matching::WidthPlan> widths;  ///< of a lattice summed by boxes
    std::optional<matching::Examples> examples;
    matching::Lists parts;  ///< particles of each connected part, if there are several
    TriMesh surface;
    Embedding embedding;
    double spacing = 0;
    double volume = 0;        ///< m^3, at rest
    double total_mass = 0;    ///< kg
    double pass_modulus = 0;  ///< Young's modulus of one pass times the step squared, Pa s^2
    std::vector<std::string> warnings;
    std::shared_ptr<const fem::FemModel> fem;  ///< a finite-element body: then there are no regions
    std::shared_ptr<const RigidSolid> rigid;   ///< a rigid body: likewise
    std::uint64_t revision = next_revision();
    std::shared_ptr<OutsideOnce> outside = std::make_shared<OutsideOnce>();
    std::shared_ptr<DrawnOnce> drawn = std::make_shared<DrawnOnce>();
};

}  // namespace yawara
