// MovieWriter: chooses the kind of file, and checks that frames are whole and alike.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "render/movie_sink.h"

namespace yawara {

using namespace drawing;

namespace {

constexpr double kMostFrames = 1000;  // per second

std::string lower_ending(const std::filesystem::path& path)
{
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
    return ending;
}

SinkResult open_sink(const std::filesystem::path& path, double frames_per_second)
{
    const std::string ending = lower_ending(path);
    if (ending == ".webp") return open_webp(path, frames_per_second);
    if (ending == ".mp4" || ending == ".gif") return open_ffmpeg(path, ending, frames_per_second);
    if (ending == ".png") return open_png_series(path);
    std::error_code ignored;
    if (!path.has_extension() || std::filesystem::is_directory(path, ignored))
        return open_png_series(path / "%04d.png");
    return Error{path.string(), fmt::format("\"{}\" is not a kind of clip; expected .webp, .mp4, .gif, a folder, and a "
                                            "pattern such as frames/%04d.png",
                                            ending)};
}

}  // namespace

struct MovieWriter::Data {
    std::string name;
    std::unique_ptr<MovieSink> sink;
    int width = 0, height = 0;
    std::size_t frames = 0;
    bool finished = false;
};

Result<MovieWriter> MovieWriter::open(const std::filesystem::path& path, double frames_per_second)
{
    if (path.empty()) return Error{"movie", "has no file name"};
    if (!(frames_per_second > 0 && frames_per_second <= kMostFrames))
        return Error{path.string(), fmt::format("{} frames per second; expected more than 0 and at most {}",
                                                frames_per_second, kMostFrames)};
    if (const auto folder = path.parent_path(); !folder.empty()) {
        std::error_code failure;
        std::filesystem::create_directories(folder, failure);
        if (failure) return Error{folder.string(), "cannot create this folder: " + failure.message()};
    }
    auto sink = open_sink(path, frames_per_second);
    if (!sink) return sink.error();
    auto data = std::make_unique<Data>();
    data->name = path.string();
    data->sink = *std::move(sink);
    return MovieWriter(std::move(data));
}

MovieWriter::MovieWriter(std::unique_ptr<Data> data) : data_(std::move(data)) {}
MovieWriter::MovieWriter(MovieWriter&&) noexcept = default;

MovieWriter& MovieWriter::operator=(MovieWriter&&) noexcept = default;
MovieWriter::~MovieWriter() = default;

Status MovieWriter::add(const Image& image)
{
    if (data_->finished) return Error{data_->name, "is finished; no frame can follow"};
    if (image.width < 1 || image.height < 1 || image.rgba.size() != std::size_t{4} * image.width * image.height)
        return Error{data_->name, fmt::format("frame {} is not a picture: {} x {} with {} bytes", data_->frames,
                                              image.width, image.height, image.rgba.size())};
    if (data_->frames == 0) {
        data_->width = image.width;
        data_->height = image.height;
    } else if (image.width != data_->width || image.height != data_->height) {
        return Error{data_->name, fmt::format("frame {} is {} x {}; those before are {} x {}", data_->frames,
                                              image.width, image.height, data_->width, data_->height)};
    }
    if (const Status good = data_->sink->add(image); !good) return good;
    ++data_->frames;
    return Done{};
}

Status MovieWriter::finish()
{
    if (data_->finished) return Done{};
    data_->finished = true;
    if (data_->frames == 0) return Error{data_->name, "has no frames"};
    return data_->sink->finish();
}

}  // namespace yawara
