#include "volume_picture.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "yawara/volume_image.h"

namespace yawara::cli {
namespace {

constexpr double kVoxelsAcross = 200;

double longest_side(const Box3& box)
{
    return std::max({box.size().x, box.size().y, box.size().z});
}

/// Dark blue, green, yellow: read without colour sight too.
Vec3 stiffness_color(float s)
{
    constexpr Vec3 kStops[] = {{0.27f, 0.0f, 0.33f},
                               {0.23f, 0.32f, 0.55f},
                               {0.13f, 0.57f, 0.55f},
                               {0.37f, 0.79f, 0.38f},
                               {0.99f, 0.91f, 0.14f}};
    const float at = std::clamp(s, 0.0f, 1.0f) * 4;
    const int k = std::min(int(at), 3);
    return kStops[k] + (kStops[k + 1] - kStops[k]) * (at - float(k));
}

void put(Image& image, int x, int y, Vec3 color)
{
    std::uint8_t* p = &image.rgba[4 * (std::size_t(y) * std::size_t(image.width) + std::size_t(x))];
    for (int c = 0; c < 3; ++c) p[c] = std::uint8_t(std::lround(255 * std::clamp(color[c], 0.0f, 1.0f)));
    p[3] = 255;
}

bool is_voxel_file(const std::filesystem::path& path)
{
    return path.extension() == ".vdb" || is_volume_image(path);
}

}  // namespace

bool is_volume_model(const std::filesystem::path& path)
{
    if (is_voxel_file(path)) return true;
    if (path.extension() != ".json") return false;
    std::ifstream file(path);
    std::string start(4096, '\0');
    file.read(start.data(), std::streamsize(start.size()));
    return start.find("\"yawara-cvg\"") != std::string::npos && start.find("\"bodies\"") == std::string::npos;
}

Result<cvg::Volume> load_volume(const std::filesystem::path& path, double voxel)
{
    if (is_voxel_file(path) && !(voxel > 0)) return cvg::Volume::load(path);  // as it is
    const Result<cvg::Tree> tree = cvg::load_tree(path);
    if (!tree) return tree.error();
    const Box3 box = tree->bounds();
    if (!(voxel > 0)) voxel = box.empty() ? 1 : longest_side(box) / kVoxelsAcross;
    Result<cvg::Volume> volume = cvg::Volume::evaluate(*tree, voxel);
    if (!volume) return Error{path.string(), volume.error().message()};
    return volume;
}

std::optional<AxisPlane> read_axis_plane(const std::string& text)
{
    if (text.size() < 3 || text[1] != '=' || text[0] < 'x' || text[0] > 'z') return std::nullopt;
    try {
        std::size_t used = 0;
        const double at = std::stod(text.substr(2), &used);
        if (used + 2 != text.size() || !std::isfinite(at)) return std::nullopt;
        return AxisPlane{text[0] - 'x', at};
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

Result<TriMesh> volume_surface(const std::filesystem::path& path, double stiffness_from,
                               const std::optional<AxisPlane>& cut)
{
    const Result<cvg::Volume> volume = load_volume(path);
    if (!volume) return volume.error();
    cvg::SurfaceOptions options;
    options.stiffness_from = stiffness_from;
    options.smooth = 2;
    if (cut) {
        Vec3d point, normal;
        point[cut->axis] = cut->at;
        normal[cut->axis] = 1;
        options.cut = std::pair(point, normal);
    }
    TriMesh mesh = volume->surface(options);
    if (mesh.triangles.empty()) return Error{path.string(), "nothing of it is that stiff, or on that side of the cut"};
    return mesh;
}

Result<Image> volume_slice(const std::filesystem::path& path, const AxisPlane& plane, int width, int height)
{
    const Result<cvg::Tree> tree = cvg::load_tree(path);
    if (!tree) return tree.error();
    const Result<cvg::Volume> whole = load_volume(path);
    if (!whole) return whole.error();
    const Box3 box = whole->bounds();  // that of the tree may be larger than what is left of it
    // Seen along the axis, with y up where there is one.
    const int right = plane.axis == 0 ? 2 : 0, up = plane.axis == 1 ? 2 : 1;
    const int panel = width / 2;
    const double scale = 1.1 * std::max(box.size()[right] / panel, box.size()[up] / height);
    // Evaluated by blocks first: the tree has to be walked but once.
    const Result<cvg::Volume> volume = cvg::Volume::evaluate(*tree, std::max(scale, longest_side(box) / 1000));
    if (!volume) return Error{path.string(), volume.error().message()};
    Image image{width, height, std::vector<std::uint8_t>(4 * std::size_t(width) * std::size_t(height), 255)};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < panel; ++x) {
            Vec3d p;
            p[plane.axis] = plane.at;
            p[right] = box.center()[right] + (x + 0.5 - panel / 2.0) * scale;
            p[up] = box.center()[up] - (y + 0.5 - height / 2.0) * scale;
            const double voxel = volume->voxel();
            const cvg::Sample s = volume->voxel_at(
                {int(std::floor(p.x / voxel)), int(std::floor(p.y / voxel)), int(std::floor(p.z / voxel))});
            const Vec3 paper{1, 1, 1};
            put(image, x, y, paper + (Vec3{s.r, s.g, s.b} - paper) * s.opacity);
            put(image, panel + x, y, s.opacity > 0 ? stiffness_color(s.stiffness) : paper);
        }
    return image;
}

}  // namespace yawara::cli
