// A scene document (JSON, checked against schema/scene.schema.json) becomes a Scene that can be stepped.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yawara/io.h"
#include "yawara/look.h"
#include "yawara/recorder.h"
#include "yawara/scene.h"
#include "yawara/solid.h"

namespace yawara {

class LoadedScene;
namespace scene_file {
struct SceneInside;
}

/// What is expensive to make and was made before: solids, models and the shapes of obstacles, by the content of what
/// they are made from. A file that changed on the disk is another content. A handle: copies share what was made, also
/// between threads.
class BuildCache {
public:
    BuildCache();
    /// That of an earlier scene; null: an empty one.
    BuildCache(const LoadedScene* earlier);

    /// How often something was made because it was not there.
    struct Made {
        std::size_t solids = 0, models = 0, obstacles = 0;
        friend bool operator==(const Made&, const Made&) = default;
    };
    Made made() const;

    struct Data;  // src/scene_file/build_cache.h
    Data& data() const { return *data_; }

private:
    std::shared_ptr<Data> data_;
};

/// A scene as read, with its bodies built and scripted.
class LoadedScene {
public:
    static Result<LoadedScene> from_file(const std::filesystem::path& path, const Progress& progress = {});
    /// From text; relative file names are looked up in `folder`; `name` stands in error messages. What the cache holds
    /// is taken from it instead of built: an edited document costs what changed.
    static Result<LoadedScene> from_text(std::string_view json, const std::filesystem::path& folder,
                                         const std::string& name = "scene", const Progress& progress = {},
                                         BuildCache cache = {});
    ~LoadedScene();
    LoadedScene(LoadedScene&&) noexcept;
    LoadedScene& operator=(LoadedScene&&) noexcept;

    Scene& scene();
    /// What names a body in its document, wherever it stands there: its "id" or "name"; "BODY/COPY" if it is a copy.
    const std::string& identity(BodyId body) const;
    std::optional<BodyId> find(std::string_view identity) const;
    /// The same of obstacles.
    const std::string& identity(ColliderId obstacle) const;
    std::optional<ColliderId> find_obstacle(std::string_view identity) const;
    /// The entry of the body in its document, as a JSON pointer: "/bodies/0", or "/bodies/0/instances/3" of a copy.
    const std::string& pointer(BodyId body) const;
    /// The same of its pins and handles, in the order of Scene::scripted_grips. A copy has those of its body, too.
    std::span<const std::string> grip_pointers(BodyId body) const;
    /// As the document has it start: where reset goes back to.
    const BodyState& start(BodyId body) const;
    /// Those of the document, in its order; a host may have added others to the scene.
    std::span<const ColliderId> obstacles() const;
    const BuildCache& build_cache() const;

    const std::string& title() const;
    const std::string& description() const;
    int frames() const;                         ///< as the file says, or 240
    int poster() const;                         ///< the frame that stands for the scene in galleries
    std::int64_t frame() const;                 ///< frames done since the start, also after load_state
    std::span<const BodyLook> looks() const;    ///< per body
    const Look& look() const;  ///< `scale` if a body shows a quantity; low == high: use the range that occurs
    const std::optional<Camera>& camera() const;  ///< none: frame the action
    std::optional<WaterLook> water() const;       ///< of a medium that ends somewhere
    std::span<const std::string> warnings() const;
    std::span<const std::optional<SolidReport>> solid_reports() const;  ///< per body; those meshed from a surface have one

    /// One frame.
    std::span<const StepReport> step();
    /// What the file asks to be followed over time: see record().
    Measures& measures();
    /// The hollows of the bodies that have a "cavity".
    std::span<const BodyCavity> cavities() const;

    /// All that moves, so that a continued run has the same bits as one that was never stopped.
    Status save_state(const std::filesystem::path& path) const;
    Status load_state(const std::filesystem::path& path);

private:
    friend struct scene_file::SceneInside;
    struct Data;
    explicit LoadedScene(std::unique_ptr<Data> data);
    std::unique_ptr<Data> data_;
};

/// What a recording of this scene keeps, so that pictures of it are those of the scene.
ClipStage clip_stage(LoadedScene& loaded);
/// What a clip of this scene is made of. `quantities` are recorded of all bodies, beside what a body's look shows. The
/// lines of finite elements are taken down where a body is looked at as a wireframe, or of all bodies.
ClipInfo describe_clip(LoadedScene& loaded, std::size_t frames, const std::vector<std::string>& quantities,
                       bool all_lines = false);
/// What pictures of this scene need recorded: speed, and what its bodies or `show` want to see.
std::vector<std::string> quantities_to_show(const LoadedScene& loaded, const std::string& show = "");

/// Errors of a document without building its bodies: every one found, with its path.
std::vector<Error> check_scene(const std::filesystem::path& path);

/// The JSON Schema, as published.
std::string_view scene_schema();
/// The reference of the format in Markdown, made from the schema: docs/scene_format.md.
std::string scene_format_reference();

}  // namespace yawara
