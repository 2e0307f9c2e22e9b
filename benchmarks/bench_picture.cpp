// How long a picture of 1920 x 1080 pixels takes to draw, on all cores: the ray tracer alone, with 16 samples a pixel,
// denoised.
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "gallery.h"
#include "section.h"
#include "stopwatch.h"
#include "table.h"
#include "yawara/render.h"

namespace yawara::bench {
namespace {

using nlohmann::json;

constexpr int kWidth = 1920, kHeight = 1080, kSamples = 16;
constexpr int kFrames = 40;  // played before
/// One body, many, jelly, a volume of many triangles, many bodies.
constexpr const char* kScenes[] = {"jelly_cube", "rabbit",          "heart_ventricles",
                                   "octopus",    "crates_on_jelly", "jellyfish_swarm"};

/// A scene that stands still for its picture.
class Sitter {
public:
    explicit Sitter(const char* name) : loaded_(load(read_gallery(name)))
    {
        Scene& scene = loaded_.scene();
        play(scene, kFrames);
        std::vector<Box3> boxes;
        picture_.look = loaded_.look();
        picture_.look.scale.reset();
        picture_.colliders = scene.colliders();
        for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
            const BodyId id = scene.bodies()[k];
            const BodyLook& look = loaded_.looks()[k];
            DrawnMesh mesh;
            mesh.positions = scene.surface(id);
            mesh.triangles = scene.model(id).surface().triangles;
            mesh.colors = scene.model(id).surface().colors;
            mesh.color = look.color;
            mesh.finish = look.finish;
            mesh.gloss = look.gloss;
            triangles_ += mesh.triangles.size();
            Box3& box = boxes.emplace_back();
            for (const Vec3& p : mesh.positions) box.add(p.as<double>());
            picture_.meshes.push_back(mesh);
        }
        picture_.camera = loaded_.camera().value_or(frame_action(boxes, float(kWidth) / float(kHeight)));
    }
    /// `empty`: without the bodies.
    Result<Image> draw(int width, int height, bool empty = false)
    {
        Picture picture = picture_;
        if (empty) picture.meshes.clear();
        picture.look.width = width;
        picture.look.height = height;
        picture.look.samples = kSamples;
        return render(picture);
    }
    std::size_t triangles() const { return triangles_; }

private:
    LoadedScene loaded_;
    Picture picture_;
    std::size_t triangles_ = 0;
};

/// Something of each scene is in its picture.
bool check()
{
    bool good = true;
    for (const char* name : kScenes) {
        Sitter sitter(name);
        const Result<Image> image = sitter.draw(96, 54), empty = sitter.draw(96, 54, true);
        std::size_t count = 0;
        const auto differs = [&](std::size_t k) { return std::abs(int(image->rgba[k]) - int(empty->rgba[k])) > 15; };
        for (std::size_t k = 0; image && empty && k < image->rgba.size(); k += 4)
            count += differs(k) || differs(k + 1) || differs(k + 2);
        if (count > 96 * 54 / 100) continue;
        fmt::print("picture: {} shows nothing\n", name);
        good = false;
    }
    return good;
}

json measure(const BenchOptions& options)
{
    json rows = json::array();
    for (const char* name : kScenes) {
        Sitter sitter(name);
        std::vector<Rival> rivals{{"draw", [&] { (void)sitter.draw(kWidth, kHeight); }}};
        race(rivals, options.quick ? 0.1 : options.seconds);
        rows.push_back({{"scene", name}, {"triangles", sitter.triangles()}, {"seconds", rivals[0].seconds}});
    }
    return {{"rows", rows}};
}

void print(const json& measured)
{
    fmt::print("Picture: {} x {} pixels, {} samples each, all cores; s\n\n", kWidth, kHeight, kSamples);
    std::vector<std::vector<std::string>> rows;
    for (const json& row : measured["rows"])
        rows.push_back({row["scene"].get<std::string>(), cell(row["triangles"].get<double>(), 0),
                        cell(row["seconds"].get<double>(), 2)});
    print_table({{"scene"}, {"triangles"}, {"to draw", true}}, rows);
}

}  // namespace

const Section kPictureSection{"picture", check, measure, print};

}  // namespace yawara::bench
