// In memory on the side of the .zip; sizes are checked against what really comes out, not against what a header says.
#include "stream/zip.h"

#include <zip.h>

#include <memory>

#include <fmt/format.h>

#include "io/file.h"

namespace yawara::stream {

namespace fs = std::filesystem;

namespace {

constexpr zip_int64_t kMostFiles = 1000;

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;

Error failed(const char* what)
{
    return {"zip", what};
}

/// A name that stays inside: "a/b.obj", never "/a", "../a" or "a/../../b".
bool is_safe(std::string_view name)
{
    if (name.empty() || name.size() > 200 || name.find('\\') != std::string_view::npos) return false;
    const fs::path path(name);
    if (path.is_absolute()) return false;
    for (const fs::path& part : path)
        if (part == ".." || part == ".") return false;
    for (const char c : name)
        if (static_cast<unsigned char>(c) < 0x20) return false;
    return true;
}

Result<std::string> read_entry(zip_t* archive, zip_uint64_t index, std::uint64_t most)
{
    const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(zip_fopen_index(archive, index, 0), &zip_fclose);
    if (!file) return failed("a file in it cannot be opened");
    std::string content;
    char buffer[1 << 16];
    for (;;) {
        const zip_int64_t got = zip_fread(file.get(), buffer, sizeof buffer);
        if (got < 0) return failed("a file in it is damaged");
        if (got == 0) return content;
        content.append(buffer, static_cast<std::size_t>(got));
        if (content.size() > most) return failed("its files are too large");
    }
}

}  // namespace

Result<std::string> zip(const std::map<std::string, std::string>& files)
{
    zip_error_t error;
    zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
    if (!target) return failed("not enough memory");
    zip_source_keep(target);
    const std::unique_ptr<zip_source_t, decltype(&zip_source_free)> keep(target, &zip_source_free);
    Archive archive(zip_open_from_source(target, ZIP_TRUNCATE, &error), &zip_discard);
    if (!archive) {
        zip_source_free(target);
        return failed("cannot be made");
    }
    for (const auto& [name, content] : files) {
        zip_source_t* source = zip_source_buffer(archive.get(), content.data(), content.size(), 0);
        if (!source || zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8) < 0) {
            if (source) zip_source_free(source);
            return failed("a file cannot be added");
        }
    }
    if (zip_close(archive.release()) != 0) return failed("cannot be written");
    if (zip_source_open(target) != 0) return failed("cannot be read back");
    zip_stat_t about;
    zip_source_stat(target, &about);
    std::string bytes(about.size, '\0');
    const zip_int64_t got = zip_source_read(target, bytes.data(), bytes.size());
    zip_source_close(target);
    if (got != static_cast<zip_int64_t>(bytes.size())) return failed("cannot be read back");
    return bytes;
}

Status unzip(const std::string& bytes, const fs::path& folder, std::uint64_t most_bytes)
{
    zip_error_t error;
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    if (!source) return failed("not enough memory");
    const Archive archive(zip_open_from_source(source, ZIP_RDONLY, &error), &zip_discard);
    if (!archive) {
        zip_source_free(source);
        return failed("is not a .zip");
    }
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    if (count > kMostFiles) return Error{"zip", fmt::format("has {} files; at most {} are taken", count, kMostFiles)};
    for (zip_int64_t k = 0; k < count; ++k) {
        const auto index = static_cast<zip_uint64_t>(k);
        const char* name = zip_get_name(archive.get(), index, 0);
        if (!name || !is_safe(name)) return failed("a file in it has a name that leads elsewhere");
        if (std::string_view(name).ends_with('/')) continue;
        auto content = read_entry(archive.get(), index, most_bytes);
        if (!content) return content.error();
        most_bytes -= content->size();
        std::error_code ignored;
        fs::create_directories((folder / name).parent_path(), ignored);
        if (Status written = io::write_file(folder / name, *content); !written) return written;
    }
    return Done{};
}

}  // namespace yawara::stream
