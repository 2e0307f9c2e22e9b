// The active layer: fields and charts, baked into flat arrays, give the wanted stretch of all regions at a time.
#include <algorithm>
#include <array>
#include <cmath>

#include "active/chart_pieces.h"
#include "active/gait.h"
#include "active/layer_kernels.h"
#include "core/parallel.h"
#include "matching/joining_layer.h"
#include "yawara/active.h"

namespace yawara {
namespace {

constexpr std::size_t kChunk = 256;  // regions
constexpr std::size_t kRun = 64;     // regions whose numbers stay in the first cache between loops

using muscles::kEight;
using muscles::kLogSize;

/// Room for whole eights of regions.
std::vector<float> room_for(std::size_t regions)
{
    return std::vector<float>((regions + kEight - 1) / kEight * kEight);
}

/// Directions of all regions, and how much is known of them.
class Frames {
public:
    explicit Frames(const ActiveFields& fields)
    {
        const std::size_t n = fields.frames.size();
        for (auto* list : {&d1_[0], &d1_[1], &d1_[2], &d2_[0], &d2_[1], &d2_[2], &both_, &stroke_, &gradient_})
            *list = room_for(n);
        for (std::size_t r = 0; r < n; ++r) {
            const Mat3d& D = fields.frames[r];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                d1_[axis][r] = float(D.c0[int(axis)]);
                d2_[axis][r] = float(D.c1[int(axis)]);
            }
            const double sg = fields.gradient_confidence[r], sd = fields.stroke_confidence[r];
            both_[r] = float(sg * sd);
            stroke_[r] = float((1 - sg) * sd);
            gradient_[r] = float(sg * (1 - sd));
        }
    }

    muscles::FrameView view() const
    {
        return {{d1_[0].data(), d1_[1].data(), d1_[2].data()},
                {d2_[0].data(), d2_[1].data(), d2_[2].data()},
                both_.data(),
                stroke_.data(),
                gradient_.data()};
    }
    friend bool operator==(const Frames&, const Frames&) = default;

private:
    std::array<std::vector<float>, 3> d1_, d2_;    ///< per region
    std::vector<float> both_, stroke_, gradient_;  ///< per region: weights of what is known
};

/// What the charts of one layer give to the logarithms of the three factors of every region.
class Rhythm {
public:
    Rhythm(const ActiveFields& fields, const ChartedLayer& layer)
        : layer_(layer),
          gait_(layer),
          exponents_(room_for(fields.frames.size())),
          phases_(exponents_.size()),
          delays_(exponents_.size())
    {
        curves_.emplace_back(layer.charts);
        for (const Gait& gait : layer.gaits) curves_.emplace_back(gait.charts);
        const double period = layer.charts.period;
        for (std::size_t r = 0; r < fields.frames.size(); ++r) {
            exponents_[r] = float(fields.amplitude[r] * layer.strength);
            phases_[r] = float(fields.phase[r]);
            const double delay = fields.phase[r] / layer.speed;
            delays_[r] = float(delay - period * std::floor(delay / period));
        }
    }

    /// Where the beat is at a time.
    struct At {
        float seconds;  ///< of the charts, within their period
        muscles::GaitCurve::At beat;
    };
    At at(double time) const
    {
        const double period = layer_.charts.period, ahead = time + layer_.lead;
        return {float(ahead - period * std::floor(ahead / period)), gait_.at(time)};
    }

    /// Adds to the logarithms of `count` regions, at most kRun.
    void add_to(const At& now, std::size_t first, std::size_t count, float* logs) const
    {
        const float* const exponents = exponents_.data() + first;
        if (std::all_of(exponents, exponents + count, [](float a) { return a == 0; })) return;
        layer_.keys.empty() ? follow_charts(now.seconds, first, count, logs)
                            : blend_gaits(now.beat, first, count, logs);
    }

private:
    void follow_charts(float now, std::size_t first, std::size_t count, float* logs) const
    {
        const auto period = float(layer_.charts.period);
        float times[kRun];
        for (std::size_t k = 0; k < count; ++k) {
            const float since = now - delays_[first + k];
            times[k] = since < 0 ? since + period : since;
        }
        add_curve(0, times, 1, first, count, logs);
    }

    void blend_gaits(const muscles::GaitCurve::At& beat, std::size_t first, std::size_t count, float* logs) const
    {
        const auto now = float(beat.cycles - std::floor(beat.cycles)), late = float(beat.cycles_per_phase);
        float cycles[kRun], times[kRun];
        for (std::size_t k = 0; k < count; ++k) {
            const float c = now - late * phases_[first + k];
            cycles[k] = c - std::floor(c);
        }
        for (std::size_t g = 0; g < curves_.size(); ++g) {
            const auto weight = float(beat.weight(g)), period = float(curves_[g].period);
            if (weight == 0) continue;
            for (std::size_t k = 0; k < count; ++k) times[k] = cycles[k] * period;
            add_curve(g, times, weight, first, count, logs);
        }
    }

    void add_curve(std::size_t curve, const float* times, float weight, std::size_t first, std::size_t count,
                   float* logs) const
    {
        muscles::layer_kernels().add_charts(curves_[curve].view(), times, exponents_.data() + first, weight, count,
                                            logs);
    }

    ChartedLayer layer_;
    muscles::GaitCurve gait_;
    std::vector<muscles::ChartTable> curves_;  ///< of the charts and of the gaits
    std::vector<float> exponents_, phases_;    ///< per region: amplitude times the layer's strength; phase
    std::vector<float> delays_;                ///< s, per region, within the period of the charts
};

/// Rhythms of the same muscles. Those of one direction add up before a stretch is made of them.
class MuscleLayer : public matching::JoiningLayer {
public:
    MuscleLayer(std::shared_ptr<const Frames> frames, std::vector<std::shared_ptr<const Rhythm>> rhythms)
        : frames_(std::move(frames)), rhythms_(std::move(rhythms))
    {
    }

    void target(double time, std::span<Sym3> wanted) const override
    {
        for_each_chunk(wanted.size(), kChunk, [&](std::size_t, std::size_t first, std::size_t last) {
            alignas(32) float logs[kChunk * kLogSize];
            std::fill_n(logs, (last - first + kEight - 1) / kEight * kEight * kLogSize, 0.0f);
            for (const auto& rhythm : rhythms_) {
                const Rhythm::At now = rhythm->at(time);
                for (std::size_t r = first; r < last; r += kRun)
                    rhythm->add_to(now, r, std::min(kRun, last - r), logs + (r - first) * kLogSize);
            }
            muscles::layer_kernels().stretches(frames_->view(), logs, first, last - first, wanted.data() + first);
        });
    }

    std::shared_ptr<const StretchLayer> joined_with(const StretchLayer& next) const override
    {
        const auto* other = dynamic_cast<const MuscleLayer*>(&next);
        if (!other || !(*frames_ == *other->frames_)) return nullptr;
        std::vector<std::shared_ptr<const Rhythm>> all = rhythms_;
        all.insert(all.end(), other->rhythms_.begin(), other->rhythms_.end());
        return std::make_shared<MuscleLayer>(frames_, std::move(all));
    }

private:
    std::shared_ptr<const Frames> frames_;
    std::vector<std::shared_ptr<const Rhythm>> rhythms_;
};

class ActiveLayer final : public MuscleLayer {
public:
    ActiveLayer(ActiveFields fields, ChartedLayer layer)
        : MuscleLayer(std::make_shared<Frames>(fields), {std::make_shared<Rhythm>(fields, layer)}),
          fields_(std::move(fields)),
          layer_(std::move(layer)),
          parts_{fields_, layer_, layer_.charts, layer_.speed}
    {
    }

    const ActiveParts& parts() const { return parts_; }

private:
    ActiveFields fields_;
    ChartedLayer layer_;
    ActiveParts parts_;
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
