// The document that is open: which one it is, its revision, undo, the journal, and edits whose scene is not built yet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "messages.h"
#include "stream/document.h"
#include "stream/journal.h"
#include "stream/opened_scene.h"
#include "stream/recent_documents.h"
#include "stream/server.h"

namespace yawara::stream {

/// Who sent an edit, and the number it was given there.
struct EditSender {
    ClientId client = 0;
    std::int64_t edit = 0;
};

class Documents {
public:
    Documents(Journal journal, const std::filesystem::path& state)
        : journal_(std::move(journal)), recent_(state / "recent")
    {
    }

    // ---- what is open

    const OpenedScene& opened() const { return opened_; }
    const Json& content() const { return document_.content(); }
    const Document& document() const { return document_; }
    std::string id() const { return std::to_string(opened_count_); }
    std::int64_t revision() const { return revision_; }
    /// Whether a message means the document that is open, in the state that it has.
    Status meets(const std::string& id, std::optional<std::int64_t> revision) const;
    std::vector<std::string> warnings;  ///< about the scene that was built last

    // ---- changes; the journal's trouble comes back as an error, the change is made all the same

    /// Another document. `edited`: its content as edited before, one command.
    Status open(OpenedScene opened, const Json* edited, const std::string& label);
    /// Files from elsewhere that bodies are to be made of; their names as the document may write them. With a folder of
    /// its own they are copied there, under names that are free; else they stay where they are. `own_folder`: it has
    /// one although it cannot be saved there.
    Result<std::vector<std::string>> take_in(const std::vector<std::filesystem::path>& files, bool own_folder);
    /// `live`: the change acts on the running scene at once, no build can fail because of it. The sender is told of one
    /// that fails.
    Status apply(std::string label, std::string merge, Json next, std::optional<EditSender> from, bool live);
    Status undo(bool live);
    Status redo(bool live);
    Status save();

    // ---- edits that are not built yet

    /// The scene that runs is that of the content now.
    void all_is_built() { unbuilt_.clear(); }
    struct TakenBack {
        std::string label;
        std::optional<EditSender> from;
    };
    /// A build of the content failed: takes back the last edit that needed one. Others stay, unless they do not fit
    /// without it. None if there is nothing to take back.
    std::optional<TakenBack> take_back();
    bool has_unbuilt() const { return !unbuilt_.empty(); }

    // ---- messages

    messages::ServerDocument full_message() const;
    /// What changed since the content `before`, of the revision `base`.
    messages::ServerEdited edited_message(const Json& before, std::int64_t base) const;

    // ---- unsaved work

    /// Puts unsaved edits among the recent documents; true if there were any.
    Result<bool> keep_unsaved();
    RecentDocuments& recent() { return recent_; }
    const RecentDocuments& recent() const { return recent_; }

private:
    /// What whole documents and edits tell alike.
    template <class Message>
    void tell_state(Message& message) const;

    struct Unbuilt {
        Document before;
        std::string label, merge;
        Json forth;  ///< patch
        std::optional<EditSender> from;
        bool live = false;
    };
    void remember(std::string label, std::string merge, const Json& next, std::optional<EditSender> from, bool live);
    Status changed();

    Journal journal_;
    RecentDocuments recent_;
    OpenedScene opened_;
    Document document_;
    std::uint64_t opened_count_ = 0;
    std::int64_t revision_ = 0;
    std::vector<Unbuilt> unbuilt_;  ///< the oldest first
};

}  // namespace yawara::stream
