// Runs a scene frame by frame, hands every frame to the writers, and keeps the numbers that are told afterwards.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/npy_rows.h"
#include "yawara/scene_file.h"

#include "terminal.h"

namespace yawara::cli {

constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::count);

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
    std::vector<double> measures;           ///< what the scene asks for
    std::vector<CavityVolume> cavities{};   ///< of the bodies that have one
    std::vector<FrontNumbers> fronts{};     ///< of the finite-element bodies
    std::array<double, kPhases> step_ms{};  ///< mean of a step, by phase
    double step_ms_total = 0;               ///< as the clock saw it
};

struct Recording {
    std::size_t frames = 0;                                        ///< after the initial state
    double simulated = 0;                                          ///< s
    double wall = 0;                                               ///< s, with writing
    bool stopped_early = false;                                    ///< by Ctrl-C
    int inverted_regions = 0, robust_rotations = 0, contacts = 0, touches = 0;  ///< most in one step
    double overlap = 0;                                            ///< deepest in any step, share of a body's size
    int passes = 0;                                                ///< most that a body made in one step
    int repaired_particles = 0;                                    ///< in all steps
    std::vector<FrameNumbers> numbers;                             ///< one per frame
    std::vector<MeasureInfo> measures;                             ///< what the scene asks for
    double mean_active_tets = 0;                                   ///< of finite-element bodies, over the frames
    int most_active_tets = 0;
    double energy_jumps = 0;                                       ///< J, added by level changes
    std::vector<std::string> notes;                                ///< of the writers

    double frames_per_second() const { return wall > 0 ? static_cast<double>(frames) / wall : 0; }
    /// Median over the frames that were not measured, ms of one step.
    double median_step_ms() const;
    std::array<double, kPhases> median_phase_ms() const;
    nlohmann::ordered_json to_json() const;
};

/// What pictures of this scene need recorded: speed, and what its bodies or `show` want to see.
std::vector<std::string> quantities_to_show(const LoadedScene& loaded, const std::string& show = "");

/// What a clip of this scene is made of. `quantities`: speed, displacement, stretch. The lines of finite elements are
/// taken down where a body is looked at as a wireframe, or of all bodies.
ClipInfo describe_clip(LoadedScene& loaded, std::size_t frames, const std::vector<std::string>& quantities,
                       bool all_lines = false);

/// Numbers beside arrays, frame by frame: BODY.weights.npy (frames, groups, examples + 1) and measures.csv in a folder.
class SideNumbers {
public:
    static Result<SideNumbers> create(LoadedScene& loaded, const std::filesystem::path& folder);
    Status frame(LoadedScene& loaded);
    /// Puts the files in place; what they are, for people.
    Result<std::vector<std::string>> finish();

private:
    struct Weights {
        BodyId body;
        io::NpyRows rows;
    };
    explicit SideNumbers(UnfinishedFolder files) : files_(std::move(files)) {}

    UnfinishedFolder files_;
    std::vector<Weights> weights_;
    std::optional<io::OutFile> measures_;  ///< none: the scene asks for none
    std::size_t frames_ = 0;
};
/// Told after the initial state (no reports) and after every frame; all frames are measured then.
using AfterFrame = std::function<Status(std::span<const StepReport>)>;

/// The initial state, then `frames` frames, of which those are written that the frame time of `info` asks for, or fewer after Ctrl-C; the writers are finished in any case. With
/// `energies` every second frame is measured, so that the others tell the time of an ordinary step.
Result<Recording> record(LoadedScene& loaded, std::size_t frames, const ClipInfo& info,
                         std::span<const std::unique_ptr<ClipWriter>> writers, ProgressBar& bar, bool energies = false,
                         SideNumbers* side = nullptr, const AfterFrame& after = {});

}  // namespace yawara::cli
