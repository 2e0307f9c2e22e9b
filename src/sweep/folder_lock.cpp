// The file DIR/lock stays; who holds it is its content, changed while the system's own lock on it is held.
#include "sweep/folder_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "yawara/sweep.h"

namespace yawara::sweep {

namespace fs = std::filesystem;

namespace {

constexpr auto kBeat = std::chrono::seconds(10), kLongSilence = std::chrono::seconds(180);

std::string content(const fs::path& file)
{
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

/// When a process began, in ticks since the machine did; empty: there is none.
std::string start_of(const std::string& pid)
{
    const std::string stat = content("/proc/" + pid + "/stat");
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) return {};
    std::istringstream rest(stat.substr(name_end + 1));
    std::string field;
    for (int k = 3; k <= 22; ++k) rest >> field;  // field 22: starttime
    return field;
}

/// Age by the clock of the disk that the file is on: that of a file made there now.
std::optional<std::chrono::seconds> age(const fs::path& file)
{
    std::error_code error;
    const auto then = fs::last_write_time(file, error);
    if (error) return std::nullopt;
    const fs::path probe = file.string() + fmt::format(".now-{}", ::getpid());
    const int made = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (made < 0) return std::nullopt;
    (void)::futimens(made, nullptr);
    ::close(made);
    const auto now = fs::last_write_time(probe, error);
    fs::remove(probe, error);
    return std::chrono::duration_cast<std::chrono::seconds>(now - then);
}

/// An open file with the system's lock on it, where the disk knows such locks.
class Guarded {
public:
    explicit Guarded(const fs::path& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666))
    {
        while (file_ >= 0 && ::flock(file_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    ~Guarded()
    {
        if (file_ >= 0) ::close(file_);
    }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

    bool is_open() const { return file_ >= 0; }
    bool replace(const std::string& text) const
    {
        return ::ftruncate(file_, 0) == 0 && ::pwrite(file_, text.data(), text.size(), 0) == ssize_t(text.size());
    }

private:
    int file_;
};

}  // namespace

Holder Holder::self()
{
    char host[256] = "unknown";
    (void)::gethostname(host, sizeof host - 1);
    const std::string pid = std::to_string(::getpid());
    return {host, pid, start_of(pid)};
}

std::optional<Holder> Holder::parse(const std::string& text)
{
    std::istringstream words(text);
    Holder holder;
    if (words >> holder.host >> holder.pid >> holder.began) return holder;
    return std::nullopt;
}

std::optional<bool> Holder::is_running() const
{
    if (host != self().host) return std::nullopt;
    return start_of(pid) == began;
}

Heartbeat::Heartbeat(fs::path file)
    : file_(std::move(file)), thread_([this] {
          std::unique_lock lock(mutex_);
          while (!wake_.wait_for(lock, kBeat, [this] { return ends_; }))
              (void)::utimensat(AT_FDCWD, file_.c_str(), nullptr, 0);
      })
{
}

Heartbeat::~Heartbeat()
{
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

bool is_alive(const fs::path& file)
{
    const auto holder = Holder::parse(content(file));
    if (!holder) return false;
    if (const auto running = holder->is_running()) return *running;
    const auto silence = age(file);
    return !silence || *silence < kLongSilence;
}

Result<FolderLock> FolderLock::take(const fs::path& folder)
{
    FolderLock lock;
    lock.file_ = folder / "lock";
    const Guarded guarded(lock.file_);
    if (!guarded.is_open())
        return Error{lock.file_.string(), "cannot be written: " + std::generic_category().message(errno)};
    if (is_alive(lock.file_)) {
        const Holder holder = *Holder::parse(content(lock.file_));
        return Error{folder.string(),
                     fmt::format("another sweep is running here: process {} of {}", holder.pid, holder.host)};
    }
    if (!guarded.replace(Holder::self().text() + "\n"))
        return Error{lock.file_.string(), "cannot be written: " + std::generic_category().message(errno)};
    lock.heartbeat_ = std::make_unique<Heartbeat>(lock.file_);
    return lock;
}

FolderLock::~FolderLock()
{
    if (!heartbeat_) return;
    heartbeat_.reset();
    Guarded(file_).replace("");
}

}  // namespace yawara::sweep
