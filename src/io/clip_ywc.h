// The .ywc clip cache: layout of the file and the coding of its frames, shared by clip_ywc.cpp (writes) and
// clip_reader.cpp (reads).
//
//   start     8 bytes "ywc-clip", u32 version, u32 zero
//   chunks    ChunkHead, then `bytes` of zstd with checksum: one 'INFO' (the ClipInfo), 'FRAM' for every frame (its
//             coded numbers, then its lines), 'MESH' before the first frame in which a body has another mesh (the
//             ClipBody from there on), one 'INDX' (how many frames, their IndexEntries, the ChangeEntries)
//   end       u64 offset of the 'INDX' chunk, 8 bytes "ywc-done"
//
// All little-endian. A killed run has no index and no end: the chunks are walked instead, so every whole frame is
// there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "yawara/core.h"
#include "yawara/io.h"

namespace yawara::io::ywc {

inline constexpr char kStart[9] = "ywc-clip";
inline constexpr char kDone[9] = "ywc-done";
/// Version 1 has no stage and no lines; up to version 2 meshes do not change and an index is IndexEntries alone; up to
/// version 3 obstacles stay; up to version 4 there is no water; up to version 5 bodies have no finish; up to version 6
/// obstacles keep their shapes; up to version 7 bodies have no skins; up to version 8 nothing is said of their insides.
inline constexpr std::uint32_t kVersion = 9;
inline constexpr std::size_t kStartBytes = 16, kEndBytes = 16;
/// Every so many frames one is stored without reference to earlier ones (a key frame): at most so many have to be
/// decoded to jump to any frame.
inline constexpr std::size_t kKeyInterval = 32;
/// No chunk unpacks to more than this; keeps hostile files from asking for all memory.
inline constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 30;

using Bytes = std::vector<char>;

enum class Tag : std::uint32_t {  // "INFO" "FRAM" "MESH" "INDX"
    Info = 0x4f464e49,
    Frame = 0x4d415246,
    Mesh = 0x4853454d,
    Index = 0x58444e49
};

struct ChunkHead {
    Tag tag{};
    std::uint32_t key = 0;     ///< frames: 1 if it can be decoded without earlier ones; meshes: number of the body
    std::uint64_t number = 0;  ///< frames: 0, 1, 2, ...; meshes: the first frame that has it, which is a key frame
    double time = 0.0;         ///< frames: s
    std::uint64_t bytes = 0;   ///< length of the data that follow
};
static_assert(sizeof(ChunkHead) == 32);

struct IndexEntry {
    std::uint64_t offset = 0;     ///< of the frame's ChunkHead
    std::uint64_t key_frame = 0;  ///< number of the frame at which decoding has to start
    double time = 0.0;            ///< s
};
static_assert(sizeof(IndexEntry) == 24);

struct ChangeEntry {
    std::uint64_t offset = 0;  ///< of the ChunkHead of the mesh
    std::uint64_t frame = 0;   ///< the first that has it
    std::uint64_t body = 0;
};
static_assert(sizeof(ChangeEntry) == 24);

Bytes pack(std::span<const char> raw);
/// `expected`: size that the unpacked data must have, or 0 for any up to kLargestChunk.
Result<Bytes> unpack(std::span<const char> packed, std::uint64_t expected = 0);

Bytes encode_info(const ClipInfo& info);
Result<ClipInfo> decode_info(std::span<const char> raw, std::uint32_t version = kVersion);

Bytes encode_body(const ClipBody& body);
Result<ClipBody> decode_body(std::span<const char> raw);

Bytes encode_index(std::span<const IndexEntry> frames, std::span<const ChangeEntry> changes);
/// False if that is no index.
bool decode_index(std::span<const char> raw, std::uint32_t version, std::vector<IndexEntry>& frames,
                  std::vector<ChangeEntry>& changes);

/// What a body takes in a frame.
struct FrameSize {
    std::uint64_t numbers = 0;  ///< positions and values
    std::uint64_t lines = 0;    ///< bytes
    std::uint64_t bytes() const { return 4 * numbers + lines; }
    friend FrameSize operator+(FrameSize a, FrameSize b) { return {a.numbers + b.numbers, a.lines + b.lines}; }
};
FrameSize frame_size(const ClipBody& body);

/// Exact coding of frames, each predicted from the two before it. The bits of a float, made to grow with its value, are
/// a whole number; what is stored is how far it is from the straight continuation, in byte planes (they pack well).
/// Whole numbers only: the same on every machine and in every floating-point mode.
class FrameCodec {
public:
    explicit FrameCodec(std::size_t numbers) : last_(numbers), before_(numbers), planes_(4 * numbers) {}

    /// Forgets earlier frames: the next one is a key frame.
    void restart();
    std::span<const char> encode(std::span<const float> frame);
    /// `planes` must have 4 bytes a number.
    void decode(std::span<const char> planes, std::span<float> frame);

private:
    std::uint32_t predict(std::size_t i) const;

    std::vector<std::uint32_t> last_, before_;  // the frames before, as ordered whole numbers
    int known_ = 0;                             // how many of them
    Bytes planes_;
};

}  // namespace yawara::io::ywc
