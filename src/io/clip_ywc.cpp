// Writes the .ywc clip cache as frames come: see clip_ywc.h for the layout.
#include "io/clip_ywc.h"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <numeric>

#include "io/clip_formats.h"
#include "io/clip_output.h"

namespace yawara::io {
namespace {

using namespace ywc;

class YwcClip final : public ClipWriter {
public:
    YwcClip(OutFile file, const ClipInfo& info) : file_(std::move(file))
    {
        for (const ClipBody& body : info.bodies) sizes_.push_back(frame_size(body));
        codec_ = FrameCodec(size().numbers);
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
        const bool key = number % kKeyInterval == 0 || (!changes_.empty() && changes_.back().frame == number);
        if (key) codec_.restart();
        index_.push_back({offset_, key ? number : index_.back().key_frame, time});
        const std::span<const char> planes = codec_.encode(numbers_);
        frame_.assign(planes.begin(), planes.end());
        for (const ClipFrame& body : bodies) frame_.insert(frame_.end(), body.lines.begin(), body.lines.end());
        write_chunk({.tag = Tag::Frame, .key = key, .number = number, .time = time}, frame_);
        raw_bytes_ += 4.0 * static_cast<double>(numbers_.size());
        return file_.flush();
    }

    Status change(std::size_t body, const ClipBody& now) override
    {
        const FrameSize before = sizes_[body];
        sizes_[body] = frame_size(now);
        if (size().bytes() > kLargestChunk) {
            sizes_[body] = before;
            return too_large();
        }
        codec_ = FrameCodec(size().numbers);
        changes_.push_back({offset_, index_.size(), body});
        write_chunk({.tag = Tag::Mesh, .key = static_cast<std::uint32_t>(body), .number = index_.size()},
                    encode_body(now));
        return file_.flush();
    }

    static Error too_large() { return {"", "its frames have more than 1 GB each; split the clip"}; }

    Status finish() override
    {
        const std::uint64_t index_offset = offset_;
        write_chunk({.tag = Tag::Index}, encode_index(index_, changes_));
        file_.write_value(index_offset);
        file_.write(kDone, 8);
        return file_.flush();
    }

    std::vector<std::string> notes() const override
    {
        std::string note =
            fmt::format("{}: {} frames, {:.2f} MB", file_.path().string(), index_.size(), 1e-6 * offset_);
        if (raw_bytes_ > 0.0)
            note += fmt::format(", {:.0f} % of the exact numbers in it", 100.0 * offset_ / raw_bytes_);
        return {note};
    }

private:
    FrameSize size() const { return std::accumulate(sizes_.begin(), sizes_.end(), FrameSize{}); }

    void append(std::span<const Vec3> points)
    {
        for (const Vec3 p : points) numbers_.insert(numbers_.end(), {p.x, p.y, p.z});
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
    std::vector<FrameSize> sizes_;  // per body, as it is now
    FrameCodec codec_{0};
    std::uint64_t offset_ = kStartBytes;
    std::vector<IndexEntry> index_;
    std::vector<ChangeEntry> changes_;
    double raw_bytes_ = 0;        // of the frames so far, before packing
    std::vector<float> numbers_;  // of the frame being written
    Bytes frame_;                 // its coded numbers and its lines
};

}  // namespace

NewClipWriter make_ywc_clip(const ClipTarget& target)
{
    FrameSize size;
    for (const ClipBody& body : target.info.bodies) size = size + frame_size(body);
    if (size.bytes() > kLargestChunk) return Error{target.out.string(), YwcClip::too_large().what};
    auto file = OutFile::create(target.out);
    if (!file) return file.error();
    auto clip = std::make_unique<YwcClip>(std::move(*file), target.info);
    if (Status status = clip->flush(); !status) return status.error();
    return std::unique_ptr<ClipWriter>(std::move(clip));
}

}  // namespace yawara::io

bool yawara::is_cut_off(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    char done[8] = {};
    const auto size = static_cast<std::int64_t>(file.tellg());
    if (size < static_cast<std::int64_t>(io::ywc::kStartBytes + io::ywc::kEndBytes)) return true;
    file.seekg(size - 8);
    file.read(done, 8);
    return !file || std::memcmp(done, io::ywc::kDone, 8) != 0;
}
