// A folder for files on their way, gone afterwards.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace yawara::stream {

struct ScratchFolder {
    std::filesystem::path path;  ///< empty: there is no room

    explicit ScratchFolder(const std::string& what)
    {
        std::string pattern = (std::filesystem::temp_directory_path() / ("yawara-" + what + "-XXXXXX")).string();
        if (::mkdtemp(pattern.data())) path = pattern;
    }
    ~ScratchFolder()
    {
        std::error_code ignored;
        if (!path.empty()) std::filesystem::remove_all(path, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
};

}  // namespace yawara::stream
