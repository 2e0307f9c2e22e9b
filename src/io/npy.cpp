// NumPy's .npy files, versions 1 to 3: any whole or real number type in either byte order and memory order comes in as
// doubles, row-major; float, double and int32 go out.
#include <algorithm>
#include <charconv>
#include <optional>

#include "io/number_type.h"
#include "yawara/io.h"

namespace yawara {

namespace {

using namespace io;
using enum io::NumberType;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;  // of the data

struct NpyHeader {
    NumberType type = f64;
    std::endian order = std::endian::little;
    bool fortran = false;
    std::vector<std::size_t> shape;
};

std::optional<NumberType> npy_type(std::string_view name)
{
    struct Name {
        std::string_view text;
        NumberType type;
    };
    static constexpr Name kNames[] = {{"b1", u8},  {"i1", i8},  {"u1", u8},  {"i2", i16}, {"u2", u16}, {"i4", i32},
                                      {"u4", u32}, {"i8", i64}, {"u8", u64}, {"f4", f32}, {"f8", f64}};
    for (const Name& entry : kNames) {
        if (entry.text == name) return entry.type;
    }
    return std::nullopt;
}

// The value of a key (with its quotes) in the header, which is a Python dictionary such as
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }
std::string_view value_of(std::string_view header, std::string_view key, const std::string& where)
{
    const std::size_t found = header.find(key);
    const std::size_t colon = found == std::string_view::npos ? found : header.find(':', found);
    const std::size_t start = colon == std::string_view::npos ? colon : header.find_first_not_of(' ', colon + 1);
    if (start == std::string_view::npos)
        io::fail(where, "the header " + in_quotes(header) + " has no " + in_quotes(key));
    return header.substr(start);
}

std::vector<std::size_t> parse_shape(std::string_view text, const std::string& where)
{
    const std::size_t end = text.find(')');
    if (!text.starts_with('(') || end == std::string_view::npos)
        io::fail(where, "found the shape " + in_quotes(text) + "; expected one such as (3, 2)");
    std::vector<std::size_t> shape;
    const char* at = text.data() + 1;
    const char* last = text.data() + end;
    while (at != last) {
        if (*at == ' ' || *at == ',') {
            ++at;
            continue;
        }
        std::size_t extent = 0;
        const auto [stop, error] = std::from_chars(at, last, extent);
        if (error != std::errc{})
            io::fail(where, "found the shape " + in_quotes(text.substr(0, end + 1)) + "; expected whole numbers");
        shape.push_back(extent);
        at = stop;
    }
    if (shape.size() > 32) io::fail(where, "the shape has more than 32 dimensions");
    return shape;
}

NpyHeader parse_header(std::string_view text, const std::string& where)
{
    NpyHeader header;
    const std::string_view descr = value_of(text, "'descr'", where);
    const char order = descr.size() > 1 ? descr[1] : ' ';
    const std::optional<NumberType> type =
        descr.size() > 4 && (descr[4] == '\'' || descr[4] == '"') ? npy_type(descr.substr(2, 2)) : std::nullopt;
    if (!type || (order != '<' && order != '>' && order != '|' && order != '=')) {
        io::fail(where, "found the number type " + in_quotes(descr.substr(0, descr.find(','))) +
                            "; expected one such as '<f4', '<f8' or '<i4'");
    }
    header.type = *type;
    header.order = order == '>' ? std::endian::big : std::endian::little;
    header.fortran = value_of(text, "'fortran_order'", where).starts_with("True");
    header.shape = parse_shape(value_of(text, "'shape'", where), where);
    return header;
}

// Where an element of a column-major array goes in row-major order.
class RowMajorIndex {
public:
    explicit RowMajorIndex(const std::vector<std::size_t>& shape)
        : shape_(shape), index_(shape.size(), 0), strides_(shape.size(), 1)
    {
        for (std::size_t d = shape.size(); d-- > 1;) strides_[d - 1] = strides_[d] * shape[d];
    }
    std::size_t current() const { return current_; }
    void advance()
    {
        for (std::size_t d = 0; d < shape_.size(); ++d) {  // the first index runs fastest
            current_ += strides_[d];
            if (++index_[d] < shape_[d]) return;
            current_ -= strides_[d] * shape_[d];
            index_[d] = 0;
        }
    }

private:
    const std::vector<std::size_t>& shape_;
    std::vector<std::size_t> index_, strides_;
    std::size_t current_ = 0;
};

Array read_npy(std::string_view content, const std::string& name)
{
    ByteReader in(content, name);
    if (!content.starts_with(kMagic))
        in.fail("found " + in_quotes(content.substr(0, kMagic.size())) + "; expected the magic of a .npy file");
    in.take(kMagic.size(), "the magic");
    const auto version = in.get<std::uint8_t>("the version");
    in.get<std::uint8_t>("the minor version");
    if (version < 1 || version > 3) in.fail("found version " + std::to_string(version) + "; expected 1, 2 or 3");
    const std::size_t length = version == 1 ? in.get<std::uint16_t>("the length of the header")
                                            : in.get<std::uint32_t>("the length of the header");
    const std::string where = name + ": byte " + std::to_string(in.offset());
    const NpyHeader header = parse_header(in.take(length, "the header"), where);

    const std::size_t size = size_of(header.type), room = in.remaining() / size;
    std::size_t count = 1;
    bool too_large = false;
    for (const std::size_t extent : header.shape) {
        too_large = too_large || (extent != 0 && count > room / extent);
        count = too_large ? count : count * extent;
    }
    if (std::ranges::count(header.shape, std::size_t{0}) > 0) {
        count = 0;
    } else if (too_large || count > room) {
        in.fail("the shape announces more numbers than the " + std::to_string(room) + " that follow");
    }
    Array array{header.shape, std::vector<double>(count)};
    const std::string_view data = in.take(count * size, "the data");
    RowMajorIndex index(array.shape);
    for (std::size_t i = 0; i < count; ++i) {
        array.values[header.fortran ? index.current() : i] =
            decode_real(data.data() + i * size, header.type, header.order);
        if (header.fortran) index.advance();
    }
    return array;
}

template <class T>
Status save(const std::filesystem::path& path, std::string_view descr, std::span<const std::size_t> shape,
            std::span<const T> values)
{
    std::size_t count = 1;
    std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
    for (const std::size_t extent : shape) {
        count *= extent;
        header += std::to_string(extent) + ",";
    }
    if (count != values.size()) {
        return Error{path.string(),
                     "a shape of " + std::to_string(count) + " numbers for " + std::to_string(values.size())};
    }
    header += "), }";
    const std::size_t before = kMagic.size() + 4;  // magic, version, length
    header.append(kAlignment - 1 - (before + header.size()) % kAlignment, ' ');
    header += '\n';
    std::string out(kMagic);
    append(out, std::uint8_t{1});
    append(out, std::uint8_t{0});
    append(out, static_cast<std::uint16_t>(header.size()));
    out += header;
    out.reserve(out.size() + values.size_bytes());
    if constexpr (std::endian::native == std::endian::little) {
        out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    } else {
        for (const T value : values) append(out, value);
    }
    return write_file(path, out);
}

}  // namespace

Result<Array> load_npy(const std::filesystem::path& path)
{
    return guarded<Array>(path, [&] { return read_npy(read_file(path).value(), path.string()); });
}

Status save_npy(const std::filesystem::path& path, std::span<const std::size_t> shape, std::span<const float> values)
{
    return save(path, "<f4", shape, values);
}

Status save_npy(const std::filesystem::path& path, std::span<const std::size_t> shape, std::span<const double> values)
{
    return save(path, "<f8", shape, values);
}

Status save_npy(const std::filesystem::path& path, std::span<const std::size_t> shape,
                std::span<const std::int32_t> values)
{
    return save(path, "<i4", shape, values);
}

}  // namespace yawara
