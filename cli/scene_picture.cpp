// Simulates up to a moment that shows something, then draws it with the ray tracer.
#include "scene_picture.h"

#include <algorithm>
#include <chrono>
#include <fstream>

#include "temporary_folder.h"
#include "yawara/quantities.h"
#include "yawara/render.h"
#include "yawara/scene_file.h"

namespace yawara::cli {

namespace {

constexpr int kThumbnailWidth = 480, kThumbnailHeight = 270, kSamples = 12;
constexpr double kMostSeconds = 2;  // of simulating: a heavy scene is drawn earlier in its motion

/// Values on the surface of a body that is coloured by a quantity.
std::vector<float> surface_values(QuantityGauge& gauge, Scene& scene, BodyId body, const std::string& quantity)
{
    const BodyModel& model = scene.model(body);
    std::vector<float> particles(model.particle_count()), surface(model.surface().vertices.size());
    if (!gauge.measure(quantity, scene, body, particles)) return {};
    carry_to_surface(model.embedding(), particles, surface);
    return surface;
}

}  // namespace

Result<Image> picture_of(LoadedScene& loaded, QuantityGauge& gauge, int width, int height, bool transparent, bool near)
{
    Scene& scene = loaded.scene();
    Picture picture;
    picture.look = loaded.look();
    picture.look.width = width;
    picture.look.height = height;
    picture.look.samples = kSamples;
    picture.look.transparent = transparent;
    picture.colliders = scene.colliders();
    if (const Medium& medium = scene.settings().medium; !medium.is_everywhere()) {
        picture.water = DrawnWater{medium.level ? double(*medium.level) : medium.box->high.y, medium.box, {}};
        if (medium.waves) picture.water->wave = [&](double x, double z) { return (*medium.waves)(x, z, scene.time()); };
    }
    std::vector<std::vector<float>> values(scene.bodies().size());
    std::vector<std::vector<std::uint8_t>> lines(scene.bodies().size());
    std::vector<Box3> boxes;
    std::vector<Vec3> points;
    float most = 0;
    for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
        const BodyId id = scene.bodies()[k];
        const BodyLook& look = loaded.looks()[k];
        DrawnMesh mesh;
        mesh.positions = scene.surface(id);
        mesh.triangles = scene.model(id).surface().triangles;
        mesh.colors = scene.model(id).surface().colors;
        mesh.color = look.color;
        mesh.skin = look.worn(mesh.triangles.size());
        if (mesh.skin) mesh.material_of = mesh.skin->material_of;
        mesh.corner_uvs = scene.model(id).surface().corner_uvs;
        mesh.finish = look.finish;
        mesh.gloss = look.gloss;
        mesh.wireframe = look.wireframe;
        if (look.wireframe) lines[k] = front_lines(scene.model(id), scene.state(id));
        mesh.lines = lines[k];
        if (!look.show.empty()) {
            values[k] = surface_values(gauge, scene, id, look.show);
            mesh.values = values[k];
            for (const float v : values[k]) most = std::max(most, std::abs(v));
        }
        Box3 box;
        for (const Vec3& p : mesh.positions) box.add(p.as<double>());
        boxes.push_back(box);
        points.insert(points.end(), mesh.positions.begin(), mesh.positions.end());
        picture.meshes.push_back(mesh);
    }
    if (picture.look.scale) {
        ColorScale& scale = *picture.look.scale;
        if (!(scale.low < scale.high)) {
            scale.high = most > 0 ? most : 1;
            scale.low = scale.map == "coolwarm" ? -scale.high : 0;
        }
        scale.label.clear();
    }
    const float aspect = static_cast<float>(width) / static_cast<float>(height);
    picture.camera = loaded.camera().value_or(frame_action(boxes, aspect));
    if (near) picture.camera = close_up(picture.camera, points, aspect);
    return render(picture);
}

Result<std::string> picture_of_scene(const std::filesystem::path& file, const std::function<bool()>& cancelled)
{
    auto loaded = LoadedScene::from_file(file, [&](std::string_view, double) { return !cancelled(); });
    if (!loaded) return loaded.error();
    loaded->scene().settings().threads = 1;
    QuantityGauge gauge(loaded->scene());
    const auto begin = std::chrono::steady_clock::now();
    const int frames = loaded->poster();
    for (int k = 0; k < frames; ++k) {
        if (cancelled()) return Error{file.string(), "cancelled"};
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > kMostSeconds) break;
        loaded->step();
    }
    // The page puts its light or dark behind.
    const auto image = picture_of(*loaded, gauge, kThumbnailWidth, kThumbnailHeight, true, true);
    if (!image) return image.error();
    const auto folder = TemporaryFolder::make();
    if (!folder) return folder.error();
    if (Status saved = save_png(folder->path() / "picture.png", *image); !saved) return saved.error();
    std::ifstream in(folder->path() / "picture.png", std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace yawara::cli
