// Appends with one write() a line: what the kernel has taken survives the end of the program, however it comes.
#include "stream/journal.h"

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

constexpr std::uint64_t kRewriteAt = 8u << 20;  // bytes: a long day of sliders is put together
constexpr std::uintmax_t kLargestJournal = 256u << 20;

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

Result<Journal> Journal::open(const fs::path& folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    const fs::path path = folder / fmt::format("edits-{}-{}.jsonl", ::getpid(),
                                               std::chrono::system_clock::now().time_since_epoch().count());
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0600);
    if (file < 0) return Error{path.string(), std::string("cannot be written: ") + std::strerror(errno)};
    ::flock(file, LOCK_EX | LOCK_NB);
    return Journal(file, path);
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
      last_(std::move(other.last_)),
      size_(other.size_),
      head_(std::move(other.head_))
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
    if (::ftruncate(file_, 0) != 0) return Error{path_.string(), std::strerror(errno)};
    size_ = 0;
    return write_line(head_);
}

Status Journal::record(const Json& content)
{
    if (size_ > kRewriteAt) {
        const Json start = head_["content"];
        if (::ftruncate(file_, 0) != 0) return Error{path_.string(), std::strerror(errno)};
        size_ = 0;
        if (Status written = write_line(head_); !written) return written;
        last_ = start;
    }
    const Json patch = Json::diff(last_, content);
    last_ = content;
    return write_line(patch);
}

Status Journal::write_line(const Json& line)
{
    const std::string text = line.dump() + "\n";
    if (::write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        return Error{path_.string(), std::string("cannot be written: ") + std::strerror(errno)};
    size_ += text.size();
    return Done{};
}

std::optional<LostWork> Journal::find_lost(const fs::path& folder)
{
    std::optional<LostWork> newest;
    fs::file_time_type newest_time{};
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (!entry.is_regular_file(error) || !entry.path().filename().string().starts_with("edits-") ||
            entry.file_size(error) > kLargestJournal)
            continue;
        const int file = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        const bool abandoned = ::flock(file, LOCK_SH | LOCK_NB) == 0;
        struct stat about {};
        ::fstat(file, &about);
        ::close(file);
        if (!abandoned) continue;
        auto lost = read_journal(entry.path());
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
