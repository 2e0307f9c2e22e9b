// The pages that are connected: what each wants to see, what it was sent, and how messages reach them.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages.h"
#include "stream/playback.h"
#include "stream/player.h"
#include "stream/protocol.h"
#include "stream/server.h"

namespace yawara::stream {

class Hub {
public:
    /// Before there is one, nobody is told anything.
    void serve_by(Server* server) { server_ = server; }

    void add(ClientId client) { pages_[client]; }
    void remove(ClientId client) { pages_.erase(client); }
    bool contains(ClientId client) const { return pages_.contains(client); }
    std::size_t count() const { return pages_.size(); }
    void set_view(ClientId client, View view);

    // ---- messages

    template <class Message>
    void send(ClientId client, const Message& message)
    {
        send_text(client, text_of(Json(message)));
    }
    template <class Message>
    void send_all(const Message& message)
    {
        const Server::Bytes text = text_of(Json(message));
        for (const auto& [client, page] : pages_) send_text(client, text);
    }
    /// For numbers that are soon told anew: only to pages that keep up.
    template <class Message>
    void send_if_idle(const Message& message)
    {
        const Server::Bytes text = text_of(Json(message));
        for (const auto& [client, page] : pages_) server_->send_if_idle(client, text);
    }
    void note(const char* level, const std::string& text);
    void refuse(ClientId client, const std::string& about, const Error& error, std::optional<std::int64_t> edit = {});
    void send_binary(ClientId client, Server::Bytes bytes);
    /// The sender of an edit is told its number.
    void send_edited(messages::ServerEdited message, ClientId from, std::optional<std::int64_t> edit);

    // ---- what moves, and shapes

    void changed();  ///< every page needs a new frame
    void offer_frames(Player& player);
    /// To all pages, if it is not what they were told before; of the shapes what they do not have.
    void send_scene(Player& player, bool fresh);
    /// All of it, to a page that has just come.
    void greet_with_scene(ClientId client, Player& player);
    void forget_scene(int run);

private:
    struct Page {
        View view{};
        bool needs_frame = true;  ///< something changed that it has not been offered yet
        struct Run {
            std::set<std::int64_t> shapes;     ///< numbers of those it has
            std::int64_t obstacles = 0;        ///< likewise
            std::vector<std::uint64_t> lines;  ///< see Playback::write_lines
            std::string scene;                 ///< the last message about it
        };
        std::array<Run, 2> runs;
    };
    static Server::Bytes text_of(const Json& message);
    void send_text(ClientId client, Server::Bytes text);
    struct SceneText {
        messages::ServerScene message;
        std::string text;
    };
    static std::vector<SceneText> scene_texts(Player& player);
    void send_scenes(ClientId client, Page& page, Player& player, const std::vector<SceneText>& scenes, bool fresh);
    void send_lines(ClientId client, Page& page, Player& player);

    Server* server_ = nullptr;
    std::map<ClientId, Page> pages_;
    FrameWriter writer_;
    std::uint32_t sequence_ = 0;
};

}  // namespace yawara::stream
