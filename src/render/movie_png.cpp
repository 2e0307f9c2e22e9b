// A clip as numbered PNG files.
#include <fmt/format.h>

#include "render/movie_sink.h"
#include "yawara/replace_file.h"

namespace yawara::drawing {
namespace {

constexpr int kMostDigits = 12;

class PngSeries : public MovieSink {
public:
    PngSeries(UnfinishedFolder files, std::string before, int digits, std::string after)
        : files_(std::move(files)), before_(std::move(before)), digits_(digits), after_(std::move(after))
    {
    }
    Status add(const Image& image) override
    {
        return save_png(files_.path() / fmt::format("{}{:0{}}{}", before_, next_++, digits_, after_), image);
    }
    Status finish() override { return files_.put_in_place(); }

private:
    UnfinishedFolder files_;
    std::string before_;
    int digits_;
    std::string after_;
    int next_ = 0;
};

}  // namespace

SinkResult open_png_series(const std::filesystem::path& pattern)
{
    const auto bad = [&](std::string_view why) {
        return Error{pattern.string(), fmt::format("{}; expected one %d or %04d for the frame's number, as in "
                                                   "frames/%04d.png",
                                                   why)};
    };
    // The pattern is read here and never given to printf: it comes from outside.
    const std::string name = pattern.filename().string();
    const std::size_t percent = name.find('%');
    if (percent == std::string::npos) return bad("a series of pictures needs a number in its name");
    std::size_t end = percent + 1;
    int digits = 0;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9' && digits <= kMostDigits)
        digits = 10 * digits + (name[end++] - '0');
    if (end >= name.size() || name[end] != 'd' || digits > kMostDigits)
        return bad("the % is not followed by d or by digits and d");
    if (name.find('%', end) != std::string::npos) return bad("there is a second %");

    std::error_code failure;
    if (const auto folder = pattern.parent_path(); !folder.empty()) {
        std::filesystem::create_directories(folder, failure);
        if (failure) return Error{folder.string(), "cannot create this folder: " + failure.message()};
    }
    auto files = UnfinishedFolder::create(pattern.has_parent_path() ? pattern.parent_path() : ".", "png");
    if (!files) return files.error();
    return std::unique_ptr<MovieSink>(
        std::make_unique<PngSeries>(*std::move(files), name.substr(0, percent), digits, name.substr(end + 1)));
}

}  // namespace yawara::drawing
