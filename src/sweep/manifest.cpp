// What is compared is the content of files, not their dates: a checkout elsewhere is the same sweep.
#include "sweep/manifest.h"

#include <set>

#include <fmt/format.h>

#include "core/instruction_sets.h"
#include "io/file.h"
#include "scene_file/build_cache.h"
#include "scene_file/schema_check.h"
#include "sweep/fingerprint.h"
#include "sweep/folder_lock.h"
#include "sweep/plan.h"
#include "yawara/replace_file.h"

namespace yawara {

namespace fs = std::filesystem;
using namespace sweep;

namespace {

constexpr const char* kFile = "sweep.json";

std::string hex(std::uint64_t number)
{
    return fmt::format("{:016x}", number);
}

/// The scene and everything that any run of it may read.
std::set<fs::path> files_of(const SweepPlan& plan)
{
    std::set<fs::path> files{plan.scene_file()};
    const fs::path folder = plan.scene_folder();
    const auto add = [&](const std::string& name) {
        std::error_code error;
        const fs::path file = (folder / name).lexically_normal();
        if (name.empty() || name.size() > 1000 || !fs::is_regular_file(file, error)) return;
        for (const fs::path& part : scene_file::files_behind(file)) files.insert(part.lexically_normal());
    };
    Json document = plan.data().document;
    const Json schema = Json::parse(scene_schema());
    for (const auto& reference : scene_file::check_schema(schema, document).files) add(reference.name);
    for (const Axis& axis : plan.data().axes)
        for (const Json& value : axis.values)
            if (value.is_string()) add(value);
    return files;
}

Json manifest_of(const SweepPlan& plan)
{
    Json files = Json::object();
    for (const fs::path& file : files_of(plan)) files[file.string()] = hex(fingerprint_of_file(file));
    return {{"sweep", Json::parse(plan.text())},
            {"files", files},
            {"version", version()},
            {"program", hex(fingerprint_of_file("/proc/self/exe"))},
            {"instruction_set", instruction_set()}};
}

Result<Json> read_manifest(const fs::path& folder)
{
    const auto text = io::read_file(folder / kFile);
    if (!text) return text.error();
    Json manifest = Json::parse(*text, nullptr, false);
    for (const char* key : {"sweep", "files", "version", "program", "instruction_set"})
        if (!manifest.is_object() || !manifest.contains(key))
            return Error{(folder / kFile).string(), "is not the manifest of a sweep"};
    return manifest;
}

/// Why runs of two manifests do not belong in one table; empty: they do.
std::string difference(const Json& old, const Json& now)
{
    for (const auto& [key, value] : now["sweep"].items())
        if (!old["sweep"].contains(key) || old["sweep"][key] != value)
            return fmt::format("the sweep has other \"{}\"", key);
    for (const auto& [file, content] : now["files"].items())
        if (!old["files"].contains(file) || old["files"][file] != content) return fmt::format("{} has changed", file);
    if (old["files"].size() != now["files"].size()) return "the scene needs different files";
    if (old["version"] != now["version"])
        return fmt::format("it is of version {}, this is {}", old["version"].get<std::string>(),
                           now["version"].get<std::string>());
    if (old["program"] != now["program"]) return "the program was rebuilt";
    if (old["instruction_set"] != now["instruction_set"])
        return fmt::format(
            "it was begun with the instruction set {}, this machine uses {}: with "
            "YAWARA_INSTRUCTION_SET={} in the environment a newer machine gives the same bits",
            old["instruction_set"].get<std::string>(), now["instruction_set"].get<std::string>(),
            old["instruction_set"].get<std::string>());
    return {};
}

}  // namespace

std::string_view sweep::instruction_set()
{
    return kInstructionSets[usable_instruction_sets() - 1];
}

Status sweep::open_manifest(const SweepPlan& plan, const fs::path& folder)
{
    const Json now = manifest_of(plan);
    std::error_code error;
    if (!fs::exists(folder / kFile, error)) return replace_file(folder / kFile, now.dump(1) + "\n");
    const auto old = read_manifest(folder);
    if (!old) return old.error();
    const std::string changed = difference(*old, now);
    if (changed.empty()) return Done{};
    if (!fs::exists(folder / "journal", error) && !is_alive(folder / "lock"))  // it was never begun
        return replace_file(folder / kFile, now.dump(1) + "\n");
    return Error{folder.string(),
                 fmt::format("has runs of another sweep: {}. Give another folder, or remove this one", changed)};
}

Result<SweepPlan> sweep_of_folder(const fs::path& folder)
{
    const auto manifest = read_manifest(folder);
    if (!manifest) return manifest.error();
    return SweepPlan::from_text((*manifest)["sweep"].dump(), folder, (folder / kFile).string());
}

}  // namespace yawara
