// Solids and models are kept apart: another density or muscle makes a new model of the solid that is there.
#include "scene_file/build_cache.h"

#include <array>
#include <chrono>

#include <fmt/format.h>

#include "io/file.h"
#include "io/skin_reader.h"
#include "scene_file/loaded_scene.h"

namespace yawara {

using namespace scene_file;

namespace {

namespace fs = std::filesystem;

constexpr int kDeepestReference = 3;  // a scene names a volume, which names a mesh, which names its buffers
constexpr std::uintmax_t kLargestReferring = 16u << 20;

void add_file(const fs::path& file, int depth, std::vector<fs::path>& files);

/// Files that the texts of a JSON document name beside it.
void add_named(const Json& value, const fs::path& folder, int depth, std::vector<fs::path>& files)
{
    if (value.is_structured()) {
        for (const Json& member : value) add_named(member, folder, depth, files);
    } else if (value.is_string()) {
        const std::string& text = value.get_ref<const std::string&>();
        std::error_code error;
        if (text.empty() || text.size() > 1000 || text.find('\0') != std::string::npos) return;
        if (fs::is_regular_file(folder / text, error)) add_file(folder / text, depth, files);
    }
}

void add_file(const fs::path& file, int depth, std::vector<fs::path>& files)
{
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (error) return;
    files.push_back(file);
    const std::string ending = io::lower_ending(file);
    if (ending == ".node" || ending == ".ele") {  // TetGen's two halves
        fs::path other = file;
        other.replace_extension(ending == ".node" ? ".ele" : ".node");
        if (depth > 0 && fs::exists(other, error)) add_file(other, 0, files);
    }
    if (depth > 0 && ending == ".obj")
        for (const fs::path& companion : io::obj_companions(file)) files.push_back(companion);
    if (depth == 0 || size > kLargestReferring || (ending != ".json" && ending != ".gltf")) return;
    if (const auto text = io::read_file(file))
        add_named(Json::parse(*text, nullptr, false), file.parent_path(), depth - 1, files);
}

}  // namespace

std::vector<fs::path> scene_file::files_behind(const fs::path& file)
{
    std::vector<fs::path> files;
    add_file(file, kDeepestReference, files);
    return files;
}

std::string scene_file::stamps_of(std::initializer_list<std::string> places, const Findings& findings)
{
    std::string stamps;
    for (const FileReference& file : findings.files) {
        if (std::ranges::none_of(places, [&](const std::string& place) { return file.where.starts_with(place); }))
            continue;
        if (file.where.find(".initial.") != std::string::npos) continue;  // of the start, not of the model
        for (const fs::path& part :
             files_behind(findings.folder / fs::path(std::u8string(file.name.begin(), file.name.end())))) {
            std::error_code error;
            const auto size = fs::file_size(part, error);
            const auto time = fs::last_write_time(part, error).time_since_epoch();
            stamps += fmt::format("\n{} {} {}", part.string(), size,
                                  std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
        }
    }
    return stamps;
}

BuildCache::BuildCache() : data_(std::make_shared<Data>()) {}

BuildCache::BuildCache(const LoadedScene* earlier)
{
    if (earlier)
        *this = earlier->build_cache();
    else
        data_ = std::make_shared<Data>();
}

BuildCache::Made BuildCache::made() const
{
    return {data_->solids.made(), data_->models.made(), data_->obstacles.made()};
}

Result<std::shared_ptr<const BuiltModel>> BuildCache::Data::model(const BodyDocument& body, const Progress& progress)
{
    if (auto ready = models.find(body.model_source)) return ready;
    auto solid = solids.find(body.solid_source);
    if (!solid) {
        Result<BuiltSolid> made = build_solid(body, progress);
        if (!made) return made.error();
        const std::size_t particles = yawara::particle_places(made->domain).points.size();
        solid = solids.add(body.solid_source, *std::move(made), particles);
    }
    Result<BuiltModel> made = build_model(body, *solid);
    if (!made) return made.error();
    const std::size_t particles = made->model.particle_count();
    return models.add(body.model_source, *std::move(made), particles);
}

Result<Collider> BuildCache::Data::obstacle(const ObstacleDocument& obstacle)
{
    auto ready = obstacles.find(obstacle.shape_source);
    if (!ready) {
        Result<Collider> made = build_obstacle(obstacle);
        if (!made) return made.error();
        const auto* mesh = std::get_if<MeshDistance>(&made->shape);
        const std::size_t triangles = mesh ? mesh->mesh().triangles.size() : 1;
        ready = obstacles.add(obstacle.shape_source, *std::move(made), triangles);
    }
    Collider collider{ready->shape, obstacle.friction, obstacle.restitution, obstacle.friction_along, obstacle.filter};
    if (!obstacle.path.empty()) collider.path = Path(obstacle.path, obstacle.smooth, centre_of(collider.shape));
    collider.belt = obstacle.belt;
    collider.animation = ready->animation;
    return collider;
}

}  // namespace yawara
