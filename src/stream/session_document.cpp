// Documents: opened, edited by commands, built into runs, saved; every accepted edit is in the journal first.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "io/file.h"
#include "stream/session.h"

namespace yawara::stream {

namespace fs = std::filesystem;

/// Work that takes longer than a blink told to the pages, ten times a second at most; the page can cancel it.
Progress Session::progress()
{
    return [this, next = Clock::now() + std::chrono::milliseconds(200)](std::string_view phase,
                                                                        double fraction) mutable {
        if (Clock::now() >= next) {
            send_all(
                {{"type", "progress"}, {"what", std::string(phase)}, {"fraction", std::clamp(fraction, 0.0, 0.999)}});
            progress_told_ = true;
            next = Clock::now() + std::chrono::milliseconds(100);
        }
        return !cancel_ && !stop_;
    };
}

void Session::end_progress()
{
    if (std::exchange(progress_told_, false)) send_all({{"type", "progress"}, {"what", "done"}, {"fraction", 1}});
}

Status Session::open(OpenedScene opened, const Json* edited)
{
    if (Status inside = check_file_names(opened.content, opened); !inside) return inside;
    const Json& content = edited ? *edited : opened.content;
    auto loaded = LoadedScene::from_text(content.dump(), opened.folder(), opened.file.filename().string(), progress());
    end_progress();
    if (!loaded) return loaded.error();
    loaded->scene().settings().threads = options_.threads;
    warnings_.assign(loaded->warnings().begin(), loaded->warnings().end());
    playbacks_[1].reset();
    playbacks_[0] = std::make_unique<Playback>(*std::move(loaded));
    document_ = Document(opened.content);
    opened_ = std::move(opened);
    ++opened_count_;
    revision_ = 0;
    repaired_ = 0;
    if (Status kept = journal_.begin(opened_.file, opened_.folder().string(), opened_.read_only, opened_.content);
        !kept)
        note("warning", "Edits cannot be kept safe: " + kept.error().message());
    if (edited) {
        document_.apply("Edits from before the crash", "", *edited);
        if (Status kept = journal_.record(document_.content()); !kept) note("warning", kept.error().message());
    }
    send_all(document_message());
    send_scene(std::nullopt, true);
    if (!opened_.note.empty()) note("info", opened_.note);
    return Done{};
}

/// People know their files by name, not by where uploads are kept.
Error Session::without_upload_folder(Error error, const std::string& name) const
{
    const std::string folder = (options_.state / "uploads" / name).string() + "/";
    for (std::string* text : {&error.where, &error.what})
        for (std::size_t at; (at = text->find(folder)) != std::string::npos;) text->erase(at, folder.size());
    return error;
}

Status Session::open_named(const std::string& from, const std::string& name)
{
    Result<OpenedScene> opened = [&]() -> Result<OpenedScene> {
        if (from == "gallery") {
            const auto found = std::ranges::find(gallery_, name, &GalleryScene::name);
            if (found == gallery_.end()) return Error{"name", "there is no such scene in the gallery"};
            return open_scene_file(found->file, true);
        }
        const bool plain = !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isxdigit(c); });
        const fs::path folder = options_.state / "uploads" / name;
        if (!plain || !fs::is_directory(folder)) return Error{"name", "there is no such upload"};
        return open_upload(folder);
    }();
    if (!opened) return without_upload_folder(opened.error(), name);
    if (Status done = open(*std::move(opened)); !done) return without_upload_folder(done.error(), name);
    playing_ = true;
    last_tick_ = Clock::now();
    changed();
    send_status();
    return Done{};
}

/// Builds the run of the document anew; what did not change is taken over.
Status Session::rebuild(const Json& content)
{
    if (Status inside = check_file_names(content, opened_); !inside) return inside;
    auto loaded = LoadedScene::from_text(content.dump(), opened_.folder(), opened_.file.filename().string(), progress(),
                                         &playbacks_[0]->loaded());
    end_progress();
    if (!loaded) return loaded.error();
    warnings_.assign(loaded->warnings().begin(), loaded->warnings().end());
    playbacks_[0]->take_over(*std::move(loaded));
    return Done{};
}

Status Session::change(std::string label, std::string merge, Json next, std::optional<ClientId> from, int edit)
{
    const Json before = document_.content();
    if (next == before) {
        send_edited(before, from, edit);
        return Done{};
    }
    if (Status built = rebuild(next); !built) return built;
    document_.apply(std::move(label), std::move(merge), std::move(next));
    if (Status kept = journal_.record(document_.content()); !kept) note("warning", kept.error().message());
    send_edited(before, from, edit);
    send_scene(std::nullopt, false);
    changed();
    send_status();
    return Done{};
}

Status Session::undo_or_redo(bool undo)
{
    const Json next = undo ? document_.undone() : document_.redone();
    if (next.is_null()) return Error{"", undo ? "there is nothing to undo" : "there is nothing to do again"};
    const std::string label = undo ? document_.undo_label() : document_.redo_label();
    const Json before = document_.content();
    if (Status built = rebuild(next); !built) return built;
    undo ? document_.undo() : document_.redo();
    if (Status kept = journal_.record(document_.content()); !kept) note("warning", kept.error().message());
    send_edited(before);
    send_scene(std::nullopt, false);
    note("info", (undo ? "Undone: " : "Done again: ") + label);
    changed();
    send_status();
    return Done{};
}

Status Session::save()
{
    if (opened_.read_only)
        return Error{opened_.file.filename().string(),
                     "stays as it is, in the gallery or among what was dropped; export the scene instead"};
    if (Status written = io::write_file(opened_.file, pretty(document_.content())); !written) return written;
    document_.mark_saved();
    if (Status kept = journal_.begin(opened_.file, opened_.folder().string(), opened_.read_only, document_.content());
        !kept)
        note("warning", kept.error().message());
    send_edited(document_.content());
    note("info", "Saved to " + opened_.file.string());
    return Done{};
}

Status Session::restore(bool take)
{
    if (!lost_) return Error{"", "there is nothing to restore"};
    const LostWork lost = *std::move(lost_);
    lost_.reset();
    Status done = Done{};
    if (take) {
        OpenedScene opened;
        opened.content = lost.start;
        opened.file = lost.scene;
        opened.read_only = lost.read_only;
        opened.roots = {opened.folder()};
        // As when it was opened: files that the scene named then are its own.
        for (const std::string& name : file_names(lost.start))
            opened.roots.push_back((opened.folder() / name).lexically_normal().parent_path());
        done = open(std::move(opened), &lost.content);
        changed();
        send_status();
    }
    std::error_code ignored;
    if (done) fs::remove(lost.file, ignored);
    return done;
}

void Session::begin_compare()
{
    auto loaded = LoadedScene::from_text(document_.content().dump(), opened_.folder(), opened_.name(), {},
                                         &playbacks_[0]->loaded());
    if (!loaded) return note("error", loaded.error().message());
    loaded->scene().settings().threads = options_.threads;
    playbacks_[1] = std::make_unique<Playback>(*std::move(loaded), playbacks_[0].get());
    playbacks_[0]->reset();
    send_scene(std::nullopt, false);
    note("info", "From now on the right side keeps the settings of this moment; what you change is on the left.");
}

Json Session::document_message()
{
    return {{"type", "document"},
            {"id", std::to_string(opened_count_)},
            {"revision", revision_},
            {"content", document_.content()},
            {"title", document_.content().value("title", opened_.name())},
            {"name", opened_.name()},
            {"place", opened_.read_only ? "" : opened_.file.string()},
            {"undo", document_.undo_label()},
            {"redo", document_.redo_label()},
            {"saved", document_.is_saved()},
            {"warnings", warnings_}};
}

void Session::send_edited(const Json& before, std::optional<ClientId> from, int edit)
{
    const Json changes = Json::diff(before, document_.content());
    const std::uint64_t base = revision_;
    if (!changes.empty()) ++revision_;
    Json message{{"type", "edited"},
                 {"document", std::to_string(opened_count_)},
                 {"revision", revision_},
                 {"base", base},
                 {"changes", changes},
                 {"title", document_.content().value("title", opened_.name())},
                 {"place", opened_.read_only ? "" : opened_.file.string()},
                 {"undo", document_.undo_label()},
                 {"redo", document_.redo_label()},
                 {"saved", document_.is_saved()},
                 {"warnings", warnings_}};
    for (const auto& [client, page] : pages_) {
        message["edit"] = from == client ? Json(edit) : Json();
        send(client, message);
    }
}

Json Session::scene_message(Playback& run, int index, bool fresh)
{
    LoadedScene& loaded = run.loaded();
    Json bodies = Json::array();
    std::string show;
    for (std::size_t k = 0; k < run.body_count(); ++k) {
        const BodyId id = run.scene().bodies()[k];
        const BodyModel& model = run.scene().model(id);
        const BodyLook& look = loaded.looks()[k];
        const auto* tets = std::get_if<TetMesh>(&model.domain());
        double mass = 0;
        for (const double m : model.masses()) mass += m;
        const Vec3d size = bounds(model.rest_positions()).size();
        Json quantities = Json::array();
        for (const Quantity& q : run.quantities(k))
            quantities.push_back({{"name", q.name},
                                  {"label", q.label},
                                  {"signed", q.is_signed},
                                  {"counts", q.counts},
                                  {"about", q.about}});
        bodies.push_back({{"id", loaded.identity(id)},
                          {"shape", model.revision()},
                          {"name", model.name()},
                          {"color", to_json(look.color)},
                          {"gloss", look.gloss},
                          {"wireframe", look.wireframe},
                          {"particles", model.particle_count()},
                          {"elements", tets ? tets->tets.size() : std::get<Lattice>(model.domain()).cells.size()},
                          {"element", tets ? "tets" : "cells"},
                          {"vertices", run.surface(k).vertex_count()},
                          {"triangles", run.surface(k).triangles().size()},
                          {"closed", run.surface(k).is_closed()},
                          {"size", std::max({size.x, size.y, size.z})},
                          {"spacing", model.spacing()},
                          {"mass", mass},
                          {"quantities", quantities}});
        if (show.empty()) show = look.show;
    }
    Json camera;
    if (const auto& c = loaded.camera())
        camera = {{"eye", to_json(c->eye)}, {"target", to_json(c->target)}, {"field_of_view", c->field_of_view}};
    const Look& look = loaded.look();
    Json range;
    if (look.scale && look.scale->low < look.scale->high) range = {look.scale->low, look.scale->high};
    return {{"type", "scene"},
            {"run", index},
            {"fresh", fresh},
            {"bodies", bodies},
            {"obstacles", ++sequence_},
            {"camera", camera},
            {"background", to_json(look.background)},
            {"ground", look.ground ? Json(look.ground_height) : Json()},
            {"range", range},
            {"show", show},
            {"map", look.scale ? look.scale->map : std::string()}};
}

void Session::send_scene(std::optional<ClientId> only, bool fresh)
{
    if (!server_) return;
    for (int k = 0; k < 2; ++k) {
        Playback* run = playbacks_[static_cast<std::size_t>(k)].get();
        if (!run) continue;
        const auto text = std::make_shared<const std::string>(scene_message(*run, k, fresh).dump());
        writer_.start(true, ++sequence_, run->scene().time(), static_cast<std::uint32_t>(run->frame()));
        run->write_shapes(writer_, k);
        const auto shapes = std::make_shared<const std::string>(writer_.bytes());
        for (auto& [client, page] : pages_) {
            if (only && client != *only) continue;
            server_->send_text(client, text);
            server_->send_binary(client, shapes);
            page.lines[static_cast<std::size_t>(k)].clear();
            page.needs_frame = true;
        }
    }
}

}  // namespace yawara::stream
