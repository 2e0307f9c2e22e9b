// A page without a browser: messages over a bare WebSocket. It keeps its copy of the document as the studio's page
// does.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "stream/protocol.h"
#include "yawara/stream.h"

class Page {
public:
    using Json = yawara::stream::Json;

    explicit Page(const yawara::Studio& studio) : Page(studio.url()) {}
    explicit Page(const std::string& url)
    {
        const int port = std::stoi(url.substr(17));
        socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
        const timeval patience{60, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        need(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "no connection");
        write(
            fmt::format("GET /stream?{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                        url.substr(url.find("token")), port));
        std::string head;
        while (!head.ends_with("\r\n\r\n")) head += read(1);
        need(head.starts_with("HTTP/1.1 101"), "refused");
    }
    ~Page() { ::close(socket_); }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;

    std::string id;               ///< of the document, as heard
    int revision = 0;             ///< of the document, as heard
    Json content;                 ///< of the document, as heard
    std::string binary;           ///< the last binary message
    std::function<void()> frame;  ///< called for every binary message that moves

    void send_text(const std::string& text)
    {
        std::string frame_head = "\x81";  // RFC 6455: a text, masked with zeros
        if (text.size() < 126) {
            frame_head += static_cast<char>(0x80 | text.size());
        } else if (text.size() < 65536) {
            frame_head += static_cast<char>(0x80 | 126);
            frame_head += {static_cast<char>(text.size() >> 8), static_cast<char>(text.size() & 255)};
        } else {
            frame_head += static_cast<char>(0x80 | 127);
            for (int shift = 56; shift >= 0; shift -= 8) frame_head += static_cast<char>(text.size() >> shift & 255);
        }
        write(frame_head + std::string(4, '\0') + text);
    }
    void send(const Json& message) { send_text(message.dump()); }

    /// The next message, text or binary; the document and the wish for frames are seen to. Null: a binary one.
    Json hear()
    {
        auto [is_text, bytes] = next();
        if (!is_text) {
            binary = std::move(bytes);
            const bool moving = binary[20] == 0;
            if (moving) send({{"type", "seen"}, {"sequence", 0}});
            if (moving && frame) frame();
            return {};
        }
        const Json message = Json::parse(bytes);
        const yawara::Status good = yawara::stream::check_server_message(message);
        need(static_cast<bool>(good), good ? "" : good.error().message() + " in " + bytes.substr(0, 300));
        if (message["type"] == "document") {
            id = message["id"];
            revision = message["revision"];
            content = message["content"];
        } else if (message["type"] == "edited" && message["document"] == id) {
            need(message["base"] == revision, "an edit was missed");
            content = content.patch(message["changes"]);
            revision = message["revision"];
        }
        return message;
    }

    /// The next message of one of the types; others are checked and passed over.
    Json hear(std::initializer_list<const char*> types)
    {
        for (;;) {
            Json message = hear();
            if (message.is_null()) continue;
            for (const char* type : types)
                if (message["type"] == type) return message;
        }
    }
    Json hear(const char* type) { return hear({type}); }
    Json hear_until(const std::function<bool(const Json&)>& wanted)
    {
        for (;;) {
            Json message = hear();
            if (!message.is_null() && wanted(message)) return message;
        }
    }

    /// As the page knows the document.
    Json addressed(Json message) const
    {
        message["document"] = id;
        if (message["type"] != "compare" && message["type"] != "export") message["revision"] = revision;
        return message;
    }
    Json edit(const std::string& op, const std::string& path, const Json& value = {}) const
    {
        Json change{{"op", op}, {"path", path}};
        if (op != "remove") change["value"] = value;
        return addressed({{"type", "edit"}, {"edit", 1}, {"label", "x"}, {"changes", Json::array({change})}});
    }

    /// What an edit made of the document, or the words of its refusal.
    Json answer(const Json& message)
    {
        send(message);
        const Json heard = hear({"edited", "error"});
        return heard["type"] == "error"
                   ? Json(heard["where"].get<std::string>() + ": " + heard["what"].get<std::string>())
                   : content;
    }
    /// The answer to a question.
    Json ask(const std::string& about, const Json& query)
    {
        send({{"type", "ask"}, {"id", 7}, {"about", about}, {"query", query}});
        return hear("answer");
    }

private:
    static void need(bool good, const std::string& what)
    {
        if (!good) throw std::runtime_error("page: " + what);
    }
    void write(const std::string& bytes) const
    {
        for (std::size_t sent = 0; sent < bytes.size();) {
            const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            need(n > 0, "cannot be sent");
            sent += static_cast<std::size_t>(n);
        }
    }
    std::string read(std::size_t count) const
    {
        std::string bytes(count, '\0');
        for (std::size_t done = 0; done < count;) {
            const ssize_t n = ::recv(socket_, bytes.data() + done, count - done, 0);
            need(n > 0, "the connection ended or nothing came for a minute");
            done += static_cast<std::size_t>(n);
        }
        return bytes;
    }
    /// Whether it is text, and the bytes.
    std::pair<bool, std::string> next() const
    {
        bool is_text = false, last = false;
        std::string bytes;
        while (!last) {
            const std::string head = read(2);
            const int opcode = head[0] & 15;
            std::size_t length = static_cast<unsigned char>(head[1]);
            if (length >= 126) {
                const std::string longer = read(length == 126 ? 2 : 8);
                length = 0;
                for (const char c : longer) length = length << 8 | static_cast<unsigned char>(c);
            }
            const std::string part = read(length);
            constexpr int kClose = 8;
            need(opcode != kClose, "closed by the server");
            if (opcode > kClose) continue;  // a ping
            last = head[0] & 0x80;
            if (opcode != 0) is_text = opcode == 1;
            bytes += part;
        }
        return {is_text, bytes};
    }

    int socket_ = -1;
};
