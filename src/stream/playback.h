// One scene that plays: stepped by hand or by the clock, recorded so that it can be scrubbed, and held by hands.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scene_file/live_edit.h"
#include "stream/cut.h"
#include "stream/frame.h"
#include "stream/hands.h"
#include "stream/stage.h"
#include "stream/takes.h"

namespace yawara::stream {

/// A point of a drawn surface.
struct Spot {
    std::string body;  ///< its identity
    std::size_t triangle = 0;
    std::array<float, 3> weights{};
};

/// What a page wants to see.
struct View {
    bool solid = false;  ///< particles, for wireframes and points
    std::string color;   ///< a quantity; empty: none
    std::optional<CutPlane> cut{};
};

class Playback {
public:
    /// Shares with an `earlier` one what is expensive to prepare and has not changed.
    explicit Playback(LoadedScene loaded, Playback* earlier = nullptr);

    // ---- what is shown: the stage of the take shown, which may be one of an earlier document

    LoadedScene& loaded() { return stage().loaded; }
    Scene& scene() { return stage().scene(); }
    std::size_t body_count() { return scene().bodies().size(); }
    /// Bodies are numbered, from 0, in the order of the scene: until the next edit, and only within this run.
    std::optional<std::size_t> find(std::string_view identity);
    std::size_t number_of(const Spot& spot) { return find(spot.body).value(); }
    const DrawnSurface& surface(std::size_t body) { return *stage().bodies[body].surface; }
    std::shared_ptr<const DrawnSurface> shared_surface(std::size_t body) { return stage().bodies[body].surface; }
    std::span<const Quantity> quantities(std::size_t body)
    {
        return stage().gauge.quantities(scene(), scene().bodies()[body]);
    }
    /// Another number when the models that are shown become others, so that pages need their shapes anew.
    std::uint64_t stage_number() const { return stage_number_; }

    // ---- edits

    /// The scene of the document as it is now.
    LoadedScene& newest() { return newest_->loaded; }
    /// Does at once what an edited document changes without building; the rest waits for take_over. An edit that acts
    /// on what moves goes on from the frame shown, see go_on_here.
    Result<scene_file::LiveEdit> edit(const scene_file::Json& document);
    /// Goes on with a scene built from an edited document, in which bodies of the same identity keep their motion;
    /// before the first frame it starts as the edited scene does. True if all models are the same, so that shapes sent
    /// to pages need not be sent again. Takes of other models stay as they are, with these.
    bool take_over(LoadedScene edited);
    bool take_over(std::shared_ptr<Stage> edited);  ///< prepared elsewhere

    // ---- time

    /// One frame: the next one of the take shown, or at its end a new one, recorded. No reports of recorded frames.
    std::span<const StepReport> step();
    /// The frame shown is before the end of its take: step() shows what was recorded.
    bool is_replaying() const { return shown_ + 1 < takes_.shown().moments.size(); }
    /// Simulates from the frame shown on: before the end of a take, or in one of an earlier document, this begins a new
    /// take. What acts on the motion (hands, edits) calls it.
    void go_on_here();
    /// Exactly the start again, in a new take.
    void reset();
    std::int64_t frame() const { return takes_.shown().moments[shown_]->frame; }
    std::int64_t first_frame() const { return takes_.shown().first(); }
    std::int64_t last_frame() const { return takes_.shown().last(); }
    bool seek(std::int64_t frame);  ///< false if the take shown has no such frame

    /// The takes: listed, kept, named, removed.
    Takes& takes() { return takes_; }
    /// Shows another take, at the frame shown if it has it, else at its nearest.
    Status show_take(int id);
    /// Becomes a recording of another run, made with the same models. Refused if they are others.
    Status replay(const Take& take);
    /// Of the take shown, the frame nearest to one that it may not have.
    void seek_nearest(std::int64_t frame) { seek(std::clamp(frame, first_frame(), last_frame())); }

    // ---- hands

    bool is_spot(const Spot& spot);  ///< what follows asks for one
    Vec3 position_of(const Spot& spot);
    /// Takes hold of a patch; `radius` in m, 0: one that suits the body.
    void grab(int hold, const Spot& spot, Vec3 target, double radius = 0);
    void drag(int hold, Vec3 target);
    void release(int hold);
    std::vector<int> holds() const;
    /// Longest distance from a hand to what it holds.
    float pull();
    void throw_body(std::size_t body, Vec3 velocity);
    void set_ball(const std::optional<Sphere>& ball);

    /// The particle nearest to a spot, of those that its triangle is embedded in.
    std::int32_t particle_at(const Spot& spot);
    std::vector<std::int32_t> region_of(std::size_t body, std::int32_t particle);
    std::vector<std::int32_t> particles_within(std::size_t body, Vec3 center, double radius);
    float measure(std::size_t body, const std::string& quantity, std::int32_t particle);
    /// The first hard grip of the document that holds the particle, see LoadedScene::grip_pointers.
    std::optional<std::size_t> held_by(std::size_t body, std::int32_t particle);

    // ---- what is sent

    /// Of the bodies that are wanted; none given: of all.
    void write_shapes(FrameWriter& out, int run, const std::function<bool(std::size_t body)>& wanted = {});
    void write_obstacles(FrameWriter& out, int run);
    /// Another one when their shapes are others.
    std::uint64_t obstacles_number();
    /// Writes the edges of the active tets of finite-element bodies, where they changed. `known`: per body, revision of
    /// the front whose edges the page has, 0 for none; is brought up to date. False if nothing had to be written.
    bool write_lines(FrameWriter& out, int run, std::vector<std::uint64_t>& known);
    void write_frame(FrameWriter& out, int run, const View& view);

private:
    struct HandGrip {
        Spot spot;
        HandPull pull;
        Vec3 target;
    };

    Stage& stage() { return *takes_.shown().stage; }
    const Stage& stage() const { return *takes_.shown().stage; }
    std::span<const StepReport> step_with_hands();
    void place_hands();
    void show_moment(std::size_t moment);
    /// Hands go over to the stage shown, as far as it has what they hold.
    void hands_leave(Stage& before);
    void hands_enter(Stage& before);

    std::shared_ptr<Stage> newest_;
    Takes takes_;
    std::size_t shown_ = 0;  ///< moment of the take shown
    std::uint64_t stage_number_ = 1;
    std::map<int, HandGrip> hand_grips_;
    std::optional<MovingBall> ball_;
    std::vector<StepReport> reports_;
    Section3 section_;
    std::vector<Vec3> rests_;
};

}  // namespace yawara::stream
