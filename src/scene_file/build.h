// From a scene document to things that can be stepped: solids meshed or read, bodies built, obstacles measured.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene_file/scene_document.h"
#include "yawara/cavity.h"
#include "yawara/cvg.h"
#include "yawara/scene.h"
#include "yawara/inside.h"
#include "yawara/skin.h"
#include "yawara/solid.h"

namespace yawara::scene_file {

struct BuiltSolid {
    Domain domain;
    TriMesh surface;        ///< what is drawn; may be empty: the outer faces
    std::shared_ptr<const Skin> skin{};  ///< of the file of that surface
    double file_scale = 1;  ///< see FileFrame
    Vec3d file_move{};
    std::optional<SolidReport> report;
    std::vector<std::string> warnings;
    std::vector<float> stiffness;  ///< per particle, of a volume model
    Channels channels;             ///< of a volume model: its attributes, as the particles have them
    std::shared_ptr<const InsideMap> colors{};  ///< of a volume model with more than one
};
/// Where fields of a body are sampled: its particles, or the finest tets of a body of finite elements. `domain`: of it.
FieldPlaces particle_places(const BodyDocument& body, const Domain& domain, const Channels& channels);
Result<FieldPlaces> finest_places(const BodyDocument& body, const Domain& domain, const Channels& channels);

/// Volume models; `carried` is a surface that the cells have to hold.
Result<BuiltSolid> build_volume(const VolumeDocument& document, const std::optional<TriMesh>& carried,
                                const Progress& progress);
/// The solid at its final size.
Result<BuiltSolid> build_solid(const BodyDocument& body, const Progress& progress);

/// What poses are made of: a solid at its final size, whether it is being built or runs.
struct PosedSolid {
    const Domain& domain;
    std::span<const Vec3d> rest;     ///< of the particles
    std::span<const Vec3d> surface;  ///< vertices of its own surface; empty: none
    FileFrame file{};
    double scale = 1;                ///< of the body
    /// Makes what handles need, perhaps from memory; none: Poser::make.
    std::function<Result<Poser>(std::span<const Vec3d> points, const std::vector<PoseHandle>& handles)> poser;
};
/// Where all particles are in a pose.
Result<std::vector<Vec3d>> pose_of(const PoseDocument& pose, const PosedSolid& solid);
/// Tets that are flat or inside out in a pose.
struct InvertedTets {
    std::size_t count = 0, of = 0;
    Vec3d worst;  ///< middle of the worst of them at rest, m
};
InvertedTets inverted_tets(const Domain& domain, std::span<const Vec3d> rest, std::span<const Vec3d> pose);

/// Poses and groups of a solid.
Result<ExampleSet> build_examples(const BodyDocument& body, const BuiltSolid& solid, const FieldPlaces& places,
                                  std::vector<std::string>& warnings);

/// What costs time, beside the solid.
struct BuiltModel {
    BodyModel model;
    std::vector<ChartedLayer> charts;  ///< that its active layers follow
    std::optional<SolidReport> report;
    std::vector<std::string> warnings;  ///< with their places
    Channels channels;                  ///< of the solid
    std::optional<FileFrame> file;      ///< of its surface; none: it has none of its own
    std::shared_ptr<const Skin> skin{};
    std::shared_ptr<const InsideMap> colors{};  ///< of the solid
};
Result<BuiltModel> build_model(const BodyDocument& body, const BuiltSolid& solid);
/// Of the document.
std::vector<ChartedLayer> charts_of(const BodyDocument& body);

/// A finite-element solid of the document's materials, in the tets of which `places` are.
Result<Fem> build_fem(const BodyDocument& body, const FieldPlaces& places, std::vector<std::string>& warnings);

/// Widths of a lattice body; `from_volume` is the stiffness of its model, or empty.
Result<Widths> build_widths(const BodyDocument& body, const FieldPlaces& places, const std::vector<float>& from_volume,
                            std::vector<std::string>& warnings);

struct BuiltBody {
    BodyState state;
    Script script;
    std::vector<std::string> warnings;  ///< with their places
};
/// Pins that hold their particles elsewhere than where these start.
struct HeldPins {
    std::vector<bool> pins;           ///< per pin of the document; missing ones hold at the start
    std::span<const Vec3> positions;  ///< of all particles
};
Result<BuiltBody> build_body(const BodyDocument& body, const BodyModel& model, const HeldPins& held = {});

/// The layer of muscles of a solid.
Result<std::shared_ptr<const StretchLayer>> build_active(const ActiveDocument& active, const FieldPlaces& places,
                                                         std::vector<std::string>& warnings);

/// The hollow that the document asks to be measured.
Result<CavityGauge> build_cavity(const BodyDocument& body, const BodyModel& model);

/// The shape alone.
Result<Collider> build_obstacle(const ObstacleDocument& obstacle);
/// The fixed point of turns that name none.
Vec3d centre_of(const decltype(Collider::shape)& shape);

}  // namespace yawara::scene_file
