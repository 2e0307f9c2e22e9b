#include "sim/pass_contacts.h"

#include <algorithm>
#include <optional>

#include "contact/shapes.h"
#include "core/parallel.h"

namespace yawara {
namespace {

using contact::Sample;

/// The surface as the particle meets it: where it goes in, if it would go through or come out by another side.
Sample met(const Collider& collider, Vec3 before, Vec3 predicted)
{
    constexpr double kSameSide = 0.5;  // as in contact/response.cpp
    const Sample here = contact::sample(collider, predicted);
    const double path = length(predicted.as<double>() - before.as<double>());
    if (here.distance > 2 * path) return here;
    const std::optional<contact::Entry> entry = contact::first_entry(collider, before, predicted, 0);
    if (!entry || dot(entry->normal, here.normal) > kSameSide) return here;
    return Sample{(1 - entry->share) * dot(entry->normal, predicted.as<double>() - before.as<double>()), entry->normal};
}

}  // namespace

void find_pass_contacts(std::span<const Collider> colliders, const matching::Regions& regions, const PassMotion& motion,
                        float share, matching::PassContacts& contacts)
{
    constexpr float kLeftInside = 0.01f;  // of the fall in a step
    // Shares of the spacing. What falls by less in a step is crushed by less, times the layers of a body, if obstacles
    // act behind the passes; then only blows matter.
    constexpr double kHeavy = 0.004, kBlow = 0.1;
    const double near = double(motion.near);
    const double deep = double(length(motion.fall)) > kHeavy * near ? 0 : kBlow * near;
    const std::size_t count = motion.predicted.size();
    const std::size_t chunks = colliders.empty() ? 0 : chunk_count(count, matching::kParticlesPerChunk);
    contacts.list.resize(chunks > 0 ? count : 0);
    contacts.counts.assign(chunks, 0);
    contacts.inside.assign(chunks, 0);
    for_each_chunk(chunks, 1, [&](std::size_t chunk, std::size_t, std::size_t) {
        const std::size_t first = chunk * matching::kParticlesPerChunk;
        const std::size_t last = std::min(first + matching::kParticlesPerChunk, count);
        Box3 box;
        for (std::size_t slot = first; slot < last; ++slot) {
            const std::size_t i = regions.particle_at(slot);
            box.add(motion.before[i].as<double>());
            box.add(motion.predicted[i].as<double>());
        }
        const Vec3d margin{double(motion.near), double(motion.near), double(motion.near)};
        box = {box.low - margin, box.high + margin};
        matching::PassContact* const list = contacts.list.data() + first;
        matching::PassContact* end = list;
        for (const Collider& collider : colliders) {
            if (collider.friction_along || contact::is_clear_of(collider, box)) continue;
            matching::PassContact* const others = end;  // of obstacles before this one
            for (std::size_t slot = first; slot < last; ++slot) {
                const std::size_t i = regions.particle_at(slot);
                const Sample here = met(collider, motion.before[i], motion.predicted[i]);
                if (!(here.distance < double(motion.near))) continue;
                contacts.inside[chunk] += here.distance < -deep;
                const Vec3 n = here.normal.as<float>();
                const float towards = -dot(n, motion.velocities_before[i]), weight = -dot(n, motion.fall);
                const bool bounces = motion.bounces && here.distance < 0 && towards > 0;
                const float back = bounces ? collider.restitution * towards * motion.dt : 0.0f;
                const float least = float(-here.distance) + back - kLeftInside * std::max(weight, 0.0f);
                const matching::PassContact now{std::uint32_t(slot),
                                                least / share,
                                                collider.friction,
                                                false,
                                                n,
                                                motion.predicted[i] - motion.before[i]};
                matching::PassContact* const same =
                    std::find_if(list, others, [&](const matching::PassContact& c) { return c.slot == slot; });
                if (same == others)
                    *end++ = now;
                else if (same->least < now.least)  // the obstacle that it is deepest in counts
                    *same = now;
            }
        }
        contacts.counts[chunk] = int(end - list);
    });
}

}  // namespace yawara
