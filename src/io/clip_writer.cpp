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
    bool surface_only;               ///< keeps nothing of a body but its surface, which must have triangles
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

bool same_surface(const TriMesh& a, const TriMesh& b)
{
    return a.vertices == b.vertices && a.triangles == b.triangles && a.corner_uvs == b.corner_uvs &&
           a.colors == b.colors;
}
bool same_solid(const TetMesh& a, const TetMesh& b)
{
    return a.vertices == b.vertices && a.tets == b.tets && a.materials == b.materials;
}

/// Lets through only whole, finite frames in the order of time, changes that are some in this format, and nothing after
/// a failure or finish(). An older clip is replaced at the end.
class CheckedClip final : public ClipWriter {
public:
    CheckedClip(std::unique_ptr<ClipWriter> writer, const Format& format, std::vector<ClipBody> bodies,
                std::filesystem::path out, io::UnfinishedClip unfinished)
        : unfinished_(std::move(unfinished)),
          writer_(std::move(writer)),
          format_(format),
          bodies_(std::move(bodies)),
          out_(std::move(out))
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
        if (ended_) return *ended_;
        if (!std::isfinite(time) || time < 0.0 || (frames_ > 0 && time <= last_time_)) {
            return Error{place(),
                         fmt::format("its time {} s does not follow {} s", time, frames_ > 0 ? last_time_ : 0.0)};
        }
        if (bodies.size() != bodies_.size()) {
            return Error{place(), fmt::format("has {} bodies, expected {}", bodies.size(), bodies_.size())};
        }
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            if (Status status = io::check_frame(bodies_[b], bodies[b]); !status) {
                return Error{place() + " " + status.error().where, status.error().what};
            }
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

    Status change(std::size_t body, const ClipBody& now) override
    {
        if (finished_) return Error{out_.string(), "a change came after the end of the clip"};
        if (failure_) return *failure_;
        if (ended_) return *ended_;
        if (body >= bodies_.size()) {
            return Error{place(), fmt::format("body {} changes, but there are {}", body, bodies_.size())};
        }
        ClipBody& before = bodies_[body];
        if (Status status = io::check_change(before, now); !status) {
            return Error{place() + " " + status.error().where, status.error().what};
        }
        const bool same = same_surface(before.surface, now.surface) &&
                          (format_.surface_only || (same_solid(before.solid, now.solid) && before.lines == now.lines));
        if (!same) {
            Status status = format_.surface_only && now.surface.triangles.empty()
                                ? Error{fmt::format("body \"{}\"", now.name), "has no surface from here on"}
                                : io::guarded<Done>(out_, [&] { return writer_->change(body, now); });
            if (!status) {
                ended_ =
                    Error{fmt::format("{} ends before frame {}", out_.string(), frames_), status.error().message()};
                return *ended_;
            }
        }
        before = now;
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
    std::string place() const { return fmt::format("{} frame {}", out_.string(), frames_); }

    bool worth_keeping() const { return frames_ > 0 && !format_.whole_at_end_only; }

    Error with_remains(Error error) const
    {
        if (worth_keeping() && unfinished_.path() != out_)
            error.what += fmt::format("; the {} frames before are in {}", frames_, unfinished_.path().string());
        return error;
    }

    io::UnfinishedClip unfinished_;
    std::unique_ptr<ClipWriter> writer_;
    const Format& format_;
    std::vector<ClipBody> bodies_;  // as they are now
    std::filesystem::path out_;
    std::size_t frames_ = 0;
    double last_time_ = 0.0;
    std::optional<Error> failure_;
    std::optional<Error> ended_;  // by a change that the format cannot keep; what was written is good
    std::optional<Status> finished_;
};

Result<std::unique_ptr<ClipWriter>> make_checked(const Format& format, const std::filesystem::path& out,
                                                 const ClipInfo& info, const ClipOptions& options)
{
    std::vector<std::string> names;
    for (const ClipBody& body : info.bodies) {
        if (format.surface_only && body.surface.triangles.empty()) {
            return Error{fmt::format("body \"{}\"", body.name),
                         fmt::format("has no surface, which {} needs", format.name)};
        }
        names.push_back(body.name);
    }
    auto unfinished =
        format.folder ? io::UnfinishedClip::for_folder(out, format.name) : io::UnfinishedClip::for_file(out);
    if (!unfinished) return unfinished.error();

    auto writer = io::guarded<std::unique_ptr<ClipWriter>>(out, [&] {
        return format.make({unfinished->path(), info, clean_file_names(names), options});
    });
    if (!writer) {
        unfinished->remove();
        return writer;
    }
    return std::unique_ptr<ClipWriter>(
        std::make_unique<CheckedClip>(std::move(*writer), format, info.bodies, out, *std::move(unfinished)));
}

}  // namespace

std::span<const std::string_view> clip_formats()
{
    return kFormatNames;
}

Result<std::unique_ptr<ClipWriter>> make_clip_writer(std::string_view format, const std::filesystem::path& out,
                                                     const ClipInfo& info, const ClipOptions& options)
{
    const auto chosen = std::ranges::find(kFormats, format, &Format::name);
    if (chosen == kFormats.end()) {
        return Error{"format", fmt::format("\"{}\" is not a clip format; expected one of {}", format,
                                           fmt::join(kFormatNames, ", "))};
    }
    if (out.empty()) return Error{"out", "the name of the output is empty"};
    if (!(options.tolerance > 0.0))
        return Error{"tolerance", fmt::format("{} is not larger than 0", options.tolerance)};
    if (Status status = io::check_clip(info); !status) return status.error();

    if (!(options.fps >= 0.0 && std::isfinite(options.fps)))
        return Error{"fps", fmt::format("{} is not a number of frames a second", options.fps)};
    if (options.fps == 0.0) return make_checked(*chosen, out, info, options);

    ClipInfo even = info;
    even.frame_time = 1.0 / options.fps;
    if (info.frames > 1)
        even.frames =
            1 + static_cast<std::size_t>(static_cast<double>(info.frames - 1) * info.frame_time * options.fps);
    auto writer = make_checked(*chosen, out, even, options);
    if (!writer) return writer;
    return io::resample_clip(*std::move(writer), even.frame_time);
}

Status ClipWriters::frame(double time, std::span<const ClipFrame> bodies)
{
    for (Writer& one : writers_) {
        if (!one.goes_on) continue;
        if (Status written = one.writer->frame(time, bodies); !written) return written;
    }
    return Done{};
}

Status ClipWriters::change(std::size_t body, const ClipBody& now)
{
    for (Writer& one : writers_) {
        if (!one.goes_on) continue;
        const Status changed = one.writer->change(body, now);
        one.goes_on = static_cast<bool>(changed);
        if (!changed) ended_.push_back(changed.error());
    }
    return Done{};
}

Status ClipWriters::finish()
{
    Status all = Done{};
    for (Writer& one : writers_) {
        Status finished = one.writer->finish();
        if (all && !finished) all = std::move(finished);
    }
    return all;
}

std::vector<std::string> ClipWriters::notes() const
{
    std::vector<std::string> notes;
    for (const Writer& one : writers_)
        for (std::string& note : one.writer->notes())
            if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
    return notes;
}

}  // namespace yawara
