// Opens documents and keeps them to the folders they came from.
#include "stream/opened_scene.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "io/file.h"
#include "io/skin_reader.h"
#include "io/zip.h"
#include "scene_file/scene_document.h"
#include "scene_file/schema_check.h"
#include "yawara/blend_shapes.h"
#include "yawara/io.h"
#include "yawara/point_cache.h"

namespace yawara::stream {

namespace fs = std::filesystem;
using scene_file::Json;

namespace {

constexpr std::size_t kMostMeshes = 12;
constexpr double kDrop = 0.15, kApart = 1.2;  // of a body's size: above the floor, and from one to the next
constexpr std::uintmax_t kLargestScene = std::uintmax_t{16} << 20;  // bytes of JSON
constexpr std::size_t kLongestName = 120;                           // bytes
/// Taken beside meshes: the buffers of a glTF, materials and pictures, scenes, all of it packed, arrays, and volumes as
/// grids.
constexpr std::array<std::string_view, 13> kOtherEndings{".bin", ".mtl", ".png", ".jpg", ".jpeg", ".json", ".zip",
                                                         ".npy", ".vdb", ".raw", ".pc2", ".mdd",  ".ywc"};

/// Links followed; a part that does not exist stays as it is.
fs::path real(const fs::path& path)
{
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    fs::path found = fs::weakly_canonical(absolute, error);
    return error ? absolute.lexically_normal() : found;
}

bool is_inside(const fs::path& file, const fs::path& folder)
{
    const fs::path relative = real(file).lexically_relative(real(folder));
    return !relative.empty() && *relative.begin() != "..";
}

bool is_surface(const fs::path& path)
{
    const MeshFormat* format = mesh_format(path);
    return format && format->loads_surface;
}

/// "mybody2" of "my body (2).obj": what the names of bodies may hold.
std::string body_name(const fs::path& mesh)
{
    std::string name;
    for (const char c : mesh.stem().string())
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-') name += c;
    return name.empty() ? "body" : name.substr(0, 64);
}

/// Bytes of the first letter of a text in UTF-8.
std::size_t letter_length(std::string_view text)
{
    std::size_t length = 1;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
    return length;
}

bool is_utf8(const std::string& text)
{
    try {
        (void)Json(text).dump();
        return true;
    } catch (const Json::exception&) {
        return false;
    }
}

/// A mesh as a body above the floor, of a stuff that wobbles and keeps its shape.
Result<Json> body_around(const fs::path& mesh, const fs::path& scene_folder, const Room& room)
{
    const double size = rounded(room.size), drop = kDrop * room.size;
    Json body;
    const std::string file = mesh.lexically_relative(scene_folder).string();
    if (is_tet_mesh_file(mesh)) {
        auto tets = load_tet_mesh(mesh);
        if (!tets) return tets.error();
        const auto checked = repair(*tets);
        if (!checked) return Error{file, checked.error().message()};
        const Box3 box = bounds(tets->vertices);
        const Vec3d extent = box.size();
        const double largest = std::max({extent.x, extent.y, extent.z});
        if (!(largest > 0)) return Error{file, "has no extent: all its points are in one place"};
        const double scale = rounded(size / largest);
        const Vec3d center = box.center() * scale;
        body["solid"] = {{"tets", file}};
        body["place"] = {{"scale", scale},
                         {"translate", Json::array({rounded(room.x - center.x), rounded(drop - box.low.y * scale),
                                                    rounded(room.z - center.z)})}};
    } else {
        const auto surface = load_tri_mesh(mesh);
        if (!surface) return surface.error();
        if (surface->triangles.empty()) return Error{file, "has no triangles, so there is nothing to fill"};
        body["solid"] = {{"from", file}, {"particles", 2500}, {"size", size}, {"stand", true}};
        body["place"] = {{"translate", Json::array({rounded(room.x), rounded(drop), rounded(room.z)})}};
    }
    // A toy of firm rubber at any size: it sinks by one part in a hundred under its own weight.
    body["matching"] = {{"young", rounded(5e5 * size)}, {"damping", 0.02}, {"region_damping", 0.03}};
    return body;
}

/// Each mesh once: tet meshes, and surfaces that are not those of a tet mesh of the same name.
std::vector<fs::path> meshes_among(std::span<const fs::path> files)
{
    const auto has = [](std::span<const fs::path> list, const fs::path& file) {
        return std::ranges::find(list, file.stem(), &fs::path::stem) != list.end();
    };
    std::vector<fs::path> meshes;
    for (const fs::path& file : files)
        if (is_tet_mesh_file(file) && !has(meshes, file)) meshes.push_back(file);
    const std::vector<fs::path> tets = meshes;
    for (const fs::path& file : files)
        if (is_surface(file) && !has(tets, file)) meshes.push_back(file);
    return meshes;
}

}  // namespace

double rounded(double x)
{
    return std::stod(fmt::format("{:.6g}", x));
}

Result<OpenedScene> open_scene_file(const fs::path& file, bool read_only, const Progress& progress)
{
    std::error_code error;
    if (const auto size = fs::file_size(file, error); !error && size > kLargestScene)
        return Error{
            file.filename().string(),
            fmt::format("has {} MB; a scene of up to {} MB can be edited here. Large lists of numbers can be kept "
                        "in .npy files beside it",
                        size >> 20, kLargestScene >> 20)};
    const auto text = scene_file::read_scene_text(file);
    if (!text) return text.error();
    auto content = scene_file::parse_json(*text, file.string(), progress);
    if (!content) return content.error();
    OpenedScene scene;
    scene.content = *std::move(content);
    scene.file = real(file);
    scene.read_only = read_only;
    scene.roots.push_back(scene.folder());
    for (const std::string& name : file_names(scene.content)) {
        const fs::path folder = real(scene.folder() / name).parent_path();
        if (std::ranges::find(scene.roots, folder) == scene.roots.end()) scene.roots.push_back(folder);
    }
    return scene;
}

namespace {

Json floor()
{
    return Json::array({{{"plane", {{"point", {0, 0, 0}}, {"normal", {0, 1, 0}}}}, {"friction", 0.7}}});
}

const fs::path* find_ending(const std::vector<fs::path>& files, std::string_view ending)
{
    const auto found =
        std::ranges::find_if(files, [&](const fs::path& path) { return io::lower_ending(path) == ending; });
    return found == files.end() ? nullptr : &*found;
}

/// All files of an upload; what is packed is unpacked first.
Result<std::vector<fs::path>> uploaded_files(const fs::path& folder, const Progress& progress)
{
    std::error_code error;
    const auto list = [&] {
        std::vector<fs::path> files;
        for (const auto& entry : fs::recursive_directory_iterator(folder, error))
            if (entry.is_regular_file(error)) files.push_back(entry.path());
        std::ranges::sort(files);
        return files;
    };
    const std::vector<fs::path> files = list();
    const fs::path* packed = find_ending(files, ".zip");
    if (!packed) return files;
    const auto bytes = io::read_file(*packed);
    if (!bytes) return bytes.error();
    fs::remove(*packed, error);
    if (Status unpacked = io::unzip(*bytes, folder, {}, progress); !unpacked)
        return Error{packed->filename().string(), unpacked.error().what};
    return list();
}

Result<std::vector<fs::path>> meshes_of_upload(const std::vector<fs::path>& files)
{
    const std::vector<fs::path> meshes = meshes_among(files);
    if (meshes.empty()) {
        // The reader of its format knows best what is wrong.
        if (files.size() == 1)
            if (const auto read = load_tri_mesh(files.front()); !read) return read.error();
        return Error{"", "there is no mesh or scene in these files that can be read"};
    }
    if (meshes.size() > kMostMeshes)
        return Error{"", fmt::format("{} meshes are too many at once; the limit is {}", meshes.size(), kMostMeshes)};
    return meshes;
}

}  // namespace

OpenedScene new_scene(const fs::path& folder)
{
    OpenedScene scene;
    scene.content = Json{{"yawara", 1}, {"title", "Untitled"}, {"bodies", Json::array()}, {"obstacles", floor()}};
    scene.file = folder / "untitled.json";
    scene.roots = {scene.folder()};
    scene.read_only = true;
    return scene;
}

Result<std::vector<fs::path>> uploaded_meshes(const fs::path& folder, const Progress& progress)
{
    const auto files = uploaded_files(folder, progress);
    if (!files) return files.error();
    if (const fs::path* scene = find_ending(*files, ".json"))
        return Error{scene->filename().string(), "is a scene; open it alone"};
    if (!progress("reading", 0)) return Error{"", "cancelled"};
    return meshes_of_upload(*files);
}

Result<std::vector<fs::path>> uploaded_poses(const fs::path& folder, const Progress& progress)
{
    const auto files = uploaded_files(folder, progress);
    if (!files) return files.error();
    std::vector<fs::path> found = meshes_among(*files);
    for (const fs::path& file : *files) {
        const std::string ending = io::lower_ending(file);
        if (ending == ".pc2" || ending == ".mdd" || ending == ".npy") found.push_back(file);
    }
    if (found.empty())
        return Error{files->empty() ? "" : files->front().filename().string(),
                     "is not a pose: expected a surface or solid, a GLB with blend shapes, .pc2, .mdd or .npy"};
    return found;
}

Result<Json> poses_of(std::span<const fs::path> files)
{
    Json poses = Json::array();
    for (std::size_t k = 0; k < files.size(); ++k) {
        const std::string ending = io::lower_ending(files[k]), stem = files[k].stem().string().substr(0, 60);
        if (ending == ".npy" || is_tet_mesh_file(files[k])) {
            poses.push_back({{"name", stem}, {"vertices", k}});
        } else if (ending == ".pc2" || ending == ".mdd") {
            const auto cache = load_point_cache(files[k]);
            if (!cache) return cache.error();
            poses.push_back({{"name", stem}, {"surface", k}, {"frame", cache->frames.size() - 1}});
        } else {
            const auto shapes = blend_shapes(files[k]);
            if (!shapes) return shapes.error();
            if (shapes->empty()) {
                Json pose{{"name", stem}, {"surface", k}};
                const auto animation = load_point_cache(files[k]);
                if (animation && animation->frames.size() > 1) pose["frame"] = animation->frames.size() - 1;
                poses.push_back(std::move(pose));
            }
            for (const std::string& shape : *shapes)
                poses.push_back({{"name", shape.substr(0, 60)}, {"surface", k}, {"shape", shape}});
        }
    }
    return poses;
}

Result<OpenedScene> open_upload(const fs::path& folder, const Progress& progress)
{
    const auto files = uploaded_files(folder, progress);
    if (!files) return files.error();
    if (const fs::path* scene = find_ending(*files, ".json")) {
        auto opened = open_scene_file(*scene, false, progress);
        if (!opened) return opened.error();
        opened->roots = {folder};
        opened->read_only = true;
        return opened;
    }
    const auto meshes = meshes_of_upload(*files);
    if (!meshes) return meshes.error();
    if (!progress("reading", 0)) return Error{"", "cancelled"};
    auto content = scene_around(*meshes);
    if (!content) return content.error();
    OpenedScene scene;
    scene.content = *std::move(content);
    scene.file = meshes->front().parent_path() / (meshes->front().stem().string() + ".json");
    scene.roots = {folder};
    scene.read_only = true;
    return scene;
}

std::string free_body_name(const Json& scene, const std::string& name)
{
    const auto is_taken = [&](const std::string& wanted) {
        return std::ranges::any_of(scene.at("bodies"), [&](const Json& body) {
            return body.value("name", "") == wanted || body.value("id", "") == wanted;
        });
    };
    std::string free = name;
    for (int n = 2; is_taken(free); ++n) free = fmt::format("{}_{}", name, n);
    return free;
}

Result<Json> bodies_around(std::span<const fs::path> meshes, const Room& room)
{
    Json scene{{"bodies", Json::array()}};
    Room next = room;
    for (const fs::path& mesh : meshes) {
        auto body = body_around(mesh, meshes[0].parent_path(), next);
        if (!body) return body.error();
        (*body)["name"] = free_body_name(scene, body_name(mesh));
        scene["bodies"].push_back(*std::move(body));
        next.x += kApart * room.size;
    }
    return scene["bodies"];
}

Result<Json> obstacles_around(std::span<const fs::path> meshes, const Room& room, bool container)
{
    Json obstacles = Json::array();
    double x = room.x;
    for (const fs::path& mesh : meshes) {
        const std::string name = mesh.filename().string();
        if (is_tet_mesh_file(mesh)) return Error{name, "is a volume mesh; an obstacle is a closed surface"};
        const auto surface = load_tri_mesh(mesh);
        if (!surface) return surface.error();
        const Box3 box = bounds(surface->vertices);
        const double largest = std::max({box.size().x, box.size().y, box.size().z});
        if (!(largest > 0)) return Error{name, "has no extent"};
        // As many digits as a person would write.
        const auto tidy = [](double value) { return std::round(value * 1e4) / 1e4; };
        const double scale = std::stod(fmt::format("{:.3g}", room.size / largest));
        const Vec3d middle = box.center() * scale;
        obstacles.push_back(
            {{"mesh",
              {{"file", name},
               {"scale", scale},
               {"translate", {tidy(x - middle.x), tidy(-box.low.y * scale), tidy(room.z - middle.z)}}}}});
        if (container) obstacles.back()["mesh"]["container"] = true;
        x += kApart * room.size;
    }
    return obstacles;
}

Result<Json> scene_around(std::span<const fs::path> meshes)
{
    const auto bodies = bodies_around(meshes, {1, -0.5 * kApart * double(meshes.size() - 1), 0});
    if (!bodies) return bodies.error();
    std::string titles;
    for (const fs::path& mesh : meshes) titles += (titles.empty() ? "" : ", ") + mesh.stem().string();
    return Json{
        {"yawara", 1},
        {"title", titles},
        {"description", fmt::format("Made from {}.", meshes.size() == 1 ? meshes[0].filename().string() : titles)},
        {"bodies", *bodies},
        {"obstacles", floor()}};
}

std::vector<fs::path> mesh_companions(const fs::path& mesh)
{
    std::vector<fs::path> found;
    if (const MeshFormat* format = mesh_format(mesh); format && !format->partner.empty())
        found.push_back(fs::path(mesh).replace_extension(format->partner));
    if (io::lower_ending(mesh) == ".gltf") {
        const auto text = io::read_file(mesh);
        const Json gltf = text ? Json::parse(*text, nullptr, false) : Json();
        for (const Json& buffer : gltf.is_object() ? gltf.value("buffers", Json::array()) : Json::array())
            if (const auto beside = io::file_beside(mesh, buffer.value("uri", ""))) found.push_back(*beside);
        for (const Json& image : gltf.is_object() ? gltf.value("images", Json::array()) : Json::array())
            if (const auto beside = io::file_beside(mesh, image.value("uri", ""))) found.push_back(*beside);
    }
    if (io::lower_ending(mesh) == ".obj") {
        const std::vector<fs::path> looks = io::obj_companions(mesh);
        found.insert(found.end(), looks.begin(), looks.end());
    }
    return found;
}

Result<fs::path> copy_beside(const fs::path& mesh, const fs::path& folder)
{
    std::vector<fs::path> files = mesh_companions(mesh);
    files.push_back(mesh);
    std::error_code error;
    const auto is_free = [&](const fs::path& target) {
        return std::ranges::none_of(files,
                                    [&](const fs::path& file) { return fs::exists(target / file.filename(), error); });
    };
    fs::path target = folder;
    for (int n = 2; !is_free(target); ++n) target = folder / fmt::format("{}_{}", mesh.stem().string(), n);
    fs::create_directories(target, error);
    for (const fs::path& file : files) {
        fs::copy_file(file, target / file.filename(), error);
        if (error && file == mesh)
            return Error{mesh.filename().string(), "cannot be copied beside the scene: " + error.message()};
    }
    return target / mesh.filename();
}

std::span<const std::string_view> upload_endings()
{
    static const std::vector<std::string_view> all = [] {
        std::vector<std::string_view> endings;
        for (const MeshFormat& format : mesh_formats()) endings.push_back(format.ending);
        endings.insert(endings.end(), kOtherEndings.begin(), kOtherEndings.end());
        return endings;
    }();
    return all;
}

Result<std::string> upload_name(const std::string& name)
{
    const std::string last = name.substr(name.find_last_of("/\\") + 1);
    if (!is_utf8(last)) return Error{"name", "is not text in UTF-8"};
    std::string safe;
    for (const char c : last)  // letters of all scripts are bytes from 0x80
        safe +=
            static_cast<unsigned char>(c) < 0x20 || std::string_view("\x7F<>:\"|?*").find(c) != std::string_view::npos
                ? '_'
                : c;
    while (!safe.empty() && (safe.front() == '.' || safe.front() == ' ')) safe.erase(0, 1);
    while (safe.size() > kLongestName) safe.erase(0, letter_length(safe));
    const std::string ending = io::lower_ending(safe);
    if (std::ranges::find(upload_endings(), ending) == upload_endings().end())
        return Error{last.substr(0, 100),
                     fmt::format("files of this kind cannot be opened. Drop surfaces ({}), tet meshes ({}), a scene "
                                 "(.json) with its meshes, or a .zip of them",
                                 mesh_endings(&MeshFormat::loads_surface), mesh_endings(&MeshFormat::loads_tets))};
    return safe;
}

std::vector<std::string> file_names(const Json& content)
{
    static const Json schema = Json::parse(scene_schema());
    Json copy = content;
    std::set<std::string> names;
    for (const auto& file : scene_file::check_schema(schema, copy).files) names.insert(file.name);
    return {names.begin(), names.end()};
}

Status check_file_names(const Json& content, const OpenedScene& scene)
{
    for (const std::string& name : file_names(content)) {
        const fs::path file = scene.folder() / name;
        if (std::ranges::none_of(scene.roots, [&](const fs::path& root) { return is_inside(file, root); }))
            return Error{name, "is outside the folder of the scene; copy it there first"};
    }
    return Done{};
}

}  // namespace yawara::stream
