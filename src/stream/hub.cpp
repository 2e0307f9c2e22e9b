// Pages that look at the same thing share the bytes of a frame.
#include "stream/hub.h"

#include <utility>

namespace yawara::stream {

namespace {

bool same(const View& a, const View& b)
{
    const bool same_cut = a.cut.has_value() == b.cut.has_value() &&
                          (!a.cut || (a.cut->point == b.cut->point && a.cut->normal == b.cut->normal));
    return a.solid == b.solid && a.color == b.color && same_cut;
}

}  // namespace

void Hub::set_view(ClientId client, View view)
{
    Page& page = pages_.at(client);
    page.view = std::move(view);
    page.needs_frame = true;
}

Server::Bytes Hub::text_of(const Json& message)
{
    return std::make_shared<const std::string>(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Hub::send_text(ClientId client, Server::Bytes text)
{
    if (server_) server_->send_text(client, std::move(text));
}

void Hub::send_binary(ClientId client, Server::Bytes bytes)
{
    if (server_) server_->send_binary(client, std::move(bytes));
}

void Hub::note(const char* level, const std::string& text)
{
    send_all(messages::ServerNote{level, text});
}

void Hub::refuse(ClientId client, const std::string& about, const Error& error, std::optional<std::int64_t> edit)
{
    send(client, messages::ServerError{about, error.where, error.what, edit});
}

void Hub::send_edited(messages::ServerEdited message, ClientId from, std::optional<std::int64_t> edit)
{
    message.edit.reset();
    const Server::Bytes others = text_of(Json(message));
    for (const auto& [client, page] : pages_)
        if (client != from) send_text(client, others);
    message.edit = edit;
    if (contains(from)) send(from, message);
}

void Hub::changed()
{
    for (auto& [client, page] : pages_) page.needs_frame = true;
}

void Hub::offer_frames(Player& player)
{
    std::vector<std::pair<View, Server::Bytes>> written;
    for (auto& [client, page] : pages_) {
        if (!page.needs_frame || !server_ || !server_->wants_frame(client)) continue;
        page.needs_frame = false;
        if (page.view.solid) send_lines(client, page, player);
        Server::Bytes bytes;
        for (const auto& [view, ready] : written)
            if (same(view, page.view)) bytes = ready;
        if (!bytes) {
            writer_.start(FrameKind::moving, ++sequence_, player.run().scene().time(),
                          static_cast<std::uint32_t>(player.run().frame()));
            player.each([&](Playback& run, int index) { run.write_frame(writer_, index, page.view); });
            bytes = std::make_shared<const std::string>(writer_.bytes());
            written.emplace_back(page.view, bytes);
        }
        server_->offer_frame(client, std::move(bytes));
    }
}

/// Not part of a frame, since frames may be left out.
void Hub::send_lines(ClientId client, Page& page, Player& player)
{
    writer_.start(FrameKind::shapes, ++sequence_, player.run().scene().time(),
                  static_cast<std::uint32_t>(player.run().frame()));
    bool any = false;
    player.each(
        [&](Playback& run, int index) { any |= run.write_lines(writer_, index, page.runs[std::size_t(index)].lines); });
    if (any) send_binary(client, std::make_shared<const std::string>(writer_.bytes()));
}

void Hub::send_scene(Player& player, bool fresh)
{
    const std::vector<SceneText> scenes = scene_texts(player);
    for (auto& [client, page] : pages_) send_scenes(client, page, player, scenes, fresh);
}

void Hub::greet_with_scene(ClientId client, Player& player)
{
    send_scenes(client, pages_.at(client), player, scene_texts(player), true);
}

void Hub::forget_scene(int run)
{
    for (auto& [client, page] : pages_) page.runs[std::size_t(run)] = {};
}

std::vector<Hub::SceneText> Hub::scene_texts(Player& player)
{
    std::vector<SceneText> scenes;
    player.each([&](Playback&, int index) {
        messages::ServerScene message = player.scene_message(index, false);
        std::string text = *text_of(Json(message));
        scenes.push_back({std::move(message), std::move(text)});
    });
    return scenes;
}

void Hub::send_scenes(ClientId client, Page& page, Player& player, const std::vector<SceneText>& scenes, bool fresh)
{
    player.each([&](Playback& run, int index) {
        const SceneText& scene = scenes[std::size_t(index)];
        Page::Run& known = page.runs[std::size_t(index)];
        if (scene.text == known.scene && !fresh) return;
        messages::ServerScene message = scene.message;
        message.fresh = fresh;
        std::set<std::int64_t> shapes;
        for (const messages::Body& body : message.bodies) shapes.insert(body.shape);
        writer_.start(FrameKind::shapes, ++sequence_, run.scene().time(), static_cast<std::uint32_t>(run.frame()));
        run.write_shapes(writer_, index,
                         [&](std::size_t body) { return !known.shapes.contains(message.bodies[body].shape); });
        if (known.obstacles != message.obstacles) run.write_obstacles(writer_, index);
        send(client, message);
        send_binary(client, std::make_shared<const std::string>(writer_.bytes()));
        known = {std::move(shapes), message.obstacles, {}, scene.text};
        page.needs_frame = true;
    });
}

}  // namespace yawara::stream
