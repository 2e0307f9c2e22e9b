// The engine's side of the studio: documents, runs and pages, on one thread that steps the simulation between messages.
//   session.cpp        the loop, the clock, frames and numbers to the pages
//   session_messages.cpp  what a message does
//   session_document.cpp  opening, editing, building, saving
//   session_files.cpp     what is served over HTTP: the page, uploads, downloads, pictures
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "stream/document.h"
#include "stream/journal.h"
#include "stream/opened_scene.h"
#include "stream/playback.h"
#include "stream/protocol.h"
#include "stream/server.h"
#include "yawara/stream.h"

namespace yawara::stream {

class Session {
public:
    explicit Session(StudioOptions options, Journal journal);
    ~Session();

    Status start();
    const std::string& url() const { return url_; }
    bool has_lost_work() const { return lost_.has_value(); }

private:
    using Clock = std::chrono::steady_clock;
    struct Page {
        View view;
        bool needs_frame = true;                          ///< something changed that it has not been offered yet
        std::array<std::vector<std::uint64_t>, 2> lines;  ///< per run: see Playback::write_lines
    };
    struct Incoming {
        ClientId client = 0;
        enum { opened, closed, message, picture } kind = message;
        Json content;
    };

    // ---- session.cpp
    void loop();
    bool wait_for_work();
    void advance();
    void step_once();
    void offer_frames();
    void send_lines(ClientId client, Page& page);
    void send_stats();
    void send(ClientId client, const Json& message);
    void send_all(const Json& message);
    void note(const char* level, const std::string& text);
    void report_error(ClientId client, const std::string& about, const Error& error);
    Json status();
    void send_status() { send_all(status()); }
    void changed();  ///< every page needs a new frame

    // ---- session_messages.cpp
    void handle(const Incoming& incoming);
    void greet(ClientId client);
    Status obey(ClientId client, const std::string& type, const Json& message);
    Status meets_document(ClientId client, const Json& message);
    Json answer_to(const Json& question);
    Result<Spot> spot_of(const Json& message);
    Status export_as(ClientId client, const std::string& format);

    // ---- session_document.cpp
    Status open(OpenedScene opened, const Json* edited = nullptr);
    Status open_named(const std::string& from, const std::string& name);
    Error without_upload_folder(Error error, const std::string& name) const;
    Status change(std::string label, std::string merge, Json next, std::optional<ClientId> from = {}, int edit = 0);
    Status undo_or_redo(bool undo);
    Status rebuild(const Json& content);
    Status save();
    Status restore(bool take);
    Json scene_message(Playback& run, int index, bool fresh);
    Json document_message();
    void send_edited(const Json& before, std::optional<ClientId> from = {}, int edit = 0);
    void send_scene(std::optional<ClientId> only, bool fresh);
    void begin_compare();
    Progress progress();
    void end_progress();

    // ---- session_files.cpp: on the server's thread
    void load_page();
    void list_gallery();
    Response serve(const Request& request);
    Response take_upload(Request request);
    Response serve_picture(const std::string& name);
    void want_picture(const std::string& name);
    void make_pictures(bool also_later);
    std::string offer_download(const std::string& name, std::string bytes);
    std::filesystem::path picture_file(const std::filesystem::path& scene) const;

    StudioOptions options_;
    std::string url_, token_;

    std::mutex inbox_mutex_;
    std::condition_variable inbox_filled_;
    std::deque<Incoming> inbox_;
    std::atomic<bool> stop_ = false, cancel_ = false;

    std::map<ClientId, Page> pages_;
    Journal journal_;
    std::optional<LostWork> lost_;
    std::uint64_t opened_count_ = 0, revision_ = 0;  ///< which document, and the changes of it
    OpenedScene opened_;
    Document document_;
    std::vector<std::string> warnings_;
    std::array<std::unique_ptr<Playback>, 2> playbacks_;  ///< the document, and what it is compared with
    bool playing_ = false, progress_told_ = false;
    double speed_ = 1;
    double owed_ = 0;  ///< frames by which the simulation is behind the clock
    Clock::time_point last_tick_ = Clock::now(), last_stats_ = Clock::now();
    std::uint32_t sequence_ = 0;
    FrameWriter writer_;
    struct Numbers {
        std::array<double, static_cast<std::size_t>(Phase::count)> seconds{};
        double step_seconds = 0;
        int frames = 0, contacts = 0, inverted = 0;
    } numbers_;  ///< since the last stats
    std::int64_t repaired_ = 0;

    // touched by the server's thread
    struct GalleryScene {
        std::string name, title, description;
        std::filesystem::path file;
    };
    std::vector<GalleryScene> gallery_;  ///< does not change
    std::map<std::string, Response> files_;
    std::mutex files_mutex_;  ///< guards what follows
    std::map<std::string, std::shared_ptr<const std::string>> pictures_;
    std::deque<std::string> wanted_pictures_;  ///< that a page shows, the latest first
    std::deque<std::string> later_pictures_;   ///< the others of the gallery
    std::set<std::string> begun_pictures_;
    std::condition_variable picture_wanted_;
    std::map<std::string, Response> downloads_;
    std::deque<std::string> download_order_;

    std::unique_ptr<Server> server_;
    std::thread thread_;
    std::vector<std::thread> picture_threads_;
};

}  // namespace yawara::stream
