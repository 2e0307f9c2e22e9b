// From an edit to a scene that runs: at once where keys act live, else built beside time; and how documents are opened.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scene_file/identity.h"
#include "stream/exports.h"
#include "stream/json_difference.h"
#include "stream/model_parts.h"
#include "stream/session.h"

namespace yawara::stream {

namespace fs = std::filesystem;
using scene_file::Acts;

namespace {

bool needs_build(const std::vector<scene_file::Difference>& differences)
{
    return std::ranges::any_of(differences, [](const auto& difference) { return difference.acts == Acts::model; });
}

/// A patch that sets texts may name files.
bool has_text(const Json& patch)
{
    return std::ranges::any_of(patch, [](const Json& change) {
        const auto value = change.find("value");
        return value != change.end() && (value->is_string() || value->is_structured());
    });
}

/// People know their files by name, not by where uploads are kept.
Error without_folder(Error error, const fs::path& folder)
{
    const std::string start = folder.string() + "/";
    for (std::string* text : {&error.where, &error.what})
        for (std::size_t at; (at = text->find(start)) != std::string::npos;) text->erase(at, start.size());
    return error;
}

/// Where bodies that come are put: to the right of those that are there, and as large as the largest of them.
Room room_beside(LoadedScene& loaded)
{
    Box3 all;
    double largest = 0;
    for (const BodyId id : loaded.scene().bodies()) {
        for (const Vec3& p : loaded.start(id).positions) all.add(p.as<double>());
        const Vec3d size = bounds(loaded.scene().model(id).rest_positions()).size();
        largest = std::max({largest, size.x, size.y, size.z});
    }
    if (!(largest > 0)) return {};
    return {largest, all.high.x + 0.7 * largest, all.center().z};
}

}  // namespace

// ---- edits ----------------------------------------------------------------------------------------------------------

void Session::tell_edited(const Json& before, std::int64_t base, ClientId from, std::optional<std::int64_t> edit)
{
    hub_.send_edited(documents_.edited_message(before, base), from, edit);
}

/// They may change when a scene is built, after the edit was told.
void Session::tell_warnings()
{
    const auto now = player_.run().newest().warnings();
    if (std::ranges::equal(now, documents_.warnings)) return;
    documents_.warnings.assign(now.begin(), now.end());
    tell_edited(documents_.content(), documents_.revision(), 0, {});
}

/// Makes the running scene one of the document as far as nothing has to be built; refused, without effect, if something
/// is wrong with it that can be known without building.
Result<Session::AtOnce> Session::act_at_once(const Json& before, const Json& next)
{
    if (has_text(json_difference(before, next)))
        if (Status inside = check_file_names(next, documents_.opened()); !inside) return inside.error();
    const auto edit = player_.run().edit(next);
    if (!edit) return edit.error();
    const auto waits = [&](const scene_file::Difference& difference) {
        return std::ranges::find(edit->waiting, difference.pointer, &scene_file::Difference::pointer) !=
               edit->waiting.end();
    };
    AtOnce at_once{*edit, std::ranges::none_of(scene_file::differences(before, next), waits)};
    if (at_once.was_all) return at_once;
    const std::vector<Error> errors =
        scene_file::check_document(next, documents_.opened().folder(), documents_.opened().file.filename().string());
    if (errors.empty()) return at_once;
    (void)player_.run().edit(before);
    return errors.front();
}

/// What the pages see of it.
void Session::tell_at_once(const scene_file::LiveEdit& edit)
{
    if (edit.done.empty()) return;
    if (edit.looks_changed()) hub_.send_scene(player_, false);
    tell_warnings();
    moved();
}

Status Session::change(std::string label, std::string merge, Json next, ClientId from, std::optional<std::int64_t> edit)
{
    const Json before = documents_.content();
    const std::int64_t base = documents_.revision();
    if (next == before) {
        tell_edited(before, base, from, edit);
        return Done{};
    }
    const auto at_once = act_at_once(before, next);
    if (!at_once) return at_once.error();
    const Status kept =
        documents_.apply(std::move(label), std::move(merge), std::move(next),
                         edit ? std::optional(EditSender{from, *edit}) : std::nullopt, at_once->was_all);
    if (!kept) hub_.note("warning", "Unsaved edits cannot be backed up: " + kept.error().message());
    tell_edited(before, base, from, edit);
    tell_at_once(at_once->edit);
    follow_document();
    return Done{};
}

Status Session::pin(ClientId client, const Spot& spot, bool set)
{
    const PinPlace at = pin_place(player_.run(), spot);
    if (!documents_.has_unbuilt()) return pin(client, at, set);
    waiting_pins_.emplace_back(client, waiting_pin(player_.run(), at, set));
    tell_edited(documents_.content(), documents_.revision(), client, {});  // heard; other edits need not wait for it
    return Done{};
}

Status Session::pin(ClientId client, PinPlace at, bool set)
{
    Playback& run = player_.run();
    const std::string& name = run.scene().model(run.scene().bodies()[at.body]).name();
    auto next = set ? with_pin(documents_.content(), run, at) : without_pin(documents_.content(), run, at);
    if (!next) return next.error();
    return change((set ? "Pin a point of " : "Unpin a point of ") + name, "", *std::move(next), client, std::nullopt);
}

void Session::pin_what_waits()
{
    for (const auto& [client, waiting] : std::exchange(waiting_pins_, {})) {
        const auto at = pin_place(player_.run(), waiting);
        const Status pinned =
            at ? pin(client, *at, waiting.set) : Error{"spot", "the body that was to be pinned is no longer there"};
        if (!pinned && hub_.contains(client)) hub_.refuse(client, waiting.set ? "pin" : "unpin", pinned.error());
    }
}

Status Session::undo_or_redo(bool undo)
{
    const std::string label = undo ? documents_.document().undo_label() : documents_.document().redo_label();
    if (label.empty()) return Error{"", undo ? "there is nothing to undo" : "there is nothing to redo"};
    const Json before = documents_.content();
    const std::int64_t base = documents_.revision();
    const Json next = undo ? documents_.document().undone() : documents_.document().redone();
    const auto at_once = act_at_once(before, next);
    if (!at_once) return at_once.error();
    const Status kept = undo ? documents_.undo(at_once->was_all) : documents_.redo(at_once->was_all);
    if (!kept) hub_.note("warning", "Unsaved edits cannot be backed up: " + kept.error().message());
    tell_edited(before, base, 0, {});
    hub_.note("info", (undo ? "Undone: " : "Redone: ") + label);
    tell_at_once(at_once->edit);
    follow_document();
    return Done{};
}

Status Session::save()
{
    const Status saved = documents_.save();
    if (!saved) return saved;
    tell_edited(documents_.content(), documents_.revision(), 0, {});
    hub_.note("info", "Saved to " + documents_.opened().file.string());
    return Done{};
}

/// What has to be built is built; a build on its way goes on if it lacks nothing but what acts at once.
void Session::follow_document()
{
    const Json& content = documents_.content();
    const auto edit = player_.run().edit(content);
    if (edit) tell_at_once(*edit);
    if (edit && edit->waiting.empty()) {
        if (builder_.cancel()) end_build("cancelled");
        documents_.all_is_built();
        return send_status();
    }
    if (builder_.is_busy() && !needs_build(scene_file::differences(building_content_, content))) return;
    if (builder_.cancel()) end_build("cancelled");
    begin_build();
}

// ---- builds ---------------------------------------------------------------------------------------------------------

void Session::begin_build()
{
    building_content_ = documents_.content();
    building_revision_ = documents_.revision();
    builder_.begin(
        [this, text = building_content_.dump(), folder = documents_.opened().folder(),
         name = documents_.opened().file.filename().string(),
         cache = player_.run().newest().build_cache()](const Progress& progress) -> BesideTime::Finish {
            auto built = LoadedScene::from_text(text, folder, name, progress, cache);
            if (!built)
                return [this, error = built.error()] {
                    end_build("failed");
                    take_back(error);
                };
            const auto stage = std::make_shared<Stage>(*std::move(built));
            stage->prepare();
            return [this, stage] { finish_build(stage, building_content_); };
        },
        [this](const std::string& what, double fraction) {
            hub_.send_all(messages::ServerBuild{documents_.id(), building_revision_, "building", what, fraction});
        });
}

void Session::end_build(const char* state)
{
    hub_.send_all(messages::ServerBuild{documents_.id(), building_revision_, state, "", 1});
}

void Session::finish_build(std::shared_ptr<Stage> built, const Json& content)
{
    player_.take_over(std::move(built));
    if (documents_.content() == content) documents_.all_is_built();
    tell_stage();
    tell_warnings();
    end_build("done");
    moved();
    if (documents_.content() != content) follow_document();  // what acts at once was changed meanwhile
}

/// The edit that could not be built goes; older ones stay and are built.
void Session::take_back(const Error& why)
{
    const Json before = documents_.content();
    const std::int64_t base = documents_.revision();
    const auto taken = documents_.take_back();
    if (taken) tell_edited(before, base, 0, {});
    const ClientId from = taken && taken->from ? taken->from->client : 0;
    if (hub_.contains(from))
        hub_.refuse(from, "edit", why, taken->from->edit);
    else
        hub_.send_all(messages::ServerError{"edit", why.where, why.what, {}});
    if (taken) follow_document();
}

// ---- opening --------------------------------------------------------------------------------------------------------

/// On any thread.
Result<OpenedScene> Session::find_scene(const std::string& from, const std::string& name,
                                        const Progress& progress) const
{
    if (from == "new") {
        const auto folder = files_.new_folder();
        if (!folder) return folder.error();
        return new_scene(*folder);
    }
    if (from == "gallery") {
        const auto found = std::ranges::find(gallery_, name, &GalleryScene::name);
        if (found == gallery_.end()) return Error{"name", "there is no such scene in the gallery"};
        return open_scene_file(found->file, true, progress);
    }
    const fs::path folder = files_.upload_folder(name);
    if (folder.empty()) return Error{"name", "there is no such upload"};
    auto opened = open_upload(folder, progress);
    if (!opened) return without_folder(opened.error(), folder);
    return opened;
}

/// Reads and builds; on any thread.
Session::Opening Session::prepare(Result<OpenedScene> opened, std::optional<Json> edited,
                                  const Progress& progress) const
{
    Opening opening;
    const auto fail = [&](Error error) {
        opening.error = without_folder(std::move(error), options_.state / "uploads");
        return std::move(opening);
    };
    if (!opened) return fail(opened.error());
    const Json& content = edited ? *edited : opened->content;
    if (Status inside = check_file_names(content, *opened); !inside) return fail(inside.error());
    if (!progress("reading", 0)) return fail({"", "cancelled"});
    auto loaded = LoadedScene::from_text(content.dump(), opened->folder(), opened->file.filename().string(), progress);
    if (!loaded) return fail(without_folder(loaded.error(), opened->folder()));
    opening.opened = *std::move(opened);
    opening.loaded = *std::move(loaded);
    opening.edited = std::move(edited);
    return opening;
}

void Session::begin_opening(ClientId client, const std::string& about, bool keep,
                            std::function<Opening(const Progress&)> prepare, std::function<void()> then)
{
    if (opener_.cancel()) end_progress();
    opener_.begin(
        [this, client, about, keep, prepare = std::move(prepare),
         then = std::move(then)](const Progress& progress) -> BesideTime::Finish {
            auto opening = std::make_shared<Opening>(prepare(progress));
            return [this, client, about, keep, opening, then] {
                const bool good = !opening->error;
                finish_opening(client, about, keep, std::move(*opening));
                if (good && then) then();
            };
        },
        tell_progress());
}

void Session::finish_opening(ClientId client, const std::string& about, bool keep, Opening opening)
{
    end_progress();
    if (opening.error) {
        if (hub_.contains(client)) hub_.refuse(client, about, *opening.error);
        return;
    }
    if (keep) {
        const auto kept = documents_.keep_unsaved();
        if (!kept) {
            const Error why{"", "the present scene could not be kept, so it stays open: " + kept.error().message()};
            if (hub_.contains(client)) hub_.refuse(client, about, why);
            return;
        }
        if (*kept) {
            const std::string name = documents_.recent().list().front().name;
            pictures_.add("recent/" + name, documents_.recent().scene_file(name),
                          documents_.recent().picture_file(name));
            pictures_.draw_later("recent/" + name);
            hub_.send_all(recent_message());
        }
    }
    show_document(std::move(opening));
}

void Session::show_document(Opening opening)
{
    if (builder_.cancel()) end_build("cancelled");
    waiting_pins_.clear();
    const std::string note = opening.opened->note;
    const Status kept =
        documents_.open(*std::move(opening.opened), opening.edited ? &*opening.edited : nullptr, opening.label);
    if (!kept) hub_.note("warning", "Unsaved edits cannot be backed up: " + kept.error().message());
    player_.open(*std::move(opening.loaded));
    documents_.warnings.assign(player_.run().newest().warnings().begin(), player_.run().newest().warnings().end());
    hub_.send_all(documents_.full_message());
    told_stage_ = player_.run().stage_number();
    hub_.send_scene(player_, true);
    if (!note.empty()) hub_.note("info", note);
    if (const auto measures = player_.take_measures()) hub_.send_all(*measures);
    moved();
}

void Session::open(ClientId client, const messages::ClientOpen& message)
{
    if (message.from == "recent") {
        const auto kept = documents_.recent().find(message.name);
        if (!kept) return hub_.refuse(client, "open", kept.error());
        return begin_opening(
            client, "open", message.keep,
            [this, work = *kept](const Progress& progress) {
                Opening opening = prepare(work.opened, work.content, progress);
                opening.label = "Earlier edits";
                return opening;
            },
            [this, name = message.name] { (void)forget_recent(name); });  // it is open now, and kept again when left
    }
    begin_opening(client, "open", message.keep, [this, message](const Progress& progress) {
        return prepare(find_scene(message.from, message.name, progress), {}, progress);
    });
}

Status Session::add(ClientId client, const std::string& upload, const std::string& as, const std::string& into)
{
    const fs::path folder = files_.upload_folder(upload);
    if (folder.empty()) return Error{"upload", "there is no such upload"};
    if (as == "pose" && !scene_file::find_identity(documents_.content()["bodies"], into.substr(0, into.find('/'))))
        return Error{"into", "there is no such body"};
    if (opener_.cancel()) end_progress();
    struct Added {
        std::vector<fs::path> meshes;
        Result<Json> things = Error{};
    };
    opener_.begin(
        [this, client, folder, as, into, document = documents_.id(), room = room_beside(player_.run().newest()),
         around = model_box(player_.run().newest(), into)](const Progress& progress) -> BesideTime::Finish {
            auto added = std::make_shared<Added>();
            auto meshes = as == "part"   ? uploaded_parts(folder, progress)
                          : as == "pose" ? uploaded_poses(folder, progress)
                                         : uploaded_meshes(folder, progress);
            if (meshes) {
                added->meshes = *std::move(meshes);
                added->things = as == "part"   ? parts_around(added->meshes, around, room)
                                : as == "pose" ? poses_of(added->meshes)
                                : as == "body" ? bodies_around(added->meshes, room)
                                               : obstacles_around(added->meshes, room, as == "container");
            } else {
                added->things = meshes.error();
            }
            return [this, client, folder, as, into, document, room, added] {
                end_progress();
                Status done = documents_.meets(document, std::nullopt);
                if (done && !added->things) done = without_folder(added->things.error(), folder);
                if (done && as == "part")
                    done = finish_adding_parts(client, added->meshes, *std::move(added->things), into, room);
                else if (done && as == "pose")
                    done = finish_adding_poses(client, into, added->meshes, *std::move(added->things));
                else if (done && as == "body")
                    done = finish_adding(client, added->meshes, *std::move(added->things));
                else if (done)
                    done = finish_adding_obstacles(client, added->meshes, *std::move(added->things));
                if (!done && hub_.contains(client)) hub_.refuse(client, "add", done.error());
            };
        },
        tell_progress());
    return Done{};
}

Status Session::finish_adding(ClientId client, const std::vector<fs::path>& meshes, Json bodies)
{
    const auto names = documents_.take_in(meshes, files_.is_upload(documents_.opened().file));
    if (!names) return names.error();
    Json next = documents_.content();
    std::string label;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        bodies[k]["solid"][bodies[k]["solid"].contains("tets") ? "tets" : "from"] = (*names)[k];
        bodies[k]["name"] = free_body_name(next, bodies[k]["name"].get<std::string>());
        label += (k ? ", " : "Add ") + bodies[k]["name"].get<std::string>();
        next["bodies"].push_back(std::move(bodies[k]));
    }
    return change(label, "", std::move(next), client, std::nullopt);
}

Status Session::finish_adding_parts(ClientId client, const std::vector<fs::path>& files, Json parts,
                                    const std::string& into, const Room& room)
{
    const auto names = documents_.take_in(files, files_.is_upload(documents_.opened().file));
    if (!names) return names.error();
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k]["file"] = (*names)[k];
    auto next = with_parts(documents_.content(), into, std::move(parts), room);
    if (!next) return next.error();
    return change("Add " + files.front().stem().string(), "", *std::move(next), client, std::nullopt);
}

Status Session::finish_adding_obstacles(ClientId client, const std::vector<fs::path>& meshes, Json obstacles)
{
    const auto names = documents_.take_in(meshes, files_.is_upload(documents_.opened().file));
    if (!names) return names.error();
    Json next = documents_.content();
    if (!next.contains("obstacles")) next["obstacles"] = Json::array();
    for (std::size_t k = 0; k < obstacles.size(); ++k) {
        obstacles[k]["mesh"]["file"] = (*names)[k];
        next["obstacles"].push_back(std::move(obstacles[k]));
    }
    return change("Add " + meshes.front().stem().string(), "", std::move(next), client, std::nullopt);
}

Status Session::finish_adding_poses(ClientId client, const std::string& body, const std::vector<fs::path>& files,
                                    Json poses)
{
    Json next = documents_.content();
    const auto number = scene_file::find_identity(next["bodies"], body.substr(0, body.find('/')));
    if (!number) return Error{"body", "there is no such body any more"};
    Json& entry = next["bodies"][*number];
    if (entry.contains("fem") || entry.contains("rigid"))
        return Error{"body", "poses are for bodies simulated by shape matching"};
    const auto names = documents_.take_in(files, files_.is_upload(documents_.opened().file));
    if (!names) return names.error();
    Json& there = entry["matching"]["examples"]["poses"];
    std::string label;
    for (Json& pose : poses) {
        for (const char* key : {"surface", "vertices"})
            if (pose.contains(key)) pose[key] = (*names)[pose[key].get<std::size_t>()];
        const std::string wanted = pose["name"].get<std::string>();
        const auto taken = [&](const std::string& name) {
            return std::ranges::any_of(there, [&](const Json& other) { return other.value("name", "") == name; });
        };
        for (int k = 2; taken(pose["name"].get<std::string>()); ++k) pose["name"] = wanted + "_" + std::to_string(k);
        label += (label.empty() ? "Add the pose " : ", ") + pose["name"].get<std::string>();
        there.push_back(std::move(pose));
    }
    return change(label, "", std::move(next), client, std::nullopt);
}

Status Session::forget_recent(const std::string& name)
{
    if (Status forgotten = documents_.recent().forget(name); !forgotten) return forgotten;
    pictures_.remove("recent/" + name);
    hub_.send_all(recent_message());
    return Done{};
}

Status Session::restore(ClientId client, bool take)
{
    if (!lost_) return Error{"", "there is nothing to restore"};
    const LostWork lost = *std::exchange(lost_, std::nullopt);
    const auto drop = [file = lost.file] {
        std::error_code ignored;
        fs::remove(file, ignored);
    };
    if (!take) {
        drop();
        return Done{};
    }
    begin_opening(
        client, "restore", true,
        [this, lost](const Progress& progress) {
            OpenedScene opened;
            opened.content = lost.start;
            opened.file = lost.scene;
            opened.read_only = lost.read_only;
            opened.roots = {opened.folder()};
            // As when it was opened: files that the scene named then are its own.
            for (const std::string& name : file_names(lost.start))
                opened.roots.push_back((opened.folder() / name).lexically_normal().parent_path());
            for (const std::string& name : file_names(lost.content))  // added by hand since
                if (files_.is_upload(opened.folder() / name))
                    opened.roots.push_back((opened.folder() / name).lexically_normal().parent_path());
            Opening opening = prepare(std::move(opened), lost.content, progress);
            opening.label = "Edits from before the crash";
            return opening;
        },
        drop);
    return Done{};
}

void Session::compare(ClientId client, const messages::ClientCompare& message)
{
    if (!message.on) {
        player_.end_comparison();
        hub_.forget_scene(1);
        return moved();
    }
    const int id = static_cast<int>(message.take.value_or(0));
    const Take* take = player_.run().takes().find(id);
    if (message.take && !take) return hub_.refuse(client, "compare", Error{"take", "there is no such take any more"});
    if (opener_.cancel()) end_progress();
    opener_.begin(
        [this, client, id, text = (take ? scene_file::document_of(take->stage->loaded) : documents_.content()).dump(),
         folder = documents_.opened().folder(), name = documents_.opened().name(),
         cache = player_.run().newest().build_cache()](const Progress& progress) -> BesideTime::Finish {
            auto loaded =
                std::make_shared<Result<LoadedScene>>(LoadedScene::from_text(text, folder, name, progress, cache));
            return [this, client, id, loaded] {
                end_progress();
                if (!*loaded) return hub_.refuse(client, "compare", loaded->error());
                if (id == 0) {
                    player_.compare_with(*std::move(*loaded));
                    hub_.note("info", "The right side keeps the present settings; your changes appear on the left.");
                } else if (Status beside = player_.compare_with_take(id, *std::move(*loaded)); !beside) {
                    return hub_.refuse(client, "compare", beside.error());
                }
                hub_.send_scene(player_, false);
                if (const auto measures = player_.measures_beside()) hub_.send_all(*measures);
                moved();
            };
        },
        tell_progress());
}

// ---- exports --------------------------------------------------------------------------------------------------------

BesideTime::Tell Session::tell_progress()
{
    return [this](const std::string& what, double fraction) {
        progress_told_ = true;
        hub_.send_all(messages::ServerProgress{what, fraction});
    };
}

void Session::end_progress()
{
    if (std::exchange(progress_told_, false)) hub_.send_all(messages::ServerProgress{"done", 1});
}

Status Session::check_idle() const
{
    if (exporter_.is_busy()) return Error{"", "another " + exporting_ + " is on its way; wait for it, or cancel it"};
    return Done{};
}

Status Session::export_as(ClientId client, const std::string& format)
{
    if (Status idle = check_idle(); !idle) return idle;
    exporting_for_ = client;
    exporting_ = "export";
    const OpenedScene& opened = documents_.opened();
    std::function<Result<ExportedFile>(const Progress&)> make;
    if (format == "json") {
        make = [name = opened.name(), content = documents_.content()](const Progress&) -> Result<ExportedFile> {
            return ExportedFile{name + ".json", pretty(content), {}};
        };
    } else if (format == "scene") {
        make = [opened, content = documents_.content()](const Progress&) { return export_scene(content, opened); };
    } else {
        make = [take = std::make_shared<const RecordedTake>(recorded_take(player_.run())), format,
                name = opened.name()](const Progress& progress) { return export_clip(*take, format, name, progress); };
    }
    exporter_.begin(
        [this, client, make = std::move(make)](const Progress& progress) -> BesideTime::Finish {
            auto file = std::make_shared<Result<ExportedFile>>(make(progress));
            return [this, client, file] {
                end_progress();
                if (!hub_.contains(client)) return;
                if (!*file) return hub_.refuse(client, "export", file->error());
                messages::ServerExported exported;
                exported.name = (*file)->name;
                exported.bytes = std::ssize((*file)->bytes);
                exported.notes = std::move((*file)->notes);
                exported.url = files_.offer_download(exported.name, std::move((*file)->bytes));
                hub_.send(client, exported);
            };
        },
        tell_progress());
    return Done{};
}

// ---- muscles from a motion ------------------------------------------------------------------------------------------

namespace {

/// Of all frames, or of a single one.
Result<MotionTarget> motion_in(const RecordedTake& take, std::size_t body, std::optional<std::int64_t> frame)
{
    if (!frame && take.moments.size() < 2)
        return Error{"", "the take has a single frame: let a period of the motion pass first"};
    MotionTarget motion;
    for (const auto& moment : take.moments) {
        if (frame && moment->frame != *frame) continue;
        if (body >= moment->states.size()) return Error{"", "the body is not in the take that is shown"};
        motion.times.push_back(moment->time);
        motion.positions.push_back(moment->states[body].positions);
    }
    return motion;
}

Result<MotionTarget> motion_in(const fs::path& folder, const BodyModel& body, double frame_time)
{
    std::error_code error;
    const fs::directory_iterator files(folder, error);
    if (error || files == fs::directory_iterator()) return Error{"upload", "is empty"};
    auto motion = load_motion(files->path(), body, 1 / frame_time);
    if (!motion) return without_folder(motion.error(), folder);
    return motion;
}

}  // namespace

Status Session::fit(ClientId client, const messages::ClientFit& message)
{
    const std::string& body = message.body;
    if (Status idle = check_idle(); !idle) return idle;
    std::function<Result<MotionTarget>(const BodyModel&, double)> target;
    if (message.upload) {
        const fs::path folder = files_.upload_folder(*message.upload);
        if (folder.empty()) return Error{"upload", "there is no such upload"};
        target = [folder](const BodyModel& model, double frame_time) { return motion_in(folder, model, frame_time); };
    } else {
        Playback& run = player_.run();
        const std::optional<BodyId> id = run.loaded().find(body);
        if (!id) return Error{"body", "is not in the take that is shown"};
        const auto number = std::size_t(std::ranges::find(run.scene().bodies(), *id) - run.scene().bodies().begin());
        const auto frame = message.pose.value_or(false) ? std::optional(run.frame()) : std::nullopt;
        target = [number, frame, take = std::make_shared<const RecordedTake>(recorded_take(run))](
                     const BodyModel&, double) { return motion_in(*take, number, frame); };
    }
    exporting_for_ = client;
    exporting_ = "fit";
    SceneText scene{documents_.content().dump(), documents_.opened().folder(), documents_.opened().name(),
                    player_.run().newest().build_cache()};
    exporter_.begin(
        [this, client, body, target = std::move(target), scene = std::move(scene), before = documents_.content(),
         document = documents_.id()](const Progress& progress) -> BesideTime::Finish {
            MuscleFitOptions options;
            int round = 0;
            options.progress = [&](const MuscleFitProgress& told) { round = told.round; };
            options.cancelled = [&] { return !progress("finding muscles", double(round) / options.rounds); };
            const auto found =
                std::make_shared<const Result<SceneMuscleFit>>(fit_scene_muscles(scene, body, target, options));
            return [this, client, body, before, document, found] {
                end_progress();
                Status done = documents_.meets(document, std::nullopt);
                if (done && !*found) done = found->error();
                if (done) done = finish_fit(client, body, before, **found);
                if (!hub_.contains(client)) return;
                if (!done) return hub_.refuse(client, "fit", done.error());
                hub_.send(client, messages::ServerFitted{body, (*found)->fit.residual, (*found)->fit.rounds});
            };
        },
        tell_progress());
    return Done{};
}

/// `before`: the document that they were found for. Other edits since then stay.
Status Session::finish_fit(ClientId client, const std::string& body, const Json& before, const SceneMuscleFit& found)
{
    const Json::json_pointer place(found.place);
    Json next = documents_.content();
    const auto is_same = [&](const char* key) {
        return next.at(place).value(key, Json()) == before.at(place).value(key, Json());
    };
    if (!next.contains(place) || !is_same("name") || !is_same("matching"))
        return Error{"", "the muscles were edited during the fit; nothing was changed: fit again"};
    next[place]["matching"] = Json::parse(found.scene).at(place)["matching"];
    return change("Fit muscles of " + body, "", std::move(next), client, std::nullopt);
}

}  // namespace yawara::stream
