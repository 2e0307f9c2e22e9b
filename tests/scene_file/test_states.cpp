// Saved states: a run that is continued from one has the bits of the run that was never stopped.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "gallery.h"

using namespace yawara;
using namespace yawara::test;

namespace {

/// A file of its own, gone at the end.
struct StateFile {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("yawara_state_" + std::to_string(::getpid()) + ".bin");
    ~StateFile() { std::filesystem::remove(path); }
};

/// Runs `before` frames, saves, goes on for `after` frames; and the same from the saved state in a scene of its own.
/// Names the first body that differs.
std::string first_difference(const nlohmann::json& document, int before, int after)
{
    const std::string folder = std::string(YAWARA_SOURCE_DIR) + "/scenes";
    const StateFile file;
    LoadedScene whole = load(document);
    for (int k = 0; k < before; ++k) whole.step();
    REQUIRE(whole.save_state(file.path));
    for (int k = 0; k < after; ++k) whole.step();

    LoadedScene second = LoadedScene::from_text(document.dump(), folder, "scene", {}, &whole).value();
    REQUIRE(second.load_state(file.path));
    for (int k = 0; k < after; ++k) second.step();
    for (std::size_t b = 0; b < whole.scene().bodies().size(); ++b)
        if (!(whole.scene().state(whole.scene().bodies()[b]) == second.scene().state(second.scene().bodies()[b]))) return whole.scene().model(whole.scene().bodies()[b]).name();
    CHECK(whole.scene().time() == second.scene().time());
    CHECK(whole.scene().hash() == second.scene().hash());
    return "";
}

}  // namespace

TEST_CASE("every scene of the gallery goes on from a saved state with the same bits")
{
    for (const auto& entry : std::filesystem::directory_iterator(std::string(YAWARA_SOURCE_DIR) + "/scenes")) {
        if (entry.path().extension() != ".json") continue;
        const std::string name = entry.path().stem();
        const auto start = std::chrono::steady_clock::now();
        const char* env = getenv("FRAMES");
        const int n = env ? atoi(env) : 20;
        CAPTURE(name);
        const std::string d = first_difference(gallery(name), n, n/2);
        CHECK(d == "");
        printf("%s %.2f s %s\n", name.c_str(), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), d.c_str());
        fflush(stdout);
    }
}
