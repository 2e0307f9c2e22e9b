// make_clip_writer(): chooses a format and puts the checks that all formats share in front of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "io/clip_formats.h"
#include "io/clip_output.h"
#include "io/file.h"

namespace yawara {
namespace {

struct Format {
    std::string_view name;
    io::NewClipWriter (*make)(const io::ClipTarget&);
    bool folder;         ///< else `out` is one file
    bool needs_surface;  ///< every body must have triangles
};

constexpr std::array kFormats{
    Format{"npy", io::make_npy_clip, true, false}, Format{"ywc", io::make_ywc_clip, false, false},
    Format{"glb", io::make_glb_clip, false, true}, Format{"pc2", io::make_pc2_clip, true, true},
    Format{"mdd", io::make_mdd_clip, true, true},  Format{"obj", io::make_obj_clip, true, true},
    Format{"ply", io::make_ply_clip, true, true},  Format{"vtu", io::make_vtu_clip, true, false},
};

constexpr auto kFormatNames = [] {
    std::array<std::string_view, kFormats.size()> names;
    for (std::size_t f = 0; f < names.size(); ++f) names[f] = kFormats[f].name;
    return names;
}();

/// Lets through only whole, finite frames in the order of time, and nothing after a failure or finish().
class CheckedClip final : public ClipWriter {
public:
    CheckedClip(std::unique_ptr<ClipWriter> writer, ClipInfo info, std::filesystem::path out)
        : writer_(std::move(writer)), info_(std::move(info)), out_(std::move(out))
    {
    }

    Status frame(double time, std::span<const ClipFrame> bodies) override
    {
        if (finished_) return Error{out_.string(), "a frame came after the end of the clip"};
        if (failure_) return *failure_;
        if (!std::isfinite(time) || time < 0.0 || (frames_ > 0 && time <= last_time_)) {
            return Error{fmt::format("{} frame {}", out_.string(), frames_),
                         fmt::format("its time {} s does not follow {} s", time, frames_ > 0 ? last_time_ : 0.0)};
        }
        if (Status status = io::check_frame(info_, bodies); !status) {
            return Error{fmt::format("{} frame {} {}", out_.string(), frames_, status.error().where),
                         status.error().what};
        }
        Status status = io::guarded<Done>(out_, [&] { return writer_->frame(time, bodies); });
        if (!status) {
            failure_ = status.error();
            return status;
        }
        last_time_ = time;
        ++frames_;
        return Done{};
    }

    Status finish() override
    {
        if (!finished_) finished_ = io::guarded<Done>(out_, [&] { return writer_->finish(); });
        if (failure_) return *failure_;
        return *finished_;
    }

    std::vector<std::string> notes() const override { return writer_->notes(); }

private:
    std::unique_ptr<ClipWriter> writer_;
    ClipInfo info_;
    std::filesystem::path out_;
    std::size_t frames_ = 0;
    double last_time_ = 0.0;
    std::optional<Error> failure_;
    std::optional<Status> finished_;
};

}  // namespace

std::span<const std::string_view> clip_formats()
{
    return kFormatNames;
}

Result<std::unique_ptr<ClipWriter>> make_clip_writer(std::string_view format, const std::filesystem::path& out,
                                                     const ClipInfo& info)
{
    const auto chosen = std::ranges::find(kFormats, format, &Format::name);
    if (chosen == kFormats.end()) {
        return Error{"format",
                     fmt::format("\"{}\" is not a clip format; known are {}", format, fmt::join(kFormatNames, ", "))};
    }
    if (out.empty()) return Error{"out", "the name of the output is empty"};
    if (Status status = io::check_clip(info); !status) return status.error();

    std::vector<std::string> names;
    for (const ClipBody& body : info.bodies) {
        if (chosen->needs_surface && body.surface.triangles.empty()) {
            return Error{fmt::format("body \"{}\"", body.name), fmt::format("has no surface, which {} needs", format)};
        }
        names.push_back(body.name);
    }
    if (Status ready = chosen->folder ? io::make_folder(out) : io::check_writable_file(out); !ready)
        return ready.error();

    auto writer = io::guarded<std::unique_ptr<ClipWriter>>(out, [&] {
        return chosen->make({out, info, io::clean_file_names(names)});
    });
    if (!writer) return writer;
    return std::unique_ptr<ClipWriter>(std::make_unique<CheckedClip>(std::move(*writer), info, out));
}

}  // namespace yawara
