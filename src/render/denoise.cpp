// An edge-avoiding wavelet filter (Dammertz and others 2010) led by the variance of the samples (Schied and others
// 2017), with 3x3 taps at steps of 1, 2, 4, 8, 16 pixels.
#include "render/denoise.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

namespace yawara::drawing {
namespace {

constexpr int kPasses = 5;
constexpr float kTolerance = 3.0f;  // differences up to this many standard deviations are noise
// Variance of a single sample that is assumed at least: rare hits would otherwise stand out among pixels that saw none.
constexpr float kShadowFloor = 0.03f, kOcclusionFloor = 0.004f;
constexpr float kStranger = 1000;                            // pixels that differ more are left out
constexpr int kReach = (kDenoiseReach + kTile - 1) / kTile;  // in tiles; those with nothing hidden in reach are skipped

/// Where a pixel's main surface is; what neighbours are compared by.
struct Place {
    Vec3 point, normal;
    float per_pixel = 0;  ///< one over the width of a pixel there; zero: nothing here
};

struct Light {
    float shadow = 0;
    Vec3 occlusion;
    float shadow_variance = 0, occlusion_variance = 0;
};

/// 1 on the same flat surface, growing across edges and steps; infinite for strangers.
float strangeness(const Place& a, const Place& b)
{
    const float turn = dot(a.normal, b.normal);
    if (turn < 0.5f || b.per_pixel == 0) return std::numeric_limits<float>::infinity();
    const float step = dot(a.normal, b.point - a.point) * a.per_pixel;
    const float bend = (1 - turn) * 12;
    return (1 + step * step * 0.5f) * (1 + bend * bend);
}

class Filter {
public:
    Filter(const View& view, int samples, const Band& band)
        : band_(band), places_(band.pixels.size()), light_(band.pixels.size()), next_(band.pixels.size())
    {
        find_busy_tiles();
        each_busy_pixel([&](std::size_t i, int, int) {
            const Layer& layer = band.pixels[i].main;
            if (layer.weight == 0) return;
            places_[i] = {layer.point, layer.normal, 1 / view.pixel_size(layer.distance)};
        });
        each_busy_pixel([&](std::size_t i, int x, int y) {
            if (places_[i].per_pixel > 0) light_[i] = first_estimate(i, x, y, samples);
        });
    }

    void run()
    {
        for (int pass = 0; pass < kPasses; ++pass) {
            each_busy_pixel([&](std::size_t i, int x, int y) {
                if (places_[i].per_pixel > 0) next_[i] = smoothed(i, x, y, 1 << pass);
            });
            std::swap(light_, next_);
        }
    }

    void write(Band& band) const
    {
        each_busy_pixel([&](std::size_t i, int x, int y) {
            Pixel& pixel = band.pixels[i];
            pixel.main.shadow = light_[i].shadow;
            pixel.main.occlusion = light_[i].occlusion;
            if (pixel.second) lend(*pixel.second, x, y);
        });
    }

private:
    /// Marks the tiles in reach of any shadow or occlusion.
    void find_busy_tiles()
    {
        across_ = (band_.width + kTile - 1) / kTile;
        down_ = (band_.rows + kTile - 1) / kTile;
        busy_.assign(static_cast<std::size_t>(across_) * down_, 0);
        std::vector<std::uint8_t> hidden(busy_.size());
        tbb::parallel_for(0, down_, [&](int v) {
            for (int y = v * kTile; y < std::min((v + 1) * kTile, band_.rows); ++y)
                for (int x = 0; x < band_.width; ++x) {
                    const Pixel& pixel = band_.pixels[static_cast<std::size_t>(y) * band_.width + x];
                    if (pixel.second || pixel.main.shadow > 0 || !(pixel.main.occlusion == Vec3{}))
                        hidden[v * across_ + x / kTile] = 1;
                }
        });
        for (int v = 0; v < down_; ++v)
            for (int u = 0; u < across_; ++u) {
                if (!hidden[v * across_ + u]) continue;
                for (int w = std::max(v - kReach, 0); w <= std::min(v + kReach, down_ - 1); ++w)
                    std::fill_n(&busy_[w * across_ + std::max(u - kReach, 0)],
                                std::min(u + kReach, across_ - 1) - std::max(u - kReach, 0) + 1, 1);
            }
    }

    template <class Work>
    void each_busy_pixel(Work work) const
    {
        tbb::parallel_for(0, band_.rows, [&](int y) {
            for (int u = 0; u < across_; ++u) {
                if (!busy_[y / kTile * across_ + u]) continue;
                for (int x = u * kTile; x < std::min((u + 1) * kTile, band_.width); ++x)
                    work(static_cast<std::size_t>(y) * band_.width + x, x, y);
            }
        });
    }

    template <class Work>
    void each_neighbour(int x, int y, int step, Work work) const
    {
        static constexpr float kTaps[3] = {0.25f, 0.5f, 0.25f};
        if (x >= step && y >= step && x + step < band_.width && y + step < band_.rows) {
            const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(step) * band_.width;
            const std::ptrdiff_t here = static_cast<std::ptrdiff_t>(y) * band_.width + x;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    work(static_cast<std::size_t>(here + dy * row + dx * step), kTaps[dx + 1] * kTaps[dy + 1]);
            return;
        }
        for (int dy = -1; dy <= 1; ++dy) {
            const int v = y + dy * step;
            if (v < 0 || v >= band_.rows) continue;
            for (int dx = -1; dx <= 1; ++dx) {
                const int u = x + dx * step;
                if (u < 0 || u >= band_.width) continue;
                work(static_cast<std::size_t>(v) * band_.width + u, kTaps[dx + 1] * kTaps[dy + 1]);
            }
        }
    }

    /// The pixel's own light, with the variance of the samples around it.
    Light first_estimate(std::size_t i, int x, int y, int samples) const
    {
        float sum = 0, shadow = 0, shadow_squared = 0, occlusion = 0, occlusion_squared = 0;
        each_neighbour(x, y, 1, [&](std::size_t j, float tap) {
            const Layer& layer = band_.pixels[j].main;
            const float weight = tap * layer.weight / strangeness(places_[i], places_[j]);
            sum += weight;
            shadow += weight * layer.shadow;
            shadow_squared += weight * layer.shadow_squared;
            occlusion += weight * luminance(layer.occlusion);
            occlusion_squared += weight * layer.occlusion_squared;
        });
        const Layer& own = band_.pixels[i].main;
        const float count = own.weight * static_cast<float>(samples);
        const auto variance = [&](float mean, float squared, float least) {
            return std::max(least, squared / sum - mean * mean / (sum * sum)) / count;
        };
        return {own.shadow, own.occlusion, variance(shadow, shadow_squared, kShadowFloor),
                variance(occlusion, occlusion_squared, kOcclusionFloor)};
    }

    Light smoothed(std::size_t i, int x, int y, int step) const
    {
        const Light& own = light_[i];
        const float shadow_scale = 1 / (kTolerance * kTolerance * own.shadow_variance + 1e-6f);
        const float occlusion_scale = 1 / (kTolerance * kTolerance * own.occlusion_variance + 1e-6f);
        const float own_luminance = luminance(own.occlusion);
        Light result;
        float shadow_sum = 0, occlusion_sum = 0;
        each_neighbour(x, y, step, [&](std::size_t j, float tap) {
            const float strange = strangeness(places_[i], places_[j]);
            if (strange > kStranger) return;
            const Light& other = light_[j];
            const float d = other.shadow - own.shadow, e = luminance(other.occlusion) - own_luminance;
            const float shadow_weight = tap / (strange * (1 + d * d * shadow_scale));
            const float occlusion_weight = tap / (strange * (1 + e * e * occlusion_scale));
            shadow_sum += shadow_weight;
            result.shadow += other.shadow * shadow_weight;
            result.shadow_variance += other.shadow_variance * shadow_weight * shadow_weight;
            occlusion_sum += occlusion_weight;
            result.occlusion += other.occlusion * occlusion_weight;
            result.occlusion_variance += other.occlusion_variance * occlusion_weight * occlusion_weight;
        });
        const float shadow_norm = 1 / shadow_sum, occlusion_norm = 1 / occlusion_sum;
        result.shadow *= shadow_norm;
        result.shadow_variance *= shadow_norm * shadow_norm;
        result.occlusion *= occlusion_norm;
        result.occlusion_variance *= occlusion_norm * occlusion_norm;
        return result;
    }

    /// The smaller layer of a pixel takes the smooth light of neighbours whose main surface it is.
    void lend(Layer& layer, int x, int y) const
    {
        const Place place{layer.point, layer.normal, places_[static_cast<std::size_t>(y) * band_.width + x].per_pixel};
        float sum = 0, shadow = 0;
        Vec3 occlusion{};
        each_neighbour(x, y, 1, [&](std::size_t j, float tap) {
            const float weight = tap / strangeness(place, places_[j]);
            sum += weight;
            shadow += light_[j].shadow * weight;
            occlusion += light_[j].occlusion * weight;
        });
        if (sum < 0.02f) return;
        layer.shadow = shadow / sum;
        layer.occlusion = occlusion / sum;
    }

    const Band& band_;
    int across_ = 0, down_ = 0;  ///< tiles
    std::vector<std::uint8_t> busy_;
    std::vector<Place> places_;
    std::vector<Light> light_, next_;
};

}  // namespace

void denoise(const View& view, int samples, Band& band)
{
    Filter filter(view, samples, band);
    filter.run();
    filter.write(band);
}

}  // namespace yawara::drawing
