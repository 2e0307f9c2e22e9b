// .vdb files: see vdb_file.h. The layout of their head, little-endian; a string is a u32 length and its bytes:
//
//   start       u64 magic, u32 version of the format, u32 u32 of the library, u8 whether grids have offsets, 36 bytes
//   of id metadata    u32 count; for each the strings name and type, then u32 bytes and the value grids       i32
//   count; for each the strings name, type and parent, then i64 offsets of grid, blocks and end each grid   u32
//   compression, metadata, the name of its transform, and so on
#include "cvg/vdb_file.h"

#include <openvdb/io/Archive.h>
#include <openvdb/io/Stream.h>

#include <fstream>
#include <mutex>
#include <sstream>

#include "core/replace_file.h"
#include "io/binary.h"
#include "io/file.h"

namespace yawara::cvg {
namespace {

constexpr std::uint64_t kMagic = 0x56444220;
constexpr std::uint32_t kOldestVersion = 222;  // of 2013; those before have another head
constexpr std::size_t kIdBytes = 36;

class VdbArchive : public openvdb::io::Archive {
public:
    void write_to(std::ostream& out, const openvdb::GridCPtrVec& grids) const { Archive::write(out, grids, true); }
};

std::string_view take_string(io::ByteReader& in, const char* what)
{
    return in.take(in.get<std::uint32_t>(what), what);
}

/// Of a list of sizes that OpenVDB would believe, we have no use: an unknown type of metadata is skipped by its length.
void skip_metadata(io::ByteReader& in, std::string& content)
{
    constexpr std::string_view kSizes = "__delayedload", kUnknown = "__notdelayed_";
    static_assert(kSizes.size() == kUnknown.size());
    const std::uint32_t count = in.get<std::uint32_t>("the number of metadata");
    for (std::uint32_t k = 0; k < count; ++k) {
        take_string(in, "the name of a metadatum");
        const std::string_view type = take_string(in, "the type of a metadatum");
        if (type == kSizes) content.replace(in.offset() - kSizes.size(), kSizes.size(), kUnknown);
        take_string(in, "a metadatum");
    }
}

/// Follows all lengths in the head of the file and of its grids.
void check_sizes(std::string& content, const std::string& name)
{
    io::ByteReader in(content, name);
    if (in.remaining() < 8 || in.get<std::uint64_t>("the start") != kMagic) in.fail("is not a .vdb file");
    const auto version = in.get<std::uint32_t>("the version");
    if (version < kOldestVersion)
        in.fail("found version " + std::to_string(version) + " of the format; expected " +
                std::to_string(kOldestVersion) + " (2013) or later");
    in.take(8, "the version of the library");
    if (in.get<std::uint8_t>("whether grids have offsets") != 1)
        in.fail("was written as a stream, without the offsets of its grids; write it as a file");
    in.take(kIdBytes, "the id");
    skip_metadata(in, content);
    const auto grids = in.get<std::int32_t>("the number of grids");
    if (grids < 0) in.fail("found " + std::to_string(grids) + " grids");
    for (std::int32_t k = 0; k < grids; ++k) {
        for (const char* what : {"the name of a grid", "the type of a grid", "the parent of a grid"})
            take_string(in, what);
        const auto start = in.get<std::int64_t>("the offset of a grid"),
                   blocks = in.get<std::int64_t>("the offset of a grid's blocks"),
                   end = in.get<std::int64_t>("the end of a grid");
        const auto here = static_cast<std::int64_t>(in.offset()), last = static_cast<std::int64_t>(content.size());
        if (start != here || blocks < start || end < blocks || end > last)
            in.fail("grid " + std::to_string(k) + " is said to reach from byte " + std::to_string(start) + " to " +
                    std::to_string(end) + " of " + std::to_string(last));
        in.take(4, "the compression of a grid");
        skip_metadata(in, content);
        take_string(in, "the transform of a grid");
        in.take(static_cast<std::size_t>(end - static_cast<std::int64_t>(in.offset())), "a grid");
    }
}

}  // namespace

void start_openvdb()
{
    static std::once_flag once;
    std::call_once(once, [] { openvdb::initialize(); });
}

Result<openvdb::GridPtrVec> read_vdb(const std::filesystem::path& path)
{
    start_openvdb();
    return io::guarded<openvdb::GridPtrVec>(path, [&]() -> Result<openvdb::GridPtrVec> {
        std::string content = io::read_file(path).value();
        check_sizes(content, path.string());
        std::istringstream stream(std::move(content));
        stream.exceptions(std::ios::failbit | std::ios::badbit | std::ios::eofbit);  // else it reads on behind the end
        try {
            return *openvdb::io::Stream(stream, /*delayLoad=*/false).getGrids();
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception&) {
            return Error{path.string(), "its grids are damaged, or of a kind that is not known here"};
        }
    });
}

Status write_vdb(const std::filesystem::path& path, const openvdb::GridCPtrVec& grids)
{
    start_openvdb();
    return io::guarded<Done>(path, [&]() -> Status {
        auto beside = NewFile::create(path);
        if (!beside) return beside.error();
        std::ofstream file(beside->path(), std::ios::binary);
        VdbArchive().write_to(file, grids);
        file.close();
        if (!file) return Error{path.string(), "could not be written to its end: is the disk full?"};
        return beside->put_in_place();
    });
}

}  // namespace yawara::cvg
