// .vdb files: see vdb_file.h. The layout of their head, little-endian; a string is a u32 length and its bytes:
//
//   start       u64 magic, u32 version of the format, u32 u32 of the library, u8 whether grids have offsets, 36 bytes
//   of id metadata    u32 count; for each the strings name and type, then u32 bytes and the value grids       i32
//   count; for each the strings name, type and parent, then i64 offsets of grid, blocks and end each grid   u32
//   compression, metadata, the name of its transform, and so on
#include "cvg/vdb_file.h"

#include <openvdb/io/Archive.h>
#include <openvdb/io/Compression.h>
#include <openvdb/io/Stream.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>

#include "io/binary.h"
#include "io/file.h"
#include "yawara/replace_file.h"
#include "yawara/volume_image.h"

namespace yawara::cvg {
namespace {

constexpr std::uint64_t kMagic = 0x56444220;
constexpr std::uint32_t kOldestVersion = 222;  // of 2013; those before have another head
constexpr std::size_t kIdBytes = 36;
constexpr double kMostImageVoxels = 2e9;

class VdbArchive : public openvdb::io::Archive {
public:
    void write_to(std::ostream& out, const openvdb::GridCPtrVec& grids) const { Archive::write(out, grids, true); }
};

std::string_view take_string(io::ByteReader& in, const char* what)
{
    return in.take(in.get<std::uint32_t>(what), what);
}

/// Walks over a tree of floats as OpenVDB will read it, and refuses what would make it read or write where it must not:
/// it takes the lengths of chunks from the file without a look at what they are read into. Nodes of 32, 16 and 8 voxels
/// along a side; a mask of a bit for each voxel says where there are children, and where values are active.
class FloatTreeCheck {
public:
    FloatTreeCheck(io::ByteReader& in, std::uint32_t compression, bool as_half)
        : in_(in), compression_(compression), half_(as_half)
    {
    }

    void run()
    {
        if (in_.get<std::int32_t>("the number of buffers") != 1) in_.fail("expected one buffer for each leaf");
        in_.take(sizeof(float), "the background");
        const auto tiles = in_.get<std::uint32_t>("the number of tiles");
        const auto children = in_.get<std::uint32_t>("the number of nodes");
        in_.check_room(tiles, kOriginBytes + 5, "tiles");
        for (std::uint32_t k = 0; k < tiles; ++k) {
            in_.take(kOriginBytes + sizeof(float), "a tile");
            if (in_.get<std::uint8_t>("whether a tile is active") > 1)
                in_.fail("a tile is neither active nor inactive");
        }
        std::array<std::int32_t, 3> last{};
        for (std::uint32_t k = 0; k < children; ++k) {
            std::array<std::int32_t, 3> origin{};
            for (std::int32_t& x : origin) x = in_.get<std::int32_t>("the origin of a node");
            if (k > 0 && !(last < origin)) in_.fail("the nodes are not in order");  // that of their buffers
            last = origin;
            node(5);
        }
        for (const std::string_view mask : leaves_) {
            if (in_.take(mask.size(), "the mask of a leaf") != mask) in_.fail("a leaf has two masks that differ");
            values(mask);
        }
    }

private:
    static constexpr std::size_t kOriginBytes = 3 * sizeof(std::int32_t);

    static std::size_t count_bits(std::string_view mask)
    {
        std::size_t count = 0;
        for (const char byte : mask) count += static_cast<std::size_t>(std::popcount(static_cast<unsigned char>(byte)));
        return count;
    }

    /// `log2`: of its voxels along a side; those of the smallest, the leaves, have their values at the end of the grid.
    void node(int log2)
    {
        const std::size_t mask_bytes = (std::size_t{1} << (3 * log2)) / 8;
        const std::string_view first = in_.take(mask_bytes, "the mask of a node");
        if (log2 == 3) return leaves_.push_back(first);
        values(in_.take(mask_bytes, "the mask of a node"));
        for (std::size_t child = count_bits(first); child > 0; --child) node(log2 - 1);
    }

    /// Values of a node; with mask compression the active ones, and at most two others that the rest have.
    void values(std::string_view mask)
    {
        const auto kind = in_.get<std::uint8_t>("the kind of compression of a node");
        if (kind > 6) in_.fail("found kind " + std::to_string(kind) + " of compression; expected 0 to 6");
        if (kind == 2 || kind == 4 || kind == 5) in_.take(sizeof(float), "an inactive value");
        if (kind == 5) in_.take(sizeof(float), "an inactive value");
        if (kind >= 3 && kind <= 5) in_.take(mask.size(), "the mask of inactive values");
        const bool only_active = (compression_ & openvdb::io::COMPRESS_ACTIVE_MASK) && kind != 6;
        const std::size_t count = only_active ? count_bits(mask) : 8 * mask.size();
        if (!(half_ && count == 0)) chunk(count * (half_ ? 2 : 4));
    }

    void chunk(std::size_t bytes)
    {
        const bool blosc = compression_ & openvdb::io::COMPRESS_BLOSC;
        if (!blosc && !(compression_ & openvdb::io::COMPRESS_ZIP)) {
            in_.take(bytes, "values");
            return;
        }
        const auto packed = in_.get<std::int64_t>("the length of packed values");
        if (packed <= 0) {  // not packed
            if (packed != -static_cast<std::int64_t>(bytes)) in_.fail("a node has the wrong number of values");
            in_.take(bytes, "values");
            return;
        }
        const std::string_view content = in_.take(static_cast<std::size_t>(packed), "packed values");
        constexpr std::size_t kHead = 16;  // of Blosc, with the length before and after packing at bytes 4 and 12
        if (blosc && (content.size() < kHead || io::decode<std::uint32_t>(content.data() + 4) != bytes ||
                      io::decode<std::uint32_t>(content.data() + 12) != content.size()))
            in_.fail("packed values have the wrong length");
    }

    io::ByteReader& in_;
    std::uint32_t compression_;
    bool half_;
    std::vector<std::string_view> leaves_;  ///< their masks
};

/// What OpenVDB would make of a file's own list of sizes is of no use here: metadata of an unknown type are skipped by
/// their length. True if they say that floats are stored with half precision.
bool skip_metadata(io::ByteReader& in, std::string& content)
{
    constexpr std::string_view kSizes = "__delayedload", kUnknown = "__notdelayed_";
    static_assert(kSizes.size() == kUnknown.size());
    bool as_half = false;
    const auto count = in.get<std::uint32_t>("the number of metadata");
    for (std::uint32_t k = 0; k < count; ++k) {
        const std::string_view name = take_string(in, "the name of a metadatum");
        const std::string_view type = take_string(in, "the type of a metadatum");
        if (type == kSizes) content.replace(in.offset() - kSizes.size(), kSizes.size(), kUnknown);
        const std::string_view value = take_string(in, "a metadatum");
        if (name == "is_saved_as_half_float") as_half = !value.empty() && value[0] != 0;
    }
    return as_half;
}

void skip_transform(io::ByteReader& in)
{
    const std::string_view name = take_string(in, "the name of a transform");
    const std::size_t numbers = name == "AffineMap" || name == "UnitaryMap"                         ? 16
                                : name == "ScaleMap" || name == "UniformScaleMap"                   ? 15
                                : name == "ScaleTranslateMap" || name == "UniformScaleTranslateMap" ? 18
                                : name == "TranslationMap"                                          ? 3
                                                                                                    : 0;
    if (numbers == 0)
        in.fail("found the transform " + io::in_quotes(name) + "; expected one that keeps lines straight");
    in.take(numbers * sizeof(double), "a transform");
}

/// Checks all that OpenVDB will read, and takes out the grids of other things than floats, for which there is no use.
void check_and_reduce(std::string& content, const std::string& name)
{
    io::ByteReader in(content, name);
    if (in.remaining() < 8 || in.get<std::uint64_t>("the start") != kMagic) in.fail("is not a .vdb file");
    const auto version = in.get<std::uint32_t>("the version");
    if (version < kOldestVersion || version > openvdb::OPENVDB_FILE_VERSION)
        in.fail("found version " + std::to_string(version) + " of the format; expected " +
                std::to_string(kOldestVersion) + " (2013) to " + std::to_string(openvdb::OPENVDB_FILE_VERSION));
    in.take(8, "the version of the library");
    if (in.get<std::uint8_t>("whether grids have offsets") != 1)
        in.fail("was written as a stream, without the offsets of its grids; write it as a file");
    in.take(kIdBytes, "the id");
    skip_metadata(in, content);
    const std::size_t count_offset = in.offset();
    const auto grids = in.get<std::int32_t>("the number of grids");
    if (grids < 0) in.fail("found " + std::to_string(grids) + " grids");
    std::int32_t kept = 0;
    std::string reduced = content.substr(0, in.offset());
    for (std::int32_t k = 0; k < grids; ++k) {
        const std::size_t descriptor = in.offset();
        take_string(in, "the name of a grid");
        const std::string_view type = take_string(in, "the type of a grid");
        const bool instance = !take_string(in, "the parent of a grid").empty();
        const auto start = in.get<std::int64_t>("the offset of a grid"),
                   blocks = in.get<std::int64_t>("the offset of a grid's blocks"),
                   end = in.get<std::int64_t>("the end of a grid");
        const auto here = static_cast<std::int64_t>(in.offset()), last = static_cast<std::int64_t>(content.size());
        if (start != here || blocks < start || end < blocks || end > last)
            in.fail("grid " + std::to_string(k) + " is said to reach from byte " + std::to_string(start) + " to " +
                    std::to_string(end) + " of " + std::to_string(last));
        const bool as_half = type == "Tree_float_5_4_3_HalfFloat";
        if (as_half || type == "Tree_float_5_4_3") {
            const auto compression = in.get<std::uint32_t>("the compression of a grid");
            if (skip_metadata(in, content) != as_half)
                in.fail("a grid contradicts itself on the precision of its floats");
            skip_transform(in);
            if (!instance) FloatTreeCheck(in, compression, as_half).run();  // else it shares the tree of its parent
            if (static_cast<std::int64_t>(in.offset()) != end) in.fail("a grid is not as long as it claims to be");
            reduced.append(content, descriptor, in.offset() - descriptor);
            ++kept;
        }
        in.seek(static_cast<std::size_t>(end));
    }
    std::memcpy(reduced.data() + count_offset, &kept, sizeof kept);
    content = std::move(reduced);
}

/// Opacity 1 wherever a voxel is more than 0, and stiffness as a share of the largest value. Voxels become cubes with
/// the smallest edge of the image's, each with the value of the nearest.
openvdb::GridPtrVec grids_of(const VolumeImage& image, const std::string& name)
{
    const double voxel = std::min({image.spacing.x, image.spacing.y, image.spacing.z});
    std::array<int, 3> size{};
    double voxels = 1;
    for (int k = 0; k < 3; ++k) {
        const double along = std::ceil(static_cast<double>(image.size[std::size_t(k)]) * image.spacing[k] / voxel);
        voxels *= along;
        if (!(voxels < kMostImageVoxels))
            io::fail(name, "has more than 2e9 voxels when they are cubes; resample it more coarsely");
        size[std::size_t(k)] = static_cast<int>(along);
    }
    const float largest = *std::ranges::max_element(image.values);
    if (!(largest > 0)) io::fail(name, "is empty: no voxel is more than 0");

    auto opacity = openvdb::FloatGrid::create(0.0f), stiffness = openvdb::FloatGrid::create(0.0f);
    auto opacities = opacity->getAccessor(), stiffnesses = stiffness->getAccessor();
    const auto nearest = [&](int at, int k) {
        const auto n = static_cast<std::size_t>(at * voxel / image.spacing[k] + 0.5);
        return std::min(n, image.size[std::size_t(k)] - 1);
    };
    for (int z = 0; z < size[2]; ++z)
        for (int y = 0; y < size[1]; ++y)
            for (int x = 0; x < size[0]; ++x) {
                const std::size_t row = nearest(z, 2) * image.size[1] + nearest(y, 1);
                const float value = image.values[row * image.size[0] + nearest(x, 0)];
                if (!(value > 0)) continue;
                opacities.setValue({x, y, z}, 1.0f);
                stiffnesses.setValue({x, y, z}, value / largest);
            }
    for (const auto& grid : {opacity, stiffness}) {
        auto transform = openvdb::math::Transform::createLinearTransform(voxel);
        transform->postTranslate({image.origin.x, image.origin.y, image.origin.z});
        grid->setTransform(transform);
    }
    opacity->setName("density");
    stiffness->setName("stiffness");
    return {opacity, stiffness};
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
        if (is_volume_image(path)) return grids_of(load_volume_image(path).value(), path.string());
        std::string content = io::read_file(path).value();
        check_and_reduce(content, path.string());
        std::istringstream stream(std::move(content));
        stream.exceptions(std::ios::failbit | std::ios::badbit | std::ios::eofbit);  // else it reads on behind the end
        try {
            return *openvdb::io::Stream(stream, /*delayLoad=*/false).getGrids();
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception&) {
            return Error{path.string(), "its grids are damaged"};
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
