// HTTP and WebSocket on loopback, for one page and its engine. Hides Boost.Beast, which server.cpp alone includes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "yawara/core.h"

namespace yawara::stream {

using ClientId = std::uint64_t;  ///< a page that is connected

struct Request {
    std::string path;                          ///< without the query, decoded
    std::map<std::string, std::string> query;  ///< decoded
    bool has_token = false;                    ///< the request knows the secret
    std::string body;                          ///< of an upload
};

struct Response {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::shared_ptr<const std::string> body;
    std::string file_name;     ///< not empty: the browser saves it under this name
    bool may_be_kept = false;  ///< by the browser, for a while
};

/// All are called on the server's thread and have to return soon.
struct ServerHandlers {
    std::function<Response(const Request&)> get;
    std::function<Response(Request)> upload;  ///< a POST that knows the secret
    std::function<void(ClientId)> opened, closed;
    std::function<void(ClientId, std::string)> message;
};

struct ServerOptions {
    int port = 0;                               ///< 0: any that is free
    bool try_others = false;                    ///< if the port is taken, take the next free one
    std::string token;                          ///< needed by uploads, downloads and the WebSocket
    std::uint64_t largest_upload = 256u << 20;  ///< bytes
    std::uint64_t largest_message = 1u << 20;   ///< bytes
    int most_messages = 1500;                   ///< in a second, from one page
    int most_clients = 8;                       ///< pages; one more is closed with code 1013 and the reason
};

/// Answers only to names of this machine (no DNS rebinding) and only to pages it served itself (no foreign Origin).
class Server {
public:
    /// Takes the port; nobody is answered before run().
    static Result<std::unique_ptr<Server>> open(const ServerOptions& options, ServerHandlers handlers);
    void run();  ///< on a thread of its own
    ~Server();   ///< closes everything and waits for its thread

    int port() const;

    using Bytes = std::shared_ptr<const std::string>;
    /// In order, never dropped; a client that lets too much pile up is closed.
    void send_text(ClientId client, Bytes text);
    void send_binary(ClientId client, Bytes bytes);
    /// Only if hardly anything else waits: for numbers that are soon told anew.
    void send_if_idle(ClientId client, Bytes text);
    /// A moving frame: replaces one that still waits. At most two are on their way to a client until it says it took
    /// one.
    void offer_frame(ClientId client, Bytes frame);
    void frame_taken(ClientId client);
    /// A frame offered now would be sent at once.
    bool wants_frame(ClientId client) const;

    struct Data;

private:
    explicit Server(std::unique_ptr<Data> data);
    std::unique_ptr<Data> data_;
};

/// 32 random hexadecimal digits from the system's generator.
Result<std::string> random_token();

}  // namespace yawara::stream
