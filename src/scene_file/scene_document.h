// A scene document as plain values: read and checked, nothing built. What read_scene makes and build_body uses.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scene_file/active_document.h"
#include "scene_file/fem_document.h"
#include "scene_file/json.h"
#include "yawara/body.h"
#include "yawara/collider.h"
#include "yawara/deform.h"
#include "yawara/field.h"
#include "yawara/look.h"
#include "yawara/measures.h"
#include "yawara/posing.h"
#include "yawara/scene.h"
#include "yawara/scene_file.h"
#include "yawara/script.h"

namespace yawara::scene_file {

// ---- solids --------------------------------------------------------------------------------------------------------

struct BarDocument {
    Vec3d size;
    Int3 cells;
};
/// How large the mesh of a file becomes, and where it stands.
struct FitDocument {
    double height = 0;   ///< 0: as in the file
    double largest = 0;  ///< 0: as in the file
    bool stand = false;
};
struct SurfaceSolidDocument {
    FileName file;
    double cell = 0;  ///< 0: by `particles`
    int particles = 2000;
    FitDocument fit;
};
struct TetsDocument {
    FileName file;
    FitDocument fit;
};
struct LatticeBoxDocument {
    Vec3d size;
    Int3 cells;
};
struct LatticeSurfaceDocument {
    FileName file;
    double cell = 0;
};
struct FormulaSolidDocument {
    Formula inside;  ///< negative inside
    Box3 box;
    double cell = 0;  ///< 0: by `particles`
    int particles = 2000;
    double detail = 3;  ///< cells of the drawn surface in one of the solid
};
struct VolumeDocument {
    std::string where;
    std::optional<FileName> file;
    std::string tree;              ///< the model's document, if there is no file
    std::filesystem::path folder;  ///< of the files it names
    double cell = 0.1;
    bool as_tets = false;
    int voxels = 4;
    double fill = 0, hardness = 1;
    bool draw_points = false;
    std::optional<Plane> cut;
};
struct SolidDocument {
    std::string where;
    std::variant<FormulaSolidDocument, BarDocument, SurfaceSolidDocument, TetsDocument, LatticeBoxDocument,
                 LatticeSurfaceDocument, VolumeDocument>
        kind;
};

struct MassesDocument {
    std::string where;
    Masses spread = Masses::lumped;
    std::optional<Field<double>> values;  ///< kg, of the particles themselves
};

// ---- examples ------------------------------------------------------------------------------------------------------

/// At least one of what makes a shape is there; of vertices, surface and captured no more.
struct PoseDocument {
    std::string where, name;
    double strength = 1;
    std::optional<FileName> vertices, surface;
    std::optional<std::string> shape;  ///< of the surface's file: a blend shape
    std::optional<std::size_t> frame;  ///< likewise
    PoseSamples captured;              ///< empty: none; lengths before the scale of the body, as below
    std::vector<Deformer> deform;
    std::vector<PoseHandle> handles;
    std::vector<PoseTouch> touches;
    std::optional<int> mirror;         ///< axis
};
struct ExamplesDocument {
    std::string where;
    std::vector<PoseDocument> poses;
    ExampleSet choices;  ///< without its poses
};

// ---- what holds and pushes ------------------------------------------------------------------------------------------

struct HandleDocument {
    Selection select;
    HandleMotion motion;
};
struct ForceDocument {
    Selection select;
    ForcePlan plan;
};

/// A control of the examples.
struct ControlDocument {
    std::string name;
    std::vector<ControlKey> keys;  ///< one at least
};

// ---- regions of a lattice -------------------------------------------------------------------------------------------

struct StiffnessChangeDocument {
    Selection select;
    double value = 0;
    double from = 0, until = 0;
};
struct RegionsDocument {
    std::string where;
    RegionRule rule = RegionRule::sharp;
    std::optional<Field<Int3>> widths;
    std::optional<Field<double>> alphas, stiffness;
    StiffnessLaw law;
    float rigid = 0.9f;
};

// ---- bodies, obstacles, the whole -----------------------------------------------------------------------------------

/// Mass and inertia of a rigid body, if they are given.
struct RigidDocument {
    double mass = 0;  ///< 0: of the density
    std::optional<Vec3d> inertia;
};

struct BodyDocument {
    std::string where;
    std::string name;
    std::string identity;  ///< see LoadedScene::identity
    SolidDocument solid;
    std::optional<FileName> surface;
    Field<double> density = 1000.0;
    MassesDocument masses;
    BodySettings settings;
    int hops = 1;
    std::optional<ExamplesDocument> examples;
    std::vector<ActiveDocument> active;
    std::optional<double> cavity_depth;  ///< the inner wall: outer triangles no deeper than this
    std::optional<FemDocument> fem;      ///< instead of matching
    std::optional<RigidDocument> rigid;  ///< instead of matching, too
    std::optional<RegionsDocument> regions;
    double scale = 1;
    Placement placement;
    Vec3d velocity{};
    Vec3d spin{};
    std::optional<FileName> initial_positions, initial_velocities;
    std::vector<Selection> pins;
    std::vector<HandleDocument> handles;
    std::vector<ForceDocument> forces;
    std::vector<StiffnessChangeDocument> changes;
    std::vector<ControlDocument> controls;
    BodyLook look;
    float law_modulus = 0;      ///< Pa, that its regions reach by their law if "young" is omitted; 0: not by passes
    bool law_is_young = false;  ///< its regions have a law of Young's moduli
    bool model_says_stiffness = false;       ///< regions, a volume or finite elements: no default is needed
    std::string solid_source, model_source;  ///< what they are made from, as text: equal texts, equal results
};

/// What becomes a MeshAnimation.
struct PointCacheDocument {
    FileName file;
    std::string animation;  ///< of a glTF; empty: the first
    double start = 0;
    std::optional<double> fps;
    bool repeat = false;
};
/// A mesh that becomes a MeshDistance when it is built.
struct MeshObstacle {
    FileName file;
    double scale = 1;
    Placement placement;
    bool container = false;
    std::optional<PointCacheDocument> cache;
};
struct ObstacleDocument {
    std::variant<Plane, Box, Sphere, Capsule, MeshObstacle> shape;
    float friction = 0.5f;
    float restitution = 0;
    std::optional<float> friction_along;
    ContactFilter filter;
    std::vector<PathKey> path;
    bool smooth = true;
    Vec3d belt;
    std::string identity;       ///< see LoadedScene::identity
    std::string shape_source;   ///< the shape as text: equal texts, equal shapes
    std::string motion_source;  ///< path and belt as text
};

struct MeasureDocument {
    std::string where, body, other;  ///< bodies by their identities or names
    MeasureSpec spec;                ///< but for the bodies
};

struct JointDocument {
    std::string where, body, to;  ///< bodies by their identities or names; `to` empty: the world
    std::optional<Selection> select, to_select;
    Joint joint;  ///< but for the bodies
    bool collide = false;
};

struct SceneDocument {
    std::string title;
    std::string description;
    SceneSettings settings;
    int frames = 240;
    std::optional<int> poster;
    std::vector<BodyDocument> bodies;
    std::vector<ObstacleDocument> obstacles;
    std::vector<JointDocument> joints;
    std::vector<MeasureDocument> measures;
    std::optional<Camera> camera;
    Look look;
    std::vector<std::string> warnings;
};

/// A document, or all its errors. Looks for the files it names but does not read them.
struct ReadScene {
    SceneDocument document;
    std::vector<Error> errors;
};
ReadScene read_scene(Json parsed, const std::filesystem::path& folder, const std::string& name,
                     const Progress& progress = {});

/// The text of a scene file.
Result<std::string> read_scene_text(const std::filesystem::path& path);

}  // namespace yawara::scene_file
