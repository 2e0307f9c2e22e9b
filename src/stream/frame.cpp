// Packs sections one behind the other; the header's count of sections is kept up to date.
#include "stream/frame.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace yawara::stream {

static_assert(std::endian::native == std::endian::little, "frames are sent as they lie in memory");

namespace {

constexpr std::size_t kCountOffset = 24;  // of the number of sections, in the header

template <class T>
void append(std::string& bytes, T value)
{
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

void FrameWriter::start(FrameKind kind, std::uint32_t sequence, double time, std::uint32_t frame)
{
    bytes_.clear();
    sections_ = 0;
    bytes_ += "YWF1";
    append(bytes_, sequence);
    append(bytes_, time);
    append(bytes_, frame);
    append(bytes_, static_cast<std::uint32_t>(kind));
    append(bytes_, sections_);
    append(bytes_, std::uint32_t(0));
}

std::span<char> FrameWriter::add(Section what, int run, std::size_t body, std::size_t count, std::size_t bytes)
{
    append(bytes_, static_cast<std::uint16_t>(what));
    append(bytes_, std::uint8_t(run));
    append(bytes_, std::uint8_t(0));
    append(bytes_, std::uint32_t(body));
    append(bytes_, std::uint32_t(count));
    append(bytes_, std::uint32_t(bytes));
    const std::size_t at = bytes_.size();
    bytes_.resize(at + (bytes + 3) / 4 * 4);
    ++sections_;
    std::memcpy(bytes_.data() + kCountOffset, &sections_, sizeof sections_);
    return {bytes_.data() + at, bytes};
}

void FrameWriter::add_vectors(Section what, int run, std::size_t body, std::span<const Vec3> values)
{
    const auto room = add(what, run, body, values.size(), values.size_bytes());
    std::memcpy(room.data(), values.data(), values.size_bytes());
}

void FrameWriter::add_numbers(Section what, int run, std::size_t body, std::span<const float> values)
{
    const auto room = add(what, run, body, values.size(), values.size_bytes());
    std::memcpy(room.data(), values.data(), values.size_bytes());
}

void quantise(std::span<const Vec3> positions, std::span<char> out)
{
    Vec3 low{}, high{};
    if (!positions.empty()) low = high = positions[0];
    for (const Vec3& p : positions) low = min(low, p), high = max(high, p);
    const Vec3 size = max(high - low, Vec3{1e-30f, 1e-30f, 1e-30f});
    std::memcpy(out.data(), &low, sizeof low);
    std::memcpy(out.data() + sizeof low, &size, sizeof size);
    auto* const numbers = reinterpret_cast<std::uint16_t*>(out.data() + 2 * sizeof low);
    const Vec3 scale{65535 / size.x, 65535 / size.y, 65535 / size.z};
    for (std::size_t k = 0; k < positions.size(); ++k) {
        const Vec3 d = positions[k] - low;
        numbers[4 * k] = static_cast<std::uint16_t>(d.x * scale.x + 0.5f);
        numbers[4 * k + 1] = static_cast<std::uint16_t>(d.y * scale.y + 0.5f);
        numbers[4 * k + 2] = static_cast<std::uint16_t>(d.z * scale.z + 0.5f);
        numbers[4 * k + 3] = 0;
    }
}

}  // namespace yawara::stream
