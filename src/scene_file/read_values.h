// Small readers of checked JSON: a node of the document with its path, and the values it may hold. What a schema cannot
// say is checked here and goes to the list of errors, so that all of them are found in one reading.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scene_file/json.h"
#include "scene_file/scene_document.h"
#include "scene_file/schema_check.h"

namespace yawara::scene_file {

/// Where what is found while reading goes.
struct Findings {
    std::filesystem::path folder;      ///< file names are relative to it
    std::vector<FileReference> files;  ///< that the document names
    std::vector<Error> errors;
    std::vector<std::string> warnings;

    void error(std::string where, std::string what) { errors.push_back({std::move(where), std::move(what)}); }
    void warning(const std::string& where, const std::string& what) { warnings.push_back(where + ": " + what); }
};

/// A value of the document that the schema has accepted, with its path.
struct Node {
    const Json& json;
    std::string path;

    bool has(const char* key) const { return json.contains(key); }
    Node operator[](const char* key) const { return {json.at(key), join(path, key)}; }
    Node operator[](std::size_t index) const { return {json.at(index), join(path, index)}; }
    std::size_t size() const { return json.size(); }
    template <class T>
    T as() const
    {
        return json.get<T>();
    }
};

Vec3d read_vector(const Node& node);
Int3 read_counts(const Node& node);
/// Unit length; a vector too short for that is an error.
Vec3d read_direction(const Node& node, Findings& findings);
/// { "axis", "degrees" } as axis times radians.
Vec3d read_turn(const Node& node, Findings& findings);
/// Optional "rotate" and "translate" (or "center") of an object.
Placement read_placement(const Node& node, const char* move_key, Findings& findings);
/// sRGB, 0..1
Vec3 read_color(const Node& node);
FileName read_file(const Node& node, const Findings& findings);

// One reader for each thing of a scene, in read_<thing>.cpp.
SolidDocument read_solid(const Node& node, Findings& findings);
Box3 read_box(const Node& node, Findings& findings);
Selection read_selection(const Node& node, Findings& findings);
Plane read_plane(const Node& node, Findings& findings);
Sphere read_sphere(const Node& node);
std::vector<PathKey> read_path(const Node& path, Findings& findings);
HandleDocument read_handle(const Node& node, Findings& findings);
ForceDocument read_force(const Node& node, Findings& findings);
ExamplesDocument read_examples(const Node& node, Findings& findings);
PoseDocument read_pose(const Node& node, Findings& findings);
std::vector<ControlDocument> read_controls(const Node& node, Findings& findings);
/// Charts and speed of an active layer, without its fields; and those.
ActiveDocument read_active_charts(const Node& layer, Findings& findings);
void read_active_source(const Node& node, ActiveDocument& active, Findings& findings);
ActiveFieldsDocument read_active_fields(const Node& node, Findings& findings);
/// The body itself, or as many copies of it as it has instances; and one of these.
std::vector<BodyDocument> read_instances(const Node& node, BodyDocument body, Findings& findings);
BodyDocument read_instance(const Node& node, std::size_t index, const BodyDocument& body, Findings& findings);
/// `omitted`: the stiffness that the solid has by itself.
RegionsDocument read_regions(const Node& node, const Field<double>& omitted, Findings& findings);
std::vector<StiffnessChangeDocument> read_stiffness_changes(const Node& node, Findings& findings);
/// What acts on the model, after what acts on the running body; and doubts about odd combinations.
void read_matching(const Node& node, BodyDocument& body, Findings& findings);
void read_matching_settings(const Node& node, BodyDocument& body, Findings& findings);
void check_matching(const Node& node, const BodyDocument& body, Findings& findings);
void read_fem(const Node& node, BodyDocument& body, Findings& findings);
void read_fem_settings(const Node& node, BodySettings& settings);
BodyDocument read_body(const Node& node, std::size_t index, Findings& findings);
/// What does not act on the model; and settings that depend on both.
void read_live_body(const Node& node, std::size_t index, BodyDocument& body, Findings& findings);
void finish_settings(const Node& node, BodyDocument& body, Findings& findings);
SceneSettings read_step(const Node& node, Findings& findings);
Medium read_medium(const Node& node, Findings& findings);
/// Files that are not there, or are folders.
void check_files(Findings& findings);
JointDocument read_joint(const Node& node, Findings& findings);
MeasureDocument read_measure(const Node& node, Findings& findings);
ContactSettings read_contact(const Node& node);
ContactFilter read_filter(const Node& node);
ObstacleDocument read_obstacle(const Node& node, Findings& findings);
Camera read_camera(const Node& node, Findings& findings);
BodyLook read_body_look(const Node& node, std::size_t index, Findings& findings);
/// `shown`: what each body shows, and where the document says it.
struct ShownQuantity {
    std::string where, quantity;
};
Look read_look(const Node& node, const std::vector<ShownQuantity>& shown, Findings& findings);

}  // namespace yawara::scene_file
