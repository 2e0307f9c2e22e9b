// The studio: a page in the browser, served on loopback, while scenes run natively and stream to it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "yawara/core.h"

namespace yawara {

struct StudioOptions {
    std::filesystem::path scene;    ///< opened at once; empty: the first of the gallery
    std::filesystem::path gallery;  ///< folder of scenes to choose from; empty: none
    std::filesystem::path page;     ///< folder of the built page
    std::filesystem::path state;    ///< folder of our own: edits not saved, uploads, pictures, the token
    int port = 8117;                ///< 0: any; if it is taken, the next free one
    int threads = 0;                ///< of the simulation; 0: all cores
    /// Makes a picture (PNG) of a scene file for the gallery; called on a thread of its own. None: no pictures.
    std::function<Result<std::string>(const std::filesystem::path& scene)> picture;
};

/// Runs on threads of its own until it is destroyed.
class Studio {
public:
    static Result<Studio> start(StudioOptions options);
    ~Studio();
    Studio(Studio&&) noexcept;
    Studio& operator=(Studio&&) noexcept;

    /// The address to open, with its token.
    const std::string& url() const;
    /// Edits of a studio that crashed wait to be taken over.
    bool has_lost_work() const;

private:
    struct Data;
    explicit Studio(std::unique_ptr<Data> data);
    std::unique_ptr<Data> data_;
};

}  // namespace yawara
