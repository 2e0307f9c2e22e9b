// The scene document while it is edited: JSON, every change a command that can be undone and done again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "scene_file/json.h"

namespace yawara::stream {

using scene_file::Json;

/// One thing a person did.
struct Command {
    std::string label;  ///< in a few words
    std::string merge;  ///< not empty: the command is joined with the one before it if both have the same
    Json forth, back;   ///< JSON patches
};

/// A document with its history of commands. Knows identities, but not what else a scene may hold: whoever applies a
/// command checks.
class Document {
public:
    Document() = default;
    explicit Document(Json content) : content_(std::move(content)) {}

    const Json& content() const { return content_; }

    /// What the content would be after a patch; refuses one that does not fit. In its paths "@identity" may stand for
    /// the number of a body, instance or obstacle. Identities outlive what is done to names and other entries: those
    /// that would change are written down as "id".
    Result<Json> patched(const Json& patch) const;
    /// Does it and remembers how to undo it.
    void apply(std::string label, std::string merge, Json next);

    /// The content before the last command, or after the one undone last; null if there is none.
    Json undone() const;
    Json redone() const;
    void undo();
    void redo();
    const std::string& undo_label() const;  ///< empty: nothing to undo
    const std::string& redo_label() const;

    bool is_saved() const { return saved_at_ == static_cast<std::ptrdiff_t>(done_) && !saved_lost_; }
    void mark_saved();
    void mark_unsaved() { saved_lost_ = true; }  ///< the file was written with something else
    std::size_t done_count() const { return done_; }
    std::size_t command_count() const { return commands_.size(); }
    /// A command from now on starts a new step of undo, whatever its `merge`.
    void end_merging() { may_merge_ = false; }

private:
    Json content_;
    std::vector<Command> commands_;
    std::size_t done_ = 0;  ///< how many of commands_ are done; the rest were undone
    std::ptrdiff_t saved_at_ = 0;
    bool saved_lost_ = false, may_merge_ = false;
};

/// As a person would write it: short lists and objects on one line.
std::string pretty(const Json& value, std::size_t width = 110);

}  // namespace yawara::stream
