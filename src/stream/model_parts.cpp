#include "stream/model_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/file.h"
#include "scene_file/identity.h"
#include "scene_file/live_edit.h"
#include "yawara/cvg.h"
#include "yawara/io.h"

namespace yawara::stream {

namespace {

namespace fs = std::filesystem;
using scene_file::Json;

constexpr double kShare = 0.6;  ///< of a model that a part which does not fit is made to take

Json as_json(Vec3d v)
{
    return Json::array({rounded(v.x), rounded(v.y), rounded(v.z)});
}

}  // namespace

Result<std::vector<fs::path>> uploaded_parts(const fs::path& folder, const Progress& progress)
{
    std::vector<fs::path> volumes;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(folder, error))
        if (entry.is_regular_file(error) && io::lower_ending(entry.path()) == ".vdb") volumes.push_back(entry.path());
    std::ranges::sort(volumes);
    if (!volumes.empty()) return volumes;
    return uploaded_meshes(folder, progress);
}

Box3 model_box(LoadedScene& loaded, const std::string& body)
{
    for (const BodyId id : loaded.scene().bodies())
        if (!body.empty() && loaded.identity(id) == body) {
            const double scale = scene_file::field_scope(loaded, id).scale;
            const Box3 box = bounds(loaded.scene().model(id).surface().vertices);
            return {box.low / scale, box.high / scale};
        }
    return {};
}

Result<Json> parts_around(std::span<const fs::path> files, const Box3& box, const Room& room)
{
    Json parts = Json::array();
    for (const fs::path& file : files) {
        const bool is_volume = io::lower_ending(file) == ".vdb";
        Box3 own;
        if (is_volume) {
            const auto volume = cvg::Volume::load(file);
            if (!volume) return volume.error();
            own = volume->bounds();
        } else {
            const auto mesh = load_tri_mesh(file);
            if (!mesh) return mesh.error();
            if (mesh->triangles.empty()) return Error{file.filename().string(), "has no triangles"};
            own = bounds(mesh->vertices);
        }
        const Vec3d size = own.size();
        const double largest = std::max({size.x, size.y, size.z});
        if (!(largest > 0)) return Error{file.filename().string(), "has no extent: all of it is in one place"};
        const Vec3d around = box.size();
        const double there = std::max({around.x, around.y, around.z});
        const bool fits = largest <= there && largest >= 0.05 * there;
        const double scale = rounded(box.empty() ? room.size / largest : fits ? 1.0 : kShare * there / largest);
        Vec3d middle = own.center() * scale;
        if (box.empty()) middle.y = own.low.y * scale;
        Json transform{{"translate", as_json((box.empty() ? Vec3d{} : box.center()) - middle)}};
        if (scale != 1) transform["scale"] = scale;
        Json part{{"prim", is_volume ? "volume" : "mesh"},
                  {"transform", std::move(transform)},
                  {"name", file.stem().string()}};
        if (!is_volume) part.update({{"stiffness", 0.3}, {"color", {0.9, 0.6, 0.4}}});
        parts.push_back(std::move(part));
    }
    return parts;
}

Result<Json> with_parts(Json scene, const std::string& body, Json parts, const Room& room)
{
    if (body.empty()) {
        Json root = parts.size() == 1 ? parts[0] : Json{{"op", "union"}, {"args", parts}};
        Json model{{"format", "yawara-cvg"}, {"version", 1}, {"root", std::move(root)}};
        scene["bodies"].push_back({{"name", free_body_name(scene, parts[0]["name"].get<std::string>())},
                                   {"solid", {{"volume", std::move(model)}, {"cell", rounded(room.size / 20)}}},
                                   {"place", {{"translate", {rounded(room.x), 0, rounded(room.z)}}}}});
        return scene;
    }
    const auto found = scene_file::find_identity(scene["bodies"], body);
    if (!found) return Error{"into", fmt::format("there is no body \"{}\"", body)};
    Json& solid = scene["bodies"][*found]["solid"];
    if (!solid.contains("volume") || !solid["volume"].is_object())
        return Error{"into", fmt::format("\"{}\" has no volume model in the document", body)};
    Json& root = solid["volume"]["root"];
    if (!root.contains("op") || (root["op"] != "union" && root["op"] != "blend"))
        root = {{"op", "union"}, {"args", Json::array({Json(root)})}};
    for (Json& part : parts) root["args"].push_back(std::move(part));
    return scene;
}

}  // namespace yawara::stream
