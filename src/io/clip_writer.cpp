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
    bool folder;                     ///< else `out` is one file
    bool needs_surface;              ///< every body must have triangles
    bool whole_at_end_only = false;  ///< nothing can be done with what is there before
};

constexpr std::array kFormats{
    Format{"npy", io::make_npy_clip, true, false},       Format{"ywc", io::make_ywc_clip, false, false},
    Format{"glb", io::make_glb_clip, false, true, true}, Format{"pc2", io::make_pc2_clip, true, true},
    Format{"mdd", io::make_mdd_clip, true, true},        Format{"obj", io::make_obj_clip, true, true},
    Format{"ply", io::make_ply_clip, true, true},        Format{"vtu", io::make_vtu_clip, true, false},
};

constexpr auto kFormatNames = [] {
    std::array<std::string_view, kFormats.size()> names;
    for (std::size_t f = 0; f < names.size(); ++f) names[f] = kFormats[f].name;
    return names;
}();

/// Lets through only whole, finite frames in the order of time, and nothing after a failure or finish(). An older clip
/// is replaced at the end.
class CheckedClip final : public ClipWriter {
public:
    CheckedClip(std::unique_ptr<ClipWriter> writer, ClipInfo info, std::filesystem::path out,
                io::UnfinishedClip unfinished, bool whole_at_end_only)
        : unfinished_(std::move(unfinished)),
          writer_(std::move(writer)),
          info_(std::move(info)),
          out_(std::move(out)),
          whole_at_end_only_(whole_at_end_only)
    {
    }
    ~CheckedClip() override
    {
        writer_.reset();
        if (!(finished_ && *finished_) && !worth_keeping()) unfinished_.remove();
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
            failure_ = with_remains(status.error());
            return *failure_;
        }
        last_time_ = time;
        ++frames_;
        return Done{};
    }

    Status finish() override
    {
        if (failure_) return *failure_;
        if (finished_) return *finished_;
        finished_ = io::guarded<Done>(out_, [&]() -> Status {
            if (Status status = writer_->finish(); !status) return status;
            return unfinished_.put_in_place();
        });
        if (!*finished_) finished_ = with_remains(finished_->error());
        return *finished_;
    }

    std::vector<std::string> notes() const override
    {
        std::vector<std::string> notes = writer_->notes();
        for (std::string& note : notes) note = unfinished_.with_final_names(std::move(note));
        return notes;
    }

private:
    bool worth_keeping() const { return frames_ > 0 && !whole_at_end_only_; }

    Error with_remains(Error error) const
    {
        if (worth_keeping() && unfinished_.path() != out_)
            error.what += fmt::format("; the {} frames before are in {}", frames_, unfinished_.path().string());
        return error;
    }

    io::UnfinishedClip unfinished_;
    std::unique_ptr<ClipWriter> writer_;
    ClipInfo info_;
    std::filesystem::path out_;
    bool whole_at_end_only_;
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
    auto unfinished = chosen->folder ? io::UnfinishedClip::for_folder(out, format) : io::UnfinishedClip::for_file(out);
    if (!unfinished) return unfinished.error();

    auto writer = io::guarded<std::unique_ptr<ClipWriter>>(out, [&] {
        return chosen->make({unfinished->path(), info, io::clean_file_names(names)});
    });
    if (!writer) {
        unfinished->remove();
        return writer;
    }
    return std::unique_ptr<ClipWriter>(std::make_unique<CheckedClip>(
        std::move(*writer), info, out, *std::move(unfinished), chosen->whole_at_end_only));
}

}  // namespace yawara
