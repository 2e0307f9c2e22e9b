// In memory on the side of the .zip; sizes are checked against what really comes out, not against what a header says.
#include "io/zip.h"

#include <zip.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace yawara::io {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kSmall = std::uint64_t{64} << 20;  // bytes: this much may come out of any .zip

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

/// Takes files out of an archive, one after the other, and those of a failed try away again.
class Unpacking {
public:
    Unpacking(zip_t* archive, fs::path folder, std::uint64_t most_bytes, const Progress& progress)
        : archive_(archive), folder_(std::move(folder)), most_bytes_(most_bytes), progress_(progress)
    {
        for (zip_int64_t k = 0; k < zip_get_num_entries(archive, 0); ++k) {
            zip_stat_t about;
            if (zip_stat_index(archive, zip_uint64_t(k), 0, &about) == 0) declared_ += double(about.size);
        }
    }
    ~Unpacking()
    {
        std::error_code ignored;
        if (!finished_)
            for (const fs::path& file : written_) fs::remove(file, ignored);
    }
    Unpacking(const Unpacking&) = delete;
    Unpacking& operator=(const Unpacking&) = delete;

    Status take(zip_uint64_t index, const std::string& name)
    {
        const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(zip_fopen_index(archive_, index, 0), &zip_fclose);
        if (!file) return failed("a file in it cannot be opened");
        std::error_code ignored;
        fs::create_directories((folder_ / name).parent_path(), ignored);
        std::ofstream out(folder_ / name, std::ios::binary);
        written_.push_back(folder_ / name);
        std::vector<char> buffer(1 << 18);
        for (;;) {
            const zip_int64_t got = zip_fread(file.get(), buffer.data(), buffer.size());
            if (got < 0) return failed("a file in it is damaged");
            if (got == 0) break;
            bytes_ += std::uint64_t(got);
            if (bytes_ > most_bytes_) return failed("its files are too large");
            out.write(buffer.data(), got);
            if (progress_ && !progress_("unpacking", std::min(1.0, double(bytes_) / std::max(1.0, declared_))))
                return failed("cancelled");
        }
        out.close();
        if (!out) return Error{name, "cannot be written"};
        return Done{};
    }
    void finish() { finished_ = true; }

private:
    zip_t* archive_;
    fs::path folder_;
    std::uint64_t most_bytes_, bytes_ = 0;
    double declared_ = 0;  ///< bytes that headers promise: good enough for progress
    const Progress& progress_;
    std::vector<fs::path> written_;
    bool finished_ = false;
};

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

Status unzip(const std::string& bytes, const fs::path& folder, const UnzipLimits& limits, const Progress& progress)
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
    if (std::uint64_t(count) > limits.files)
        return Error{"zip", fmt::format("has {} files; the limit is {}", count, limits.files)};
    const std::uint64_t most = std::min(limits.bytes, std::max(kSmall, limits.ratio * bytes.size()));
    Unpacking unpacking(archive.get(), folder, most, progress);
    for (zip_int64_t k = 0; k < count; ++k) {
        const auto index = static_cast<zip_uint64_t>(k);
        const char* name = zip_get_name(archive.get(), index, 0);
        if (!name || !is_safe(name)) return failed("a file in it has an unsafe name");
        if (std::string_view(name).ends_with('/')) continue;
        if (Status taken = unpacking.take(index, name); !taken) return taken;
    }
    unpacking.finish();
    return Done{};
}

}  // namespace yawara::io
