// From a recorded motion to pictures of it: camera, colour scale and frames chosen once, then one picture after
// another.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yawara/render.h"
#include "yawara/scene_file.h"

#include "terminal.h"

namespace yawara::cli {

/// Anything with frames: a .ywc file, or a mesh that stands still.
struct Footage {
    ClipInfo info;
    std::function<Result<std::span<const ClipFrame>>(std::size_t)> frame;
    /// A body as it is in a frame: another object if its mesh is another.
    std::function<Result<std::shared_ptr<const ClipBody>>(std::size_t body, std::size_t frame)> body;
    std::function<double(std::size_t)> time = [](std::size_t) { return 0.0; };  ///< s, of a frame
};
Result<Footage> open_footage(const std::filesystem::path& ywc);
Footage still_footage(const std::string& name, TriMesh mesh);

/// What surrounds the bodies.
struct Stage : ClipStage {
    bool ground_below = false;  ///< put the ground under the lowest point seen
};
/// As the scene of a recording says; if the recording does not keep that, a floor and the colours of the clip.
Stage stage_of(const ClipInfo& info);

struct FilmOptions {
    std::vector<std::size_t> frames;               ///< of the footage, in the order of the pictures
    std::string show;                              ///< quantity for the colour map; empty: as the looks say; "none"
    std::string map;                               ///< empty: by the quantity
    std::optional<std::pair<float, float>> range;  ///< none: from the values seen
    bool turntable = false;                        ///< the camera goes once around
    float lens = 0;                                ///< m, see Picture
    double shutter = 0;                            ///< share of the time between two pictures that each is exposed for
    std::string caption;
    bool near = false;           ///< the camera goes nearer until the bodies of the first picture fill it
    std::vector<Camera> path{};  ///< the camera goes smoothly from the first to the last; empty: it stands still
};

/// Every stride-th frame such that `fps` pictures a second play in real time.
std::vector<std::size_t> real_time_frames(std::size_t first, std::size_t last, double frame_time, double fps);

class Film {
public:
    /// Looks at all frames once, for the camera and the range of the colours.
    static Result<Film> prepare(Footage footage, Stage stage, FilmOptions options, ProgressBar& bar);

    std::size_t size() const { return options_.frames.size(); }
    Result<Image> picture(std::size_t k);
    /// All pictures to a movie, or those before Ctrl-C; returns how many.
    Result<std::size_t> shoot(const std::filesystem::path& out, double fps, ProgressBar& bar);
    /// The one picture of a film that has one, or picture k.
    Status shoot_still(const std::filesystem::path& out, std::size_t k);

private:
    class Actor;
    Film(Footage footage, Stage stage, FilmOptions options);
    Status look_ahead(ProgressBar& bar);
    /// The frame, with actors that have its meshes.
    Result<std::span<const ClipFrame>> enter(std::size_t frame);
    /// Where the surfaces are when the shutter closes on picture k; none: they stand still.
    Result<std::vector<std::vector<Vec3>>> closing_shutter(std::size_t k);
    /// s: how long picture k is exposed for; there are at least two.
    double exposure(std::size_t k) const;
    std::vector<TriMesh> obstacles_at(double time) const;

    Footage footage_;
    Stage stage_;
    FilmOptions options_;
    std::function<double(double x, double z, double time)> waves_;  ///< none: calm, or no water
    std::vector<std::shared_ptr<Actor>> actors_;                    ///< per body
};

}  // namespace yawara::cli
