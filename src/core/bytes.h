// Numbers as bytes: reading with either byte order and a check of every access, and appending little-endian.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "yawara/core.h"

namespace yawara {

/// The number stored at `bytes` in the given order; the caller knows that sizeof(T) bytes are there.
template <class T>
T decode(const char* bytes, std::endian order = std::endian::little)
{
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes, sizeof(T));
    if (order != std::endian::native) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
}

/// Appends the number little-endian.
template <class T>
void append(std::string& out, T value)
{
    auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if constexpr (std::endian::native != std::endian::little) std::reverse(raw.begin(), raw.end());
    out.append(raw.data(), raw.size());
}

/// Walks over the bytes of a file; reading past the end throws with "path: byte N".
class ByteReader {
public:
    ByteReader(std::string_view bytes, std::string name, std::endian order = std::endian::little, std::size_t start = 0)
        : bytes_(bytes), name_(std::move(name)), order_(order), at_(start)
    {
    }

    template <class T>
    T get(std::string_view expected)
    {
        check_room(1, sizeof(T), expected);
        const T value = decode<T>(bytes_.data() + at_, order_);
        at_ += sizeof(T);
        return value;
    }
    std::string_view take(std::size_t count, std::string_view expected)
    {
        check_room(count, 1, expected);
        at_ += count;
        return bytes_.substr(at_ - count, count);
    }
    /// Refuses `count` things of `bytes_each` bytes if the rest of the file is too short for them.
    void check_room(std::size_t count, std::size_t bytes_each, std::string_view things) const
    {
        if (bytes_each == 0 || count <= remaining() / bytes_each) return;
        fail("the file ends after " + std::to_string(remaining()) + " more bytes; expected " + std::string(things) +
             " (" + std::to_string(count) + " x " + std::to_string(bytes_each) + " bytes)");
    }

    std::size_t offset() const { return at_; }
    std::size_t remaining() const { return bytes_.size() - at_; }
    void seek(std::size_t offset) { at_ = std::min(offset, bytes_.size()); }
    std::endian order() const { return order_; }
    void set_order(std::endian order) { order_ = order; }
    [[noreturn]] void fail(std::string what) const
    {
        throw Exception(Error{name_ + ": byte " + std::to_string(at_), std::move(what)});
    }

private:
    std::string_view bytes_;
    std::string name_;
    std::endian order_;
    std::size_t at_;
};

}  // namespace yawara
