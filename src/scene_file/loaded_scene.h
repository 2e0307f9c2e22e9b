// What a LoadedScene remembers of its document, so that edits of it can act on the running scene.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scene_file/build.h"
#include "scene_file/json.h"
#include "scene_file/scene_document.h"
#include "yawara/measures.h"
#include "yawara/recorder.h"

namespace yawara::scene_file {

/// Where a body comes from in the document, and what is not in the running scene.
struct DocumentEntry {
    BodyId body;
    std::string where, identity, pointer;
    std::vector<std::string> grips;       ///< pointers
    std::size_t number = 0;               ///< of the entry in "bodies"
    std::optional<std::size_t> instance;  ///< of its "instances"
    BodyState start;
    std::vector<Json> pins;        ///< of the document, in the order of the script
    std::vector<bool> held_later;  ///< per pin: came while the scene ran, and holds where its particles were then
    double time_offset = 0;  ///< s, that a copy adds to that of its body
    double scale = 1;
    Channels channels;  ///< that its fields may name
    std::optional<FileFrame> file;  ///< of its surface; none: it has none of its own
    Masses masses = Masses::lumped;
    float law_modulus = 0;  ///< see BodyDocument
    bool law_is_young = false;
    bool model_says_stiffness = false;
    std::vector<std::string> model_warnings, script_warnings, modulus_warnings;
};
DocumentEntry entry_of(const BodyDocument& document, BodyId body, BodyState start);
/// The pins of an entry as a document has them: those of the body, then those of the copy.
std::vector<Json> pins_of(const DocumentEntry& entry, const Json& document);

/// What there is to say about a modulus that steps or cells cannot give.
std::vector<std::string> modulus_warnings(const DocumentEntry& entry, const BodyModel& model,
                                          const BodySettings& settings, const SceneSettings& scene);

}  // namespace yawara::scene_file

namespace yawara {

struct LoadedScene::Data {
    explicit Data(const scene_file::SceneDocument& read, BuildCache build_cache);

    const scene_file::DocumentEntry& entry(BodyId body) const;
    /// By its identity, or else by its name.
    std::optional<BodyId> find(std::string_view identity) const;
    Status add(const scene_file::MeasureDocument& measure);
    Status add(const scene_file::JointDocument& joint);
    /// Puts together what the document and each body have to say.
    void gather_warnings();

    scene_file::Json document;  ///< what the scene is like now
    std::filesystem::path folder;
    Scene scene;
    BuildCache cache;
    std::vector<scene_file::DocumentEntry> entries;  ///< per body
    std::string title, description;
    int frames;
    std::optional<int> poster;
    Look look;
    std::optional<Camera> camera;
    std::vector<std::string> document_warnings, warnings;
    std::vector<ColliderId> obstacles;
    std::vector<std::string> obstacle_identities, obstacle_sources;  ///< per obstacle
    std::vector<BodyLook> looks;                            ///< per body
    std::vector<std::optional<SolidReport>> solid_reports;  ///< per body
    Measures measures;
    std::vector<BodyCavity> cavities;
};

/// The way in for what edits a running scene.
struct scene_file::SceneInside {
    using Data = LoadedScene::Data;
    static Data& of(LoadedScene& scene) { return *scene.data_; }
};

}  // namespace yawara
