// Frames at an even distance in time, made from those of a recording: positions and values in between are on the
// straight line from one frame to the next. Used by make_clip_writer().
#include <cmath>

#include "io/clip_formats.h"

namespace yawara::io {
namespace {

constexpr double kSameTime = 1e-6;  // of the distance between frames: the frame itself is taken, bit for bit

/// The moving part of a body, kept.
struct KeptFrame {
    std::vector<Vec3> particles, surface;
    std::vector<std::vector<float>> values;
    std::vector<std::uint8_t> lines;

    void keep(const ClipFrame& frame)
    {
        particles.assign(frame.particles.begin(), frame.particles.end());
        surface.assign(frame.surface.begin(), frame.surface.end());
        lines.assign(frame.lines.begin(), frame.lines.end());
        values.resize(frame.values.size());
        for (std::size_t k = 0; k < values.size(); ++k)
            values[k].assign(frame.values[k].begin(), frame.values[k].end());
    }
    ClipFrame view() const
    {
        ClipFrame frame{particles, surface, {}, lines};
        for (const std::vector<float>& one : values) frame.values.emplace_back(one);
        return frame;
    }
};

template <class T>
void blend(std::span<const T> from, std::span<const T> to, float part, std::vector<T>& out)
{
    out.resize(to.size());
    for (std::size_t i = 0; i < to.size(); ++i) out[i] = from[i] + part * (to[i] - from[i]);
}

void blend(const ClipFrame& from, const ClipFrame& to, float part, KeptFrame& out)
{
    blend(from.particles, to.particles, part, out.particles);
    blend(from.surface, to.surface, part, out.surface);
    out.values.resize(to.values.size());
    for (std::size_t k = 0; k < to.values.size(); ++k) blend(from.values[k], to.values[k], part, out.values[k]);
    out.lines.assign(to.lines.begin(), to.lines.end());
}

class ResampledClip final : public ClipWriter {
public:
    ResampledClip(std::unique_ptr<ClipWriter> writer, double frame_time)
        : writer_(std::move(writer)), frame_time_(frame_time)
    {
    }

    Status frame(double time, std::span<const ClipFrame> bodies) override
    {
        if (!started_) start_ = time;
        for (double due = next_time(); due <= time + kSameTime * frame_time_; due = next_time()) {
            const double part = started_ ? (due - last_time_) / (time - last_time_) : 1.0;
            const bool whole = due >= time - kSameTime * frame_time_;
            if (Status written = writer_->frame(due, whole ? bodies : between(bodies, static_cast<float>(part)));
                !written)
                return written;
            ++written_;
        }
        last_.resize(bodies.size());
        for (std::size_t b = 0; b < bodies.size(); ++b) last_[b].keep(bodies[b]);
        has_changed_.assign(bodies.size(), false);
        last_time_ = time;
        started_ = true;
        return Done{};
    }

    Status change(std::size_t body, const ClipBody& now) override
    {
        if (body < has_changed_.size()) has_changed_[body] = true;
        return writer_->change(body, now);
    }

    Status finish() override { return writer_->finish(); }
    std::vector<std::string> notes() const override { return writer_->notes(); }

private:
    double next_time() const { return start_ + static_cast<double>(written_) * frame_time_; }

    /// A body whose mesh has just changed has no way from its old mesh to the new one: it is shown as it will be.
    std::span<const ClipFrame> between(std::span<const ClipFrame> bodies, float part)
    {
        blended_.resize(bodies.size());
        shown_.assign(bodies.begin(), bodies.end());
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            if (has_changed_[b]) continue;
            blend(last_[b].view(), bodies[b], part, blended_[b]);
            shown_[b] = blended_[b].view();
        }
        return shown_;
    }

    std::unique_ptr<ClipWriter> writer_;
    double frame_time_, start_ = 0.0, last_time_ = 0.0;
    std::size_t written_ = 0;
    bool started_ = false;
    std::vector<KeptFrame> last_, blended_;
    std::vector<bool> has_changed_;  // since the last frame, per body
    std::vector<ClipFrame> shown_;
};

}  // namespace

std::unique_ptr<ClipWriter> resample_clip(std::unique_ptr<ClipWriter> writer, double frame_time)
{
    return std::make_unique<ResampledClip>(std::move(writer), frame_time);
}

}  // namespace yawara::io
