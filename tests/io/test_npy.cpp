// NumPy arrays.
#include <numeric>

#include "io/mesh_files.h"

using namespace mesh_files;

namespace {

std::string npy(const std::string& dictionary, const std::string& data, int version = 1)
{
    Bytes b;
    b.text("\x93NUMPY").add(static_cast<std::uint8_t>(version)).add(std::uint8_t{0});
    version == 1 ? b.add(static_cast<std::uint16_t>(dictionary.size()))
                 : b.add(static_cast<std::uint32_t>(dictionary.size()));
    return b.text(dictionary).text(data).out;
}

Result<Array> load(const std::string& content)
{
    TempFolder folder;
    put_bytes(folder / "a.npy", content);
    return load_npy(folder / "a.npy");
}

template <class T>
void check_round_trip(const std::vector<T>& values, const std::vector<std::size_t>& shape)
{
    TempFolder folder;
    REQUIRE(save_npy(folder / "a.npy", shape, std::span<const T>(values)));
    const Array array = load_npy(folder / "a.npy").value();
    CHECK(array.shape == shape);
    CHECK(std::equal(values.begin(), values.end(), array.values.begin(), array.values.end()));
    const std::string bytes = bytes_of(folder / "a.npy");
    CHECK((bytes.size() - values.size() * sizeof(T)) % 64 == 0);
    CHECK(bytes[bytes.size() - values.size() * sizeof(T) - 1] == '\n');
}

}  // namespace

TEST_CASE("arrays are saved and loaded without loss, with their data at a multiple of 64 bytes")
{
    check_round_trip<float>({0.1f, -2.5f, 1e-38f, 4.0f, 5.0f, 6.0f}, {3, 2});
    check_round_trip<double>({0.1, 1e300}, {2});
    check_round_trip<std::int32_t>({-2147483647, 7, 8, 9, 10, 11, 12, 13}, {2, 2, 2});
    check_round_trip<double>({42.0}, {});
    check_round_trip<double>({}, {0, 3});
    for (std::size_t n = 1; n < 70; ++n)
        check_round_trip<float>(std::vector<float>(1, 1.0f), std::vector<std::size_t>(n > 30 ? 30 : n, 1));
}

TEST_CASE("a shape that does not fit the values is not saved")
{
    TempFolder folder;
    CHECK_FALSE(save_npy(folder / "a.npy", std::vector<std::size_t>{2, 2},
                         std::span<const float>(std::vector<float>{1, 2, 3})));
}

TEST_CASE("column-major, big-endian and small types come in as row-major doubles, from all versions")
{
    Bytes little, big{std::endian::big};
    for (const std::int16_t v : {11, 21, 12, 22, 13, 23}) {
        little.add(v);
        big.add(v);
    }
    const std::vector<double> rows = {11, 12, 13, 21, 22, 23};
    for (const int version : {1, 2, 3}) {
        CHECK(load(npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }\n", little.out, version))
                  .value()
                  .values == rows);
        CHECK(load(npy("{'shape':(2,3),'fortran_order':True,'descr':'>i2'}", big.out, version)).value().values == rows);
    }
    CHECK(load(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", "\x01\x02\xFF")).value().values ==
          std::vector<double>{1, 2, 255});
    CHECK(
        load(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", std::string("\x01\0", 2))).value().values ==
        std::vector<double>{1, 0});
}

TEST_CASE("mistakes in an array file are told with their byte")
{
    const std::vector<std::pair<std::string, std::string>> bad = {
        {"", "magic"},
        {"hello, this is no array", "magic"},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234567"), "more numbers than the 1"},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4), }", "1234"),
         "more numbers"},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "1234"), "shape"},
        {npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "12345678"), "<c8"},
        {npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "12345678"), "|O"},
        {npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"), "number type"},
        {npy("{'fortran_order': False, 'shape': (1,), }", "1234"), "descr"},
        {npy("{'descr': '<f4', 'fortran_order': False}", "1234"), "shape"},
        {npy("{}", "", 9), "version 9"},
        {npy("{'descr': '<f4'", "").substr(0, 12), "header"},
    };
    for (const auto& [content, word] : bad) {
        const Result<Array> array = load(content);
        REQUIRE_FALSE(array);
        CAPTURE(array.error().message());
        CHECK(array.error().where.find("a.npy: byte ") != std::string::npos);
        CHECK(array.error().what.find(word) != std::string::npos);
    }
}
