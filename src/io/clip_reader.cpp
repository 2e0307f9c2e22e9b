// Reads the .ywc clip cache, frames in any order; a file may be anything and must give frames or an Error.
#include <fmt/format.h>

#include <algorithm>
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
    std::uint32_t version = 0;
    std::shared_ptr<ClipInfo> info = std::make_shared<ClipInfo>();
    std::vector<IndexEntry> index;
    std::vector<ChangeEntry> changes;  // in the order of frames
    std::vector<Change> told_changes;  // the same, for users

    // of the frame last asked for
    std::vector<std::shared_ptr<const ClipBody>> bodies;
    std::vector<std::size_t> body_changes;  // where they come from, in `changes`; kNone: the start

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
        *info = std::move(*decoded_info);
        if (Status status = io::check_clip(*info); !status) return error(status.error().message());
        for (std::size_t b = 0; b < info->bodies.size(); ++b) bodies.emplace_back(info, &info->bodies[b]);
        body_changes.assign(bodies.size(), kNone);
        if (size().bytes() > kLargestChunk) return error("its frames would have more than 1 GB each");
        return Done{};
    }

    /// Of a frame of the bodies as they are now.
    FrameSize size() const
    {
        FrameSize all;
        for (const auto& body : bodies) all = all + frame_size(*body);
        return all;
    }

    /// Where a body in frame k comes from: an entry of `changes`, or kNone.
    std::size_t change_of(std::size_t body, std::size_t k) const
    {
        std::size_t last = kNone;
        for (std::size_t c = 0; c < changes.size() && changes[c].frame <= k; ++c)
            if (changes[c].body == body) last = c;
        return last;
    }

    Result<std::shared_ptr<const ClipBody>> load_body(std::size_t body, std::size_t change)
    {
        if (change == kNone) return std::shared_ptr<const ClipBody>(info, &info->bodies[body]);
        const std::string where =
            fmt::format("the mesh of body \"{}\" from frame {} on ", info->bodies[body].name, changes[change].frame);
        ChunkHead head;
        const Result<Bytes> raw = chunk(changes[change].offset, Tag::Mesh, 0, &head);
        if (!raw) return error(where + raw.error().what);
        if (head.number != changes[change].frame || head.key != body) return error(where + "is not the one indexed");
        Result<ClipBody> loaded = decode_body(*raw);
        if (!loaded) return error(where + loaded.error().what);
        if (Status status = io::check_change(info->bodies[body], *loaded); !status)
            return error(where + status.error().message());
        return std::make_shared<const ClipBody>(*std::move(loaded));
    }

    /// The bodies become those of frame k. What was decoded is of no use if one is another.
    Status use_bodies(std::size_t k)
    {
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            const std::size_t change = change_of(b, k);
            if (change == body_changes[b]) continue;
            auto loaded = load_body(b, change);
            if (!loaded) return loaded.error();
            bodies[b] = *std::move(loaded);
            body_changes[b] = change;
            decoded = kNone;
            frame.clear();
        }
        if (size().bytes() > kLargestChunk) return error("its frames would have more than 1 GB each");
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
        std::vector<IndexEntry> entries;
        std::vector<ChangeEntry> meshes;
        if (!raw || !decode_index(*raw, version, entries, meshes)) return false;
        const auto ascending = [&](const auto& list) {
            std::uint64_t last = kStartBytes;
            return std::ranges::all_of(list, [&](const auto& entry) {
                const bool later = entry.offset > last && entry.offset < end.index_offset;
                last = entry.offset;
                return later;
            });
        };
        if (!ascending(entries) || !ascending(meshes)) return false;
        for (std::size_t k = 0; k < entries.size(); ++k)
            if (!follows(entries, k)) return false;
        for (const ChangeEntry& mesh : meshes)
            if (!is_change(mesh, meshes, entries.size())) return false;
        index = std::move(entries);
        changes = std::move(meshes);
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
            } else if (head.tag == Tag::Mesh) {
                changes.push_back({offset, head.number, head.key});
                if (head.number != index.size() || !is_change(changes.back(), changes, head.number))
                    return changes.pop_back();
            } else if (head.tag != Tag::Info) {
                return;
            }
            offset += sizeof head + head.bytes;
        }
    }

    /// Of an entry of a list: in the order of frames, and of a body that is there.
    bool is_change(const ChangeEntry& change, const std::vector<ChangeEntry>& list, std::size_t frames) const
    {
        const bool in_order = &change == list.data() || (&change - 1)->frame <= change.frame;
        return in_order && change.frame <= frames && change.body < bodies.size();
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
        numbers.resize(size().numbers);
        codec = FrameCodec(numbers.size());
        points.clear();
        for (const auto& body : bodies) {
            points.emplace_back(body->solid.vertices.size());
            points.emplace_back(body->surface.vertices.size());
        }
        frame.resize(bodies.size());
    }

    Status decode(std::size_t k)
    {
        ChunkHead head;
        if (Status status = use_bodies(k); !status) return status;
        const bool first = frame.empty();  // of these bodies
        const std::uint64_t planes = 4 * size().numbers;
        Result<Bytes> content = chunk(index[k].offset, Tag::Frame, size().bytes(), &head);
        if (!content) return Error{"", content.error().what};
        if (head.number != k || (index[k].key_frame == k) != (head.key != 0))
            return Error{"", "is not the one indexed"};
        if (first && head.key == 0) return Error{"", "cannot be decoded: meshes change, and it is not a key frame"};
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
            for (std::size_t v = 0; v < bodies[b]->value_names.size(); ++v) {
                frame[b].values.emplace_back(next, points[2 * b].size());
                next += points[2 * b].size();
            }
            const std::size_t mine = frame_size(*bodies[b]).lines;
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
        while (!data->changes.empty() && data->changes.back().frame >= data->index.size()) data->changes.pop_back();
        for (const ChangeEntry& change : data->changes) data->told_changes.push_back({change.frame, change.body});
        data->info->frames = data->index.size();
        return ClipReader(std::move(data));
    });
}

const ClipInfo& ClipReader::info() const
{
    return *data_->info;
}

std::span<const ClipReader::Change> ClipReader::changes() const
{
    return data_->told_changes;
}

Result<std::shared_ptr<const ClipBody>> ClipReader::body(std::size_t body, std::size_t k)
{
    Data& data = *data_;
    if (body >= data.bodies.size() || k >= data.index.size())
        return data.error(fmt::format("body {} of frame {} was asked for; it has {} and {}", body, k,
                                      data.bodies.size(), data.index.size()));
    const std::size_t change = data.change_of(body, k);
    if (change == data.body_changes[body]) return data.bodies[body];
    return io::guarded<std::shared_ptr<const ClipBody>>(data.path, [&] { return data.load_body(body, change); });
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
        for (std::size_t b = 0; b < data.frame.size(); ++b) {
            if (Status status = io::check_frame(*data.bodies[b], data.frame[b]); !status)
                return data.error(fmt::format("frame {} {}", k, status.error().message()));
        }
        return std::span<const ClipFrame>(data.frame);
    });
}

}  // namespace yawara
