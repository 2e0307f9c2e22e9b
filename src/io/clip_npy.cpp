// Clips as NumPy arrays: BODY.positions.npy and BODY.surface.npy, float32 (frames, points, 3).
// The count in the header follows every frame, so that a killed run leaves arrays that load.
#include <fmt/format.h>

#include "io/clip_formats.h"
#include "io/clip_output.h"

namespace yawara::io {
namespace {

constexpr std::size_t kHeaderBytes = 128;  // room for any count; data must start at a multiple of 64

std::string npy_header(std::size_t frames, std::size_t points)
{
    std::string header("\x93NUMPY\x01\x00", 8);
    header += {static_cast<char>(kHeaderBytes - 10), '\0'};  // bytes that follow, little-endian
    header += fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}, 3), }}", frames, points);
    header.resize(kHeaderBytes - 1, ' ');
    return header + '\n';
}

class NpyClip final : public ClipWriter {
public:
    Status add(const std::filesystem::path& path, std::size_t points)
    {
        auto file = OutFile::create(path);
        if (!file) return file.error();
        arrays_.push_back({std::move(*file), points});
        arrays_.back().file.write(npy_header(0, points));
        return arrays_.back().file.flush();
    }

    Status frame(double, std::span<const ClipFrame> bodies) override
    {
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            if (Status status = append(arrays_[2 * b], bodies[b].particles); !status) return status;
            if (Status status = append(arrays_[2 * b + 1], bodies[b].surface); !status) return status;
        }
        ++frames_;
        return Done{};
    }

    Status finish() override
    {
        for (Array& array : arrays_) {
            if (Status status = array.file.flush(); !status) return status;
        }
        return Done{};
    }

    std::vector<std::string> notes() const override
    {
        std::vector<std::string> notes;
        for (const Array& array : arrays_) {
            notes.push_back(fmt::format("{}: float32 ({}, {}, 3)", array.file.path().string(), frames_, array.points));
        }
        return notes;
    }

private:
    struct Array {
        OutFile file;
        std::size_t points;
    };

    Status append(Array& array, std::span<const Vec3> points)
    {
        array.file.seek(kHeaderBytes + frames_ * points.size_bytes());
        array.file.write(points);
        if (Status status = array.file.flush(); !status) return status;
        array.file.seek(0);
        array.file.write(npy_header(frames_ + 1, array.points));
        return array.file.flush();
    }

    std::vector<Array> arrays_;  // particles and surface of every body in turn
    std::size_t frames_ = 0;
};

}  // namespace

NewClipWriter make_npy_clip(const ClipTarget& target)
{
    auto clip = std::make_unique<NpyClip>();
    for (std::size_t b = 0; b < target.names.size(); ++b) {
        const ClipBody& body = target.info.bodies[b];
        if (Status s = clip->add(target.file(b, ".positions.npy"), body.solid.vertices.size()); !s) return s.error();
        if (Status s = clip->add(target.file(b, ".surface.npy"), body.surface.vertices.size()); !s) return s.error();
    }
    return std::unique_ptr<ClipWriter>(std::move(clip));
}

}  // namespace yawara::io
