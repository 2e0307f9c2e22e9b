// The server on Boost.Beast: one thread, asynchronous, a strand of callbacks per connection.
#include "stream/server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <fmt/format.h>

namespace yawara::stream {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using ErrorCode = beast::error_code;

namespace {

constexpr std::size_t kMostBytesWaiting = std::size_t{256}
                                          << 20;  // bytes to one client, shapes of a large scene included
constexpr int kFramesOnTheWay = 2;
constexpr std::size_t kFewWaiting = 4;  // messages
constexpr int kMostConnections = 64;

std::string decoded(std::string_view text)
{
    const auto digit = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] == '%' && k + 2 < text.size() && digit(text[k + 1]) >= 0 && digit(text[k + 2]) >= 0) {
            out += static_cast<char>(16 * digit(text[k + 1]) + digit(text[k + 2]));
            k += 2;
        } else {
            out += text[k] == '+' ? ' ' : text[k];
        }
    }
    return out;
}

/// The header that names a file to be saved, in any script (RFC 6266).
std::string attachment(std::string_view name)
{
    std::string plain, encoded;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        plain += byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\' ? '_' : c;
        encoded +=
            std::isalnum(byte) || c == '.' || c == '-' || c == '_' ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return fmt::format("attachment; filename=\"{}\"; filename*=UTF-8''{}", plain, encoded);
}

/// Takes the same time wherever they differ.
bool same_secret(std::string_view a, std::string_view b)
{
    unsigned char difference = a.size() == b.size() ? 0 : 1;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
        difference |= static_cast<unsigned char>(a[k] ^ b[k]);
    return difference == 0 && !b.empty();
}

Request parse_target(std::string_view target, const std::string& token)
{
    Request request;
    const std::size_t mark = target.find('?');
    request.path = decoded(target.substr(0, mark));
    std::string_view rest = mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        const std::size_t equals = std::min(pair.find('='), pair.size());
        request.query[decoded(pair.substr(0, equals))] =
            equals < pair.size() ? decoded(pair.substr(equals + 1)) : std::string();
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (const auto found = request.query.find("token"); found != request.query.end())
        request.has_token = same_secret(found->second, token);
    return request;
}

}  // namespace

struct Server::Data {
    asio::io_context context{1};
    tcp::acceptor acceptor{context};
    ServerOptions options;
    ServerHandlers handlers;
    std::thread thread;
    int port = 0;
    std::atomic<int> connections = 0;

    class Page;
    std::map<ClientId, std::shared_ptr<Page>> pages;  ///< touched on the thread only
    int seats_taken = 0;  ///< likewise: by pages, those included whose handshake is not done yet
    ClientId next_client = 1;
    mutable std::mutex room_mutex;
    std::map<ClientId, int> room;  ///< frames that may still be sent to a page; read from outside

    void accept();

    bool is_own_host(std::string_view host) const
    {
        for (const char* name : {"127.0.0.1", "localhost", "[::1]"})
            if (host == fmt::format("{}:{}", name, port)) return true;
        return false;
    }
    /// Programs send no Origin; browsers always do with a WebSocket or a POST.
    bool is_own_origin(std::string_view origin) const
    {
        return origin.empty() || (origin.starts_with("http://") && is_own_host(origin.substr(7)));
    }
    template <class Do>
    void with_page(ClientId client, Do&& what);
};

/// A connected WebSocket.
class Server::Data::Page : public std::enable_shared_from_this<Page> {
public:
    Page(Data& server, tcp::socket&& socket, ClientId id) : server_(server), socket_(std::move(socket)), id_(id) {}
    ~Page()
    {
        give_seat_back();
        --server_.connections;
    }

    /// The seat is taken before the handshake: pages that come at the same time cannot pass the limit together.
    void accept(const http::request<http::string_body>& request)
    {
        has_seat_ = server_.seats_taken < server_.options.most_clients;
        if (has_seat_) ++server_.seats_taken;
        socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
        socket_.read_message_max(server_.options.largest_message);
        socket_.async_accept(request, [self = shared_from_this()](ErrorCode error) {
            if (error) return self->give_seat_back();
            if (!self->has_seat_)
                return self->close({websocket::close_code::try_again_later, "too many pages are open"});
            self->server_.pages[self->id_] = self;
            self->tell_room(kFramesOnTheWay);
            self->server_.handlers.opened(self->id_);
            self->read();
        });
    }

    void send(Bytes bytes, bool binary, bool only_if_idle)
    {
        if (only_if_idle && queue_.size() > kFewWaiting) return;
        waiting_ += bytes->size();
        if (waiting_ > kMostBytesWaiting) return close(websocket::close_code::try_again_later);
        queue_.push_back({std::move(bytes), binary, false});
        write();
    }
    void offer(Bytes frame)
    {
        frame_ = std::move(frame);
        write();
    }
    void frame_taken()
    {
        on_the_way_ = std::max(0, on_the_way_ - 1);
        tell_room(kFramesOnTheWay - on_the_way_);
        write();
    }
    void close(const websocket::close_reason& reason)
    {
        if (closing_) return;
        closing_ = true;
        socket_.async_close(reason, [self = shared_from_this()](ErrorCode) { self->gone(); });
    }

private:
    struct Message {
        Bytes bytes;
        bool binary, is_frame;
    };

    void read()
    {
        socket_.async_read(buffer_, [self = shared_from_this()](ErrorCode error, std::size_t) {
            if (error) return self->gone();
            std::string text = beast::buffers_to_string(self->buffer_.data());
            self->buffer_.consume(self->buffer_.size());
            if (!self->within_rate()) return self->close(websocket::close_code::policy_error);
            self->server_.handlers.message(self->id_, self->socket_.got_text() ? std::move(text) : std::string());
            self->read();
        });
    }

    bool within_rate()
    {
        const auto now = std::chrono::steady_clock::now();
        if (now - second_ > std::chrono::seconds(1)) second_ = now, messages_ = 0;
        return ++messages_ <= server_.options.most_messages;
    }

    void write()
    {
        if (writing_ || closing_) return;
        if (queue_.empty()) {
            if (!frame_ || on_the_way_ >= kFramesOnTheWay) return;
            waiting_ += frame_->size();
            queue_.push_back({std::move(frame_), true, true});
            frame_ = nullptr;
            tell_room(kFramesOnTheWay - ++on_the_way_);
        }
        writing_ = true;
        socket_.binary(queue_.front().binary);
        socket_.async_write(asio::buffer(*queue_.front().bytes),
                            [self = shared_from_this()](ErrorCode error, std::size_t) {
                                if (error) return self->gone();
                                self->writing_ = false;
                                self->waiting_ -= self->queue_.front().bytes->size();
                                self->queue_.pop_front();
                                self->write();
                            });
    }

    void gone()
    {
        closing_ = true;
        give_seat_back();
        if (server_.pages.erase(id_) == 0) return;
        {
            const std::lock_guard lock(server_.room_mutex);
            server_.room.erase(id_);
        }
        server_.handlers.closed(id_);
    }

    void give_seat_back()
    {
        if (std::exchange(has_seat_, false)) --server_.seats_taken;
    }

    void tell_room(int free)
    {
        const std::lock_guard lock(server_.room_mutex);
        server_.room[id_] = free;
    }

    Data& server_;
    websocket::stream<beast::tcp_stream> socket_;
    ClientId id_;
    beast::flat_buffer buffer_;
    std::deque<Message> queue_;
    Bytes frame_;
    std::size_t waiting_ = 0;  ///< bytes in the queue
    int on_the_way_ = 0;
    bool writing_ = false, closing_ = false, has_seat_ = false;
    std::chrono::steady_clock::time_point second_{};
    int messages_ = 0;
};

namespace {

using HttpRequest = http::request<http::string_body>;

}  // namespace

/// An HTTP connection, one request after another, until it becomes a WebSocket or ends.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(Server::Data& server, tcp::socket&& socket) : server_(server), stream_(std::move(socket)) {}
    ~Connection()
    {
        if (!handed_over_) --server_.connections;
    }

    void read()
    {
        parser_.emplace();
        parser_->header_limit(16 << 10);
        parser_->body_limit(server_.options.largest_upload);
        stream_.expires_after(std::chrono::seconds(60));
        http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](ErrorCode error, std::size_t) {
            if (error == http::error::body_limit) return self->refuse_large();
            if (error) return;
            self->judge();
        });
    }

private:
    static std::string field(const HttpRequest& request, http::field name) { return std::string(request[name]); }

    /// Before the body is read: strangers get nothing, and cannot make us take their bytes either.
    void judge()
    {
        const HttpRequest& request = parser_->get();
        if (!server_.is_own_host(field(request, http::field::host)))
            return refuse(403, "this server answers to names of this machine only");
        if (!server_.is_own_origin(field(request, http::field::origin))) return refuse(403, "not from this page");
        request_ =
            parse_target(std::string_view(request.target().data(), request.target().size()), server_.options.token);
        if (websocket::is_upgrade(request)) return upgrade();
        if (request.method() == http::verb::post) {
            if (!request_.has_token) return refuse(403, "this address is incomplete; open the one the program printed");
        } else if (request.method() != http::verb::get && request.method() != http::verb::head) {
            return refuse(405, "only GET and POST are supported");
        }
        stream_.expires_after(std::chrono::minutes(10));
        http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](ErrorCode error, std::size_t) {
            if (error == http::error::body_limit) return self->refuse_large();
            if (error) return;
            self->answer();
        });
    }

    void upgrade()
    {
        if (request_.path != "/stream") return refuse(404, "not here");
        if (!request_.has_token) return refuse(403, "this address is incomplete; open the one the program printed");
        stream_.expires_never();
        handed_over_ = true;
        const auto page =
            std::make_shared<Server::Data::Page>(server_, stream_.release_socket(), server_.next_client++);
        page->accept(parser_->get());
    }

    void answer()
    {
        const bool post = parser_->get().method() == http::verb::post;
        if (post) request_.body = std::move(parser_->get().body());
        respond(post ? server_.handlers.upload(std::move(request_)) : server_.handlers.get(request_));
    }

    void refuse_large()
    {
        refuse(413, fmt::format("the largest file that can be opened is {} MB", server_.options.largest_upload >> 20));
    }

    void refuse(int status, std::string why)
    {
        Response response;
        response.status = status;
        response.body = std::make_shared<std::string>(std::move(why));
        close_after_ = true;
        respond(std::move(response));
    }

    void respond(Response response)
    {
        using Body = http::span_body<const char>;
        const bool head = parser_->get().method() == http::verb::head;
        const bool keep = !close_after_ && parser_->get().keep_alive();
        body_ = response.body ? std::move(response.body) : std::make_shared<std::string>();
        auto message = std::make_shared<http::response<Body>>(
            http::int_to_status(static_cast<unsigned>(response.status)), parser_->get().version());
        message->set(http::field::content_type, response.type);
        message->set(http::field::cache_control, response.may_be_kept ? "private, max-age=3600" : "no-store");
        message->set("X-Content-Type-Options", "nosniff");
        message->set("Referrer-Policy", "no-referrer");
        message->set("Cross-Origin-Resource-Policy", "same-origin");
        message->set("Cross-Origin-Opener-Policy", "same-origin");
        message->set("X-Frame-Options", "DENY");
        message->set("Content-Security-Policy",
                     "default-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; "
                     "worker-src 'self' blob:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'");
        if (!response.file_name.empty()) message->set(http::field::content_disposition, attachment(response.file_name));
        message->keep_alive(keep);
        if (head) {
            message->content_length(body_->size());
        } else {
            message->body() = {body_->data(), body_->size()};
            message->prepare_payload();
        }
        stream_.expires_after(std::chrono::minutes(10));
        http::async_write(stream_, *message, [self = shared_from_this(), message, keep](ErrorCode error, std::size_t) {
            if (error) return;
            if (keep) return self->read();
            ErrorCode ignored;
            self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        });
    }

    Server::Data& server_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::string_body>> parser_;
    Request request_;
    Server::Bytes body_;
    bool handed_over_ = false, close_after_ = false;
};

void Server::Data::accept()
{
    acceptor.async_accept([this](ErrorCode error, tcp::socket socket) {
        if (error == asio::error::operation_aborted) return;
        if (!error && connections < kMostConnections) {
            ++connections;
            socket.set_option(tcp::no_delay(true), error);
            std::make_shared<Connection>(*this, std::move(socket))->read();
        }
        accept();
    });
}

template <class Do>
void Server::Data::with_page(ClientId client, Do&& what)
{
    asio::post(context, [this, client, what = std::forward<Do>(what)]() mutable {
        if (const auto found = pages.find(client); found != pages.end()) {
            const auto page = found->second;  // `what` may end it
            what(*page);
        }
    });
}

Server::Server(std::unique_ptr<Data> data) : data_(std::move(data)) {}

Result<std::unique_ptr<Server>> Server::open(const ServerOptions& options, ServerHandlers handlers)
{
    auto data = std::make_unique<Data>();
    data->options = options;
    data->handlers = std::move(handlers);
    ErrorCode error;
    const int attempts = options.try_others ? 50 : 1;
    for (int k = 0; k < attempts; ++k) {
        const tcp::endpoint here(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(options.port + k));
        tcp::acceptor acceptor(data->context);
        error = {};
        acceptor.open(here.protocol(), error);
        if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
        if (!error) acceptor.bind(here, error);
        if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
        if (error) continue;
        data->acceptor = std::move(acceptor);
        break;
    }
    if (error) return Error{fmt::format("port {}", options.port), "cannot be opened: " + error.message()};
    data->port = data->acceptor.local_endpoint().port();
    return std::unique_ptr<Server>(new Server(std::move(data)));
}

void Server::run()
{
    data_->accept();
    data_->thread = std::thread([data = data_.get()] { data->context.run(); });
}

Server::~Server()
{
    asio::post(data_->context, [data = data_.get()] {
        ErrorCode ignored;
        data->acceptor.close(ignored);
        data->context.stop();
    });
    if (data_->thread.joinable()) data_->thread.join();
    data_->pages.clear();
}

int Server::port() const
{
    return data_->port;
}

void Server::send_text(ClientId client, Bytes text)
{
    data_->with_page(client, [text = std::move(text)](Data::Page& page) { page.send(text, false, false); });
}
void Server::send_binary(ClientId client, Bytes bytes)
{
    data_->with_page(client, [bytes = std::move(bytes)](Data::Page& page) { page.send(bytes, true, false); });
}
void Server::send_if_idle(ClientId client, Bytes text)
{
    data_->with_page(client, [text = std::move(text)](Data::Page& page) { page.send(text, false, true); });
}
void Server::offer_frame(ClientId client, Bytes frame)
{
    data_->with_page(client, [frame = std::move(frame)](Data::Page& page) { page.offer(frame); });
}
void Server::frame_taken(ClientId client)
{
    data_->with_page(client, [](Data::Page& page) { page.frame_taken(); });
}
bool Server::wants_frame(ClientId client) const
{
    const std::lock_guard lock(data_->room_mutex);
    const auto found = data_->room.find(client);
    return found != data_->room.end() && found->second > 0;
}

Result<std::string> random_token()
{
    std::ifstream source("/dev/urandom", std::ios::binary);
    std::array<unsigned char, 16> bytes{};
    if (!source.read(reinterpret_cast<char*>(bytes.data()), bytes.size()))
        return Error{"/dev/urandom", "cannot be read: no token without it"};
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

}  // namespace yawara::stream
