// One scene that plays: stepped by hand or by the clock, recorded so that it can be scrubbed, and held by hands.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stream/cut.h"
#include "stream/drawn_surface.h"
#include "stream/frame.h"
#include "yawara/quantities.h"
#include "yawara/scene_file.h"

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

    LoadedScene& loaded() { return loaded_; }
    Scene& scene() { return loaded_.scene(); }
    std::size_t body_count() { return scene().bodies().size(); }
    /// Bodies are numbered, from 0, in the order of the scene: until the next edit, and only within this run.
    std::optional<std::size_t> find(std::string_view identity);
    std::size_t number_of(const Spot& spot) { return find(spot.body).value(); }
    const DrawnSurface& surface(std::size_t body) const { return *bodies_[body].surface; }
    std::span<const Quantity> quantities(std::size_t body)
    {
        return gauge_.quantities(scene(), scene().bodies()[body]);
    }

    /// Goes on with an edited scene, in which bodies of the same identity keep their motion; before the first frame it
    /// starts as the edited scene does. True if all models are the same, so that shapes sent to pages need not be sent
    /// again.
    bool take_over(LoadedScene edited);

    // ---- time

    std::span<const StepReport> step();  ///< one frame, recorded; drops what was recorded after the frame shown
    void reset();                        ///< exactly the start again; what was recorded is dropped
    std::int64_t frame() const { return history_[shown_].frame; }
    std::int64_t first_frame() const { return history_.front().frame; }
    std::int64_t last_frame() const { return history_.back().frame; }
    bool seek(std::int64_t frame);  ///< false if it is not recorded

    // ---- hands

    bool is_spot(const Spot& spot);  ///< what follows asks for one
    Vec3 position_of(const Spot& spot);
    void grab(int hold, const Spot& spot, Vec3 target);
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
    /// Where the particle was at the start.
    Vec3 start_of(std::size_t body, std::int32_t particle) const;
    /// The first hard grip of the document that holds the particle, see LoadedScene::grip_pointers.
    std::optional<std::size_t> held_by(std::size_t body, std::int32_t particle);

    // ---- what is sent

    void write_shapes(FrameWriter& out, int run);
    /// Writes the edges of the active tets of finite-element bodies, where they changed. `known`: per body, revision of
    /// the front whose edges the page has, 0 for none; is brought up to date. False if nothing had to be written.
    bool write_lines(FrameWriter& out, int run, std::vector<std::uint64_t>& known);
    void write_frame(FrameWriter& out, int run, const View& view);

private:
    struct Body {
        std::shared_ptr<DrawnSurface> surface;
        std::shared_ptr<const TetMesh> solid;  ///< made when a cut is first asked for
        std::vector<float> particle_values, surface_values, drawn_values;
        std::vector<Vec3> drawn;
    };
    struct Moment {
        std::int64_t frame = 0, steps = 0;
        double time = 0;
        std::vector<BodyState> states;
    };
    struct HandGrip {
        Spot spot;
        Grip grip;
        std::vector<Vec3> offsets;  ///< m, of each particle from the grabbed spot when it was grabbed
        Vec3 target;
    };

    Moment now();
    void place_hands();

    LoadedScene loaded_;
    QuantityGauge gauge_;
    std::vector<BodyState> start_;
    std::vector<Body> bodies_;
    std::deque<Moment> history_;
    std::size_t shown_ = 0;  ///< in history_
    std::size_t moment_bytes_ = 1;
    std::map<int, HandGrip> hand_grips_;
    std::optional<Sphere> ball_;
    std::optional<ColliderId> ball_id_;
    std::size_t obstacle_count_ = 0;
    Section3 section_;
};

/// What a body is made of, for lines: edges of tets or cells, each once; the outer ones only if there are very many.
std::vector<std::array<std::uint32_t, 2>> edges_of(const Domain& domain);

}  // namespace yawara::stream
