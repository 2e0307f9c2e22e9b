// The loop: messages first, then as many frames as the clock asks for, then what the pages should see.
#include "stream/session.h"

#include <algorithm>
#include <cmath>

namespace yawara::stream {

namespace {

constexpr auto kStatsEvery = std::chrono::milliseconds(200);
constexpr unsigned kMostPainters = 4;
constexpr double kMostOwed = 3;  // frames: a machine that is too slow plays in slow motion instead of catching up

}  // namespace

Session::Session(StudioOptions options, Journal journal) : options_(std::move(options)), journal_(std::move(journal)) {}

Session::~Session()
{
    stop_ = true;
    cancel_ = true;
    inbox_filled_.notify_all();
    picture_wanted_.notify_all();
    if (thread_.joinable()) thread_.join();
    for (std::thread& thread : picture_threads_) thread.join();
    server_.reset();
}

Status Session::start()
{
    load_page();
    list_gallery();
    lost_ = Journal::find_lost(options_.state);
    Status opened = Done{};
    if (!options_.scene.empty()) {
        auto scene = open_scene_file(options_.scene, false);
        opened = scene ? open(*std::move(scene)) : Status(scene.error());
    } else {
        opened = Error{"", "there is no scene to open: the gallery is empty"};
        for (const GalleryScene& scene : gallery_)
            if (opened = open_named("gallery", scene.name); opened) break;
    }
    if (!opened) return opened;
    playing_ = true;

    ServerHandlers handlers;
    const auto put = [this](Incoming incoming) {
        {
            const std::lock_guard lock(inbox_mutex_);
            inbox_.push_back(std::move(incoming));
        }
        inbox_filled_.notify_all();
    };
    handlers.get = [this](const Request& request) { return serve(request); };
    handlers.upload = [this](Request request) { return take_upload(std::move(request)); };
    handlers.opened = [put](ClientId client) { put({client, Incoming::opened, {}}); };
    handlers.closed = [put](ClientId client) { put({client, Incoming::closed, {}}); };
    handlers.message = [this, put](ClientId client, const std::string& text) {
        ReadMessage read = read_client_message(text);
        if (!read.good()) return report_error(client, read.about, {read.where, read.what});
        if (read.about == "seen") return server_->frame_taken(client);
        if (read.about == "cancel") cancel_ = true;
        put({client, Incoming::message, std::move(read.message)});
    };
    ServerOptions options;
    options.port = options_.port;
    options.try_others = options_.port != 0;
    options.token = token_;
    auto server = Server::open(options, std::move(handlers));
    if (!server) return server.error();
    server_ = *std::move(server);
    url_ = "http://127.0.0.1:" + std::to_string(server_->port()) + "/?token=" + token_;
    server_->run();
    thread_ = std::thread([this] { loop(); });
    if (options_.picture) {
        // Whoever came for the gallery will open it soon.
        if (options_.scene.empty())
            for (const GalleryScene& scene : gallery_)
                if (!pictures_.contains(scene.name)) later_pictures_.push_back(scene.name);
        for (unsigned k = 0; k < std::clamp(std::thread::hardware_concurrency(), 1u, kMostPainters); ++k)
            picture_threads_.emplace_back([this, k] { make_pictures(k == 0); });
    }
    return Done{};
}

void Session::loop()
{
    while (wait_for_work()) {
        std::deque<Incoming> messages;
        {
            const std::lock_guard lock(inbox_mutex_);
            messages.swap(inbox_);
        }
        cancel_ = false;
        for (const Incoming& message : messages) handle(message);
        advance();
        offer_frames();
        if (Clock::now() - last_stats_ >= kStatsEvery) send_stats();
    }
}

/// Sleeps until a message comes or a frame is due; false when it is time to end.
bool Session::wait_for_work()
{
    std::unique_lock lock(inbox_mutex_);
    const bool idle = !playing_ || pages_.empty();
    const auto due = [&] {
        if (idle) return std::chrono::milliseconds(100);
        const double frames = 1 - owed_ -
                              std::chrono::duration<double>(Clock::now() - last_tick_).count() * speed_ /
                                  playbacks_[0]->scene().settings().dt;
        const double seconds = std::max(0.0, frames) * playbacks_[0]->scene().settings().dt / speed_;
        return std::chrono::milliseconds(std::clamp<long>(std::lround(1000 * seconds), 0, 50));
    }();
    inbox_filled_.wait_for(lock, due, [&] { return stop_ || !inbox_.empty(); });
    return !stop_;
}

void Session::advance()
{
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - last_tick_).count();
    last_tick_ = now;
    if (!playing_ || pages_.empty()) {
        owed_ = 0;
        return;
    }
    owed_ = std::min(owed_ + passed * speed_ / playbacks_[0]->scene().settings().dt, kMostOwed);
    // One frame at a time, so that messages are heard between them; more only if time is to pass faster than drawn.
    for (int k = 0; owed_ >= 1 && k < std::max(1, int(std::ceil(speed_))); ++k) {
        step_once();
        owed_ -= 1;
    }
}

void Session::step_once()
{
    const auto start = Clock::now();
    const std::span<const StepReport> reports = playbacks_[0]->step();
    numbers_.step_seconds += std::chrono::duration<double>(Clock::now() - start).count();
    ++numbers_.frames;
    numbers_.contacts = numbers_.inverted = 0;
    int repaired = 0;
    for (const StepReport& report : reports) {
        for (std::size_t p = 0; p < numbers_.seconds.size(); ++p) numbers_.seconds[p] += report.seconds[p];
        numbers_.contacts += report.contact.contacts;
        numbers_.inverted += report.inverted;
        repaired += report.repaired_particles;
    }
    if (repaired > 0 && repaired_ == 0)
        note("warning",
             "Some particles were about to leave all bounds and were stopped: the settings are too rough for "
             "this step. A smaller time step or more damping helps.");
    repaired_ += repaired;
    if (playbacks_[1]) playbacks_[1]->step();
    changed();
}

void Session::changed()
{
    for (auto& [client, page] : pages_) page.needs_frame = true;
}

void Session::offer_frames()
{
    for (auto& [client, page] : pages_) {
        if (!page.needs_frame || !server_->wants_frame(client)) continue;
        page.needs_frame = false;
        if (page.view.solid) send_lines(client, page);
        writer_.start(false, ++sequence_, playbacks_[0]->scene().time(),
                      static_cast<std::uint32_t>(playbacks_[0]->frame()));
        for (int run = 0; run < 2; ++run)
            if (playbacks_[static_cast<std::size_t>(run)])
                playbacks_[static_cast<std::size_t>(run)]->write_frame(writer_, run, page.view);
        server_->offer_frame(client, std::make_shared<const std::string>(writer_.bytes()));
    }
}

/// Not part of a frame, since frames may be left out.
void Session::send_lines(ClientId client, Page& page)
{
    writer_.start(true, ++sequence_, playbacks_[0]->scene().time(), static_cast<std::uint32_t>(playbacks_[0]->frame()));
    bool any = false;
    for (std::size_t run = 0; run < 2; ++run)
        if (playbacks_[run]) any |= playbacks_[run]->write_lines(writer_, static_cast<int>(run), page.lines[run]);
    if (any) server_->send_binary(client, std::make_shared<const std::string>(writer_.bytes()));
}

void Session::send_stats()
{
    const double passed = std::chrono::duration<double>(Clock::now() - last_stats_).count();
    last_stats_ = Clock::now();
    if (pages_.empty()) return;
    const double frames = std::max(1, numbers_.frames);
    Json phases = Json::array();
    for (std::size_t p = 0; p < numbers_.seconds.size(); ++p)
        phases.push_back(
            {{"name", std::string(to_string(static_cast<Phase>(p)))}, {"ms", 1000 * numbers_.seconds[p] / frames}});
    std::size_t particles = 0;
    for (std::size_t k = 0; k < playbacks_[0]->body_count(); ++k)
        particles += playbacks_[0]->scene().model(playbacks_[0]->scene().bodies()[k]).particle_count();
    const auto text = std::make_shared<const std::string>(Json{
        {"type", "stats"},
        {"phases", phases},
        {"frame_ms", 1000 * numbers_.step_seconds / frames},
        {"rate", numbers_.frames / passed},
        {"particles", particles},
        {"contacts", numbers_.contacts},
        {"inverted", numbers_.inverted},
        {"repaired", repaired_},
        {"pull", playbacks_[0]->pull()}}.dump());
    const auto now = std::make_shared<const std::string>(status().dump());
    for (const auto& [client, page] : pages_) {
        server_->send_if_idle(client, text);
        server_->send_if_idle(client, now);
    }
    const int contacts = numbers_.contacts, inverted = numbers_.inverted;
    numbers_ = {};
    if (!playing_) numbers_.contacts = contacts, numbers_.inverted = inverted;
}

Json Session::status()
{
    Playback& run = *playbacks_[0];
    return {{"type", "status"},
            {"playing", playing_},
            {"speed", speed_},
            {"frame", run.frame()},
            {"first", run.first_frame()},
            {"last", run.last_frame()},
            {"time", run.scene().time()},
            {"frame_time", run.scene().settings().dt},
            {"comparing", playbacks_[1] != nullptr},
            {"threads", run.scene().settings().threads},
            {"hold", run.holds()},
            {"take", 1},
            {"replaying", run.frame() < run.last_frame()},
            {"pages", pages_.size()}};
}

void Session::send(ClientId client, const Json& message)
{
    server_->send_text(
        client, std::make_shared<const std::string>(message.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

void Session::send_all(const Json& message)
{
    if (!server_) return;
    const auto text = std::make_shared<const std::string>(message.dump(-1, ' ', false, Json::error_handler_t::replace));
    for (const auto& [client, page] : pages_) server_->send_text(client, text);
}

void Session::note(const char* level, const std::string& text)
{
    send_all({{"type", "note"}, {"level", level}, {"text", text}});
}

void Session::report_error(ClientId client, const std::string& about, const Error& error)
{
    send(client, {{"type", "error"}, {"about", about}, {"where", error.where}, {"what", error.what}});
}

}  // namespace yawara::stream
