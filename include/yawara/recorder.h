// Runs a scene frame by frame: the one loop of runs, films and galleries. Every frame goes to who watches and to clips;
// what is told afterwards is kept as numbers.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "yawara/cavity.h"
#include "yawara/clip.h"
#include "yawara/measures.h"
#include "yawara/quantities.h"
#include "yawara/scene.h"

namespace yawara {

// ---- the loop ------------------------------------------------------------------------------------------------------

/// A frame that was just made.
struct PlayedFrame {
    std::size_t number = 0;               ///< in this run; 0: the start, before any step
    std::span<const StepReport> reports;  ///< of the bodies in their order; none of the start
    double seconds = 0;                   ///< that its steps took
};
/// Told of the start and of every frame; false ends the run. What it does to the scene counts from the next frame on.
using FrameVisitor = std::function<bool(const PlayedFrame& frame)>;

/// The start, then `frames` frames, unless the visitor ends it sooner. How many frames were made.
std::size_t play(Scene& scene, std::size_t frames, const FrameVisitor& visit = {});

// ---- clips ---------------------------------------------------------------------------------------------------------

/// A body of a scene as one of a clip that records some quantities. `lines`: which edges a wireframe has, where the
/// body knows that.
ClipBody clip_body(const Scene& scene, BodyId body, std::vector<std::string> quantities, bool lines = false);

/// Makes the frames of a clip from a scene, whose bodies may be replaced or removed on the way.
class ClipRecorder {
public:
    /// `bodies`: those of the scene as it is now, in their order. Displacements are measured from here.
    ClipRecorder(const Scene& scene, std::span<const ClipBody> bodies);
    /// Hands the scene as it is to a writer, the same at every call; first what has changed since the last call. A body
    /// that was removed has an empty mesh from then on.
    Status frame(Scene& scene, ClipWriter& writer);
    /// Names of bodies that were added on the way: they are not in the clip.
    std::span<const std::string> missing() const { return missing_; }

private:
    struct Body {
        BodyId id;
        std::uint64_t revision;  ///< of the model that the clip shows; 0: it was removed
        ClipBody shown;          ///< without its meshes
        bool wants_lines;
        std::vector<std::vector<float>> values;
        std::vector<std::uint8_t> lines;
    };
    Status follow(const Scene& scene, std::size_t body, ClipWriter& writer);
    void look_for_new(const Scene& scene);

    QuantityGauge gauge_;
    std::vector<Body> bodies_;
    std::vector<BodyId> known_;  ///< bodies of the clip, and those that are missing
    std::vector<std::string> missing_;
};

// ---- numbers -------------------------------------------------------------------------------------------------------

constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::count);

/// The hollow of a body that has one.
struct BodyCavity {
    std::string name;  ///< of the body
    BodyId body;
    CavityGauge gauge;
    std::uint64_t revision = 0;  ///< of the model whose particles the gauge knows
};
struct CavityVolume {
    std::string body;
    double volume = 0;  ///< m^3; not a number once the body has other particles
};
std::vector<CavityVolume> cavity_volumes(const Scene& scene, std::span<const BodyCavity> cavities);

/// What a finite-element body cost in one frame.
struct FrontNumbers {
    std::string body;
    double step_ms = 0;  ///< of its own work in a step
    int active_tets = 0;
};

/// Numbers of one frame, over all bodies.
struct FrameNumbers {
    double time = 0;                        ///< s
    bool measured = false;                  ///< energies are known; such a step takes longer
    double kinetic = 0;                     ///< J
    double elastic = 0;                     ///< J
    double height = 0;                      ///< m, of the centre of mass
    int contacts = 0;                       ///< particles that touched an obstacle
    int touches = 0;                        ///< particles that touched a body
    double overlap = 0;                     ///< deepest that was left, as a share of a body's size
    std::vector<double> measures{};         ///< see Measures
    std::vector<CavityVolume> cavities{};   ///< of the bodies that have one
    std::vector<FrontNumbers> fronts{};     ///< of the finite-element bodies
    std::array<double, kPhases> step_ms{};  ///< mean of a step, by phase
    double step_ms_total = 0;               ///< as the clock saw it
};

/// What became of the shape of a body in a run, see ShapeReport.
struct ShapeNumbers {
    std::string body;
    float largest = 1;    ///< size in the frame in which it was largest
    float collapsed = 0;  ///< s, longest time without its volume
};

/// What is left of a run.
struct Recording {
    std::size_t frames = 0;                                                     ///< after the start
    double simulated = 0;                                                       ///< s
    double wall = 0;                                                            ///< s, with writing
    bool stopped_early = false;                                                 ///< by a visitor
    int inverted_regions = 0, robust_rotations = 0, contacts = 0, touches = 0;  ///< most in one step
    double overlap = 0;                 ///< deepest in any step, share of a body's size
    int passes = 0;                     ///< most that a body made in one step
    int repaired_particles = 0;         ///< in all steps
    int repaired_numbers = 0;           ///< of settings, most in one step
    std::vector<ShapeNumbers> shapes;   ///< of every body that was there
    std::vector<FrameNumbers> numbers;  ///< one per frame
    std::vector<MeasureInfo> measures;  ///< what FrameNumbers::measures are
    double mean_active_tets = 0;        ///< of finite-element bodies, over the frames
    int most_active_tets = 0;
    double energy_jumps = 0;           ///< J, added by level changes
    std::vector<std::string> notes;    ///< of the writer
    std::vector<std::string> missing;  ///< bodies that were added on the way: not in the clip

    double frames_per_second() const { return wall > 0 ? static_cast<double>(frames) / wall : 0; }
    /// Median over the frames that were not measured, or over all if every one was; ms of one step.
    double median_step_ms() const;
    std::array<double, kPhases> median_phase_ms() const;
};

/// Frames whose energies and momenta are reported. Every second: the others tell the time of an ordinary step.
enum class MeasuredFrames { none, every_second, all };

struct RecordOptions {
    std::size_t frames = 240;  ///< after the start
    MeasuredFrames measured = MeasuredFrames::none;
    Measures* measures = nullptr;            ///< followed over the frames; null: none
    std::span<const BodyCavity> cavities{};  ///< likewise
    FrameVisitor visit{};                    ///< told when a frame is written
};

/// The start, then the frames, to a writer. It is finished in any case, so that what it has is not lost; the error is
/// that of the first frame that could not be written, or of finishing.
Result<Recording> record(Scene& scene, const RecordOptions& options, ClipWriter& writer,
                         std::span<const ClipBody> bodies);
/// The numbers alone.
Recording record(Scene& scene, const RecordOptions& options);

}  // namespace yawara
