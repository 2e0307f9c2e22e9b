// VTK's XML format for unstructured grids, .vtu: arrays as text, inline base64 or appended (raw or base64), plain or
// compressed with zlib; several pieces make one mesh.
#include <zlib.h>

#include <optional>

#include "io/base64.h"
#include "io/formats.h"
#include "io/number_type.h"
#include "io/text_writer.h"
#include "io/volume_builder.h"
#include "io/vtk_cells.h"
#include "io/xml.h"

namespace yawara::io {

namespace {

using enum NumberType;

std::optional<NumberType> type_of(std::string_view name)
{
    struct Name {
        std::string_view text;
        NumberType type;
    };
    static constexpr Name kNames[] = {{"Int8", i8},     {"UInt8", u8},   {"Int16", i16}, {"UInt16", u16},
                                      {"Int32", i32},   {"UInt32", u32}, {"Int64", i64}, {"UInt64", u64},
                                      {"Float32", f32}, {"Float64", f64}};
    for (const Name& entry : kNames) {
        if (entry.text == name) return entry.type;
    }
    return std::nullopt;
}

/// The bytes of one array, as they come: from base64 or as they are.
class ByteSource {
public:
    ByteSource(std::string_view stored, bool base64) : raw_(stored), code_(stored), base64_(base64) {}
    std::string read(std::size_t count)
    {
        if (base64_) return code_.read(count);
        std::string bytes(raw_.substr(0, count));
        raw_.remove_prefix(bytes.size());
        return bytes;
    }

private:
    std::string_view raw_;
    Base64Reader code_;
    bool base64_;
};

class VtuReader {
public:
    VtuReader(std::string_view content, const std::string& name)
        : xml_(content, name), name_(name), mesh_(xml_.place()), bytes_left_(kLargestFile)
    {
    }

    TetMesh read()
    {
        find_appended_data();
        bool is_grid = false, in_piece = false;
        std::string section;
        XmlTag tag;
        while (xml_.next(tag)) {
            if (tag.name == "VTKFile") {
                read_file_tag(tag);
                is_grid = true;
            } else if (!is_grid) {
                fail(tag, "found the tag " + in_quotes(tag.name) + "; expected VTKFile");
            } else if (tag.name == "Piece" && !tag.closed) {
                start_piece(tag);
                in_piece = true;
            } else if (tag.name == "/Piece") {
                if (in_piece) finish_piece(tag);
                in_piece = false;
            } else if (tag.name == "Points" || tag.name == "Cells" || tag.name == "CellData" ||
                       tag.name == "PointData") {
                section = tag.name;
            } else if (tag.name == "DataArray" && in_piece) {
                read_data_array(section, tag);
            } else if (tag.name == "AppendedData") {
                break;
            }
        }
        if (!is_grid) io::fail(xml_.place().at(0), "no tag VTKFile found; expected an unstructured grid");
        if (in_piece) io::fail(xml_.place().at(xml_.place().text.size()), "the file ends within a Piece");
        return mesh_.finish();
    }

private:
    [[noreturn]] void fail(const XmlTag& tag, const std::string& what) const
    {
        io::fail(xml_.place().at(tag.offset), what);
    }

    void find_appended_data()
    {
        const std::string_view text = xml_.place().text;
        const std::size_t tag = text.find("<AppendedData");
        if (tag == std::string_view::npos) return;
        const std::size_t head_end = std::min(text.find('>', tag), text.size());
        appended_is_base64_ = text.substr(tag, head_end - tag).find("base64") != std::string_view::npos;
        const std::size_t start = text.find('_', head_end);
        if (start != std::string_view::npos) appended_ = text.substr(start + 1);
    }

    void read_file_tag(const XmlTag& tag)
    {
        if (tag.get("type") != "UnstructuredGrid")
            fail(tag, "found the type " + in_quotes(tag.get("type")) + "; expected UnstructuredGrid");
        order_ = tag.get("byte_order") == "BigEndian" ? std::endian::big : std::endian::little;
        header_type_ = tag.get("header_type") == "UInt64" ? u64 : u32;
        const std::string compressor = tag.get("compressor");
        if (!compressor.empty() && compressor != "vtkZLibDataCompressor")
            fail(tag, "found the compressor " + in_quotes(compressor) + "; expected vtkZLibDataCompressor or none");
        compressed_ = !compressor.empty();
    }

    std::size_t count_attribute(const XmlTag& tag, const char* key) const
    {
        const std::string value = tag.get(key);
        if (value.empty() || value.size() > 18 || value.find_first_not_of("0123456789") != std::string::npos) {
            fail(tag, std::string(key) + " is " + in_quotes(value) + "; expected a count");
        }
        return std::stoull(value);
    }

    void start_piece(const XmlTag& tag)
    {
        points_ = count_attribute(tag, "NumberOfPoints");
        cell_count_ = count_attribute(tag, "NumberOfCells");
        positions_.clear();
        cells_ = {};
        cells_.offset = tag.offset;
    }

    void read_data_array(const std::string& section, const XmlTag& tag)
    {
        const std::string name = tag.get("Name");
        if (section == "Points") {
            positions_ = read_array<double>(tag);
        } else if (section == "Cells" && name == "connectivity") {
            cells_.connectivity = read_array<std::int64_t>(tag);
        } else if (section == "Cells" && name == "offsets") {
            cells_.ends = read_array<std::int64_t>(tag);
        } else if (section == "Cells" && name == "types") {
            cells_.types = read_array<std::int64_t>(tag);
        } else if (section == "CellData" && is_label_name(name) && tag.get("NumberOfComponents", "1") == "1") {
            const std::optional<NumberType> type = type_of(tag.get("type"));
            if (type && !is_real(*type) && cells_.labels.empty()) cells_.labels = read_array<std::int64_t>(tag);
        }
    }

    void finish_piece(const XmlTag& tag)
    {
        if (positions_.size() != 3 * points_) {
            fail(tag, std::to_string(positions_.size()) + " coordinates of " + std::to_string(points_) +
                          " points; expected three for each");
        }
        if (cells_.types.size() != cell_count_) {
            fail(tag, std::to_string(cells_.types.size()) + " types of " + std::to_string(cell_count_) +
                          " cells; expected one for each");
        }
        const std::size_t first = mesh_.vertex_count();
        for (std::size_t i = 0; i < points_; ++i) {
            mesh_.add_vertex(static_cast<std::int64_t>(first + i),
                             {positions_[3 * i], positions_[3 * i + 1], positions_[3 * i + 2]}, cells_.offset);
        }
        add_tets(cells_, first, points_, xml_.place(), mesh_);
    }

    template <class T>
    std::vector<T> read_array(const XmlTag& tag)
    {
        const std::optional<NumberType> type = type_of(tag.get("type"));
        if (!type)
            fail(tag,
                 "found the number type " + in_quotes(tag.get("type")) + "; expected one such as Int64 or Float32");
        const std::string format = tag.get("format", "ascii");
        std::vector<T> values;
        if (format == "ascii") {
            const std::string_view inside = xml_.text_after(tag);
            TextReader in(xml_.place().text.substr(0, tag.content + inside.size()),
                          name_);  // lines count from the file's start
            in.seek(tag.content);
            take_budget(tag, inside.size());
            while (in.more()) {
                if constexpr (std::is_same_v<T, double>) {
                    values.push_back(in.real("a number of an array"));
                } else {
                    values.push_back(in.integer("a whole number of an array"));
                }
            }
            return values;
        }
        const std::string bytes = decode_array(tag, format);
        const std::size_t size = size_of(*type);
        if (bytes.size() % size != 0)
            fail(tag, std::to_string(bytes.size()) + " bytes of data; expected a multiple of " + std::to_string(size));
        values.reserve(bytes.size() / size);
        for (std::size_t at = 0; at < bytes.size(); at += size) {
            if constexpr (std::is_same_v<T, double>) {
                values.push_back(decode_real(bytes.data() + at, *type, order_));
            } else {
                values.push_back(decode_integer(bytes.data() + at, *type, order_));
            }
        }
        return values;
    }

    std::string decode_array(const XmlTag& tag, const std::string& format)
    {
        if (format == "binary") {
            ByteSource source(xml_.text_after(tag), true);
            return decode_blocks(tag, source);
        }
        if (format != "appended")
            fail(tag, "found the format " + in_quotes(format) + "; expected ascii, binary or appended");
        const std::size_t offset = count_attribute(tag, "offset");
        if (offset >= appended_.size())
            fail(tag, "the offset " + std::to_string(offset) + " lies beyond the end of the appended data");
        ByteSource source(appended_.substr(offset), appended_is_base64_);
        return decode_blocks(tag, source);
    }

    std::size_t read_header_number(const XmlTag& tag, ByteSource& source) const
    {
        const std::string bytes = source.read(size_of(header_type_));
        if (bytes.size() < size_of(header_type_)) fail(tag, "the data of the array end within their header");
        const std::int64_t value = decode_integer(bytes.data(), header_type_, order_);
        if (value < 0 || static_cast<std::uintmax_t>(value) > kLargestFile)
            fail(tag, "the header of the array's data announces more than 4 GB");
        return static_cast<std::size_t>(value);
    }

    // Many arrays may share the same data: what is decoded in all is limited, not only what the file holds.
    void take_budget(const XmlTag& tag, std::size_t bytes)
    {
        if (bytes > bytes_left_) fail(tag, "the arrays hold more than 4 GB");
        bytes_left_ -= bytes;
    }

    std::string decode_blocks(const XmlTag& tag, ByteSource& source)
    {
        constexpr std::size_t kMostInflated = 1032;  // zlib cannot shrink more than this
        if (!compressed_) {
            const std::size_t size = read_header_number(tag, source);
            take_budget(tag, size);
            std::string bytes = source.read(size);
            if (bytes.size() < size)
                fail(tag, "the data of the array end after " + std::to_string(bytes.size()) + " bytes; expected " +
                              std::to_string(size));
            return bytes;
        }
        const std::size_t blocks = read_header_number(tag, source);
        const std::size_t block_size = read_header_number(tag, source);
        const std::size_t last_size = read_header_number(tag, source);
        const std::size_t file_size = xml_.place().text.size();
        if (blocks > file_size / size_of(header_type_))
            fail(tag, std::to_string(blocks) + " compressed blocks do not fit into the file");
        std::vector<std::size_t> packed_sizes(blocks);
        for (std::size_t& size : packed_sizes) size = read_header_number(tag, source);
        std::string result;
        for (std::size_t b = 0; b < blocks; ++b) {
            const std::size_t expected = b + 1 == blocks && last_size != 0 ? last_size : block_size;
            const std::string packed = source.read(packed_sizes[b]);
            if (packed.size() < packed_sizes[b]) fail(tag, "compressed block " + std::to_string(b) + " is cut off");
            if (expected > kMostInflated * (packed.size() + 1))
                fail(tag,
                     "compressed block " + std::to_string(b) + " cannot hold " + std::to_string(expected) + " bytes");
            take_budget(tag, expected);
            const std::size_t start = result.size();
            result.resize(start + expected);
            uLongf size = expected;
            const int status = uncompress(reinterpret_cast<Bytef*>(result.data() + start), &size,
                                          reinterpret_cast<const Bytef*>(packed.data()), packed.size());
            if (status != Z_OK || size != expected) fail(tag, "compressed block " + std::to_string(b) + " is damaged");
        }
        return result;
    }

    XmlScanner xml_;
    std::string name_;
    VolumeBuilder mesh_;
    std::uintmax_t bytes_left_;
    std::string_view appended_;
    bool appended_is_base64_ = false;
    std::endian order_ = std::endian::little;
    NumberType header_type_ = u32;
    bool compressed_ = false;
    // of the piece that is being read
    std::size_t points_ = 0, cell_count_ = 0;
    std::vector<double> positions_;
    VtkCells cells_;
};

}  // namespace

bool starts_vtu(std::string_view start)
{
    return start.find("<VTKFile") != start.npos && start.find("UnstructuredGrid") != start.npos;
}

TetMesh read_vtu(std::string_view content, const std::string& name)
{
    return VtuReader(content, name).read();
}

std::string write_vtu(const TetMesh& mesh)
{
    std::string out =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
        "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"" +
        std::to_string(mesh.vertices.size()) + "\" NumberOfCells=\"" + std::to_string(mesh.tets.size()) + "\">\n";
    const auto open = [&out](const char* type, const char* name, int components) {
        out += std::string("<DataArray type=\"") + type + "\" Name=\"" + name + "\" NumberOfComponents=\"" +
               std::to_string(components) + "\" format=\"ascii\">\n";
    };
    out += "<Points>\n";
    open("Float64", "Points", 3);
    for (const Vec3d& v : mesh.vertices) {
        append_vector(out, v);
        out += '\n';
    }
    out += "</DataArray>\n</Points>\n<Cells>\n";
    open("Int32", "connectivity", 1);
    for (const Int4& tet : mesh.tets) {
        for (const std::int32_t v : tet) {
            append_number(out, v);
            out += ' ';
        }
        out += '\n';
    }
    out += "</DataArray>\n";
    open("Int32", "offsets", 1);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        append_number(out, 4 * (t + 1));
        out += '\n';
    }
    out += "</DataArray>\n";
    open("UInt8", "types", 1);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) out += "10\n";
    out += "</DataArray>\n</Cells>\n";
    if (!mesh.materials.empty()) {
        out += "<CellData>\n";
        open("Int32", "material", 1);
        for (const std::int32_t material : mesh.materials) {
            append_number(out, material);
            out += '\n';
        }
        out += "</DataArray>\n</CellData>\n";
    }
    return out + "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
}

}  // namespace yawara::io
