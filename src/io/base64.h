// Decodes base64 piece by piece. Padding inside only ends a group: VTK encodes a header and its data one after the
// other.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace yawara::io {

class Base64Reader {
public:
    explicit Base64Reader(std::string_view code) : code_(code) {}

    /// The next `count` bytes, or as many as there are before the end or the first foreign character.
    std::string read(std::size_t count)
    {
        std::string bytes;
        bytes.reserve(std::min(count, code_.size()));
        while (bytes.size() < count && (waiting_at_ < waiting_.size() || decode_group()))
            bytes += waiting_[waiting_at_++];
        return bytes;
    }

private:
    static int value_of(char c)
    {
        if (c >= 'A' && c <= 'Z') return c - 'A';
        if (c >= 'a' && c <= 'z') return c - 'a' + 26;
        if (c >= '0' && c <= '9') return c - '0' + 52;
        return c == '+' ? 62 : c == '/' ? 63 : -1;
    }

    // Four characters make three bytes; with padding fewer.
    bool decode_group()
    {
        std::uint32_t bits = 0;
        int characters = 0, data = 0;
        while (characters < 4 && at_ < code_.size()) {
            const char c = code_[at_];
            const int value = value_of(c);
            const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
            if (value < 0 && c != '=' && !blank) break;
            ++at_;
            if (blank) continue;
            bits = (bits << 6) | static_cast<std::uint32_t>(value < 0 ? 0 : value);
            ++characters;
            if (value >= 0) ++data;
        }
        bits <<= 6 * (4 - characters);
        waiting_.clear();
        waiting_at_ = 0;
        for (int k = 0; k < data - 1; ++k) waiting_ += static_cast<char>((bits >> (16 - 8 * k)) & 0xFF);
        return !waiting_.empty();
    }

    std::string_view code_;
    std::size_t at_ = 0;
    std::string waiting_;
    std::size_t waiting_at_ = 0;
};

}  // namespace yawara::io
