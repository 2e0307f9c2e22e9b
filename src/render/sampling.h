// Sample points that spread evenly inside a pixel and over neighbouring pixels, the same in every frame:
// Sobol points in Z-order with shuffled digits (Ahmed and Wonka 2020) and hashed Owen scrambling (Burley 2020).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "yawara/mesh.h"

namespace yawara::drawing {

/// What a pair of random numbers is used for; each use has its own pattern.
enum class Purpose : std::uint32_t { Lens, Light, Sky, Aperture, Shutter, kCount };

inline std::uint32_t hashed(std::uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

inline std::uint32_t reversed_bits(std::uint32_t x)
{
    x = (x << 16) | (x >> 16);
    x = ((x & 0x00ff00ffu) << 8) | ((x >> 8) & 0x00ff00ffu);
    x = ((x & 0x0f0f0f0fu) << 4) | ((x >> 4) & 0x0f0f0f0fu);
    x = ((x & 0x33333333u) << 2) | ((x >> 2) & 0x33333333u);
    return ((x & 0x55555555u) << 1) | ((x >> 1) & 0x55555555u);
}

/// The points of one pixel. Cheap to make: the pixel's part of the Sobol index is worked out once.
class PixelSamples {
public:
    PixelSamples(int x, int y, int samples)
    {
        // The digits of the pixel's place in Z-order, from the largest; each is permuted by a hash of those above it.
        std::array<std::uint32_t, kPurposes> index{};
        std::uint32_t above = 0x9e3779b9u;
        for (int level = kTileBits - 1; level >= 0; --level) {
            const std::uint32_t digit = ((x >> level) & 1u) | (((y >> level) & 1u) << 1);
            above = hashed(above);
            for (std::uint32_t k = 0; k < kPurposes; ++k)
                index[k] = (index[k] << 2) | (digit ^ ((above >> (2 * k)) & 3u));
            above += digit;
        }
        const int sample_bits = std::bit_width(static_cast<unsigned>(samples - 1));
        // Each pixel takes its own points in another order, so that a part of them is no worse spread over many pixels.
        const std::uint32_t mask = (1u << sample_bits) - 1;
        for (std::uint32_t k = 0; k < kPurposes; ++k) {
            above = hashed(above + k);
            start_[k] = sobol((index[k] << sample_bits) | (above & mask));
        }
    }

    /// Point number `sample` in the unit square.
    Vec2 operator()(int sample, Purpose purpose) const
    {
        const auto k = static_cast<std::uint32_t>(purpose);
        const Pair own = sobol(static_cast<std::uint32_t>(sample));
        return {scrambled(start_[k].x ^ own.x, hashed(2 * k + 1)), scrambled(start_[k].y ^ own.y, hashed(2 * k + 2))};
    }

private:
    struct Pair {
        std::uint32_t x, y;
    };
    static constexpr std::uint32_t kPurposes = static_cast<std::uint32_t>(Purpose::kCount);
    static constexpr int kTileBits = 8;  // the pattern repeats every 256 pixels

    /// First two dimensions of Sobol's sequence with the bits in reverse, the order scrambling wants; linear over
    /// exclusive or.
    static Pair sobol(std::uint32_t index)
    {
        Pair result{index, 0};
        for (std::uint32_t direction = 1; index; index >>= 1, direction ^= direction << 1)
            if (index & 1) result.y ^= direction;
        return result;
    }

    static float scrambled(std::uint32_t x, std::uint32_t seed)
    {
        x += seed;
        x ^= x * 0x6c50b47cu;
        x ^= x * 0xb82f1e52u;
        x ^= x * 0xc7afe638u;
        x ^= x * 0x8d22f6e6u;
        return static_cast<float>(reversed_bits(x) >> 8) * 0x1p-24f;
    }

    std::array<Pair, kPurposes> start_;
};

}  // namespace yawara::drawing
