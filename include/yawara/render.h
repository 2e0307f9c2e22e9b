// Pictures without a display: an Embree ray tracer with soft shadows, and clips as PNG, WebP, MP4 or GIF.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yawara/collider.h"
#include "yawara/core.h"
#include "yawara/look.h"
#include "yawara/mesh.h"
#include "yawara/skin.h"

namespace yawara {

/// One surface to draw.
struct DrawnMesh {
    std::span<const Vec3> positions;
    std::span<const Int3> triangles;
    Vec3 color{0.85f, 0.45f, 0.35f};  ///< sRGB, 0..1
    std::span<const Vec3> colors;     ///< per vertex, overrides color
    const Skin* skin = nullptr;       ///< overrides color and gloss, and lets colors through
    std::span<const std::int32_t> material_of;        ///< per triangle, of the skin; -1: none
    std::span<const std::array<Vec2, 3>> corner_uvs;  ///< per triangle, for the skin; empty: without its pictures
    std::span<const float> values;    ///< per vertex, drawn through the colour map, overrides colors
    Finish finish = Finish::plain;    ///< values are drawn without
    float gloss = 0.35f;              ///< 0 matt .. 1 polished
    bool wireframe = false;           ///< edges drawn on top
    std::span<const Vec3> later;      ///< positions when the shutter closes; empty: it stands still meanwhile
    std::function<Vec3(Vec3 place)> color_at{};  ///< sRGB of a place of it; none: by the above
    std::function<float(Vec3 place)> value_at{};  ///< for the colour map, in place of `values`; none: by the above
    Grain grain{};                                ///< over `color` alone: not over colors, a skin or values
    std::span<const Vec3> rests{};                ///< per vertex: where the grain is looked up
    std::span<const std::uint8_t> lines;  ///< of it, per triangle: bit k is the edge from corner k to the next. Empty: all
};

/// Water to draw: what is in it is seen through its surface.
struct DrawnWater {
    double level = 0;                                ///< m, height of its surface
    std::optional<Box3> box;                         ///< it ends at the sides and the bottom of it; none: endless
    std::function<double(double x, double z)> wave;  ///< m above the level; none: calm
};

struct Picture {
    std::vector<DrawnMesh> meshes;
    std::span<const Collider> colliders;  ///< drawn too; planes as ground
    std::span<const TriMesh> obstacles;   ///< drawn like colliders
    Camera camera;
    Look look;
    std::optional<DrawnWater> water{};
    std::span<const TriMesh> obstacles_later{};  ///< the same when the shutter closes; empty: they stand still
    float lens = 0;  ///< m, radius of the camera's lens: what is nearer or farther than the camera's target is blurred
};

/// A camera that keeps every given box in view, from a pleasant angle.
Camera frame_action(std::span<const Box3> boxes, float aspect, float field_of_view = 32.0f);
/// The camera moved nearer, without a turn, until the points fill two thirds of the picture; as it is if they do
/// already.
Camera close_up(const Camera& camera, std::span<const Vec3> points, float aspect);

Result<Image> render(const Picture& picture);

/// Writes a line of text into the lower left corner, dark or bright as what is behind it wants.
void draw_caption(Image& image, std::string_view text);

Status save_png(const std::filesystem::path& path, const Image& image);

/// Moving pictures by the ending: .webp, .mp4, .gif (the last two through ffmpeg), or a pattern such as frames/%04d.png.
/// An older file is replaced by finish(), once the new one is whole.
class MovieWriter {
public:
    static Result<MovieWriter> open(const std::filesystem::path& path, double frames_per_second);
    ~MovieWriter();
    MovieWriter(MovieWriter&&) noexcept;
    MovieWriter& operator=(MovieWriter&&) noexcept;
    Status add(const Image& image);
    Status finish();

private:
    struct Data;
    explicit MovieWriter(std::unique_ptr<Data> data);
    std::unique_ptr<Data> data_;
};

}  // namespace yawara
