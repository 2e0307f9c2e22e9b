// A page without a browser: messages over a bare WebSocket, and what the engine answers.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "scene_file/json.h"
#include "scratch.h"
#include "stream/protocol.h"
#include "yawara/stream.h"

using namespace yawara;
using namespace yawara::stream;

namespace {

class Page {
public:
    explicit Page(const Studio& studio)
    {
        const std::string& url = studio.url();
        const int port = std::stoi(url.substr(17));
        socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
        const timeval patience{60, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
        write(
            fmt::format("GET /stream?{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                        url.substr(url.find("token")), port));
        std::string head;
        while (!head.ends_with("\r\n\r\n")) head += read(1);
        REQUIRE(head.starts_with("HTTP/1.1 101"));
    }
    ~Page() { ::close(socket_); }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;

    void send(const Json& message) const
    {
        const std::string text = message.dump();
        REQUIRE(text.size() < 65536);
        std::string frame = "\x81";  // RFC 6455: a text, masked with zeros
        if (text.size() < 126) {
            frame += static_cast<char>(0x80 | text.size());
        } else {
            frame += static_cast<char>(0x80 | 126);
            frame += {static_cast<char>(text.size() >> 8), static_cast<char>(text.size() & 255)};
        }
        write(frame + std::string(4, '\0') + text);
    }

    /// The next message of one of the types; others are checked and passed over.
    Json hear(const std::string& type, const std::string& or_type = "") const
    {
        for (;;) {
            const auto [is_text, content] = next();
            if (!is_text) continue;
            const Json message = Json::parse(content);
            const Status good = check_server_message(message);
            CHECK_MESSAGE(good, (good ? "" : good.error().message()));
            if (message["type"] == type || message["type"] == or_type) return message;
        }
    }

    /// What an edit made of the document, or the words of its refusal.
    Json answer(const Json& message) const
    {
        send(message);
        const Json heard = hear("document", "error");
        return heard["type"] == "error"
                   ? Json(heard["where"].get<std::string>() + ": " + heard["what"].get<std::string>())
                   : heard["document"];
    }

private:
    void write(const std::string& bytes) const
    {
        REQUIRE(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
    }
    std::string read(std::size_t count) const
    {
        std::string bytes(count, '\0');
        for (std::size_t done = 0; done < count;) {
            const ssize_t n = ::recv(socket_, bytes.data() + done, count - done, 0);
            REQUIRE(n > 0);
            done += static_cast<std::size_t>(n);
        }
        return bytes;
    }
    std::pair<bool, std::string> next() const
    {
        bool is_text = false, last = false;
        std::string content;
        while (!last) {
            const std::string head = read(2);
            last = head[0] & 0x80;
            if (head[0] & 15) is_text = (head[0] & 15) == 1;
            std::size_t length = static_cast<unsigned char>(head[1]);
            if (length >= 126) {
                const std::string longer = read(length == 126 ? 2 : 8);
                length = 0;
                for (const char c : longer) length = length << 8 | static_cast<unsigned char>(c);
            }
            content += read(length);
        }
        return {is_text, content};
    }

    int socket_ = -1;
};

Studio serve(const Scratch& scratch)
{
    const auto body = [](const std::string& name, int x) {
        return fmt::format(R"({{"name": "{}", "solid": {{"bar": {{"size": [1, 1, 1], "cells": [2, 2, 2]}}}},
            "place": {{"translate": [{}, 1, 0]}}}})",
                           name, x);
    };
    scratch.write("page/index.html", "<title>page</title>");
    scratch.write("scenes/two.json",
                  R"({"yawara": 1, "title": "Two", "bodies": [)" + body("first", 0) + ", " + body("second", 3) + "]}");
    StudioOptions options;
    options.page = scratch.path / "page";
    options.gallery = scratch.path / "scenes";
    options.state = scratch.path / "state";
    options.port = 0;
    return Studio::start(options).value();
}

Json edit(const std::string& op, const std::string& path, const Json& value = {})
{
    Json change{{"op", op}, {"path", path}};
    if (op != "remove") change["value"] = value;
    return {{"type", "edit"}, {"label", "x"}, {"changes", Json::array({change})}};
}

Json spot_on(const std::string& body)
{
    return {{"body", body}, {"triangle", 0}, {"weights", {1, 0, 0}}};
}

}  // namespace

TEST_CASE("messages by identity meet the body they name after another was deleted, and no other when it is gone")
{
    const Scratch scratch;
    const Studio studio = serve(scratch);
    const Page page(studio);
    page.send({{"type", "play"}, {"playing", false}});
    page.send({{"type", "reset"}});
    const Json scene = page.hear("scene");
    CHECK(scene["bodies"][0]["id"] == "first");
    CHECK(scene["bodies"][1]["id"] == "second");

    Json document = page.answer(edit("remove", "/bodies/@first"));
    REQUIRE(document["bodies"].size() == 1);
    document = page.answer(edit("add", "/bodies/@second/density", 500));
    CHECK(document["bodies"][0]["density"] == 500);
    document = page.answer(edit("replace", "/bodies/@second/name", "renamed"));
    CHECK(document["bodies"][0]["name"] == "renamed");
    page.send({{"type", "pick"}, {"spot", spot_on("second")}});
    CHECK(page.hear("picked")["body"] == "second");
    document = page.answer({{"type", "pin"}, {"spot", spot_on("second")}});
    CHECK(document["bodies"][0]["pins"].size() == 1);

    for (const char* gone : {"first", "renamed", "second/1", "0"}) {
        const std::string message = fmt::format("there is no body \"{}\"", gone);
        CHECK(page.answer({{"type", "pin"}, {"spot", spot_on(gone)}}) == "spot.body: " + message);
        CHECK(page.answer({{"type", "grab"}, {"hold", 1}, {"spot", spot_on(gone)}, {"target", {0, 0, 0}}}) ==
              "spot.body: " + message);
        CHECK(page.answer({{"type", "throw"}, {"body", gone}, {"velocity", {0, 1, 0}}}) == "body: " + message);
    }
    CHECK(page.answer(edit("add", "/bodies/@first/density", 500)) ==
          "/bodies/@first/density: there is no body \"first\"");
    document = page.answer({{"type", "unpin"}, {"spot", spot_on("second")}});
    CHECK(document["bodies"][0]["pins"].empty());
}
