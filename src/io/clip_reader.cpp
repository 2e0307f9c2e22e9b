// Reads the .ywc clip cache, frames in any order; a file may be anything and must give frames or an Error.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "io/clip_formats.h"
#include "io/clip_output.h"
#include "io/clip_ywc.h"
#include "io/file.h"

namespace yawara {

using namespace io::ywc;

namespace {
constexpr std::size_t kNone = std::size_t(-1);
}

struct ClipReader::Data {
    std::filesystem::path path;
    std::ifstream file;
    std::uint64_t file_bytes = 0;
    ClipInfo info;
    std::vector<IndexEntry> index;

    FrameCodec codec{0};
    std::size_t decoded = kNone;  // the frame in `numbers`, and the one the codec stands at
    std::vector<float> numbers;
    std::vector<std::uint8_t> lines;        // of all bodies that have them
    std::vector<std::vector<Vec3>> points;  // particles and surface of every body in turn
    std::vector<ClipFrame> frame;

    Error error(std::string what) const { return {path.string(), std::move(what)}; }

    bool read(std::uint64_t offset, void* into, std::uint64_t bytes)
    {
        if (offset > file_bytes || bytes > file_bytes - offset) return false;
        file.clear();
        file.seekg(static_cast<std::streamoff>(offset));
        file.read(static_cast<char*>(into), static_cast<std::streamsize>(bytes));
        return static_cast<bool>(file);
    }

    /// The chunk of this kind at `offset`, unpacked.
    Result<Bytes> chunk(std::uint64_t offset, Tag tag, std::uint64_t expected = 0, ChunkHead* found = nullptr)
    {
        ChunkHead head;
        if (!read(offset, &head, sizeof head) || head.tag != tag) return Error{"", "is not where it should be"};
        if (head.bytes > file_bytes - offset - sizeof head) return Error{"", "is cut off"};
        Bytes packed(head.bytes);
        if (!read(offset + sizeof head, packed.data(), head.bytes)) return Error{"", "cannot be read"};
        if (found != nullptr) *found = head;
        return unpack(packed, expected);
    }

    Status read_info()
    {
        char start[8] = {};
        std::uint32_t version = 0;
        if (!read(0, start, 8) || std::memcmp(start, kStart, 8) != 0 || !read(8, &version, 4)) {
            return error("is not a .ywc clip");
        }
        if (version < 1 || version > kVersion) {
            return error(
                fmt::format("is a .ywc clip of version {}; this program reads versions 1 to {}", version, kVersion));
        }
        const Result<Bytes> raw = chunk(kStartBytes, Tag::Info);
        if (!raw) return error("the description of the clip " + raw.error().what);
        Result<ClipInfo> decoded_info = decode_info(*raw, version);
        if (!decoded_info) return error(decoded_info.error().what);
        info = std::move(*decoded_info);
        if (Status status = io::check_clip(info); !status) return error(status.error().message());
        if (numbers_per_frame(info) > kLargestChunk / 4 || line_bytes_per_frame(info) > kLargestChunk)
            return error("its frames would have more than 1 GB each");
        return Done{};
    }

    /// The index at the end, if there is one that makes sense.
    bool read_index()
    {
        struct {
            std::uint64_t index_offset;
            char done[8];
        } end;
        static_assert(sizeof end == kEndBytes);
        if (file_bytes < kStartBytes + kEndBytes || !read(file_bytes - kEndBytes, &end, sizeof end)) return false;
        if (std::memcmp(end.done, kDone, 8) != 0) return false;
        const Result<Bytes> raw = chunk(end.index_offset, Tag::Index);
        if (!raw || raw->size() % sizeof(IndexEntry) != 0) return false;
        std::vector<IndexEntry> entries(raw->size() / sizeof(IndexEntry));
        if (!entries.empty()) std::memcpy(entries.data(), raw->data(), raw->size());
        for (std::size_t k = 0; k < entries.size(); ++k) {
            if (entries[k].offset < kStartBytes || entries[k].offset >= end.index_offset) return false;
            if (k > 0 && entries[k].offset <= entries[k - 1].offset) return false;
            if (!follows(entries, k)) return false;
        }
        index = std::move(entries);
        return true;
    }

    /// Whole frames found by walking the chunks from the first one.
    void scan()
    {
        ChunkHead head;
        std::uint64_t offset = kStartBytes;
        while (read(offset, &head, sizeof head) && head.bytes <= file_bytes - offset - sizeof head) {
            if (head.tag == Tag::Frame) {
                if (head.number != index.size() || (head.number == 0 && head.key == 0)) return;
                index.push_back({offset, head.key ? head.number : index.back().key_frame, head.time});
                if (!follows(index, head.number)) return index.pop_back();
            } else if (head.tag != Tag::Info) {
                return;
            }
            offset += sizeof head + head.bytes;
        }
    }

    static bool follows(const std::vector<IndexEntry>& entries, std::size_t k)
    {
        const IndexEntry& entry = entries[k];
        if (!std::isfinite(entry.time)) return false;
        if (k == 0) return entry.key_frame == 0;
        return entry.time > entries[k - 1].time &&
               (entry.key_frame == k || entry.key_frame == entries[k - 1].key_frame);
    }

    /// Room for a frame; only once there is one that fills it.
    void prepare_frame()
    {
        if (!frame.empty()) return;
        numbers.resize(numbers_per_frame(info));
        codec = FrameCodec(numbers.size());
        for (const ClipBody& body : info.bodies) {
            points.emplace_back(body.solid.vertices.size());
            points.emplace_back(body.surface.vertices.size());
        }
        frame.resize(info.bodies.size());
    }

    Status decode(std::size_t k)
    {
        ChunkHead head;
        const std::uint64_t planes = 4 * numbers_per_frame(info);
        Result<Bytes> content = chunk(index[k].offset, Tag::Frame, planes + line_bytes_per_frame(info), &head);
        if (!content) return Error{"", content.error().what};
        if (head.number != k || (index[k].key_frame == k) != (head.key != 0))
            return Error{"", "is not the one indexed"};
        prepare_frame();
        if (head.key != 0) codec.restart();
        codec.decode(std::span(*content).first(planes), numbers);
        lines.assign(content->begin() + std::ptrdiff_t(planes), content->end());
        return Done{};
    }

    /// Hands the numbers out to the bodies.
    void spread()
    {
        const float* next = numbers.data();
        std::size_t next_line = 0;
        const auto take = [&](std::vector<Vec3>& into) {
            for (Vec3& p : into) {
                p = {next[0], next[1], next[2]};
                next += 3;
            }
            return std::span<const Vec3>(into);
        };
        for (std::size_t b = 0; b < frame.size(); ++b) {
            frame[b].particles = take(points[2 * b]);
            frame[b].surface = take(points[2 * b + 1]);
            frame[b].values.clear();
            for (std::size_t v = 0; v < info.bodies[b].value_names.size(); ++v) {
                frame[b].values.emplace_back(next, points[2 * b].size());
                next += points[2 * b].size();
            }
            const std::size_t mine = info.bodies[b].lines ? info.bodies[b].surface.triangles.size() : 0;
            frame[b].lines = std::span(lines).subspan(next_line, mine);
            next_line += mine;
        }
    }
};

ClipReader::ClipReader(std::unique_ptr<Data> data) : data_(std::move(data)) {}
ClipReader::~ClipReader() = default;
ClipReader::ClipReader(ClipReader&&) noexcept = default;
ClipReader& ClipReader::operator=(ClipReader&&) noexcept = default;

Result<ClipReader> ClipReader::open(const std::filesystem::path& path)
{
    auto data = std::make_unique<Data>();
    data->path = path;
    std::error_code problem;
    if (!std::filesystem::exists(path, problem)) {
        const std::filesystem::path unfinished = io::unfinished_name(path);
        if (!std::filesystem::exists(unfinished, problem)) return data->error("there is no such file");
        return data->error("there is no such file; what a recording that was stopped had written is in " +
                           unfinished.string());
    }
    if (!std::filesystem::is_regular_file(path, problem)) return data->error("is not a file");
    data->file_bytes = std::filesystem::file_size(path, problem);
    data->file.open(path, std::ios::binary);
    if (!data->file) return data->error("cannot be read");
    return io::guarded<ClipReader>(path, [&]() -> Result<ClipReader> {
        if (Status status = data->read_info(); !status) return status.error();
        if (!data->read_index()) data->scan();
        data->info.frames = data->index.size();
        return ClipReader(std::move(data));
    });
}

const ClipInfo& ClipReader::info() const
{
    return data_->info;
}

double ClipReader::time(std::size_t k) const
{
    return k < data_->index.size() ? data_->index[k].time : 0.0;
}

Result<std::span<const ClipFrame>> ClipReader::frame(std::size_t k)
{
    Data& data = *data_;
    if (k >= data.index.size()) {
        return data.error(fmt::format("frame {} was asked for; it has {}", k, data.index.size()));
    }
    const std::size_t key = data.index[k].key_frame;
    const bool onward = data.decoded >= key && data.decoded <= k;
    return io::guarded<std::span<const ClipFrame>>(data.path, [&]() -> Result<std::span<const ClipFrame>> {
        for (std::size_t next = onward ? data.decoded + 1 : key; next <= k; ++next) {
            data.decoded = kNone;
            if (Status status = data.decode(next); !status) {
                return data.error(fmt::format("frame {} {}", next, status.error().what));
            }
            data.decoded = next;
        }
        data.spread();
        if (Status status = io::check_frame(data.info, data.frame); !status) {
            return data.error(fmt::format("frame {} {}", k, status.error().message()));
        }
        return std::span<const ClipFrame>(data.frame);
    });
}

}  // namespace yawara
