// Files that are written piece by piece: see yawara/out_file.h.
#include "yawara/out_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include "io/file.h"

namespace yawara {
namespace {

constexpr std::size_t kLongestName = 100;  // bytes; leaves room for endings in the usual 255

std::string reason(int error_number)
{
    return std::generic_category().message(error_number);
}

std::string clean(std::string_view name)
{
    std::string cleaned;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        const bool bad =
            byte < 0x20 || byte == 0x7f || std::string_view("/\\:*?\"<>|%").find(c) != std::string_view::npos;
        cleaned += bad ? '_' : c;
    }
    if (cleaned.size() > kLongestName) {
        std::size_t end = kLongestName;
        while (end > 0 && (static_cast<unsigned char>(cleaned[end]) & 0xc0) == 0x80) --end;  // whole UTF-8 letters
        cleaned.resize(end);
    }
    while (!cleaned.empty() && (cleaned.back() == ' ' || cleaned.back() == '.')) cleaned.pop_back();
    if (cleaned.empty()) return "body";
    if (cleaned.front() == '.' || cleaned.front() == ' ') cleaned.front() = '_';
    return cleaned;
}

}  // namespace

Result<OutFile> OutFile::create(const std::filesystem::path& path)
{
    std::FILE* file = std::fopen(path.c_str(), "w+b");
    if (file == nullptr) return Error{path.string(), "cannot be written: " + reason(errno)};
    return OutFile(file, path);
}

Result<OutFile> OutFile::create_scratch(const std::filesystem::path& path)
{
    std::string name = path.string() + ".XXXXXX";
    const int handle = mkstemp(name.data());
    if (handle < 0) return Error{path.string(), "no temporary file can be made in its folder: " + reason(errno)};
    unlink(name.c_str());
    std::FILE* file = fdopen(handle, "w+b");
    if (file == nullptr) {
        close(handle);
        return Error{path.string(), "its temporary file cannot be used: " + reason(errno)};
    }
    return OutFile(file, path);
}

void OutFile::fail(const char* doing)
{
    if (!error_) error_ = Error{path_.string(), std::string(doing) + ": " + reason(errno)};
}

void OutFile::write(const void* data, std::size_t bytes)
{
    if (error_ || bytes == 0) return;
    errno = 0;
    if (std::fwrite(data, 1, bytes, file_.get()) != bytes) fail("cannot write");
}

void OutFile::seek(std::uint64_t offset)
{
    if (error_) return;
    if (fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0) fail("cannot seek");
}

void OutFile::read_at(std::uint64_t offset, void* data, std::size_t bytes)
{
    if (error_) return;
    seek(offset);
    errno = 0;
    if (std::fread(data, 1, bytes, file_.get()) != bytes) fail("cannot read back");
}

void OutFile::truncate(std::uint64_t bytes)
{
    if (!flush()) return;
    if (ftruncate(fileno(file_.get()), static_cast<off_t>(bytes)) != 0) fail("cannot shorten");
}

Status OutFile::flush()
{
    if (!error_ && std::fflush(file_.get()) != 0) fail("cannot write");
    if (error_) return *error_;
    return Done{};
}

Status make_folder(const std::filesystem::path& folder)
{
    std::error_code problem;
    const auto kind = std::filesystem::status(folder, problem).type();
    if (kind == std::filesystem::file_type::directory) return Done{};
    if (kind != std::filesystem::file_type::not_found) {
        return Error{folder.string(), "is there and is not a folder; a folder is needed for this format"};
    }
    std::filesystem::create_directories(folder, problem);
    if (problem) return Error{folder.string(), "cannot create the folder: " + problem.message()};
    return Done{};
}

std::vector<std::string> clean_file_names(std::span<const std::string> names)
{
    std::vector<std::string> cleaned;
    std::set<std::string> taken;
    for (const std::string& name : names) {
        const std::string base = clean(name);
        std::string choice = base;
        for (int copy = 2; !taken.insert(io::lower(choice)).second; ++copy) choice = base + "_" + std::to_string(copy);
        cleaned.push_back(choice);
    }
    return cleaned;
}

}  // namespace yawara
