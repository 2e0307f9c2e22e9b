// A clip as animated WebP that plays for ever. The file is written at the end; until then frames wait in memory,
// packed.
#include <fmt/format.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <cmath>

#include "render/movie_sink.h"
#include "yawara/replace_file.h"

namespace yawara::drawing {
namespace {

constexpr float kQuality = 82;  // of 100; smooth shadows show no blocks
constexpr int kEffort = 3;      // of 6; more takes twice as long for a few percent

class WebpMovie : public MovieSink {
public:
    WebpMovie(std::filesystem::path path, double frames_per_second)
        : path_(std::move(path)), name_(path_.string()), frames_per_second_(frames_per_second)
    {
    }
    ~WebpMovie() override { WebPAnimEncoderDelete(encoder_); }

    Status add(const Image& image) override
    {
        if (image.width > WEBP_MAX_DIMENSION || image.height > WEBP_MAX_DIMENSION)
            return Error{name_, fmt::format("{} x {} pixels; WebP holds at most {}", image.width, image.height,
                                            WEBP_MAX_DIMENSION)};
        if (!encoder_) {
            WebPAnimEncoderOptions options;
            if (!WebPAnimEncoderOptionsInit(&options)) return Error{name_, "the WebP library has another version"};
            options.anim_params.loop_count = 0;
            options.kmin = 0,
            options.kmax = 1;  // whole frames: of those that only tell what changed, faint trails stay
            encoder_ = WebPAnimEncoderNew(image.width, image.height, &options);
            if (!encoder_) return Error{name_, "the WebP encoder does not start"};
        }
        WebPConfig config;
        WebPPicture picture;
        if (!WebPConfigPreset(&config, WEBP_PRESET_DRAWING, kQuality) || !WebPPictureInit(&picture))
            return Error{name_, "the WebP library has another version"};
        config.method = kEffort;
        config.thread_level = 1;
        picture.use_argb = 1;
        picture.width = image.width;
        picture.height = image.height;
        const bool good = WebPPictureImportRGBA(&picture, image.rgba.data(), 4 * image.width) &&
                          WebPAnimEncoderAdd(encoder_, &picture, time_of(frames_), &config);
        WebPPictureFree(&picture);
        if (!good) return Error{name_, fmt::format("frame {}: {}", frames_, WebPAnimEncoderGetError(encoder_))};
        ++frames_;
        return Done{};
    }

    Status finish() override
    {
        WebPData packed;
        WebPDataInit(&packed);
        if (!WebPAnimEncoderAdd(encoder_, nullptr, time_of(frames_), nullptr) ||
            !WebPAnimEncoderAssemble(encoder_, &packed))
            return Error{name_, WebPAnimEncoderGetError(encoder_)};
        Status written = replace_file(path_, {reinterpret_cast<const char*>(packed.bytes), packed.size});
        WebPDataClear(&packed);
        return written;
    }

private:
    /// Milliseconds; every frame lasts at least one.
    int time_of(int frame) const
    {
        return static_cast<int>(std::llround(std::min(frame * 1000.0 / frames_per_second_, 2e9)));
    }

    std::filesystem::path path_;
    std::string name_;
    double frames_per_second_;
    WebPAnimEncoder* encoder_ = nullptr;
    int frames_ = 0;
};

}  // namespace

SinkResult open_webp(const std::filesystem::path& path, double frames_per_second)
{
    if (Status possible = check_replaceable(path); !possible) return possible.error();
    return std::unique_ptr<MovieSink>(std::make_unique<WebpMovie>(path, frames_per_second));
}

}  // namespace yawara::drawing
