// The loop: what waits first, then the frames that are due, then what the pages should see.
#include "stream/session.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "stream/handlers/handler.h"

namespace yawara::stream {

namespace fs = std::filesystem;

namespace {

constexpr auto kNumbersEvery = std::chrono::milliseconds(200);
constexpr auto kStatusEvery = std::chrono::milliseconds(8);     // at most: a flood of messages may come one a turn
constexpr auto kLongestHearing = std::chrono::milliseconds(8);  // messages in one turn: time goes on in a flood of them

}  // namespace

Session::Session(StudioOptions options, Journal journal)
    : options_(std::move(options)),
      gallery_(list_gallery(options_.gallery)),
      documents_(std::move(journal), options_.state),
      pictures_(options_.picture,
                [this](const std::string& name) {
                    inbox_.put([this, name] {
                        if (name.starts_with("gallery/")) hub_.send_all(messages::ServerPicture{name.substr(8)});
                        if (name.starts_with("recent/")) hub_.send_all(recent_message());
                    });
                }),
      files_(options_.page, options_.state, pictures_,
             [recent = RecentDocuments(options_.state / "recent")](const fs::path& folder) {
                 return recent.uses(folder);
             }),
      films_(
          [this](const std::string& name, std::string bytes) { return files_.offer_download(name, std::move(bytes)); }),
      builder_([this](BesideTime::Finish finish) { inbox_.put(std::move(finish)); }),
      opener_([this](BesideTime::Finish finish) { inbox_.put(std::move(finish)); }),
      exporter_([this](BesideTime::Finish finish) { inbox_.put(std::move(finish)); }),
      questions_(
          [this](ClientId client, const Json& answer) {
              server_->send_text(client, std::make_shared<const std::string>(
                                             answer.dump(-1, ' ', false, Json::error_handler_t::replace)));
          },
          [this](ClientId client, std::string bytes) {
              server_->send_binary(client, std::make_shared<const std::string>(std::move(bytes)));
          })
{
    player_.set_threads(options_.threads);
}

Session::~Session()
{
    stop_ = true;
    inbox_.put([] {});
    if (thread_.joinable()) thread_.join();
}

Status Session::start()
{
    if (Status read = read_token(); !read) return read;
    lost_ = Journal::find_lost(options_.state);
    for (const GalleryScene& scene : gallery_)
        pictures_.add("gallery/" + scene.name, scene.file, kept_picture(options_.state, scene.file));
    for (const RecentDocument& recent : documents_.recent().list())
        pictures_.add("recent/" + recent.name, documents_.recent().scene_file(recent.name),
                      documents_.recent().picture_file(recent.name));
    if (Status opened = open_first(); !opened) return opened;
    if (Status served = serve(); !served) return served;
    thread_ = std::thread([this] { loop(); });
    // Whoever came for the gallery will open it soon.
    if (options_.scene.empty())
        for (const GalleryScene& scene : gallery_) pictures_.draw_later("gallery/" + scene.name);
    return Done{};
}

/// The secret is kept from start to start, so that an open page finds a new engine.
Status Session::read_token()
{
    const fs::path secret = options_.state / "token";
    std::ifstream(secret) >> token_;
    const bool usable =
        token_.size() == 32 && std::ranges::all_of(token_, [](unsigned char c) { return std::isxdigit(c); });
    if (usable) return Done{};
    const auto made = random_token();
    if (!made) return made.error();
    token_ = *made;
    std::error_code error;
    fs::remove(secret, error);
    const int file = ::open(secret.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return Done{};  // then it is good for this start only
    if (::write(file, token_.data(), token_.size()) < 0) fs::remove(secret, error);
    ::close(file);
    return Done{};
}

Status Session::open_first()
{
    const auto show = [this](Result<OpenedScene> opened) -> Status {
        Opening opening = prepare(std::move(opened), {}, [](std::string_view, double) { return true; });
        if (opening.error) return *opening.error;
        show_document(std::move(opening));
        return Done{};
    };
    if (!options_.scene.empty()) return show(open_scene_file(options_.scene, false));
    Status opened = Error{"", "there is no scene to open: the gallery is empty"};
    for (const GalleryScene& scene : gallery_)
        if (opened = show(open_scene_file(scene.file, true)); opened) break;
    return opened;
}

Status Session::serve()
{
    ServerHandlers handlers;
    handlers.get = [this](const Request& request) { return files_.get(request); };
    handlers.upload = [this](Request request) {
        return request.path == "/film" ? films_.take(std::move(request)) : files_.take_upload(std::move(request));
    };
    handlers.opened = [this](ClientId client) {
        ++files_.page_count;
        inbox_.put({client, Incoming::opened, {}});
    };
    handlers.closed = [this](ClientId client) {
        --files_.page_count;
        inbox_.put({client, Incoming::closed, {}});
    };
    handlers.message = [this](ClientId client, const std::string& text) {
        ReadMessage read = read_client_message(text);
        if (!read.good()) {
            const Json refusal(messages::ServerError{read.about, read.where, read.what, {}});
            return server_->send_text(client, std::make_shared<const std::string>(
                                                  refusal.dump(-1, ' ', false, Json::error_handler_t::replace)));
        }
        if (read.about == "seen") return server_->frame_taken(client);
        inbox_.put({client, Incoming::message, std::move(read.message)});
    };
    ServerOptions options;
    options.port = options_.port;
    options.try_others = options_.port != 0;
    options.token = token_;
    auto server = Server::open(options, std::move(handlers));
    if (!server) return server.error();
    server_ = *std::move(server);
    hub_.serve_by(server_.get());
    url_ = "http://127.0.0.1:" + std::to_string(server_->port()) + "/?token=" + token_;
    server_->run();
    return Done{};
}

std::chrono::milliseconds Session::until_due()
{
    const auto frame = player_.until_due(hub_.count() > 0);
    if (!status_due_) return frame;
    return std::clamp(std::chrono::ceil<std::chrono::milliseconds>(next_status_ - Clock::now()),
                      std::chrono::milliseconds(0), frame);
}

void Session::loop()
{
    while (!stop_) {
        inbox_.wait_for(until_due());
        const auto start = Clock::now();
        while (const auto task = inbox_.take_task()) (*task)();
        while (Clock::now() - start < kLongestHearing) {
            const auto incoming = inbox_.take();
            if (!incoming) break;
            hear(*incoming);
        }
        if (!waiting_pins_.empty() && !documents_.has_unbuilt()) pin_what_waits();
        if (status_due_ && Clock::now() >= next_status_) tell_status();
        if (player_.advance(hub_.count() > 0)) hub_.changed();
        if (player_.was_repaired())
            hub_.note("warning",
                      "The simulation became unstable and some particles were stopped. Use a smaller time step or more "
                      "damping.");
        if (const auto lost = player_.lost_shape()) hub_.note("warning", *lost);
        if (player_.run().stage_number() != told_stage_) tell_stage();
        hub_.offer_frames(player_);
        if (Clock::now() - last_numbers_ >= kNumbersEvery) send_numbers();
    }
}

void Session::hear(const Incoming& incoming)
{
    const ClientId client = incoming.client;
    if (incoming.kind == Incoming::opened) {
        hub_.add(client);
        greet(client);
        send_status();
    } else if (incoming.kind == Incoming::closed) {
        hub_.remove(client);
        if (hub_.count() > 0) return send_status();
        player_.each([](Playback& run, int) {  // nobody is left to let go
            for (const int hold : run.holds()) run.release(hold);
            run.set_ball(std::nullopt);
        });
    } else if (hub_.contains(client)) {
        handle(*this, client, incoming.content);
    }
}

void Session::greet(ClientId client)
{
    messages::ServerWelcome welcome;
    welcome.version = version();
    welcome.threads = std::thread::hardware_concurrency();
    for (const GalleryScene& scene : gallery_)
        welcome.gallery.push_back(
            {scene.name, scene.title, scene.description, pictures_.has("gallery/" + scene.name), scene.uses});
    if (lost_)
        welcome.lost = messages::Lost{lost_->content.value("title", lost_->scene.stem().string()),
                                      static_cast<std::int64_t>(lost_->edits), lost_->when};
    welcome.largest_upload = static_cast<std::int64_t>(ServerOptions().largest_upload);
    for (const std::string_view ending : upload_endings()) welcome.upload_endings.emplace_back(ending);
    hub_.send(client, welcome);
    hub_.send(client, recent_message());
    hub_.send(client, documents_.full_message());
    hub_.greet_with_scene(client, player_);
    hub_.send(client, player_.all_takes());
    hub_.send(client, player_.all_measures());
    if (const auto beside = player_.measures_beside()) hub_.send(client, *beside);
}

messages::ServerRecent Session::recent_message() const
{
    messages::ServerRecent message;
    for (const RecentDocument& recent : documents_.recent().list())
        message.documents.push_back({recent.name, recent.title, recent.when, static_cast<std::int64_t>(recent.edits),
                                     pictures_.has("recent/" + recent.name)});
    return message;
}

messages::ServerStatus Session::status()
{
    messages::ServerStatus message = player_.status(hub_.count());
    if (!documents_.has_unbuilt()) message.built = documents_.revision();
    return message;
}

void Session::tell_status()
{
    status_due_ = false;
    next_status_ = Clock::now() + kStatusEvery;
    hub_.send_all(status());
}

/// A few times a second; to pages that cannot keep up, less often.
void Session::send_numbers()
{
    last_numbers_ = Clock::now();
    if (hub_.count() == 0) return;
    hub_.send_if_idle(player_.take_stats());
    hub_.send_if_idle(status());
    if (const auto takes = player_.take_takes()) hub_.send_all(*takes);
    if (const auto measures = player_.take_measures()) hub_.send_all(*measures);
    for (const std::string& text : player_.news()) hub_.note("info", text);
}

void Session::moved()
{
    hub_.changed();
    send_status();
}

/// Other models are shown, for instance those of an earlier take.
void Session::tell_stage()
{
    told_stage_ = player_.run().stage_number();
    hub_.send_scene(player_, false);
}

void Session::cancel()
{
    if (player_.cancel_steps()) moved();
    if (opener_.cancel()) end_progress();
    if (exporter_.cancel()) {
        end_progress();
        if (hub_.contains(exporting_for_))
            hub_.refuse(exporting_for_, exporting_, {"", "The " + exporting_ + " was cancelled"});
    }
    if (builder_.cancel()) {
        end_build("cancelled");
        while (documents_.has_unbuilt()) {  // back to what runs
            const Json before = documents_.content();
            const std::int64_t base = documents_.revision();
            if (!documents_.take_back()) break;
            tell_edited(before, base, 0, {});
        }
        follow_document();
    }
}

}  // namespace yawara::stream
