// Clips for ParaView: BODY.00000.vtu with tets, particles and their values for every frame, and clip.pvd that lists
// them with their times. The list is whole after every frame. Without tets (a lattice) the particles are points.
#include <fmt/format.h>

#include <numeric>

#include "io/clip_formats.h"
#include "io/clip_output.h"

namespace yawara::io {
namespace {

constexpr std::uint8_t kVtkVertex = 1, kVtkTetra = 10;
constexpr std::string_view kListEnd = "  </Collection>\n</VTKFile>\n";

std::string xml_text(std::string_view text)
{
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return escaped;
}

/// The arrays of one .vtu file: described in XML first, then their bytes, each after its length.
class VtuArrays {
public:
    template <class T>
    std::string add(std::string_view type, std::string_view name, int components, std::span<const T> values)
    {
        const std::string tag = fmt::format(
            "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
            "offset=\"{}\"/>\n",
            type, xml_text(name), components, offset_);
        pieces_.push_back(std::as_bytes(values));
        offset_ += sizeof(std::uint64_t) + values.size_bytes();
        return tag;
    }

    void write(OutFile& file) const
    {
        for (const std::span<const std::byte> piece : pieces_) {
            file.write_value(static_cast<std::uint64_t>(piece.size()));
            file.write(piece);
        }
    }

private:
    std::vector<std::span<const std::byte>> pieces_;
    std::uint64_t offset_ = 0;
};

/// What stays the same over the frames of a body, until its mesh changes.
struct VtuBody {
    std::string name;                        // of its files
    std::vector<std::int32_t> connectivity;  // corners of all cells
    std::vector<std::int64_t> offsets;       // where each cell ends
    std::vector<std::uint8_t> types;
    std::vector<std::int32_t> materials;
    std::vector<std::string> value_names;

    VtuBody(const ClipBody& body, std::string file_name)
        : name(std::move(file_name)), materials(body.solid.materials), value_names(body.value_names)
    {
        const std::size_t particles = body.solid.vertices.size();
        const bool points = body.solid.tets.empty();
        const std::size_t cells = points ? particles : body.solid.tets.size();
        for (const Int4& tet : body.solid.tets) connectivity.insert(connectivity.end(), tet.begin(), tet.end());
        if (points) {
            connectivity.resize(particles);
            std::iota(connectivity.begin(), connectivity.end(), 0);
        }
        for (std::size_t c = 1; c <= cells; ++c) offsets.push_back(static_cast<std::int64_t>(c * (points ? 1 : 4)));
        types.assign(cells, points ? kVtkVertex : kVtkTetra);
    }

    Status write(const std::filesystem::path& path, const ClipFrame& frame) const
    {
        auto file = OutFile::create(path);
        if (!file) return file.error();
        VtuArrays arrays;
        std::string xml =
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\">\n  <UnstructuredGrid>\n";
        xml += fmt::format("    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", frame.particles.size(),
                           types.size());
        xml += "      <PointData>\n";
        for (std::size_t v = 0; v < value_names.size(); ++v)
            xml += arrays.add("Float32", value_names[v], 1, frame.values[v]);
        xml += "      </PointData>\n      <CellData>\n";
        if (!materials.empty()) xml += arrays.add("Int32", "material", 1, std::span(materials));
        xml += "      </CellData>\n      <Points>\n";
        xml += arrays.add("Float32", "Points", 3, frame.particles);
        xml += "      </Points>\n      <Cells>\n";
        xml += arrays.add("Int32", "connectivity", 1, std::span(connectivity));
        xml += arrays.add("Int64", "offsets", 1, std::span(offsets));
        xml += arrays.add("UInt8", "types", 1, std::span(types));
        xml += "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_";
        file->write(xml);
        arrays.write(*file);
        file->write("\n  </AppendedData>\n</VTKFile>\n");
        return file->flush();
    }
};

class VtuClip final : public ClipWriter {
public:
    VtuClip(const ClipTarget& target, OutFile list) : out_(target.out), list_(std::move(list))
    {
        for (std::size_t b = 0; b < target.names.size(); ++b)
            bodies_.emplace_back(target.info.bodies[b], target.names[b]);
        add_to_list(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
            "  <Collection>\n");
    }

    Status flush() { return list_.flush(); }

    Status frame(double time, std::span<const ClipFrame> bodies) override
    {
        std::string lines;
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            const std::string name = fmt::format("{}.{:05}.vtu", bodies_[b].name, frames_);
            if (Status status = bodies_[b].write(out_ / name, bodies[b]); !status) return status;
            lines += fmt::format("    <DataSet timestep=\"{}\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n", time, b,
                                 xml_text(bodies_[b].name), xml_text(name));
        }
        ++frames_;
        add_to_list(lines);
        return list_.flush();
    }

    Status change(std::size_t body, const ClipBody& now) override
    {
        bodies_[body] = VtuBody(now, bodies_[body].name);
        return Done{};
    }

    Status finish() override { return list_.flush(); }

    std::vector<std::string> notes() const override
    {
        return {fmt::format("{}: {} frames of {} bodies, open this in ParaView", list_.path().string(), frames_,
                            bodies_.size())};
    }

private:
    /// Over the end of the list, and the end again.
    void add_to_list(std::string_view lines)
    {
        list_.seek(list_bytes_);
        list_.write(lines);
        list_.write(kListEnd);
        list_bytes_ += lines.size();
    }

    std::filesystem::path out_;
    OutFile list_;
    std::uint64_t list_bytes_ = 0;  // without its end
    std::vector<VtuBody> bodies_;
    std::size_t frames_ = 0;
};

}  // namespace

NewClipWriter make_vtu_clip(const ClipTarget& target)
{
    auto list = OutFile::create(target.out / "clip.pvd");
    if (!list) return list.error();
    auto clip = std::make_unique<VtuClip>(target, std::move(*list));
    if (Status status = clip->flush(); !status) return status.error();
    return std::unique_ptr<ClipWriter>(std::move(clip));
}

}  // namespace yawara::io
