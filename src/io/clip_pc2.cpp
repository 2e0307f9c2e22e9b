// Clips as PC2 point caches: BODY.obj, the rest surface, and BODY.pc2 with every frame of its vertices, exact.
// For the Mesh Cache modifier of Blender, and 3ds Max.
#include <fmt/format.h>

#include "io/clip_formats.h"
#include "io/clip_output.h"

namespace yawara::io {
namespace {

constexpr std::size_t kCountOffset = 28, kHeaderBytes = 32;

class Pc2Clip final : public ClipWriter {
public:
    explicit Pc2Clip(double frame_time) : frame_time_(frame_time) {}

    Status add(const std::filesystem::path& path, std::size_t points)
    {
        auto file = OutFile::create(path);
        if (!file) return file.error();
        file->write("POINTCACHE2", 12);
        file->write_value(std::int32_t{1});  // version
        file->write_value(static_cast<std::int32_t>(points));
        file->write_value(0.0f);  // first frame
        file->write_value(1.0f);  // frames per sample
        file->write_value(std::int32_t{0});
        files_.push_back(std::move(*file));
        return files_.back().flush();
    }

    Status frame(double, std::span<const ClipFrame> bodies) override
    {
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            OutFile& file = files_[b];
            file.seek(kHeaderBytes + frames_ * bodies[b].surface.size_bytes());
            file.write(bodies[b].surface);
            if (Status status = file.flush(); !status) return status;
            file.seek(kCountOffset);  // only now: the count never says more than there is
            file.write_value(static_cast<std::int32_t>(frames_ + 1));
            if (Status status = file.flush(); !status) return status;
        }
        ++frames_;
        return Done{};
    }

    Status finish() override { return Done{}; }

    std::vector<std::string> notes() const override
    {
        std::vector<std::string> notes;
        for (const OutFile& file : files_) {
            notes.push_back(fmt::format("{}: {} frames, exact, beside its .obj", file.path().string(), frames_));
        }
        notes.push_back(point_cache_note(frame_time_));
        return notes;
    }

private:
    std::vector<OutFile> files_;
    std::size_t frames_ = 0;
    double frame_time_;
};

}  // namespace

NewClipWriter make_pc2_clip(const ClipTarget& target)
{
    auto clip = std::make_unique<Pc2Clip>(target.info.frame_time);
    for (std::size_t b = 0; b < target.names.size(); ++b) {
        const TriMesh& surface = target.info.bodies[b].surface;
        if (Status s = save_tri_mesh(target.file(b, ".obj"), surface); !s) return s.error();
        if (Status s = clip->add(target.file(b, ".pc2"), surface.vertices.size()); !s) return s.error();
    }
    return std::unique_ptr<ClipWriter>(std::move(clip));
}

}  // namespace yawara::io
