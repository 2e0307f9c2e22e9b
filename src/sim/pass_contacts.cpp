#include "sim/pass_contacts.h"

#include <algorithm>

#include "contact/meeting.h"
#include "core/parallel.h"

namespace yawara {

void find_pass_contacts(std::span<const Collider> colliders, const matching::Regions& regions, const PassMotion& motion,
                        float share, matching::PassContacts& contacts)
{
    constexpr float kLeftInside = 0.01f;  // of the fall in a step
    // Shares of the spacing. What falls by less in a step is crushed by less, times the layers of a body, if obstacles
    // act behind the passes; then only blows matter. A stiff body throws back what obstacles do to it behind the
    // passes: there nothing is too little.
    constexpr double kHeavy = 0.004, kBlow = 0.1;
    const double near = double(motion.near);
    const double deep = motion.stiff || double(length(motion.fall)) > kHeavy * near ? 0 : kBlow * near;
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
                const contact::Meeting met = contact::meet(collider, motion.before[i], motion.predicted[i]);
                if (!(met.distance < double(motion.near))) continue;
                contacts.inside[chunk] += met.distance < -deep;
                const Vec3 n = met.normal.as<float>();
                const float towards = -dot(n, motion.velocities_before[i] - met.relative.velocity.as<float>());
                const float weight = -dot(n, motion.fall);
                const bool bounces = motion.bounces && met.distance < 0 && towards > 0;
                const float back = bounces ? collider.restitution * towards * motion.dt : 0.0f;
                const float least = float(-met.distance) + back - kLeftInside * std::max(weight, 0.0f);
                const matching::PassContact now{std::uint32_t(slot),
                                                least / share,
                                                collider.friction,
                                                false,
                                                n,
                                                motion.predicted[i] - met.relative.start};
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
