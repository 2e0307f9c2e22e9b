// The active layer: fields and charts, baked into flat arrays, give the wanted stretch of all regions at a time.
#include <cmath>

#include "active/chart.h"
#include "active/gait.h"
#include "core/parallel.h"
#include "yawara/active.h"

namespace yawara {
namespace {

constexpr std::size_t kChunk = 256;  // regions
constexpr std::size_t kRun = 64;     // regions whose numbers stay in the first cache between loops

/// e^x for |x| < 80 to 2e-7 of itself, without branches so that the compiler can do several at once.
inline float quick_exp(float x)
{
    const float y = x * 1.44269504f;
    const int whole = int(y + 128.5f) - 128;
    const float f = y - float(whole);  // in [-1/2, 1/2]
    const float p = 1 + f * (0.693147182f + f * (0.240226507f + f * (0.0555041087f +
                    f * (0.00961812911f + f * (0.00133335581f + f * 0.000154035304f)))));
    const std::uint32_t bits = std::uint32_t(whole + 127) << 23;
    float power;
    __builtin_memcpy(&power, &bits, 4);
    return p * power;
}

class ActiveLayer final : public StretchLayer {
public:
    ActiveLayer(ActiveFields fields, ChartedLayer layer)
        : fields_(std::move(fields)), layer_(std::move(layer)), parts_{fields_, layer_, layer_.charts, layer_.speed}, gait_(layer_)
    {
        curves_.emplace_back(layer_.charts);
        for (const Gait& gait : layer_.gaits) curves_.emplace_back(gait.charts);
        const std::size_t n = fields_.frames.size();
        for (auto* list : {&d1x_, &d1y_, &d1z_, &d2x_, &d2y_, &d2z_, &both_, &stroke_, &gradient_, &amplitude_,
                           &phase_, &delay_})
            list->resize(n);
        const double period = layer_.charts.period;
        for (std::size_t r = 0; r < n; ++r) {
            const Mat3d& D = fields_.frames[r];
            d1x_[r] = float(D.c0.x), d1y_[r] = float(D.c0.y), d1z_[r] = float(D.c0.z);
            d2x_[r] = float(D.c1.x), d2y_[r] = float(D.c1.y), d2z_[r] = float(D.c1.z);
            const double sg = fields_.gradient_confidence[r], sd = fields_.stroke_confidence[r];
            both_[r] = float(sg * sd);
            stroke_[r] = float((1 - sg) * sd);
            gradient_[r] = float(sg * (1 - sd));
            amplitude_[r] = float(fields_.amplitude[r] * layer_.strength);
            phase_[r] = float(fields_.phase[r]);
            const double delay = fields_.phase[r] / layer_.speed;
            delay_[r] = float(delay - period * std::floor(delay / period));
        }
    }

    void target(double time, std::span<Sym3> wanted) const override
    {
        const double period = layer_.charts.period;
        const double ahead = time + layer_.lead;
        const auto now = float(ahead - period * std::floor(ahead / period));
        const muscles::GaitCurve::At beat = gait_.at(time);
        for_each_chunk(wanted.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t r = first; r < last; r += kRun) {
                const std::size_t count = std::min(kRun, last - r);
                Logs logs;
                layer_.keys.empty() ? follow_charts(now, r, count, logs) : blend_gaits(beat, r, count, logs);
                fill(r, count, logs, wanted.data() + r);
            }
        });
    }

    const ActiveParts& parts() const { return parts_; }

private:
    /// Logarithms of the three factors of some regions.
    struct Logs {
        float l1[kRun], l2[kRun], l3[kRun];
    };
    void follow_charts(float now, std::size_t first, std::size_t count, Logs& out) const
    {
        const auto period = float(layer_.charts.period);
        for (std::size_t k = 0; k < count; ++k) {
            const float since = now - delay_[first + k];
            const auto logs = curves_[0].logs(since < 0 ? since + period : since);
            out.l1[k] = logs[0], out.l2[k] = logs[1], out.l3[k] = logs[2];
        }
    }

    void blend_gaits(const muscles::GaitCurve::At& beat, std::size_t first, std::size_t count, Logs& out) const
    {
        float cycle[kRun];
        const auto now = float(beat.cycles - std::floor(beat.cycles)), late = float(beat.cycles_per_phase);
        for (std::size_t k = 0; k < count; ++k) {
            const float c = now - late * phase_[first + k];
            cycle[k] = c - std::floor(c);
            out.l1[k] = out.l2[k] = out.l3[k] = 0;
        }
        for (std::size_t g = 0; g < curves_.size(); ++g) {
            const auto weight = float(beat.weight(g)), period = float(curves_[g].period());
            if (weight == 0) continue;
            for (std::size_t k = 0; k < count; ++k) {
                const auto logs = curves_[g].logs(cycle[k] * period);
                out.l1[k] += weight * logs[0], out.l2[k] += weight * logs[1], out.l3[k] += weight * logs[2];
            }
        }
    }

    void fill(std::size_t first, std::size_t count, Logs& logs, Sym3* out) const
    {
        auto& [l1, l2, l3] = logs;
        for (std::size_t k = 0; k < count; ++k) {  // [ProcDef] 5.3
            const std::size_t r = first + k;
            const float both = both_[r], stroke = stroke_[r], gradient = gradient_[r];
            const float neither = (1 - both - stroke - gradient) * ((l1[k] + l2[k] + l3[k]) * (1.0f / 3));
            const float across = stroke * 0.5f * (l2[k] + l3[k]), within = gradient * 0.5f * (l1[k] + l3[k]);
            const float a = amplitude_[r];
            l1[k] = quick_exp(a * ((both + stroke) * l1[k] + within + neither));
            l2[k] = quick_exp(a * ((both + gradient) * l2[k] + across + neither));
            l3[k] = quick_exp(a * (both * l3[k] + across + within + neither));
        }
        for (std::size_t k = 0; k < count; ++k) {  // c3 I + (c1 - c3) d1 d1^T + (c2 - c3) d2 d2^T
            const std::size_t r = first + k;
            const float u = l1[k] - l3[k], v = l2[k] - l3[k];
            const float ux = u * d1x_[r], uy = u * d1y_[r], uz = u * d1z_[r];
            const float vx = v * d2x_[r], vy = v * d2y_[r], vz = v * d2z_[r];
            out[k].xx = l3[k] + ux * d1x_[r] + vx * d2x_[r];
            out[k].yy = l3[k] + uy * d1y_[r] + vy * d2y_[r];
            out[k].zz = l3[k] + uz * d1z_[r] + vz * d2z_[r];
            out[k].yz = uy * d1z_[r] + vy * d2z_[r];
            out[k].xz = ux * d1z_[r] + vx * d2z_[r];
            out[k].xy = ux * d1y_[r] + vx * d2y_[r];
        }
    }

    ActiveFields fields_;
    ChartedLayer layer_;
    ActiveParts parts_;
    muscles::GaitCurve gait_;
    std::vector<muscles::ChartCurve> curves_;               ///< of the charts and of the gaits
    std::vector<float> d1x_, d1y_, d1z_, d2x_, d2y_, d2z_;  ///< per region
    std::vector<float> both_, stroke_, gradient_;           ///< per region: weights of what is known
    std::vector<float> amplitude_, phase_;                  ///< per region: with the layer's strength
    std::vector<float> delay_;                              ///< s, per region, within the period of the charts
};

}  // namespace

Result<std::shared_ptr<const StretchLayer>> active(ActiveFields fields, ChartedLayer layer)
{
    if (const Status good = check(layer); !good) return good.error();
    const std::size_t n = fields.frames.size();
    for (const auto* list : {&fields.depth, &fields.amplitude, &fields.phase, &fields.gradient_confidence, &fields.stroke_confidence})
        if (list->size() != n) return Error{"fields", "do not all have " + std::to_string(n) + " values"};
    return std::shared_ptr<const StretchLayer>(std::make_shared<ActiveLayer>(std::move(fields), std::move(layer)));
}

Result<std::shared_ptr<const StretchLayer>> active(ActiveFields fields, const Charts& charts, double speed)
{
    return active(std::move(fields), ChartedLayer{.charts = charts, .speed = speed});
}

const ActiveParts* active_parts(const StretchLayer& layer)
{
    const auto* active = dynamic_cast<const ActiveLayer*>(&layer);
    return active ? &active->parts() : nullptr;
}

}  // namespace yawara
