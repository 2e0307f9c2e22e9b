// A folder for each: work.json says all, scene.json is for the picture. Written beside and renamed, so that it is
// whole.
#include "stream/recent_documents.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "io/file.h"
#include "stream/document.h"
#include "stream/exports.h"

namespace yawara::stream {

namespace fs = std::filesystem;
using scene_file::Json;

namespace {

constexpr std::size_t kMostKept = 30;

std::string in_words(std::int64_t seconds)
{
    const auto when = static_cast<std::time_t>(seconds);
    std::tm local{};
    localtime_r(&when, &local);
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", local);
}

std::string text_in(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Null if it cannot be read.
Json read_work(const fs::path& folder)
{
    const auto text = io::read_file(folder / "work.json");
    Json work = text ? Json::parse(*text, nullptr, false) : Json();
    const bool whole = work.is_object() && work.value("yawara_recent", 0) == 1 && work.contains("start") &&
                       work.contains("content") && work["content"].is_object();
    return whole ? work : Json();
}

std::string title_of(const Json& work)
{
    const std::string title = text_in(work["content"], "title");
    return title.empty() ? fs::path(text_in(work, "scene")).stem().string() : title;
}

Json with_absolute_files(const Json& content, const fs::path& folder)
{
    std::map<std::string, std::string> names;
    for (const std::string& name : file_names(content)) names[name] = (folder / name).lexically_normal().string();
    return with_renamed_files(content, names);
}

}  // namespace

bool RecentDocuments::is_kept(const std::string& name) const
{
    const bool plain = !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); });
    std::error_code error;
    return plain && fs::is_directory(folder_ / name, error);
}

std::vector<RecentDocument> RecentDocuments::list() const
{
    std::vector<RecentDocument> all;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_, error)) {
        const std::string name = entry.path().filename().string();
        if (!is_kept(name)) continue;
        const Json work = read_work(entry.path());
        if (work.is_null()) continue;
        all.push_back(
            {name, title_of(work), in_words(work.value("when", std::int64_t{0})), work.value("edits", std::size_t{0})});
    }
    std::ranges::sort(all, std::greater(), &RecentDocument::name);  // names are times
    return all;
}

Result<std::string> RecentDocuments::keep(const KeptWork& work)
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::string name = fmt::format("{:020}", std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    std::error_code error;
    const fs::path folder = folder_ / name, part = folder_ / (name + ".part");
    fs::create_directories(part, error);
    Json roots = Json::array();
    for (const fs::path& root : work.opened.roots) roots.push_back(root.string());
    const Json all{{"yawara_recent", 1},
                   {"when", std::chrono::duration_cast<std::chrono::seconds>(now).count()},
                   {"scene", work.opened.file.string()},
                   {"read_only", work.opened.read_only},
                   {"roots", roots},
                   {"edits", work.edits},
                   {"start", work.opened.content},
                   {"content", work.content}};
    if (Status written = io::write_file(part / "work.json", all.dump()); !written) return written.error();
    const Json pictured = with_absolute_files(work.content, work.opened.folder());
    if (Status written = io::write_file(part / "scene.json", pretty(pictured)); !written) return written.error();
    fs::rename(part, folder, error);
    if (error) return Error{folder.string(), "cannot be written: " + error.message()};
    const std::vector<RecentDocument> kept = list();
    for (std::size_t k = kMostKept; k < kept.size(); ++k) fs::remove_all(folder_ / kept[k].name, error);
    return name;
}

Result<KeptWork> RecentDocuments::find(const std::string& name) const
{
    const Json read = is_kept(name) ? read_work(folder_ / name) : Json();
    if (read.is_null()) return Error{"name", "there is no such recent document"};
    KeptWork work;
    work.opened.content = read["start"];
    work.opened.file = text_in(read, "scene");
    work.opened.read_only = read.value("read_only", true);
    for (const Json& root : read.value("roots", Json::array()))
        if (root.is_string()) work.opened.roots.push_back(root.get<std::string>());
    work.content = read["content"];
    work.edits = read.value("edits", std::size_t{0});
    return work;
}

Status RecentDocuments::forget(const std::string& name)
{
    if (!is_kept(name)) return Error{"name", "there is no such recent document"};
    std::error_code error;
    fs::remove_all(folder_ / name, error);
    if (error) return Error{"name", "cannot be removed: " + error.message()};
    return Done{};
}

bool RecentDocuments::uses(const fs::path& folder) const
{
    return std::ranges::any_of(list(), [&](const RecentDocument& recent) {
        const auto work = find(recent.name);
        if (!work) return false;
        const auto is_inside = [&](const fs::path& path) {
            const fs::path relative = path.lexically_relative(folder);
            return !relative.empty() && *relative.begin() != "..";
        };
        return is_inside(work->opened.file) || std::ranges::any_of(work->opened.roots, is_inside);
    });
}

}  // namespace yawara::stream
