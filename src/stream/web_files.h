// What is served over HTTP: the page, held in memory, and nothing else of the disk; uploads in, exports and pictures
// out.
#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "stream/pictures.h"
#include "stream/server.h"

namespace yawara::stream {

struct GalleryScene {
    std::string name, title, description;
    std::filesystem::path file;
    std::vector<std::string> uses;  ///< keys of the scene format, each once
};

/// get() and take_upload() are called on the server's thread.
class WebFiles {
public:
    /// `is_used`: a folder of uploads that must stay, since a document lies there.
    WebFiles(const std::filesystem::path& page, std::filesystem::path state, Pictures& pictures,
             std::function<bool(const std::filesystem::path&)> is_used);

    Response get(const Request& request);
    /// POST /upload?name=FILE[&to=NUMBER]: the first file makes a folder, further ones may join it.
    Response take_upload(Request request);
    /// The address of a file that waits to be fetched. Safe on any thread.
    std::string offer_download(const std::string& name, std::string bytes);
    /// Of what was uploaded; empty if there is no such number.
    std::filesystem::path upload_folder(const std::string& number) const;
    /// For a document that is new; made when something is put there.
    Result<std::filesystem::path> new_folder() const;
    /// Whether a file is in the folder of an upload or of a new document.
    bool is_upload(const std::filesystem::path& file) const;
    std::atomic<std::size_t> page_count = 0;  ///< that are connected, for whoever asks

private:
    Response picture(const std::string& name);
    void tidy_uploads();

    std::filesystem::path uploads_;
    Pictures& pictures_;
    std::function<bool(const std::filesystem::path&)> is_used_;
    std::map<std::string, Response> files_;
    std::mutex mutex_;  ///< guards what follows
    std::map<std::string, Response> downloads_;
    std::deque<std::string> download_order_;
};

/// The scenes of a folder, by name.
std::vector<GalleryScene> list_gallery(const std::filesystem::path& folder);
/// Where the picture of a scene of the gallery is kept: another place when the scene or the program has changed.
std::filesystem::path kept_picture(const std::filesystem::path& state, const std::filesystem::path& scene);

}  // namespace yawara::stream
