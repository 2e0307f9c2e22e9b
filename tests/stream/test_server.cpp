// The server by bare sockets: who is let in, who is not, and that nonsense does no harm.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include <nlohmann/json.hpp>

#include "scratch.h"
#include "stream/server.h"
#include "yawara/stream.h"

using namespace yawara;
using namespace yawara::stream;

namespace {

/// Sends bytes to the port, others after the first answer, and returns all that comes back until the other side closes.
std::string talk(int port, const std::string& bytes, const std::string& then = "")
{
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    const auto send_all = [socket](const std::string& all) {
        for (std::size_t sent = 0; sent < all.size();) {
            const ssize_t n = ::send(socket, all.data() + sent, all.size() - sent, MSG_NOSIGNAL);
            if (n <= 0) break;
            sent += static_cast<std::size_t>(n);
        }
    };
    send_all(bytes);
    std::string answer;
    char buffer[4096];
    if (!then.empty()) {
        const ssize_t n = ::recv(socket, buffer, sizeof buffer, 0);
        if (n > 0) answer.append(buffer, static_cast<std::size_t>(n));
        send_all(then);
    }
    ::shutdown(socket, SHUT_WR);
    for (ssize_t n; (n = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
        answer.append(buffer, static_cast<std::size_t>(n));
    ::close(socket);
    return answer;
}

int status_of(const std::string& answer)
{
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

struct Served {
    Scratch scratch;
    Studio studio;
    int port;
    std::string token, host;

    Served() : studio(start(scratch))
    {
        const std::string& url = studio.url();
        port = std::stoi(url.substr(17));
        token = url.substr(url.find('=') + 1);
        host = fmt::format("127.0.0.1:{}", port);
    }

    static Studio start(const Scratch& scratch)
    {
        scratch.write("page/index.html", "<title>page</title>");
        scratch.write("secret.txt", "secret");
        scratch.write("scenes/cube.json", R"({"yawara": 1, "title": "Cube", "bodies": [{"name": "cube",
            "solid": {"bar": {"size": [1, 1, 1], "cells": [2, 2, 2]}}}]})");
        StudioOptions options;
        options.page = scratch.path / "page";
        options.gallery = scratch.path / "scenes";
        options.state = scratch.path / "state";
        options.port = 0;
        return Studio::start(options).value();
    }

    std::string get(const std::string& target, const std::string& host_name, const std::string& more = "") const
    {
        return talk(port,
                    fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{}\r\n", target, host_name, more));
    }
    std::string upgrade(const std::string& target, const std::string& host_name, const std::string& origin) const
    {
        return talk(
            port,
            fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                        target, host_name, origin));
    }
    std::string post(const std::string& target, const std::string& body, const std::string& more = "") const
    {
        return talk(port,
                    fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{}\r\n{}",
                                target, host, body.size(), more, body));
    }
};

}  // namespace

TEST_CASE("the studio answers to names of this machine and to its own page only")
{
    const Served served;
    const std::string local = fmt::format("localhost:{}", served.port);
    CHECK(status_of(served.get("/", served.host)) == 200);
    CHECK(status_of(served.get("/", local)) == 200);
    CHECK(served.get("/", served.host).find("<title>page</title>") != std::string::npos);
    CHECK(served.get("/", served.host).find("Content-Security-Policy") != std::string::npos);
    for (const char* name : {"evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1.evil.example", ""})
        CHECK_MESSAGE(status_of(served.get("/", name)) == 403, name);

    const std::string stream = "/stream?token=" + served.token;
    CHECK(status_of(served.upgrade(stream, served.host, "http://" + served.host)) == 101);
    CHECK(status_of(served.upgrade(stream, local, "http://" + local)) == 101);
    for (const char* origin : {"http://evil.example", "https://127.0.0.1", "null", "file://"})
        CHECK_MESSAGE(status_of(served.upgrade(stream, served.host, origin)) == 403, origin);
    CHECK(status_of(served.upgrade(stream, "evil.example", "http://evil.example")) == 403);
    for (const std::string& token : {std::string(), std::string("0"), std::string(32, '0'), served.token + "0"})
        CHECK(status_of(served.upgrade("/stream?token=" + token, served.host, "http://" + served.host)) == 403);
    CHECK(status_of(served.upgrade("/stream", served.host, "http://" + served.host)) == 403);
}

TEST_CASE("nothing but the page is served, whatever the path says")
{
    const Served served;
    for (const char* path : {"/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "//etc/passwd",
                             "/page/../../secret.txt", "/gallery/../secret.png", "/gallery/..%2f..%2fsecret.png",
                             "/download/x", "/state/token", "/token", "/%00", "/%"}) {
        const std::string answer = served.get(path, served.host);
        CHECK_MESSAGE((status_of(answer) == 404 || status_of(answer) == 403 || status_of(answer) == 400), path);
        CHECK(answer.find("secret") == std::string::npos);
    }
}

TEST_CASE("uploads need the secret, a known kind and a fair size")
{
    const Served served;
    const std::string good = "/upload?name=a.obj&token=" + served.token;
    const std::string answer = served.post(good, "v 0 0 0");
    CHECK(status_of(answer) == 200);
    const auto json = nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
    CHECK(served.scratch.read("state/uploads/" + json["upload"].get<std::string>() + "/a.obj") == "v 0 0 0");
    CHECK(status_of(served.post("/upload?name=a.obj", "x")) == 403);
    CHECK(status_of(served.post(good, "x", "Origin: http://evil.example\r\n")) == 403);
    CHECK(status_of(served.post("/upload?name=a.exe&token=" + served.token, "x")) == 415);
    CHECK(status_of(served.post("/upload?name=a.obj&to=..&token=" + served.token, "x")) == 404);
    CHECK(status_of(talk(served.port, fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Length: 99999999999\r\n\r\n",
                                                  good, served.host))) == 413);
}

TEST_CASE("nonsense on the wire does no harm")
{
    const Served served;
    for (const std::string& bytes :
         {std::string("\0\xff\xfe nonsense\r\n\r\n", 16), std::string(100000, 'A'),
          std::string("GET / HTTP/9.9\r\n\r\n"), std::string("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n"),
          "GET / HTTP/1.1\r\nHost: " + std::string(50000, 'h') + "\r\n\r\n"})
        CHECK(status_of(talk(served.port, bytes)) != 200);
    CHECK(status_of(served.get("/", served.host)) == 200);
}

TEST_CASE("a page that sends more than it may in a second is sent away")
{
    std::atomic<int> heard = 0;
    ServerOptions options;
    options.token = "secret";
    options.most_messages = 40;
    ServerHandlers handlers;
    handlers.opened = handlers.closed = [](ClientId) {};
    handlers.message = [&](ClientId, const std::string&) { ++heard; };
    auto server = Server::open(options, std::move(handlers)).value();
    server->run();
    const std::string hello = fmt::format(
        "GET /stream?token=secret HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        server->port());
    // Texts of two letters, masked with zeros as RFC 6455 wants it.
    constexpr int kTexts = 5000;
    std::string texts;
    for (int k = 0; k < kTexts; ++k) texts += std::string("\x81\x82\0\0\0\0{}", 8);
    const std::string answer = talk(server->port(), hello, texts);
    CHECK(status_of(answer) == 101);
    CHECK(answer.find("\x88\x02\x03\xf0") != std::string::npos);  // closed: 1008
    CHECK(heard.load() >= 40);
    CHECK(heard.load() < kTexts);
}

TEST_CASE("two studios take two ports, and the secret stays from start to start")
{
    Scratch scratch;
    const auto token = [&] {
        const Studio studio = Served::start(scratch);
        return studio.url().substr(studio.url().find('='));
    };
    const std::string first = token();
    CHECK(first.size() == 33);
    CHECK(token() == first);
    CHECK(std::filesystem::status(scratch.path / "state/token").permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    stream::ServerOptions options;
    options.try_others = true;
    options.port = 42117;
    const auto one = stream::Server::open(options, {}), two = stream::Server::open(options, {});
    REQUIRE(one);
    REQUIRE(two);
    CHECK((*one)->port() != (*two)->port());
}

TEST_CASE("of fifty pages that come at once eight are let in, and the others hear why not")
{
    std::atomic<int> opened = 0;
    ServerOptions options;
    options.token = "secret";
    ServerHandlers handlers;
    handlers.opened = [&](ClientId) { ++opened; };
    handlers.closed = [](ClientId) {};
    handlers.message = [](ClientId, const std::string&) {};
    auto server = Server::open(options, std::move(handlers)).value();
    server->run();
    const std::string hello = fmt::format(
        "GET /stream?token=secret HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        server->port());
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server->port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{60, 0};
    std::vector<int> sockets;
    for (int k = 0; k < 50; ++k) {  // all ask before any is answered, as far as this side can see to it
        sockets.push_back(::socket(AF_INET, SOCK_STREAM, 0));
        ::setsockopt(sockets.back(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        REQUIRE(::connect(sockets.back(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    for (const int socket : sockets) REQUIRE(::send(socket, hello.data(), hello.size(), MSG_NOSIGNAL) > 0);
    int refused = 0;
    for (const int socket : sockets) {
        std::string head;
        char c = 0;
        while (!head.ends_with("\r\n\r\n") && ::recv(socket, &c, 1, 0) == 1) head += c;
        CHECK(status_of(head) == 101);
    }
    // Whoever was let in is sent nothing here; a closing frame (1013, with the reason) comes to the others.
    for (int tries = 0; refused < 42 && tries < 600; ++tries) {
        const timeval soon{0, 100'000};
        for (int& socket : sockets) {
            if (socket < 0) continue;
            ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
            char frame[64];
            const ssize_t n = ::recv(socket, frame, sizeof frame, 0);
            if (n <= 0) continue;
            const std::string text(frame, static_cast<std::size_t>(n));
            CHECK(text.find("too many pages are open") != std::string::npos);
            CHECK(text.substr(2, 2) == "\x03\xf5");
            ::close(socket);
            socket = -1;
            ++refused;
        }
    }
    CHECK(refused == 42);
    CHECK(opened.load() == 8);
    for (const int socket : sockets)
        if (socket >= 0) ::close(socket);
}

TEST_CASE("a wrong token can be told from an engine that is gone")
{
    const Served served;
    CHECK(status_of(served.get("/whoami?token=" + served.token, served.host)) == 200);
    CHECK(status_of(served.get("/whoami?token=0", served.host)) == 403);
    CHECK(status_of(served.get("/whoami", served.host)) == 403);
}

TEST_CASE("names of files in any script survive an upload, and nothing that leads elsewhere")
{
    const Served served;
    const auto uploaded = [&](const std::string& name) {
        const std::string answer = served.post("/upload?name=" + name + "&token=" + served.token, "v 0 0 0");
        if (status_of(answer) != 200) return std::to_string(status_of(answer));
        const auto json = nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
        const auto stored = json["name"].get<std::string>();
        CHECK(served.scratch.read("state/uploads/" + json["upload"].get<std::string>() + "/" + stored) == "v 0 0 0");
        return stored;
    };
    CHECK(uploaded("%D0%B7%D0%B0%D1%8F%D1%86.obj") == "заяц.obj");
    CHECK(uploaded("%E6%9F%94%E3%82%89.obj") == "柔ら.obj");
    CHECK(uploaded("r%C3%A9sum%C3%A9+2.OBJ") == "résumé 2.OBJ");
    CHECK(uploaded("..%2F..%2Fevil.obj") == "evil.obj");
    CHECK(uploaded(".hidden.obj") == "hidden.obj");
    CHECK(uploaded("a%0Ab%22c.obj") == "a_b_c.obj");
    CHECK(uploaded("%FF%FE.obj") == "415");
}
