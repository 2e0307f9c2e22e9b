// Clips in the hands of other programs, where those are installed: Blender and the glTF validator of Khronos.
#include <doctest/doctest.h>

#include <cstdlib>

#include "clip_samples.h"

using namespace clip_samples;

namespace {

const std::string kTests = YAWARA_SOURCE_DIR "/tests";

bool runs(const std::string& command)
{
    return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
}

/// Runs the command; its output is shown if it fails.
bool succeeds(const std::string& command, const TempFolder& folder)
{
    const auto log = folder / "log.txt";
    const bool good = std::system((command + " > '" + log.string() + "' 2>&1").c_str()) == 0;
    if (!good) MESSAGE(bytes_of(log));
    return good;
}

std::string stated_error(const std::string& note)
{
    const std::size_t number = note.find("more than ") + 10;
    return note.substr(number, note.find(' ', number) - number);
}

}  // namespace

TEST_CASE("the validator of Khronos finds no error and no warning in a glb")
{
    if (!runs("node --version") || !std::filesystem::exists(kTests + "/glb_validator/node_modules")) {
        MESSAGE("skipped: needs node and `npm ci` in tests/glb_validator");
        return;
    }
    TempFolder folder;
    std::string files;
    for (const int count : {0, 1, 2, 60}) {
        Sample sample(20, 12);
        const auto path = folder / ("clip" + std::to_string(count) + ".glb");
        REQUIRE(sample.write("glb", path, count));
        files += " '" + path.string() + "'";
    }
    Sample packed(20, 12);
    REQUIRE(packed.write("glb", folder / "packed.glb", 60, {.meshopt = true}));
    files += " '" + (folder / "packed.glb").string() + "'";
    Sample empty;
    empty.info.bodies.clear();
    REQUIRE(empty.write("glb", folder / "empty.glb", 3));
    files += " '" + (folder / "empty.glb").string() + "'";
    CHECK(succeeds("node '" + kTests + "/glb_validator/validate.js'" + files, folder));
}

TEST_CASE("three.js shows a glb, plain or packed, within its stated error, and its frame 0 exactly")
{
    if (!runs("node --version") || !std::filesystem::exists(kTests + "/../studio/node_modules/three")) {
        MESSAGE("skipped: needs node and `npm ci` in studio");
        return;
    }
    Sample sample(20, 12);
    TempFolder folder;
    REQUIRE(sample.write("npy", folder / "npy", 45));
    for (const bool meshopt : {false, true}) {
        const auto notes = sample.write("glb", folder / "clip.glb", 45, {.meshopt = meshopt});
        REQUIRE(notes);
        std::string command = "node '" + kTests + "/interop/three_play.mjs' '" + folder.path().string() + "'";
        for (const std::size_t b : {0, 1})
            command += " " + sample.info.bodies[b].name + "=" + stated_error((*notes)[b + 1]);
        CHECK(succeeds(command, folder));
    }
}

TEST_CASE("Blender shows a glb within its stated error, and point caches exactly")
{
    if (!runs("blender --version")) {
        MESSAGE("skipped: needs Blender");
        return;
    }
    Sample sample(20, 12);
    TempFolder folder;
    for (const std::string format : {"npy", "pc2", "mdd"}) REQUIRE(sample.write(format, folder / format, 45));
    const auto notes = sample.write("glb", folder / "clip.glb", 45);
    REQUIRE(notes);
    std::string command = "blender -b --python-exit-code 1 -P '" + kTests + "/interop/blender_import.py' -- '" +
                          folder.path().string() + "' 30";
    for (const std::size_t b : {0, 1})
        command += " " + sample.info.bodies[b].name + "=" + stated_error((*notes)[b + 1]);
    CHECK(succeeds(command, folder));
}
