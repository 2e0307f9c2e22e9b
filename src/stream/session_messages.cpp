// What every message of a page does. Their shape was checked by the schema; here their sense is.
#include <algorithm>

#include <fmt/format.h>

#include "stream/exports.h"
#include "stream/pins.h"
#include "stream/session.h"

namespace yawara::stream {

namespace {

constexpr float kFastestThrow = 50;  // m/s

Error no_body(const std::string& where, const std::string& identity)
{
    return {where, fmt::format("there is no body \"{}\"", identity)};
}

}  // namespace

void Session::handle(const Incoming& incoming)
{
    if (incoming.kind == Incoming::opened) {
        pages_[incoming.client];
        last_tick_ = Clock::now();
        return greet(incoming.client);
    }
    if (incoming.kind == Incoming::closed) {
        pages_.erase(incoming.client);
        if (!pages_.empty()) return;
        for (auto& run : playbacks_) {  // nobody is left to let go
            if (!run) continue;
            for (const int hold : run->holds()) run->release(hold);
            run->set_ball(std::nullopt);
        }
        return;
    }
    if (incoming.kind == Incoming::picture) return send_all(incoming.content);
    if (!pages_.contains(incoming.client)) return;
    const auto type = incoming.content.at("type").get<std::string>();
    const Status done = obey(incoming.client, type, incoming.content);
    if (!done) {
        Json error{{"type", "error"}, {"about", type}, {"where", done.error().where}, {"what", done.error().what}};
        if (type == "edit") error["edit"] = incoming.content.at("edit");
        send(incoming.client, error);
    }
}

void Session::greet(ClientId client)
{
    Json gallery = Json::array();
    {
        const std::lock_guard lock(files_mutex_);
        for (const GalleryScene& scene : gallery_)
            gallery.push_back({{"name", scene.name},
                               {"title", scene.title},
                               {"description", scene.description},
                               {"picture", pictures_.contains(scene.name)}});
    }
    Json lost;
    if (lost_)
        lost = {{"title", lost_->content.value("title", lost_->scene.stem().string())},
                {"edits", lost_->edits},
                {"when", lost_->when}};
    send(client, {{"type", "welcome"},
                  {"version", std::string(version())},
                  {"threads", std::thread::hardware_concurrency()},
                  {"gallery", gallery},
                  {"lost", lost},
                  {"largest_upload", ServerOptions().largest_upload},
                  {"upload_endings", upload_endings()}});
    send(client, {{"type", "recent"}, {"documents", Json::array()}});
    send(client, document_message());
    send_scene(client, true);
    send(client, status());
}

/// What changes the document says which one it means, and in which state the page knows it.
Status Session::meets_document(ClientId client, const Json& message)
{
    if (message.contains("document") && message["document"] != std::to_string(opened_count_))
        return Error{"document", "this scene is no longer open"};
    if (!message.contains("revision") || message["revision"] == revision_) return Done{};
    send(client, document_message());
    return Error{"revision", "the scene was changed elsewhere meanwhile"};
}

Json Session::answer_to(const Json& question)
{
    const auto about = question.at("about").get<std::string>();
    if (Status good = check_query(about, question.at("query")); !good) return {{"error", good.error().message()}};
    if (about != "pick") return {{"error", "cannot be answered yet"}};
    Playback& run = *playbacks_[0];
    const auto spot = spot_of(question.at("query"));
    if (!spot) return {{"error", spot.error().message()}};
    const std::size_t body = run.number_of(*spot);
    const std::int32_t particle = run.particle_at(*spot);
    Json values = Json::array();
    for (const Quantity& quantity : run.quantities(body))
        values.push_back({{"label", quantity.label}, {"value", run.measure(body, quantity.name, particle)}});
    return {{"answer",
             {{"body", spot->body},
              {"particle", particle},
              {"region", run.region_of(body, particle)},
              {"values", values},
              {"held", run.held_by(body, particle).has_value()}}}};
}

Result<Spot> Session::spot_of(const Json& message)
{
    const Json& json = message.at("spot");
    Spot spot;
    spot.body = json.at("body").get<std::string>();
    spot.triangle = json.at("triangle").get<std::size_t>();
    for (std::size_t k = 0; k < 3; ++k) spot.weights[k] = json.at("weights").at(k).get<float>();
    if (!playbacks_[0]->find(spot.body)) return no_body("spot.body", spot.body);
    if (!playbacks_[0]->is_spot(spot))
        return Error{"spot.triangle", "there is no such triangle: the scene has changed"};
    return spot;
}

Status Session::obey(ClientId client, const std::string& type, const Json& message)
{
    if (Status meets = meets_document(client, message); !meets) return meets;
    Playback& run = *playbacks_[0];
    const auto on_playbacks = [&](auto&& what) {
        for (auto& each : playbacks_)
            if (each) what(*each);
    };
    if (type == "play") {
        playing_ = message.at("playing").get<bool>();
        last_tick_ = Clock::now();
    } else if (type == "step") {
        playing_ = false;
        for (int k = message.at("frames").get<int>(); k > 0 && !stop_; --k) step_once();
    } else if (type == "reset") {
        on_playbacks([](Playback& each) { each.reset(); });
        repaired_ = 0;
    } else if (type == "speed") {
        speed_ = message.at("factor").get<double>();
    } else if (type == "seek") {
        playing_ = false;
        const auto frame = message.at("frame").get<std::int64_t>();
        if (!run.seek(frame)) return Error{"frame", fmt::format("frame {} is not recorded", frame)};
        if (playbacks_[1]) playbacks_[1]->seek(frame);
    } else if (type == "view") {
        View& view = pages_[client].view;
        view.solid = message.at("solid").get<bool>();
        view.color = message.at("color").get<std::string>();
        view.cut.reset();
        if (const Json& cut = message.at("cut"); !cut.is_null()) {
            const Vec3 normal = normalized(vector_of(cut.at("normal")));
            if (normal == Vec3{}) return Error{"cut.normal", "has no direction"};
            view.cut = CutPlane{vector_of(cut.at("point")), normal};
        }
    } else if (type == "grab") {
        const auto spot = spot_of(message);
        if (!spot) return spot.error();
        on_playbacks([&](Playback& each) {
            if (each.is_spot(*spot)) each.grab(message.at("hold").get<int>(), *spot, vector_of(message.at("target")));
        });
    } else if (type == "drag") {
        on_playbacks(
            [&](Playback& each) { each.drag(message.at("hold").get<int>(), vector_of(message.at("target"))); });
    } else if (type == "release") {
        on_playbacks([&](Playback& each) { each.release(message.at("hold").get<int>()); });
    } else if (type == "throw") {
        const auto body = message.at("body").get<std::string>();
        if (!run.find(body)) return no_body("body", body);
        Vec3 velocity = vector_of(message.at("velocity"));
        if (length(velocity) > kFastestThrow) velocity = normalized(velocity) * kFastestThrow;
        on_playbacks([&](Playback& each) {
            if (const auto number = each.find(body)) each.throw_body(*number, velocity);
        });
    } else if (type == "ball") {
        std::optional<Sphere> ball;
        if (const Json& center = message.at("center"); !center.is_null())
            ball = Sphere{vector_of(center).as<double>(), message.at("radius").get<double>()};
        on_playbacks([&](Playback& each) { each.set_ball(ball); });
        return Done{};
    } else if (type == "ask") {
        Json answer = answer_to(message);
        answer["type"] = "answer";
        answer["id"] = message.at("id");
        send(client, answer);
        return Done{};
    } else if (type == "pin" || type == "unpin") {
        const auto spot = spot_of(message);
        if (!spot) return spot.error();
        const std::string& name = run.scene().model(run.scene().bodies()[run.number_of(*spot)]).name();
        auto next =
            type == "pin" ? with_pin(document_.content(), run, *spot) : without_pin(document_.content(), run, *spot);
        if (!next) return next.error();
        return change((type == "pin" ? "Pin a point of " : "Free a point of ") + name, "", *std::move(next));
    } else if (type == "edit") {
        const auto next = document_.patched(message.at("changes"));
        if (!next) return next.error();
        return change(message.at("label").get<std::string>(), message.value("merge", ""), *next, client,
                      message.at("edit").get<int>());
    } else if (type == "undo" || type == "redo") {
        return undo_or_redo(type == "undo");
    } else if (type == "save") {
        return save();
    } else if (type == "open") {
        return open_named(message.at("from").get<std::string>(), message.at("name").get<std::string>());
    } else if (type == "restore") {
        return restore(message.at("take").get<bool>());
    } else if (type == "resend") {
        send(client, document_message());
        return Done{};
    } else if (type == "forget") {
        return Error{"name", "there is no such recent document"};
    } else if (type == "take") {
        return Error{"take", "there is no such take"};
    } else if (type == "compare") {
        if (message.at("on").get<bool>()) {
            begin_compare();
        } else {
            playbacks_[1].reset();
            send_scene(std::nullopt, false);
        }
    } else if (type == "threads") {
        options_.threads = message.at("count").get<int>();
        on_playbacks([&](Playback& each) { each.scene().settings().threads = options_.threads; });
    } else if (type == "export") {
        return export_as(client, message.at("format").get<std::string>());
    }
    changed();
    send_status();
    return Done{};
}

Status Session::export_as(ClientId client, const std::string& format)
{
    playing_ = false;
    send_status();
    Result<ExportedFile> file = [&]() -> Result<ExportedFile> {
        if (format == "json") return ExportedFile{opened_.name() + ".json", pretty(document_.content()), {}};
        if (format == "scene") return export_scene(document_.content(), opened_);
        return export_clip(*playbacks_[0], format, opened_.name(), progress());
    }();
    end_progress();
    if (!file) return file.error();
    const std::size_t bytes = file->bytes.size();
    const std::string name = file->name;
    const std::string url = offer_download(name, std::move(file->bytes));
    send(client, {{"type", "exported"}, {"url", url}, {"name", name}, {"bytes", bytes}, {"notes", file->notes}});
    return Done{};
}

}  // namespace yawara::stream
