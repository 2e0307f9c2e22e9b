// Clips as NumPy arrays: BODY.positions.npy and BODY.surface.npy, float32 (frames, points, 3).
#include <fmt/format.h>

#include "io/clip_formats.h"
#include "yawara/npy_rows.h"

namespace yawara::io {
namespace {

class NpyClip final : public ClipWriter {
public:
    Status add(const std::filesystem::path& path, std::size_t points)
    {
        auto array = NpyRows::create(path, "<f4", {points, 3});
        if (!array) return array.error();
        arrays_.push_back(std::move(*array));
        return Done{};
    }

    Status frame(double, std::span<const ClipFrame> bodies) override
    {
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            if (Status status = arrays_[2 * b].append(bodies[b].particles); !status) return status;
            if (Status status = arrays_[2 * b + 1].append(bodies[b].surface); !status) return status;
        }
        return Done{};
    }

    Status finish() override { return Done{}; }

    std::vector<std::string> notes() const override
    {
        std::vector<std::string> notes;
        for (const NpyRows& array : arrays_)
            notes.push_back(fmt::format("{}: float32 {}", array.path().string(), array.shape()));
        return notes;
    }

private:
    std::vector<NpyRows> arrays_;  // particles and surface of every body in turn
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
