// Clips as MDD point caches: BODY.obj, the rest surface, and BODY.mdd with every frame of its vertices, exact.
// Big-endian; a table of all times stands before the frames, so room is kept for the planned ones and closed at the
// end.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "io/clip_formats.h"
#include "io/clip_output.h"

namespace yawara::io {
namespace {

template <class T>
std::uint32_t big_endian(T value)
{
    return __builtin_bswap32(std::bit_cast<std::uint32_t>(value));
}

std::uint64_t frames_offset(std::size_t times)
{
    return 8 + 4 * times;
}

class MddClip final : public ClipWriter {
public:
    MddClip(std::size_t planned, double frame_time) : room_(planned + 1), frame_time_(frame_time) {}

    Status add(const std::filesystem::path& path, std::size_t points)
    {
        auto file = OutFile::create(path);
        if (!file) return file.error();
        files_.push_back({std::move(*file), points});
        return write_table(files_.back(), room_);
    }

    Status frame(double time, std::span<const ClipFrame> bodies) override
    {
        if (times_.size() == room_) {
            if (Status status = change_room(2 * room_); !status) return status;
        }
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            swapped_.clear();
            for (const Vec3 p : bodies[b].surface) {
                swapped_.insert(swapped_.end(), {big_endian(p.x), big_endian(p.y), big_endian(p.z)});
            }
            OutFile& file = files_[b].file;
            file.seek(frames_offset(room_) + times_.size() * 4 * swapped_.size());
            file.write(std::span<const std::uint32_t>(swapped_));
            if (Status status = file.flush(); !status) return status;
        }
        times_.push_back(static_cast<float>(time));
        return Done{};
    }

    Status finish() override { return change_room(times_.size()); }

    std::vector<std::string> notes() const override
    {
        std::vector<std::string> notes;
        for (const File& file : files_) {
            notes.push_back(
                fmt::format("{}: {} frames, exact, beside its .obj", file.file.path().string(), times_.size()));
        }
        notes.push_back(point_cache_note(frame_time_));
        return notes;
    }

private:
    struct File {
        OutFile file;
        std::size_t points;
    };

    /// The head with the first `count` times; times that have not come yet as planned.
    Status write_table(File& file, std::size_t count)
    {
        std::vector<std::uint32_t> head{big_endian(static_cast<std::int32_t>(count)),
                                        big_endian(static_cast<std::int32_t>(file.points))};
        for (std::size_t k = 0; k < count; ++k) {
            head.push_back(big_endian(k < times_.size() ? times_[k] : static_cast<float>(k * frame_time_)));
        }
        file.file.seek(0);
        file.file.write(std::span<const std::uint32_t>(head));
        return file.file.flush();
    }

    /// Moves the frames so that the table before them has `room` entries.
    Status change_room(std::size_t room)
    {
        for (File& file : files_) {
            if (room != room_) move_frames(file, frames_offset(room_), frames_offset(room));
            if (Status status = write_table(file, room); !status) return status;
        }
        room_ = room;
        return Done{};
    }

    /// Frame by frame, in the order in which none is overwritten before it has moved.
    void move_frames(File& file, std::uint64_t from, std::uint64_t to)
    {
        const std::uint64_t bytes = 12 * file.points;
        std::vector<char> frame(bytes);
        for (std::size_t n = 0; n < times_.size(); ++n) {
            const std::uint64_t k = to < from ? n : times_.size() - 1 - n;
            file.file.read_at(from + k * bytes, frame.data(), bytes);
            file.file.seek(to + k * bytes);
            file.file.write(std::span<const char>(frame));
        }
        file.file.truncate(to + times_.size() * bytes);
    }

    std::vector<File> files_;
    std::vector<float> times_;
    std::size_t room_;  // entries of the table in the files
    double frame_time_;
    std::vector<std::uint32_t> swapped_;
};

}  // namespace

NewClipWriter make_mdd_clip(const ClipTarget& target)
{
    const std::size_t planned = std::min<std::size_t>(target.info.frames, 1'000'000);
    auto clip = std::make_unique<MddClip>(planned, target.info.frame_time);
    for (std::size_t b = 0; b < target.names.size(); ++b) {
        const TriMesh& surface = target.info.bodies[b].surface;
        if (Status s = save_tri_mesh(target.file(b, ".obj"), surface); !s) return s.error();
        if (Status s = clip->add(target.file(b, ".mdd"), surface.vertices.size()); !s) return s.error();
    }
    return std::unique_ptr<ClipWriter>(std::move(clip));
}

}  // namespace yawara::io
