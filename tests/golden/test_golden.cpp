// Every scene of the gallery runs for some frames and has to give the bits written down in hashes.json for the
// instruction set in use (YAWARA_INSTRUCTION_SET). A change of results is meant or a mistake; the table makes somebody
// say which.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/instruction_sets.h"
#include "matching/kernels.h"
#include "yawara/scene_file.h"

using namespace yawara;
using Json = nlohmann::ordered_json;

namespace {

const std::filesystem::path kScenes = std::filesystem::path(YAWARA_SOURCE_DIR) / "scenes";
const std::filesystem::path kTable = std::filesystem::path(YAWARA_SOURCE_DIR) / "tests/golden/hashes.json";
const std::string kHowToAccept = "if that is meant: ./yawara test --accept-golden, and commit tests/golden/hashes.json";
constexpr int kFramesOfNewScene = 30;

/// Other compilers fuse other multiplications and additions.
const std::string kCompiler = "gcc " + std::to_string(__GNUC__);

std::set<std::string> names_of_scenes()
{
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(kScenes))
        if (file.path().extension() == ".json") names.insert(file.path().stem().string());
    return names;
}

Json read_table()
{
    std::ifstream file(kTable);
    return file ? Json::parse(file) : Json{{"compiler", kCompiler}, {"scenes", Json::object()}};
}

/// One line for every scene, so that a change shows which.
void write_table(const Json& table)
{
    std::ofstream file(kTable, std::ios::binary);
    file << "{\n  \"compiler\": " << table["compiler"] << ",\n  \"scenes\": {";
    const char* separator = "\n";
    for (const auto& [name, entry] : table["scenes"].items()) {
        file << separator << "    " << Json(name) << ": {";
        const char* comma = "";
        for (const auto& [key, value] : entry.items()) {
            file << comma << Json(key) << ": " << value;
            comma = ", ";
        }
        file << "}";
        separator = ",\n";
    }
    file << "\n  }\n}\n";
}

/// What the hashes of a scene are written down for. Examples start from the processor's own rough inverse square root,
/// in which Intel and AMD differ.
std::string key_of(const std::string& scene, const std::string& set)
{
    std::ifstream file(kScenes / (scene + ".json"));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (set == "any" || text.find("\"examples\"") == std::string::npos) return set;
#if defined(__x86_64__)
    return set + (__builtin_cpu_is("intel") ? " intel" : __builtin_cpu_is("amd") ? " amd" : " other");
#else
    return set + " other";
#endif
}

std::string hexadecimal(std::uint64_t value)
{
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

struct Hashes {
    std::string start, end;
};

Hashes run(const std::string& name, int frames)
{
    LoadedScene scene = LoadedScene::from_file(kScenes / (name + ".json")).value();
    Hashes hashes;
    hashes.start = hexadecimal(scene.scene().hash());
    for (int frame = 0; frame < frames; ++frame) scene.step();
    hashes.end = hexadecimal(scene.scene().hash());
    return hashes;
}

/// Takes new hashes over. What was written down for others is out of date with a change, except for instruction sets
/// that come before: these have been accepted just now.
void accept(const std::string& key, const Hashes& hashes, Json& entry)
{
    const bool changed =
        entry.value("start", hashes.start) != hashes.start || entry.value(key, hashes.end) != hashes.end;
    const auto rank = [](const std::string& of) {
        return std::find(kInstructionSets.begin(), kInstructionSets.end(), of.substr(0, of.find(' '))) -
               kInstructionSets.begin();
    };
    std::map<std::pair<std::ptrdiff_t, std::string>, std::string> kept;  // in the order of the sets
    for (const auto& [other, hash] : entry.items())
        if (other != "frames" && other != "start" && (!changed || rank(other) < rank(key)))
            kept[{rank(other), other}] = hash;
    kept[{rank(key), key}] = hashes.end;
    entry = {{"frames", entry["frames"]}, {"start", hashes.start}};
    for (const auto& [place, hash] : kept) entry[place.second] = hash;
}

void check(const std::string& name, const std::string& key, const Hashes& hashes, const Json& entry)
{
    if (!entry.contains("start")) return;  // has no line yet
    if (entry["start"] != hashes.start) {
        FAIL_CHECK("scenes/", name, ".json starts from other positions or velocities than before; ", kHowToAccept);
    } else if (!entry.contains(key)) {
        MESSAGE("no hash of ", name, " has been written down for ", key);
    } else if (entry[key] != hashes.end) {
        FAIL_CHECK("scenes/", name, ".json moves otherwise than before within ", entry["frames"].get<int>(),
                   " frames (", key, "); ", kHowToAccept);
    }
}

}  // namespace

TEST_CASE("the scenes of the gallery give the bits that were written down")
{
    const char* wanted = std::getenv("YAWARA_INSTRUCTION_SET");
    const std::string set = matching::kernels().name;
    if (wanted && set != wanted) {
        MESSAGE("not compared: this processor has no ", wanted);
        return;
    }
    const bool accepts = std::getenv("YAWARA_ACCEPT_GOLDEN") != nullptr;
    const Json before = read_table();
    if (before["compiler"] != kCompiler && !accepts) {
        MESSAGE("not compared: the hashes are of ", before["compiler"].get<std::string>(), ", this is ", kCompiler);
        return;
    }
    const bool same_compiler = before["compiler"] == kCompiler;
    Json table{{"compiler", kCompiler}, {"scenes", Json::object()}};
    for (const std::string& name : names_of_scenes()) {
        const bool known = same_compiler && before["scenes"].contains(name);
        Json entry = known ? before["scenes"][name] : Json{{"frames", kFramesOfNewScene}};
        const Hashes hashes = run(name, entry["frames"]);
        if (accepts) {
            accept(key_of(name, set), hashes, entry);
            table["scenes"][name] = entry;
        } else {
            check(name, key_of(name, set), hashes, entry);
        }
    }
    if (accepts) write_table(table);
}

TEST_CASE("every scene has its line in the table, and every line its scene")
{
    std::set<std::string> lines;
    const Json table = read_table();
    for (const auto& [name, entry] : table["scenes"].items()) lines.insert(name);
    const std::set<std::string> scenes = names_of_scenes();
    for (const std::string& name : scenes)
        CHECK_MESSAGE(lines.contains(name), "scenes/", name, ".json has no hash yet; ", kHowToAccept);
    for (const std::string& name : lines)
        CHECK_MESSAGE(scenes.contains(name), "a hash of scenes/", name, ".json, which is not there; ", kHowToAccept);
}
