// Lines `begin RUN CHECK`, `leave RUN CHECK` and `end RUN SECONDS ROW CHECK`, separated by tabs; the check is a
// fingerprint of what stands before it.
#include "sweep/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "io/file.h"
#include "sweep/fingerprint.h"
#include "sweep/folder_lock.h"
#include "yawara/out_file.h"

namespace yawara::sweep {

namespace fs = std::filesystem;

namespace {

std::string checked(const std::string& line)
{
    return fmt::format("{}\t{:016x}\n", line, fingerprint_of(line));
}

std::vector<std::string_view> fields(std::string_view line)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t tab = line.find('\t');
        parts.push_back(line.substr(0, tab));
        if (tab == std::string_view::npos) return parts;
        line.remove_prefix(tab + 1);
    }
}

template <class Number>
bool read_number(std::string_view text, Number& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

void read_line(std::string_view line, JournalContent& content)
{
    const std::size_t last = line.rfind('\t');
    if (last == std::string_view::npos ||
        line.substr(last + 1) != fmt::format("{:016x}", fingerprint_of(line.substr(0, last))))
        return;
    const auto parts = fields(line.substr(0, last));
    std::size_t run = 0;
    if (parts.size() < 2 || !read_number(parts[1], run)) return;
    if (parts[0] == "begin") ++content.begun[run];
    if (parts[0] == "leave") --content.begun[run];
    double seconds = 0;
    if (parts[0] == "end" && parts.size() == 4 && read_number(parts[2], seconds))
        content.done.try_emplace(run, DoneRun{std::string(parts[3]), seconds});
}

}  // namespace

Result<Journal> Journal::create(const fs::path& folder)
{
    const fs::path journals = folder / "journal";
    if (Status made = make_folder(journals); !made) return made.error();
    const Holder self = Holder::self();
    for (int k = 0;; ++k) {
        const fs::path path = journals / fmt::format("{}-{}-{}-{}.txt", self.host, self.pid, self.began, k);
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
        if (file >= 0) return Journal(file, path);
        if (errno != EEXIST)
            return Error{path.string(), "cannot be written: " + std::generic_category().message(errno)};
    }
}

Journal::Journal(Journal&& other) noexcept : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

Journal::~Journal()
{
    if (file_ >= 0) ::close(file_);
}

Status Journal::append(const std::string& line)
{
    const std::lock_guard lock(mutex_);
    const ssize_t written = ::write(file_, line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size())) return Done{};
    const int reason = written < 0 ? errno : ENOSPC;
    if (written > 0) (void)!::write(file_, "\n", 1);  // what is cut off is a line of its own
    return Error{path_.string(), "cannot be written: " + std::generic_category().message(reason)};
}

Status Journal::begin(std::size_t run)
{
    return append(checked(fmt::format("begin\t{}", run)));
}

Status Journal::leave(std::size_t run)
{
    return append(checked(fmt::format("leave\t{}", run)));
}

Status Journal::end(std::size_t run, const DoneRun& done)
{
    return append(checked(fmt::format("end\t{}\t{}\t{}", run, done.seconds, done.row)));
}

Result<JournalContent> Journal::read_all(const fs::path& folder)
{
    JournalContent content;
    std::error_code error;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder / "journal", error)) files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        const auto text = io::read_file(file);
        if (!text) return text.error();
        std::string_view rest = *text;
        while (!rest.empty()) {
            const std::size_t end = rest.find('\n');
            read_line(rest.substr(0, end), content);
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        }
    }
    for (const auto& [run, done] : content.done) content.begun.erase(run);
    return content;
}

}  // namespace yawara::sweep
