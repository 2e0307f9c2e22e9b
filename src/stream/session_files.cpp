// Over HTTP: the built page, held in memory and nothing else of the disk; uploads in, exports and pictures out.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include <oneapi/tbb/task_arena.h>

#include <fmt/format.h>

#include "io/file.h"
#include "scene_file/scene_document.h"
#include "stream/session.h"

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
    return answer(status, Json{{"error", error.message()}}.dump(), "application/json");
}

/// FNV-1a, 64 bits.
std::uint64_t fingerprint(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

/// The oldest folders go when there are very many.
void tidy(const fs::path& uploads)
{
    std::error_code error;
    std::vector<std::pair<fs::file_time_type, fs::path>> folders;
    for (const auto& entry : fs::directory_iterator(uploads, error))
        folders.emplace_back(entry.last_write_time(error), entry.path());
    std::ranges::sort(folders);
    for (std::size_t k = 0; k + kMostUploadFolders < folders.size(); ++k) fs::remove_all(folders[k].second, error);
}

}  // namespace

/// The page from its folder, and the secret: kept from start to start, so that an open page finds a new engine.
void Session::load_page()
{
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(options_.page, error)) {
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

    const fs::path secret = options_.state / "token";
    std::ifstream(secret) >> token_;
    const bool usable =
        token_.size() == 32 && std::ranges::all_of(token_, [](unsigned char c) { return std::isxdigit(c); });
    if (usable) return;
    const auto made = random_token();
    token_ = made ? *made : std::string();
    fs::remove(secret, error);
    const int file = ::open(secret.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return;  // then it is good for this start only
    if (::write(file, token_.data(), token_.size()) < 0) fs::remove(secret, error);
    ::close(file);
}

void Session::list_gallery()
{
    std::error_code error;
    if (options_.gallery.empty()) return;
    for (const auto& entry : fs::directory_iterator(options_.gallery, error)) {
        if (entry.path().extension() != ".json") continue;
        const auto text = scene_file::read_scene_text(entry.path());
        const auto content = text ? scene_file::parse_json(*text, entry.path().string()) : Result<Json>(text.error());
        if (!content || !content->is_object()) continue;
        GalleryScene scene;
        scene.name = entry.path().stem().string();
        scene.file = entry.path();
        const auto words = [&](const char* key) {
            const auto found = content->find(key);
            return found != content->end() && found->is_string() ? found->get<std::string>() : std::string();
        };
        scene.title = words("title").empty() ? scene.name : words("title");
        scene.description = words("description");
        std::ifstream kept(picture_file(scene.file), std::ios::binary);
        if (kept) {
            const std::string png{std::istreambuf_iterator<char>(kept), std::istreambuf_iterator<char>()};
            pictures_[scene.name] = std::make_shared<const std::string>(png);
        }
        gallery_.push_back(std::move(scene));
    }
    std::ranges::sort(gallery_, {}, &GalleryScene::name);
}

Response Session::serve(const Request& request)
{
    if (const auto file = files_.find(request.path); file != files_.end()) return file->second;
    if (request.path.starts_with("/gallery/") && request.path.ends_with(".png"))
        return serve_picture(request.path.substr(9, request.path.size() - 13));
    if (request.path.starts_with("/download/")) {
        if (!request.has_token) return answer(403, "the address lacks its token");
        const std::lock_guard lock(files_mutex_);
        const auto found = downloads_.find(request.path);
        if (found != downloads_.end()) return found->second;
    }
    return answer(404, "there is nothing here");
}

// ---- uploads and downloads ------------------------------------------------------------------------------------------

/// POST /upload?name=FILE[&to=NUMBER]: the first file makes a folder, further ones may join it.
Response Session::take_upload(Request request)
{
    if (request.path != "/upload") return answer(404, "there is nothing here");
    const auto name = upload_name(request.query["name"]);
    if (!name) return refuse(415, name.error());
    std::string number = request.query["to"];
    const fs::path uploads = options_.state / "uploads";
    std::error_code error;
    if (number.empty()) {
        const auto made = random_token();
        if (!made) return refuse(500, made.error());
        number = *made;
        tidy(uploads);
        fs::create_directories(uploads / number, error);
    }
    const bool plain =
        number.size() == 32 && std::ranges::all_of(number, [](unsigned char c) { return std::isxdigit(c); });
    if (!plain || !fs::is_directory(uploads / number)) return refuse(404, {"to", "there is no such upload"});
    if (Status written = io::write_file(uploads / number / *name, request.body); !written)
        return refuse(500, written.error());
    return answer(200, Json{{"upload", number}, {"name", *name}}.dump(), "application/json");
}

std::string Session::offer_download(const std::string& name, std::string bytes)
{
    static constexpr std::string_view kZip = ".zip";
    const auto number = random_token();
    const std::string path = "/download/" + (number ? *number : std::to_string(++sequence_));
    Response response;
    response.type = name.ends_with(kZip)     ? "application/zip"
                    : name.ends_with(".glb") ? "model/gltf-binary"
                                             : "application/octet-stream";
    response.body = std::make_shared<const std::string>(std::move(bytes));
    for (const char c : name) response.file_name += c == '"' || static_cast<unsigned char>(c) < 0x20 ? '_' : c;
    const std::lock_guard lock(files_mutex_);
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

// ---- pictures of the gallery ----------------------------------------------------------------------------------------

fs::path Session::picture_file(const fs::path& scene) const
{
    const auto text = scene_file::read_scene_text(scene);
    return options_.state / "pictures" /
           fmt::format("{}-{:016x}.png", scene.stem().string(),
                       fingerprint(std::string(version()) + (text ? *text : "")));
}

Response Session::serve_picture(const std::string& name)
{
    const std::lock_guard lock(files_mutex_);
    if (const auto found = pictures_.find(name); found != pictures_.end()) {
        Response response;
        response.type = "image/png";
        response.body = found->second;
        return response;
    }
    if (std::ranges::find(gallery_, name, &GalleryScene::name) == gallery_.end() || !options_.picture)
        return answer(404, "there is nothing here");
    want_picture(name);
    return answer(202, "being drawn");
}

/// What was asked for last is what the page shows now.
void Session::want_picture(const std::string& name)
{
    if (begun_pictures_.contains(name)) return;
    std::erase(wanted_pictures_, name);
    wanted_pictures_.push_front(name);
    picture_wanted_.notify_all();
}

/// Each thread draws on one worker and gives way to everything else, so that what plays meanwhile is hardly slowed;
/// what nobody waits for is drawn by one of them.
void Session::make_pictures(bool also_later)
{
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 19);
    oneapi::tbb::task_arena one(1);
    std::error_code error;
    fs::create_directories(options_.state / "pictures", error);
    for (;;) {
        std::string name;
        {
            std::unique_lock lock(files_mutex_);
            picture_wanted_.wait(
                lock, [&] { return stop_ || !wanted_pictures_.empty() || (also_later && !later_pictures_.empty()); });
            if (stop_) return;
            std::deque<std::string>& from = wanted_pictures_.empty() ? later_pictures_ : wanted_pictures_;
            name = from.front();
            from.pop_front();
            if (!begun_pictures_.insert(name).second) continue;
        }
        const auto scene = std::ranges::find(gallery_, name, &GalleryScene::name);
        Result<std::string> png = Error{};
        one.execute([&] { png = options_.picture(scene->file); });
        if (!png) continue;
        (void)io::write_file(picture_file(scene->file), *png);  // for the next start; no loss if it fails
        {
            const std::lock_guard lock(files_mutex_);
            pictures_[name] = std::make_shared<const std::string>(*std::move(png));
        }
        const std::lock_guard lock(inbox_mutex_);
        inbox_.push_back({0, Incoming::picture, {{"type", "picture"}, {"name", name}}});
        inbox_filled_.notify_all();
    }
}

}  // namespace yawara::stream
