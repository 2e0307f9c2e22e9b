// Writes the .ywc clip cache as frames come: see clip_ywc.h for the layout.
#include "io/clip_ywc.h"

#include <fmt/format.h>

#include <cstring>
#include <fstream>

#include "io/clip_formats.h"
#include "io/clip_output.h"

namespace yawara::io {
namespace {

using namespace ywc;

class YwcClip final : public ClipWriter {
public:
    YwcClip(OutFile file, const ClipInfo& info) : file_(std::move(file)), codec_(numbers_per_frame(info))
    {
        file_.write(kStart, 8);
        file_.write_value(kVersion);
        file_.write_value(std::uint32_t{0});
        write_chunk({.tag = Tag::Info}, encode_info(info));
    }

    Status flush() { return file_.flush(); }

    Status frame(double time, std::span<const ClipFrame> bodies) override
    {
        numbers_.clear();
        for (const ClipFrame& body : bodies) {
            append(body.particles);
            append(body.surface);
            for (const std::span<const float> values : body.values) {
                numbers_.insert(numbers_.end(), values.begin(), values.end());
            }
        }
        const std::uint64_t number = index_.size();
        const bool key = number % kKeyInterval == 0;
        if (key) codec_.restart();
        index_.push_back({offset_, key ? number : index_.back().key_frame, time});
        const std::span<const char> planes = codec_.encode(numbers_);
        frame_.assign(planes.begin(), planes.end());
        for (const ClipFrame& body : bodies) frame_.insert(frame_.end(), body.lines.begin(), body.lines.end());
        write_chunk({.tag = Tag::Frame, .key = key, .number = number, .time = time}, frame_);
        return file_.flush();
    }

    Status finish() override
    {
        const std::uint64_t index_offset = offset_;
        write_chunk({.tag = Tag::Index}, std::as_bytes(std::span(index_)));
        file_.write_value(index_offset);
        file_.write(kDone, 8);
        return file_.flush();
    }

    std::vector<std::string> notes() const override
    {
        const double raw = 4.0 * static_cast<double>(numbers_.size() * index_.size());
        std::string note =
            fmt::format("{}: {} frames, {:.2f} MB", file_.path().string(), index_.size(), 1e-6 * offset_);
        if (raw > 0.0) note += fmt::format(", {:.0f} % of the exact numbers in it", 100.0 * offset_ / raw);
        return {note};
    }

private:
    void append(std::span<const Vec3> points)
    {
        for (const Vec3 p : points) numbers_.insert(numbers_.end(), {p.x, p.y, p.z});
    }

    void write_chunk(ChunkHead head, std::span<const std::byte> raw)
    {
        write_chunk(head, std::span(reinterpret_cast<const char*>(raw.data()), raw.size()));
    }
    void write_chunk(ChunkHead head, std::span<const char> raw)
    {
        const Bytes packed = pack(raw);
        head.bytes = packed.size();
        file_.write_value(head);
        file_.write(std::span<const char>(packed));
        offset_ += sizeof head + packed.size();
    }

    OutFile file_;
    FrameCodec codec_;
    std::uint64_t offset_ = kStartBytes;
    std::vector<IndexEntry> index_;
    std::vector<float> numbers_;  // of the frame being written
    Bytes frame_;                 // its coded numbers and its lines
};

}  // namespace

bool ywc::is_cut_off(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    char done[8] = {};
    const auto size = static_cast<std::int64_t>(file.tellg());
    if (size < static_cast<std::int64_t>(kStartBytes + kEndBytes)) return true;
    file.seekg(size - 8);
    file.read(done, 8);
    return !file || std::memcmp(done, kDone, 8) != 0;
}

NewClipWriter make_ywc_clip(const ClipTarget& target)
{
    if (4 * numbers_per_frame(target.info) + line_bytes_per_frame(target.info) > kLargestChunk) {
        return Error{target.out.string(), "a frame of this clip has more than 1 GB; split it"};
    }
    auto file = OutFile::create(target.out);
    if (!file) return file.error();
    auto clip = std::make_unique<YwcClip>(std::move(*file), target.info);
    if (Status status = clip->flush(); !status) return status.error();
    return std::unique_ptr<ClipWriter>(std::move(clip));
}

}  // namespace yawara::io
