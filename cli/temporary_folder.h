// A folder that exists as long as its object: recordings on their way to pictures.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "yawara/core.h"

namespace yawara::cli {

class TemporaryFolder {
public:
    static Result<TemporaryFolder> make()
    {
        std::error_code error;
        std::string name = (std::filesystem::temp_directory_path(error) / "yawara-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) return Error{name, "cannot create a temporary folder"};
        return TemporaryFolder(name);
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

}  // namespace yawara::cli
