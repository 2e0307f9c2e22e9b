// The engine's side of the studio, put together: one thread steps the simulation and hears the pages between frames.
//   hub          the pages           player       what plays           documents    what is edited
//   beside_time  builds and opens    question_desk  answers            web_files, pictures   what is served
//   handlers/    what each message does
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "scene_file/live_edit.h"
#include "stream/beside_time.h"
#include "stream/documents.h"
#include "stream/films.h"
#include "stream/hub.h"
#include "stream/inbox.h"
#include "stream/pins.h"
#include "stream/player.h"
#include "stream/question_desk.h"
#include "stream/web_files.h"
#include "yawara/scene_muscles.h"
#include "yawara/stream.h"

namespace yawara::stream {

class Session {
public:
    Session(StudioOptions options, Journal journal);
    ~Session();

    Status start();
    const std::string& url() const { return url_; }
    bool has_lost_work() const { return lost_.has_value(); }

    // ---- for the handlers, on the simulation's thread

    Hub& hub() { return hub_; }
    Player& player() { return player_; }
    Documents& documents() { return documents_; }
    QuestionDesk& questions() { return questions_; }

    /// Something else is shown now.
    void moved();
    /// To all pages, soon, and once for many: a flood of messages does not become one of answers.
    void send_status() { status_due_ = true; }

    /// An edit that passed the checks which need no building: the running scene follows at once where it can, else
    /// after a build beside time.
    Status change(std::string label, std::string merge, Json next, ClientId from, std::optional<std::int64_t> edit);
    Status undo_or_redo(bool undo);
    /// Sets or frees a pin. Pins are set by what runs, which has to be what the document says: while that is being
    /// built they wait.
    Status pin(ClientId client, const Spot& spot, bool set);
    Status save();
    /// Beside time; the present document stays until the other is there.
    void open(ClientId client, const messages::ClientOpen& message);
    /// Puts uploaded meshes into the document that is open, beside time.
    /// As a "body", an "obstacle" or a "container".
    Status add(ClientId client, const std::string& upload, const std::string& as = "body",
               const std::string& into = "");
    Status restore(ClientId client, bool take);
    Status forget_recent(const std::string& name);
    void compare(ClientId client, const messages::ClientCompare& message);
    /// Stops building, opening, stepping, exporting and fitting.
    void cancel();
    /// Beside time, of what is recorded by now.
    Status export_as(ClientId client, const std::string& format);
    /// Beside time: muscles of a body from what is recorded by now, or from an uploaded motion, put into the document.
    Status fit(ClientId client, const messages::ClientFit& message);

private:
    using Clock = std::chrono::steady_clock;
    /// What is needed to show another document.
    struct Opening {
        std::optional<OpenedScene> opened;
        std::optional<LoadedScene> loaded;
        std::optional<Json> edited;
        std::string label;  ///< of the command that makes it so
        std::optional<Error> error;
    };

    // ---- session.cpp
    Status read_token();
    Status open_first();
    Status serve();
    void loop();
    std::chrono::milliseconds until_due();
    void hear(const Incoming& incoming);
    void greet(ClientId client);
    void tell_status();
    void send_numbers();
    void tell_stage();
    messages::ServerStatus status();
    messages::ServerRecent recent_message() const;

    // ---- session_document.cpp
    void tell_edited(const Json& before, std::int64_t base, ClientId from, std::optional<std::int64_t> edit);
    void tell_warnings();
    struct AtOnce {
        scene_file::LiveEdit edit;
        bool was_all = false;  ///< nothing of the edit waits to be built
    };
    Result<AtOnce> act_at_once(const Json& before, const Json& next);
    void tell_at_once(const scene_file::LiveEdit& edit);
    Status pin(ClientId client, PinPlace at, bool set);
    void pin_what_waits();
    void follow_document();
    void begin_build();
    void end_build(const char* state);
    void finish_build(std::shared_ptr<Stage> built, const Json& content);
    void take_back(const Error& why);
    Result<OpenedScene> find_scene(const std::string& from, const std::string& name, const Progress& progress) const;
    Opening prepare(Result<OpenedScene> opened, std::optional<Json> edited, const Progress& progress) const;
    void begin_opening(ClientId client, const std::string& about, bool keep,
                       std::function<Opening(const Progress&)> prepare, std::function<void()> then = {});
    void finish_opening(ClientId client, const std::string& about, bool keep, Opening opening);
    void show_document(Opening opening);
    Status finish_adding(ClientId client, const std::vector<std::filesystem::path>& meshes, Json bodies);
    Status finish_adding_parts(ClientId client, const std::vector<std::filesystem::path>& files, Json parts,
                               const std::string& into, const Room& room);
    Status finish_adding_obstacles(ClientId client, const std::vector<std::filesystem::path>& meshes, Json obstacles);
    Status finish_adding_poses(ClientId client, const std::string& body,
                               const std::vector<std::filesystem::path>& files, Json poses);
    Status check_idle() const;
    Status finish_fit(ClientId client, const std::string& body, const Json& before, const SceneMuscleFit& found);
    BesideTime::Tell tell_progress();
    void end_progress();

    StudioOptions options_;
    std::string url_, token_;
    std::vector<GalleryScene> gallery_;  ///< does not change
    Inbox inbox_;
    std::atomic<bool> stop_ = false;

    Hub hub_;
    Player player_;
    Documents documents_;
    std::optional<LostWork> lost_;
    Json building_content_;  ///< what is being built
    std::vector<std::pair<ClientId, WaitingPin>> waiting_pins_;
    std::int64_t building_revision_ = 0;
    bool progress_told_ = false, status_due_ = false;
    std::uint64_t told_stage_ = 0;
    Clock::time_point last_numbers_ = Clock::now(), next_status_{};

    Pictures pictures_;
    WebFiles files_;
    Films films_;
    std::unique_ptr<Server> server_;          ///< calls those above
    BesideTime builder_, opener_, exporter_;  ///< the last one fits, too
    ClientId exporting_for_ = 0;
    std::string exporting_;  ///< "export" or "fit"
    QuestionDesk questions_;
    std::thread thread_;
};

}  // namespace yawara::stream
