// Scenes from files and standard input.
#include "scene_input.h"

#include <iostream>
#include <iterator>

namespace yawara::cli {

namespace fs = std::filesystem;

Result<LoadedScene> load_scene(const std::string& source, int threads, const Terminal& terminal)
{
    ProgressBar bar(terminal, "building " + stem_of(source));
    Result<LoadedScene> loaded = [&] {
        if (source != "-") return LoadedScene::from_file(source, bar.callback());
        const std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
        return LoadedScene::from_text(text, fs::current_path(), "standard input", bar.callback());
    }();
    if (loaded && threads > 0) loaded->scene().settings().threads = threads;
    return loaded;
}

std::string stem_of(const std::string& source)
{
    return source == "-" ? "scene" : fs::path(source).stem().string();
}

fs::path program_path()
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error);
}

namespace {

/// Above the program: the first folder that has one of these inside.
std::optional<fs::path> find_above(std::initializer_list<const char*> insides)
{
    std::error_code error;
    for (fs::path folder = program_path().parent_path(); !folder.empty(); folder = folder.parent_path()) {
        for (const char* inside : insides)
            if (fs::is_directory(folder / inside, error)) return folder / inside;
        if (folder == folder.parent_path()) break;
    }
    return std::nullopt;
}

}  // namespace

std::optional<fs::path> find_scenes_folder()
{
    return find_above({"share/yawara/scenes", "scenes"});
}

std::optional<fs::path> find_page_folder()
{
    return find_above({"share/yawara/studio", "studio/dist"});
}

}  // namespace yawara::cli
