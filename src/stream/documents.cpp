// Every accepted change is in the journal before it is told.
#include "stream/documents.h"
#include "stream/json_difference.h"

#include <algorithm>
#include <utility>

#include "io/file.h"

namespace yawara::stream {

namespace fs = std::filesystem;

Status Documents::meets(const std::string& id, std::optional<std::int64_t> revision) const
{
    if (id != this->id()) return Error{"document", "this scene is no longer open"};
    if (revision && *revision != revision_) return Error{"revision", "the scene was changed elsewhere meanwhile"};
    return Done{};
}

Status Documents::open(OpenedScene opened, const Json* edited, const std::string& label)
{
    opened_ = std::move(opened);
    document_ = Document(opened_.content);
    ++opened_count_;
    revision_ = 0;
    unbuilt_.clear();
    Status kept = journal_.begin(opened_.file, opened_.folder().string(), opened_.read_only, opened_.content);
    if (!edited || *edited == opened_.content) return kept;
    document_.apply(label, "", *edited);
    return kept ? journal_.record(document_.content()) : kept;
}

Result<std::vector<std::string>> Documents::take_in(const std::vector<fs::path>& files, bool own_folder)
{
    std::vector<std::string> names;
    for (const fs::path& file : files) {
        const bool copied = own_folder || !opened_.read_only;
        const auto taken = copied ? copy_beside(file, opened_.folder()) : Result<fs::path>(file);
        if (!taken) return taken.error();
        names.push_back(copied ? taken->lexically_relative(opened_.folder()).string() : taken->string());
        if (!copied && std::ranges::find(opened_.roots, file.parent_path()) == opened_.roots.end())
            opened_.roots.push_back(file.parent_path());
    }
    return names;
}

void Documents::remember(std::string label, std::string merge, const Json& next, std::optional<EditSender> from,
                         bool live)
{
    if (live && unbuilt_.empty()) return;
    unbuilt_.push_back(
        {document_, std::move(label), std::move(merge), json_difference(document_.content(), next), from, live});
}

Status Documents::changed()
{
    ++revision_;
    return journal_.record(document_.content());
}

Status Documents::apply(std::string label, std::string merge, Json next, std::optional<EditSender> from, bool live)
{
    remember(label, merge, next, from, live);
    document_.apply(std::move(label), std::move(merge), std::move(next));
    return changed();
}

Status Documents::undo(bool live)
{
    remember(document_.undo_label(), "", document_.undone(), {}, live);
    document_.undo();
    return changed();
}

Status Documents::redo(bool live)
{
    remember(document_.redo_label(), "", document_.redone(), {}, live);
    document_.redo();
    return changed();
}

Status Documents::save()
{
    if (opened_.read_only)
        return Error{
            opened_.file.filename().string(),
            "cannot be overwritten: it belongs to the gallery or was dropped on the page. Export the scene instead"};
    if (Status written = io::write_file(opened_.file, pretty(content())); !written) return written;
    document_.mark_saved();
    opened_.content = content();
    for (Unbuilt& edit : unbuilt_) edit.before.mark_unsaved();  // the file holds what may have to be taken back
    return journal_.begin(opened_.file, opened_.folder().string(), opened_.read_only, content());
}

std::optional<Documents::TakenBack> Documents::take_back()
{
    std::size_t blamed = unbuilt_.size();
    while (blamed > 0 && unbuilt_[blamed - 1].live) --blamed;
    if (blamed-- == 0) return std::nullopt;
    TakenBack taken{unbuilt_[blamed].label, unbuilt_[blamed].from};
    const std::vector<Unbuilt> later(std::make_move_iterator(unbuilt_.begin() + std::ptrdiff_t(blamed) + 1),
                                     std::make_move_iterator(unbuilt_.end()));
    document_ = std::move(unbuilt_[blamed].before);
    unbuilt_.resize(blamed);
    for (const Unbuilt& edit : later) {
        try {
            const Json next = content().patch(edit.forth);
            remember(edit.label, edit.merge, next, edit.from, edit.live);
            document_.apply(edit.label, edit.merge, next);
        } catch (const Json::exception&) {  // it was about what is gone
        }
    }
    (void)changed();
    return taken;
}

template <class Message>
void Documents::tell_state(Message& message) const
{
    message.title = content().value("title", opened_.name());
    message.place = opened_.read_only ? "" : opened_.file.string();
    message.undo = document_.undo_label();
    message.redo = document_.redo_label();
    message.saved = document_.is_saved();
    message.warnings = warnings;
}

messages::ServerDocument Documents::full_message() const
{
    messages::ServerDocument message;
    message.id = id();
    message.revision = revision_;
    message.content = content();
    message.name = opened_.name();
    tell_state(message);
    return message;
}

messages::ServerEdited Documents::edited_message(const Json& before, std::int64_t base) const
{
    messages::ServerEdited message;
    message.document = id();
    message.revision = revision_;
    message.base = base;
    messages::read(json_difference(before, content()), message.changes);
    tell_state(message);
    return message;
}

Result<bool> Documents::keep_unsaved()
{
    if (opened_count_ == 0 || document_.is_saved() || content() == opened_.content) return false;
    const auto name = recent_.keep({opened_, content(), document_.done_count()});
    if (!name) return name.error();
    return true;
}

}  // namespace yawara::stream
