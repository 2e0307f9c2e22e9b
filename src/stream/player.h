// What plays: the scene of the document, and one or a take that it may be compared with, moved on by the clock.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "messages.h"
#include "stream/playback.h"

namespace yawara::stream {

class Player {
public:
    bool is_open() const { return runs_[0] != nullptr; }
    Playback& run() { return *runs_[0]; }
    bool is_comparing() const { return runs_[1] != nullptr; }
    template <class Do>
    void each(Do&& what)
    {
        for (std::size_t k = 0; k < runs_.size(); ++k)
            if (runs_[k]) what(*runs_[k], static_cast<int>(k));
    }

    /// Another document: plays from its start.
    void open(LoadedScene loaded);
    /// The scene of the same document, edited: what moves goes on.
    void take_over(std::shared_ptr<Stage> edited);
    /// The scene of this moment runs beside what is edited, both from the start.
    void compare_with(LoadedScene loaded);
    /// A take is shown beside the one on the timeline, both at the same frame; at its end it stays. `loaded`: a scene of
    /// the document it was recorded with.
    Status compare_with_take(int take, LoadedScene loaded);
    void end_comparison();
    void set_threads(int threads);
    int threads() const { return threads_; }

    // ---- time

    void play(bool playing);
    bool is_playing() const { return playing_; }
    void set_speed(double factor) { speed_ = factor; }
    /// Pauses; the frames come one by one in advance().
    void step(int frames);
    /// Ends steps that were asked for; false if there were none.
    bool cancel_steps();
    void reset();
    Status seek(std::int64_t frame);
    /// Simulates from the frame shown on, in a take of its own if that is before the end.
    void go_on();
    Status change_take(const messages::ClientTake& message);

    /// Until there is something to do. `watched`: somebody looks; else time stands still.
    std::chrono::milliseconds until_due(bool watched);
    /// Moves on by what is due, for a little while at most. True if something moved.
    bool advance(bool watched);
    /// Particles had to be stopped since this was asked last, and never before: worth telling.
    bool was_repaired();
    /// What became of a body that grew to several times its size or lost its volume, in words; told once a body.
    std::optional<std::string> lost_shape() { return std::exchange(lost_shape_, std::nullopt); }

    // ---- messages

    messages::ServerStatus status(std::size_t pages);
    messages::ServerStats take_stats();
    messages::ServerScene scene_message(int index, bool fresh);
    /// What was measured since the last time; none if there is nothing new.
    std::optional<messages::ServerMeasures> take_measures();
    /// All that is known, for a page that has just come.
    messages::ServerMeasures all_measures();
    /// Of the take beside; none if there is none.
    std::optional<messages::ServerMeasures> measures_beside();
    /// None if they are as they were told the last time.
    std::optional<messages::ServerTakes> take_takes();
    messages::ServerTakes all_takes();
    /// What happened to takes, in words.
    std::vector<std::string> news();

private:
    using Clock = std::chrono::steady_clock;
    int take_beside() { return run().takes().beside(); }
    /// What runs beside moves by itself, a take beside goes to the frame of the one on the timeline.
    template <class Do>
    void each_moving(Do&& what)
    {
        what(run());
        if (!runs_[1]) return;
        if (take_beside())
            runs_[1]->seek_nearest(run().frame());
        else
            what(*runs_[1]);
    }
    bool is_moving(bool watched);
    void step_once();
    void look_at_shapes(std::span<const StepReport> reports);
    void forget_measures();
    void follow_take();
    void measure();
    messages::ServerMeasures measures_message(bool restart);

    std::array<std::unique_ptr<Playback>, 2> runs_;
    bool playing_ = false;
    int steps_left_ = 0;
    int threads_ = 0;
    double speed_ = 1;
    double owed_ = 0;  ///< frames by which the simulation is behind the clock
    Clock::time_point last_tick_ = Clock::now(), last_stats_ = Clock::now();
    struct Numbers {
        std::array<double, static_cast<std::size_t>(Phase::count)> seconds{};
        double step_seconds = 0;
        int frames = 0, contacts = 0, inverted = 0;
    } numbers_;  ///< since the last stats
    std::int64_t repaired_ = 0;
    bool repair_told_ = false;
    std::optional<std::string> lost_shape_;
    std::set<std::string> shapes_told_;  ///< bodies
    using Row = std::vector<std::optional<double>>;  ///< the time and what was measured then
    std::map<int, std::vector<Row>> measured_;       ///< by take
    int measured_take_ = 0;                          ///< the one that was shown last
    std::size_t measures_told_ = 0;
    bool measures_restart_ = false;
    std::vector<TakeInfo> takes_told_;
};

}  // namespace yawara::stream
