// Clips as one mesh file a frame: BODY.00000.obj or BODY.00000.ply, vertex order and uvs as in the rest surface.
#include <fmt/format.h>

#include "io/clip_formats.h"

namespace yawara::io {
namespace {

class SequenceClip final : public ClipWriter {
public:
    SequenceClip(const ClipTarget& target, std::string_view ending) : ending_(ending)
    {
        for (std::size_t b = 0; b < target.names.size(); ++b) {
            bodies_.push_back({target.file(b, "").string(), target.info.bodies[b].surface});
        }
    }

    Status frame(double, std::span<const ClipFrame> bodies) override
    {
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            TriMesh& surface = bodies_[b].surface;
            for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
                surface.vertices[v] = bodies[b].surface[v].as<double>();
            }
            if (Status status = save_tri_mesh(file(b, frames_), surface); !status) return status;
        }
        ++frames_;
        return Done{};
    }

    Status change(std::size_t body, const ClipBody& now) override
    {
        bodies_[body].surface = now.surface;
        return Done{};
    }

    Status finish() override { return Done{}; }

    std::vector<std::string> notes() const override
    {
        std::vector<std::string> notes;
        for (std::size_t b = 0; b < bodies_.size() && frames_ > 0; ++b) {
            notes.push_back(fmt::format("{} to {}: {} frames", file(b, 0), file(b, frames_ - 1), frames_));
            const std::filesystem::path next = file(b, frames_);
            std::error_code none;
            if (std::filesystem::exists(next.parent_path().parent_path() / next.filename(), none))
                notes.push_back(fmt::format("{} and what follows it are of an earlier recording", next.string()));
        }
        return notes;
    }

private:
    struct Body {
        std::string path;  // without number and ending
        TriMesh surface;
    };

    std::string file(std::size_t body, std::size_t number) const
    {
        return fmt::format("{}.{:05}{}", bodies_[body].path, number, ending_);
    }

    std::vector<Body> bodies_;
    std::string_view ending_;
    std::size_t frames_ = 0;
};

}  // namespace

NewClipWriter make_obj_clip(const ClipTarget& target)
{
    return std::unique_ptr<ClipWriter>(std::make_unique<SequenceClip>(target, ".obj"));
}

NewClipWriter make_ply_clip(const ClipTarget& target)
{
    return std::unique_ptr<ClipWriter>(std::make_unique<SequenceClip>(target, ".ply"));
}

}  // namespace yawara::io
