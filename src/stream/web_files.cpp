// Files of the page are known by their endings; whatever else is asked for is not there.
#include "stream/web_files.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "io/file.h"
#include "scene_file/scene_document.h"
#include "stream/opened_scene.h"
#include "stream/protocol.h"

namespace yawara::stream {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostDownloads = 4, kMostDownloadBytes = 256u << 20;  // that wait to be fetched; the last always
constexpr std::uintmax_t kLargestPageFile = 64u << 20;
constexpr std::size_t kMostUploadFolders = 40;

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTypes{{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
    {".ico", "image/x-icon"},
}};

Response answer(int status, std::string text, std::string type = "text/plain; charset=utf-8")
{
    Response response;
    response.status = status;
    response.type = std::move(type);
    response.body = std::make_shared<const std::string>(std::move(text));
    return response;
}

Response refuse(int status, const Error& error)
{
    return answer(status, Json{{"error", error.message()}}.dump(-1, ' ', false, Json::error_handler_t::replace),
                  "application/json");
}

/// FNV-1a, 64 bits.
std::uint64_t fingerprint(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

}  // namespace

WebFiles::WebFiles(const fs::path& page, fs::path state, Pictures& pictures,
                   std::function<bool(const fs::path&)> is_used)
    : uploads_(std::move(state) / "uploads"), pictures_(pictures), is_used_(std::move(is_used))
{
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(page, error)) {
        if (!entry.is_regular_file(error) || entry.file_size(error) > kLargestPageFile) continue;
        const auto type = std::ranges::find(kTypes, io::lower_ending(entry.path()),
                                            &std::pair<std::string_view, std::string_view>::first);
        if (type == kTypes.end()) continue;
        auto bytes = io::read_file(entry.path());
        if (!bytes) continue;
        files_["/" + entry.path().filename().string()] = answer(200, *std::move(bytes), std::string(type->second));
    }
    if (const auto index = files_.find("/index.html"); index != files_.end()) files_["/"] = index->second;
    files_["/scene.schema.json"] = answer(200, std::string(scene_schema()), "application/json");
}

Response WebFiles::get(const Request& request)
{
    if (const auto file = files_.find(request.path); file != files_.end()) return file->second;
    if (request.path.starts_with("/gallery/") && request.path.ends_with(".png"))
        return picture("gallery/" + request.path.substr(9, request.path.size() - 13));
    if (request.path.starts_with("/pictures/recent/")) return picture("recent/" + request.path.substr(17));
    if (request.path == "/whoami") {  // lets the page tell a wrong address from an engine that is gone
        if (!request.has_token) return answer(403, "this address is incomplete; open the one the program printed");
        return answer(200, Json{{"pages", page_count.load()}, {"most", ServerOptions().most_clients}}.dump(),
                      "application/json");
    }
    if (request.path.starts_with("/download/")) {
        if (!request.has_token) return answer(403, "this address is incomplete; open the one the program printed");
        const std::lock_guard lock(mutex_);
        const auto found = downloads_.find(request.path);
        if (found != downloads_.end()) return found->second;
    }
    return answer(404, "there is nothing here");
}

Response WebFiles::picture(const std::string& name)
{
    if (const auto bytes = pictures_.get(name)) {
        Response response;
        response.type = "image/png";
        response.body = bytes;
        return response;
    }
    return pictures_.may_come(name) ? answer(202, "being drawn") : answer(404, "there is nothing here");
}

// ---- uploads and downloads ------------------------------------------------------------------------------------------

fs::path WebFiles::upload_folder(const std::string& number) const
{
    const bool plain =
        number.size() == 32 && std::ranges::all_of(number, [](unsigned char c) { return std::isxdigit(c); });
    std::error_code error;
    return plain && fs::is_directory(uploads_ / number, error) ? uploads_ / number : fs::path();
}

Result<fs::path> WebFiles::new_folder() const
{
    const auto name = random_token();
    if (!name) return name.error();
    return uploads_ / *name;
}

bool WebFiles::is_upload(const fs::path& file) const
{
    const fs::path relative = file.lexically_normal().lexically_relative(uploads_);
    return !relative.empty() && *relative.begin() != "..";
}

/// The oldest folders go when there are very many.
void WebFiles::tidy_uploads()
{
    std::error_code error;
    std::vector<std::pair<fs::file_time_type, fs::path>> folders;
    for (const auto& entry : fs::directory_iterator(uploads_, error))
        folders.emplace_back(entry.last_write_time(error), entry.path());
    std::ranges::sort(folders);
    for (std::size_t k = 0; k + kMostUploadFolders < folders.size(); ++k)
        if (!is_used_(folders[k].second)) fs::remove_all(folders[k].second, error);
}

Response WebFiles::take_upload(Request request)
{
    if (request.path != "/upload") return answer(404, "there is nothing here");
    const auto name = upload_name(request.query["name"]);
    if (!name) return refuse(415, name.error());
    std::string number = request.query["to"];
    std::error_code error;
    if (number.empty()) {
        const auto made = random_token();
        if (!made) return refuse(500, made.error());
        number = *made;
        tidy_uploads();
        fs::create_directories(uploads_ / number, error);
    }
    const fs::path folder = upload_folder(number);
    if (folder.empty()) return refuse(404, {"to", "there is no such upload"});
    // Not flushed to the disk: pages wait for this thread, and what a crash damages is uploaded again.
    std::ofstream file(folder / *name, std::ios::binary);
    file.write(request.body.data(), std::ssize(request.body));
    file.close();
    if (!file) return refuse(500, {*name, "cannot be written; the disk may be full"});
    return answer(200, Json{{"upload", number}, {"name", *name}}.dump(), "application/json");
}

std::string WebFiles::offer_download(const std::string& name, std::string bytes)
{
    static std::atomic<unsigned> counter = 0;
    const auto number = random_token();
    const std::string path = "/download/" + (number ? *number : std::to_string(++counter));
    Response response;
    response.type = name.ends_with(".zip")   ? "application/zip"
                    : name.ends_with(".glb") ? "model/gltf-binary"
                                             : "application/octet-stream";
    response.body = std::make_shared<const std::string>(std::move(bytes));
    response.file_name = name;
    const std::lock_guard lock(mutex_);
    downloads_[path] = std::move(response);
    download_order_.push_back(path);
    const auto held = [&] {
        std::size_t sum = 0;
        for (const auto& [where, download] : downloads_) sum += download.body->size();
        return sum;
    };
    while (download_order_.size() > kMostDownloads || (download_order_.size() > 1 && held() > kMostDownloadBytes)) {
        downloads_.erase(download_order_.front());
        download_order_.pop_front();
    }
    return path;
}

// ---- the gallery ----------------------------------------------------------------------------------------------------

namespace {

void collect_keys(const Json& value, std::set<std::string>& keys)
{
    for (const auto& [key, inner] : value.items()) {
        if (value.is_object()) keys.insert(key);
        if (inner.is_structured()) collect_keys(inner, keys);
    }
}

}  // namespace

std::vector<GalleryScene> list_gallery(const fs::path& folder)
{
    std::vector<GalleryScene> gallery;
    std::error_code error;
    if (folder.empty()) return gallery;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() != ".json") continue;
        const auto text = scene_file::read_scene_text(entry.path());
        const auto content = text ? scene_file::parse_json(*text, entry.path().string()) : Result<Json>(text.error());
        if (!content || !content->is_object()) continue;
        const auto words = [&](const char* key) {
            const auto found = content->find(key);
            return found != content->end() && found->is_string() ? found->get<std::string>() : std::string();
        };
        std::set<std::string> keys;
        collect_keys(*content, keys);
        GalleryScene scene{entry.path().stem().string(),
                           words("title"),
                           words("description"),
                           entry.path(),
                           {keys.begin(), keys.end()}};
        if (scene.title.empty()) scene.title = scene.name;
        gallery.push_back(std::move(scene));
    }
    std::ranges::sort(gallery, {}, &GalleryScene::name);
    return gallery;
}

fs::path kept_picture(const fs::path& state, const fs::path& scene)
{
    const auto text = scene_file::read_scene_text(scene);
    return state / "pictures" /
           fmt::format("{}-{:016x}.png", scene.stem().string(),
                       fingerprint(std::string(version()) + (text ? *text : "")));
}

}  // namespace yawara::stream
