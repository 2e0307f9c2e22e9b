// Blends of member offsets are shapes that no body has, except at the examples themselves and at rest: between them the
// pull to the nearest blend leads back to the nearer end. Near an example it outweighs the share 1 - beta of plain
// matching that is to bring the body home, if beta is too large.
//
// Let f_1 be the pull at full strength (goals - x), f_0 that of plain matching, and (a, b) the sum of m a b over the
// particles of a connected part. At strength b the pull is about b f_1 + (1 - b) f_0. It keeps pointing along f_0, down
// plain matching's energy, if 1 - b > -b c with c = (f_1, f_0) / (f_0, f_0): if b < 1 / (1 - c). So the body is led
// home from every example, mixed with as much plain matching as it takes at each place, and the least c on the way is
// kept. With the strength beta / (1 - c) nothing is left of the pull to an example that could hold the body, and as
// that is one number for all states, goals that are the gradient of an energy remain so.
#include "matching/strength_limit.h"

#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "matching/match.h"

namespace yawara::matching {
namespace {

/// Sums over one connected part.
struct Products {
    double pull = 0, plain = 0;  ///< (f_1, f_0), (f_0, f_0)
};

/// The part of each slot: slots in one region are in one part.
std::vector<std::int32_t> parts_of(const Regions& regions)
{
    std::vector<std::int32_t> part(regions.region_count(), -1), open;
    std::int32_t parts = 0;
    for (std::size_t seed = 0; seed < part.size(); ++seed) {
        if (part[seed] >= 0) continue;
        part[seed] = parts;
        open.assign(1, std::int32_t(seed));
        while (!open.empty()) {
            const std::size_t region = regions.particle_at(std::size_t(open.back()));
            open.pop_back();
            for (const std::int32_t member : regions.lists()[region]) {
                const std::size_t slot = regions.slot(std::size_t(member));
                if (part[slot] >= 0) continue;
                part[slot] = parts;
                open.push_back(std::int32_t(slot));
            }
        }
        ++parts;
    }
    return part;
}

/// Leads a body home from one pose.
class Return {
public:
    Return(const Regions& regions, const Examples& examples)
        : regions_(regions),
          wanted_{nullptr, &examples, 1.0f},
          full_(regions, 0, &examples),
          plain_(regions, 0, nullptr),
          part_(parts_of(regions)),
          products_(std::size_t(1 + *std::ranges::max_element(part_))),
          sizes_(products_.size()),
          speed_(part_.size())
    {
        const ListView view = regions.view();
        for (std::size_t slot = 0; slot < part_.size(); ++slot) {
            const float* const rest = view.rest + 4 * slot;
            sizes_[std::size_t(part_[slot])] +=
                mass_of(slot) * double(rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2]);
        }
    }

    /// The least c on the way from a pose, as a mean over some steps, so that swinging does not count; 0 if none is
    /// below.
    double least_from(std::span<const Vec3d> pose)
    {
        constexpr int kMostSteps = 4000, kWindow = 50;
        constexpr float kKept = 0.97f;  // of the velocity
        constexpr double kRounding =
            1e-9;                       // of the squared size: what the example does not move pulls as rounding does
        constexpr double kHome = 0.05;  // of the squared plain pull at the start: nearer than that nothing holds back
        turns_ = placed_rotations(regions_, Mat3d{}, wanted_.examples->rotation_sets());
        plain_turns_ = placed_rotations(regions_, Mat3d{});
        x_.clear();
        for (std::size_t slot = 0; slot < part_.size(); ++slot)
            x_.push_back(pose[regions_.particle_at(slot)].as<float>());
        std::ranges::fill(speed_, Vec3{});
        double least = 0;
        std::vector<Products> start, window(products_.size());
        for (int step = 0; step < kMostSteps; ++step) {
            find_pulls();
            if (step == 0) start = products_;
            bool home = true;
            for (std::size_t part = 0; part < start.size(); ++part) {
                if (!(products_[part].plain > std::max(kHome * start[part].plain, kRounding * sizes_[part]))) continue;
                home = false;
                window[part].pull += products_[part].pull;
                window[part].plain += products_[part].plain;
                if (step % kWindow != kWindow - 1) continue;
                least = std::min(least, window[part].pull / window[part].plain);
                window[part] = {};
            }
            if (home) break;
            for (std::size_t slot = 0; slot < x_.size(); ++slot) {
                const float share = plain_share(products_[std::size_t(part_[slot])]);
                const Vec3 pull =
                    full_.displacement[slot] + (plain_.displacement[slot] - full_.displacement[slot]) * share;
                speed_[slot] = (speed_[slot] + pull) * kKept;
                x_[slot] += speed_[slot];
            }
        }
        return least;
    }

private:
    /// So much of plain matching that a little of its pull is left: what moves fast lags behind and finds c too low.
    static float plain_share(const Products& p)
    {
        constexpr double kLeft = 0.0005;
        const double lack = kLeft * p.plain - p.pull;
        return lack > 0 ? float(lack / (p.plain - p.pull)) : 0.0f;
    }
    /// Relative.
    double mass_of(std::size_t slot) const
    {
        const ListView view = regions_.view();
        return double(view.rest[4 * slot + 3]) * double(view.holder_count[slot]);
    }
    void find_pulls();

    const Regions& regions_;
    WantedShapes wanted_;
    MatchMemory full_, plain_;  ///< with the examples at full strength, and without
    std::vector<std::int32_t> part_;
    std::vector<Products> products_;
    std::vector<double> sizes_;  ///< per part: sum of m x^2 at rest
    std::vector<Vec3> x_, speed_;
    std::vector<float> turns_, plain_turns_;
};

void Return::find_pulls()
{
    for (std::size_t slot = 0; slot < x_.size(); ++slot) {
        full_.set_position(slot, x_[slot]);
        plain_.set_position(slot, x_[slot]);
    }
    match_regions(regions_, wanted_, turns_.data(), full_);
    match_regions(regions_, {}, plain_turns_.data(), plain_);
    const auto nothing = [](std::size_t, std::size_t) {};
    find_displacements(regions_, full_, full_.displacement.data(), nothing);
    find_displacements(regions_, plain_, plain_.displacement.data(), nothing);
    std::ranges::fill(products_, Products{});
    for (std::size_t slot = 0; slot < x_.size(); ++slot) {
        const double mass = mass_of(slot);
        const Vec3d plain = plain_.displacement[slot].as<double>();
        Products& sum = products_[std::size_t(part_[slot])];
        sum.pull += mass * dot(full_.displacement[slot].as<double>(), plain);
        sum.plain += mass * dot(plain, plain);
    }
}

}  // namespace

float strength_limit(const Regions& regions, const Examples& examples, std::span<const ExamplePose> poses)
{
    /// Bodies come back by other ways, too.
    constexpr double kMargin = 1.5;
    if (!examples.offsets()) return 1;
    Return home(regions, examples);
    double least = 0;
    for (const ExamplePose& pose : poses) least = std::min(least, home.least_from(pose.positions));
    return float(1 / (1 - kMargin * least));
}

}  // namespace yawara::matching
