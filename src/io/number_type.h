// Number types that files name in their headers (PLY, VTK, NumPy, Gmsh), and reading them as text or as bytes.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "io/binary.h"
#include "io/text_reader.h"

namespace yawara::io {

enum class NumberType { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };

constexpr bool is_real(NumberType type)
{
    return type == NumberType::f32 || type == NumberType::f64;
}

/// Calls `use` with a value of the C++ type that `type` stands for.
template <class Use>
constexpr auto with_type(NumberType type, Use&& use)
{
    switch (type) {
        case NumberType::i8:
            return use(std::int8_t{});
        case NumberType::u8:
            return use(std::uint8_t{});
        case NumberType::i16:
            return use(std::int16_t{});
        case NumberType::u16:
            return use(std::uint16_t{});
        case NumberType::i32:
            return use(std::int32_t{});
        case NumberType::u32:
            return use(std::uint32_t{});
        case NumberType::i64:
            return use(std::int64_t{});
        case NumberType::u64:
            return use(std::uint64_t{});
        case NumberType::f32:
            return use(float{});
        default:
            return use(double{});
    }
}

constexpr std::size_t size_of(NumberType type)
{
    return with_type(type, [](auto zero) { return sizeof zero; });
}

inline double decode_real(const char* bytes, NumberType type, std::endian order)
{
    return with_type(type, [&](auto zero) { return static_cast<double>(decode<decltype(zero)>(bytes, order)); });
}

/// A number as an integer; one that is not whole or too large becomes the smallest integer, which is no valid index or
/// count.
inline std::int64_t decode_integer(const char* bytes, NumberType type, std::endian order)
{
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
    return with_type(type, [&](auto zero) {
        const auto value = decode<decltype(zero)>(bytes, order);
        if constexpr (std::is_floating_point_v<decltype(zero)>) {
            return std::abs(value) < 1e15f && std::floor(value) == value ? static_cast<std::int64_t>(value) : kNone;
        } else if constexpr (std::is_same_v<decltype(zero), std::uint64_t>) {
            return value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()} ? static_cast<std::int64_t>(value)
                                                                                    : kNone;
        } else {
            return static_cast<std::int64_t>(value);
        }
    });
}

/// The numbers behind a text header: words, or bytes of a stated type and order, in the same file.
class NumberReader {
public:
    NumberReader(TextReader& text, bool binary, std::endian order)
        : text_(&text), bytes_(text.text(), text.place().name, order, text.offset()), binary_(binary)
    {
    }

    double real(NumberType type, std::string_view expected)
    {
        if (!binary_) return text_->real(expected);
        return decode_real(bytes_.take(size_of(type), expected).data(), type, bytes_.order());
    }
    std::int64_t integer(NumberType type, std::string_view expected)
    {
        if (!binary_) return text_->integer(expected);
        return decode_integer(bytes_.take(size_of(type), expected).data(), type, bytes_.order());
    }
    /// A number of things of at least `bytes_each` bytes, two in a text, that must still follow in this file.
    std::size_t count(NumberType type, std::string_view expected, std::size_t bytes_each)
    {
        const std::int64_t n = integer(type, expected);
        if (n < 0) fail("found " + std::to_string(n) + "; expected " + std::string(expected));
        check_room(static_cast<std::size_t>(n), bytes_each, expected);
        return static_cast<std::size_t>(n);
    }
    void check_room(std::size_t count, std::size_t bytes_each, std::string_view things) const
    {
        if (binary_) {
            bytes_.check_room(count, bytes_each, things);
        } else {
            text_->check_room(count, bytes_each == 0 ? 0 : 2, things);
        }
    }
    /// Passes over `count` numbers of a type.
    void skip(std::size_t count, NumberType type, std::string_view expected)
    {
        check_room(count, size_of(type), expected);
        if (binary_) {
            bytes_.take(count * size_of(type), expected);
        } else {
            for (std::size_t i = 0; i < count; ++i) text_->word();
        }
    }
    /// Where the next number stands.
    std::size_t offset()
    {
        if (binary_) return bytes_.offset();
        text_->more();
        return text_->offset();
    }
    bool binary() const { return binary_; }
    void set_order(std::endian order) { bytes_.set_order(order); }
    /// Moves the bytes to where the text is: a binary part starts here.
    void enter() { bytes_.seek(text_->offset()); }
    /// Moves the text to where the bytes are: a binary part has ended.
    void leave()
    {
        if (binary_) text_->seek(bytes_.offset());
    }
    [[noreturn]] void fail(const std::string& what) const
    {
        if (binary_) bytes_.fail(what);
        text_->fail(what);
    }

private:
    TextReader* text_;
    ByteReader bytes_;
    bool binary_;
};

}  // namespace yawara::io
