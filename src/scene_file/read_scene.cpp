// A scene document from text: parsed, checked against the schema, then read thing by thing; all errors of a stage at
// once.
#include <fmt/format.h>

#include <cctype>
#include <map>

#include "io/file.h"
#include "scene_file/acts.h"
#include "scene_file/identity.h"
#include "scene_file/read_values.h"
#include "scene_file/schema_check.h"

namespace yawara::scene_file {
namespace {

constexpr std::uintmax_t kLargestFile = 64u << 20;

/// Entries of a list that would have one identity.
void check_identities(const Node& list, Findings& findings)
{
    std::map<std::string, std::size_t> first;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const auto [earlier, is_new] = first.emplace(identity_of(list[k].json, k), k);
        if (is_new) continue;
        const Node entry = list[k], other = list[earlier->second];
        if (entry.has("id") || other.has("id"))
            findings.error(entry.path,
                           fmt::format("\"{}\" already names {}: give it another \"id\"", earlier->first, other.path));
        else
            findings.error(entry.path + ".name",
                           fmt::format("\"{}\" is already the name of {}", earlier->first, other.path));
    }
}

/// Different bodies of one name; those of one identity are known already.
void check_names(const std::vector<BodyDocument>& bodies, Findings& findings)
{
    std::map<std::string, const BodyDocument*> first;
    for (const BodyDocument& body : bodies) {
        const auto [earlier, is_new] = first.emplace(body.name, &body);
        if (is_new || earlier->second->identity == body.identity) continue;
        findings.error(body.where, fmt::format("\"{}\" is already the name of {}", body.name, earlier->second->where));
    }
}

SceneDocument read_document(const Node& root, Findings& findings)
{
    SceneDocument scene;
    scene.title = root["title"].as<std::string>();
    scene.description = root["description"].as<std::string>();
    scene.settings = read_step(root["step"], findings);
    scene.frames = root["frames"].as<int>();
    if (root.has("poster")) scene.poster = root["poster"].as<int>();
    if (scene.poster > scene.frames)
        findings.warning("poster", fmt::format("{} is after the last frame: {} stands for the scene", *scene.poster,
                                               scene.frames));
    const Node bodies = root["bodies"], obstacles = root["obstacles"];
    scene.settings.medium = read_medium(root["medium"], findings);
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (BodyDocument& body : read_instances(bodies[i], read_body(bodies[i], i, findings), findings))
            scene.bodies.push_back(std::move(body));
    check_identities(bodies, findings);
    for (std::size_t i = 0; i < bodies.size(); ++i) check_identities(bodies[i]["instances"], findings);
    check_names(scene.bodies, findings);
    check_identities(obstacles, findings);
    for (std::size_t i = 0; i < obstacles.size(); ++i) {
        scene.obstacles.push_back(read_obstacle(obstacles[i], findings));
        scene.obstacles.back().identity = identity_of(obstacles[i].json, i);
    }
    for (std::size_t i = 0; i < root["joints"].size(); ++i)
        scene.joints.push_back(read_joint(root["joints"][i], findings));
    for (std::size_t i = 0; i < root["measures"].size(); ++i)
        scene.measures.push_back(read_measure(root["measures"][i], findings));
    if (root.has("camera")) scene.camera = read_camera(root["camera"], findings);
    std::vector<ShownQuantity> shown;
    for (const BodyDocument& body : scene.bodies) shown.push_back({body.where, body.look.show});
    scene.look = read_look(root["look"], shown, findings);
    return scene;
}

}  // namespace

void check_files(Findings& findings)
{
    for (const FileReference& file : findings.files) {
        const auto path = findings.folder / std::filesystem::path(std::u8string(file.name.begin(), file.name.end()));
        std::error_code error;
        const auto status = std::filesystem::status(path, error);
        if (!std::filesystem::exists(status)) {
            findings.error(file.where, "there is no file " + path.string());
        } else if (std::filesystem::is_directory(status)) {
            findings.error(file.where, path.string() + " is a folder");
        }
    }
}

SceneSettings read_step(const Node& node, Findings& findings)
{
    SceneSettings settings;
    settings.dt = node["dt"].as<double>();
    settings.substeps = node["substeps"].as<int>();
    settings.gravity = read_vector(node["gravity"]).as<float>();
    settings.sleep = node["sleep"].as<bool>();
    const double step = settings.dt / settings.substeps;
    if (step < 1e-7)
        findings.error(node.path, fmt::format("a step of {:.3g} s is too short for single precision", step));
    if (step > 1.0 / 50.0) {
        findings.warning(node.path, fmt::format("a step of {:.3g} s is long: bodies look soft and lose energy", step));
    }
    return settings;
}

Medium read_medium(const Node& node, Findings& findings)
{
    Medium medium{node["drag"].as<float>(), node["density"].as<float>(), read_vector(node["current"]).as<float>()};
    if (node.has("level")) medium.level = node["level"].as<float>();
    if (node.has("box")) medium.box = read_box(node["box"], findings);
    if (!node.has("waves")) return medium;
    const auto waves = parse_waves(node["waves"].as<std::string>());
    if (!waves) {
        findings.error(node["waves"].path, waves.error().what);
        return medium;
    }
    if (medium.is_everywhere()) findings.error(node["waves"].path, "needs a \"level\" or a \"box\"");
    medium.waves = std::make_shared<const Waves>(*waves);
    return medium;
}

Result<std::string> read_scene_text(const std::filesystem::path& path)
{
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (!error && size > kLargestFile) {
        return Error{path.string(),
                     fmt::format("{} MB are too much for a scene (at most {}): put arrays into .npy files", size >> 20,
                                 kLargestFile >> 20)};
    }
    return io::read_file(path);
}

ReadScene read_scene(Json parsed, const std::filesystem::path& folder, const std::string& name,
                     const Progress& progress)
{
    ReadScene result;
    SchemaFindings checked = check_schema(parsed_scene_schema(), parsed, progress);
    Findings findings;
    findings.folder = folder;
    findings.files = std::move(checked.files);
    findings.errors = std::move(checked.errors);
    const bool sound = findings.errors.empty();
    check_files(findings);
    if (sound) result.document = read_document({parsed, ""}, findings);
    result.document.warnings = std::move(findings.warnings);
    result.errors = std::move(findings.errors);
    for (Error& error : result.errors) {
        if (error.where.empty()) error.where = name;
    }
    return result;
}

}  // namespace yawara::scene_file
