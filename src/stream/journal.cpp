// Appends a line with write(): what the kernel has taken survives the end of the program, however it comes.
#include "stream/journal.h"
#include "stream/json_difference.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace yawara::stream {

namespace fs = std::filesystem;
using scene_file::Json;

namespace {

constexpr std::uintmax_t kLargestJournal = 256u << 20;
constexpr std::string_view kPrefix = "edits-", kBesidePrefix = "new-edits-";

Error cannot_write(const fs::path& path)
{
    return {path.string(), std::string("cannot be written: ") + std::strerror(errno)};
}

/// All of it, or false with errno.
bool write_all(int file, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// Makes a renamed file outlive a loss of power.
void sync_folder(const fs::path& folder)
{
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return;
    ::fsync(opened);
    ::close(opened);
}

std::string in_words(std::time_t when)
{
    std::tm local{};
    localtime_r(&when, &local);
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", local);
}

/// Reads a journal up to the first line that is not whole.
std::optional<LostWork> read_journal(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::string line;
    if (!std::getline(in, line) || in.eof()) return std::nullopt;
    const Json head = Json::parse(line, nullptr, false);
    if (!head.is_object() || head.value("yawara_journal", 0) != 1 || !head.contains("content")) return std::nullopt;
    LostWork lost;
    lost.file = file;
    lost.scene = head.value("scene", "");
    lost.folder = head.value("folder", "");
    lost.read_only = head.value("read_only", false);
    lost.start = lost.content = head["content"];
    while (std::getline(in, line) && !in.eof()) {
        const Json patch = Json::parse(line, nullptr, false);
        if (!patch.is_array()) break;
        try {
            lost.content = lost.content.patch(patch);
        } catch (const Json::exception&) {
            break;
        }
        ++lost.edits;
    }
    return lost;
}

}  // namespace

Result<Journal> Journal::open(const fs::path& folder, std::uint64_t rewrite_at)
{
    std::error_code error;
    fs::create_directories(folder, error);
    const fs::path path = folder / fmt::format("{}{}-{}.jsonl", kPrefix, ::getpid(),
                                               std::chrono::system_clock::now().time_since_epoch().count());
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0600);
    if (file < 0) return cannot_write(path);
    ::flock(file, LOCK_EX | LOCK_NB);
    return Journal(file, path, rewrite_at);
}

Journal::~Journal()
{
    if (file_ < 0) return;
    std::error_code ignored;
    fs::remove(path_, ignored);  // an orderly end: what was not saved was left on purpose
    ::close(file_);
}

Journal::Journal(Journal&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      rewrite_at_(other.rewrite_at_),
      limit_(other.limit_),
      size_(other.size_),
      torn_(other.torn_),
      head_(std::move(other.head_)),
      last_(std::move(other.last_))
{
}

Status Journal::begin(const fs::path& scene, const std::string& folder, bool read_only, const Json& content)
{
    head_ = {{"yawara_journal", 1},
             {"scene", scene.string()},
             {"folder", folder},
             {"read_only", read_only},
             {"content", content}};
    last_ = content;
    return write_anew(head_.dump() + "\n");
}

Status Journal::record(const Json& content)
{
    const bool anew = torn_ || size_ > limit_;
    const Status written =
        anew ? write_anew(head_.dump() + "\n" + json_difference(head_["content"], content).dump() + "\n")
             : append(json_difference(last_, content).dump() + "\n");
    if (written) last_ = content;
    return written;
}

Status Journal::append(const std::string& line)
{
    if (write_all(file_, line)) {
        size_ += line.size();
        return Done{};
    }
    const Error error = cannot_write(path_);
    torn_ = ::ftruncate(file_, static_cast<off_t>(size_)) != 0;  // what follows must not join a broken line
    return error;
}

/// Beside its place first; the file is locked before it is found under its name, so that nobody takes it for abandoned.
Status Journal::write_anew(const std::string& text)
{
    const fs::path beside = path_.parent_path() / ("new-" + path_.filename().string());
    const int file = ::open(beside.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
    if (file < 0) return cannot_write(beside);
    ::flock(file, LOCK_EX | LOCK_NB);
    if (!write_all(file, text) || ::fsync(file) != 0 || ::rename(beside.c_str(), path_.c_str()) != 0) {
        const Error error = cannot_write(beside);
        ::unlink(beside.c_str());
        ::close(file);
        torn_ = true;  // also if a whole document could not take the place of the one before
        return error;
    }
    sync_folder(path_.parent_path());
    ::close(std::exchange(file_, file));
    size_ = text.size();
    limit_ = std::max(rewrite_at_, 2 * size_);  // a long edit is not written anew for every short one behind it
    torn_ = false;
    return Done{};
}

std::optional<LostWork> Journal::find_lost(const fs::path& folder)
{
    std::optional<LostWork> newest;
    fs::file_time_type newest_time{};
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        const bool beside = name.starts_with(kBesidePrefix);
        if (!entry.is_regular_file(error) || !(beside || name.starts_with(kPrefix)) ||
            entry.file_size(error) > kLargestJournal)
            continue;
        const int file = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        const bool abandoned = ::flock(file, LOCK_SH | LOCK_NB) == 0;
        struct stat about {};
        ::fstat(file, &about);
        ::close(file);
        if (!abandoned) continue;
        auto lost = beside ? std::nullopt : read_journal(entry.path());
        if (!lost || lost->edits == 0 || lost->content == lost->start) {
            fs::remove(entry.path(), error);
            continue;
        }
        const auto time = entry.last_write_time(error);
        if (newest && time < newest_time) continue;
        lost->when = in_words(about.st_mtime);
        newest = std::move(lost);
        newest_time = time;
    }
    return newest;
}

}  // namespace yawara::stream
