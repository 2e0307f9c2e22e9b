// One sweep at a time in a folder, also if it is shared by machines. Whoever works in it leaves its name there and
// touches the file now and then; a name whose program has ended counts no more.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "yawara/core.h"

namespace yawara::sweep {

/// A running program: machine, process and when that began, so that a number used again is not mistaken for it.
struct Holder {
    std::string host, pid, began;

    static Holder self();
    std::string text() const { return host + " " + pid + " " + began; }
    static std::optional<Holder> parse(const std::string& text);
    /// Known only of this machine.
    std::optional<bool> is_running() const;
};

/// Touches a file every few seconds, from its making to its end.
class Heartbeat {
public:
    explicit Heartbeat(std::filesystem::path file);
    ~Heartbeat();
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;

private:
    std::filesystem::path file_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ends_ = false;
    std::thread thread_;
};
/// Whether what wrote the file is alive: by its process if it is of this machine, else if the file was touched lately.
bool is_alive(const std::filesystem::path& file);

/// Held from its making to its end, or until the program is killed.
class FolderLock {
public:
    static Result<FolderLock> take(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(FolderLock&&) noexcept = default;
    FolderLock& operator=(FolderLock&&) = delete;

private:
    FolderLock() = default;
    std::filesystem::path file_;
    std::unique_ptr<Heartbeat> heartbeat_;  ///< none: moved from
};

}  // namespace yawara::sweep
