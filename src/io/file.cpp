// Whole files in and out; see file.h.
#include "io/file.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>

#include "yawara/replace_file.h"

namespace yawara::io {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path)
{
    std::error_code trouble;
    const fs::file_status status = fs::status(path, trouble);
    if (!fs::exists(status)) return Error{path.string(), "no such file"};
    if (!fs::is_regular_file(status)) return Error{path.string(), "not a regular file"};
    const std::uintmax_t size = fs::file_size(path, trouble);
    if (trouble) return Error{path.string(), "cannot be read: " + trouble.message()};
    if (size > kLargestFile) {
        return Error{path.string(), "has " + std::to_string(size) + " bytes; at most " + std::to_string(kLargestFile) +
                                        " (4 GB) are read"};
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) return Error{path.string(), "cannot be opened for reading"};
    std::string content(static_cast<std::size_t>(size), '\0');
    if (std::fread(content.data(), 1, content.size(), file.get()) != content.size()) {
        return Error{path.string(), "could not be read to its end"};
    }
    return content;
}

std::string read_start(const fs::path& path, std::size_t bytes)
{
    std::error_code trouble;
    if (!fs::is_regular_file(path, trouble)) return {};
    std::ifstream file(path, std::ios::binary);
    std::string content(bytes, '\0');
    file.read(content.data(), static_cast<std::streamsize>(bytes));
    content.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return content;
}

Status write_file(const fs::path& path, std::string_view content)
{
    return replace_file(path, content);
}

std::optional<fs::path> file_beside(const fs::path& file, std::string_view name)
{
    std::error_code trouble;
    const fs::path folder = fs::canonical(fs::absolute(file).parent_path(), trouble);
    if (trouble) return std::nullopt;
    const fs::path target = fs::canonical(folder / fs::path(name), trouble);
    if (trouble || !fs::is_regular_file(target, trouble)) return std::nullopt;
    const fs::path inside = target.lexically_relative(folder);
    if (inside.empty() || *inside.begin() == "..") return std::nullopt;
    return target;
}

std::string lower(std::string_view text)
{
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

std::string lower_ending(const fs::path& path)
{
    return lower(path.extension().string());
}

/// Bytes of the printable letter of UTF-8 at the start of a text; 0 if there is none.
static std::size_t letter_bytes(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
    if (byte(0) >= 0x20 && byte(0) < 0x7f) return 1;
    const std::size_t bytes = byte(0) >= 0xc2 && byte(0) < 0xe0   ? 2
                              : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                              : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                                  : 0;
    for (std::size_t i = 1; i < bytes; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    return bytes == 2 && byte(0) == 0xc2 && byte(1) < 0xa0 ? 0 : bytes;  // further control characters
}

std::string in_quotes(std::string_view found)
{
    constexpr std::size_t kMostShown = 40;
    std::string text = "\"";
    for (std::size_t i = 0; i < std::min(found.size(), kMostShown);) {
        const std::size_t bytes = letter_bytes(found.substr(i));
        text += bytes > 0 ? found.substr(i, bytes) : "?";
        i += std::max<std::size_t>(bytes, 1);
    }
    if (found.size() > kMostShown) text += "...";
    return text + '"';
}

}  // namespace yawara::io
