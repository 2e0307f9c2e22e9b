// Edits of a scene that runs: what each difference of two documents needs, by "x-acts" of the schema, and those that
// need nothing built done at once. The others wait for LoadedScene::from_text with the cache of the running scene.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene_file/file_name.h"
#include "scene_file/json.h"
#include "yawara/scene_file.h"

namespace yawara::scene_file {

/// What a key acts on: pictures only, the running scene, its start alone, or what has to be built. A key that does not
/// say acts like the key that holds it.
enum class Acts { view, live, start, model };

struct Difference {
    std::string pointer;  ///< JSON pointer into the documents, of the outermost thing that has to be looked at
    Acts acts = Acts::model;
};

/// Where two documents differ, in the order of the schema. What is left out counts as its default. Bodies that came,
/// went or changed places are one difference, "/bodies".
std::vector<Difference> differences(const Json& before, const Json& after);

/// What became of an edit.
struct LiveEdit {
    std::vector<Difference> done, waiting;  ///< `waiting` needs a scene built from the document

    bool did(Acts acts) const;
    /// Shapes and positions are what they were, but names, colours or obstacles are not: the page has to be told.
    bool looks_changed() const;
};

/// Makes a running scene one of another document as far as nothing has to be built. What acts on the start moves
/// nothing until it is reset. Refused as a whole, without effect, if a value is wrong. What waits is compared again by
/// the next call: the scene knows what it is like.
Result<LiveEdit> edit_live(LoadedScene& scene, const Json& document);
/// What fields of a body of the scene may speak of.
struct FieldScope {
    Channels channels;
    double scale = 1;  ///< see FieldPlaces
    std::filesystem::path folder;
    std::optional<FileFrame> file;  ///< of its surface; none: it has none of its own
    std::vector<std::string> pose_files;  ///< that poses of the document name
};
FieldScope field_scope(LoadedScene& scene, BodyId body);
/// What the scene is like now: without what waits.
const Json& document_of(LoadedScene& scene);

// A pin of the document holds its particles where they start. One that comes while the scene runs holds them where they
// are then, so that setting it moves nothing; after a reset it holds them where they start, like any other.

/// Pins that came while the scene ran hold from now on where their particles are: time went to another frame.
void hold_pins_here(LoadedScene& scene);
/// They hold where their particles start: the scene is reset.
void hold_pins_at_start(LoadedScene& scene);
/// A scene goes on with the motion of another: pins that both have hold as they did, others where their particles are.
void carry_pins(LoadedScene& from, LoadedScene& to);

// A period that changes while muscles move lets them lead the clock, so that their beat goes on without a jump.

/// They beat as if their charts had been the same from the start: the scene is reset.
void beat_from_start(LoadedScene& scene);
/// Their beat goes on in another build of the scene.
void carry_beat(LoadedScene& from, LoadedScene& to);

/// All errors of a document that are found without building it, and in the order of the document.
std::vector<Error> check_document(const Json& document, const std::filesystem::path& folder, const std::string& name);

}  // namespace yawara::scene_file
