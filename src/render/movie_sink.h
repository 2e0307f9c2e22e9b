// Where the frames of a clip go: one implementation per kind of file. MovieWriter checks the frames before they get
// here.
#pragma once

#include <memory>

#include "yawara/render.h"

namespace yawara::drawing {

class MovieSink {
public:
    virtual ~MovieSink() = default;
    virtual Status add(const Image& image) = 0;
    /// Called once, after at least one frame.
    virtual Status finish() = 0;
};

using SinkResult = Result<std::unique_ptr<MovieSink>>;

SinkResult open_webp(const std::filesystem::path& path, double frames_per_second);
/// `ending` is .mp4 or .gif.
SinkResult open_ffmpeg(const std::filesystem::path& path, std::string_view ending, double frames_per_second);
/// A file name with one %d or %04d for the number of the frame, counted from 0.
SinkResult open_png_series(const std::filesystem::path& pattern);

}  // namespace yawara::drawing
