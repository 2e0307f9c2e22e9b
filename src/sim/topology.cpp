// Motion carried over from one model of a body to another; Scene::replace (sim/scene.cpp) comes here.
#include "yawara/topology.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "sim/body_model.h"
#include "sim/solid_kind.h"
#include "yawara/rotation.h"

namespace yawara {
namespace {

/// Particles of a model by their positions at rest.
class RestPositions {
public:
    explicit RestPositions(const BodyModel& model)
        : rest_(model.rest_positions()), cell_(0.25 * model.spacing()), tolerance_(1e-6 * model.spacing())
    {
        for (std::size_t i = rest_.size(); i-- > 0;) first_in_[key(rest_[i])].push_back(std::int32_t(i));
    }

    /// The particle at a position with the lowest number, or kNew.
    std::int32_t at(Vec3d position) const
    {
        std::int32_t found = TopologyChange::kNew;
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3d beside{position.x + (corner & 1 ? tolerance_ : -tolerance_),
                               position.y + (corner & 2 ? tolerance_ : -tolerance_),
                               position.z + (corner & 4 ? tolerance_ : -tolerance_)};
            const auto cell = first_in_.find(key(beside));
            if (cell == first_in_.end()) continue;
            for (const std::int32_t i : cell->second)
                if (length(rest_[std::size_t(i)] - position) <= tolerance_ && (found < 0 || i < found)) found = i;
        }
        return found;
    }

private:
    using Key = std::array<std::int64_t, 3>;
    struct Hash {
        std::size_t operator()(const Key& k) const
        {
            return std::size_t(k[0] * 73856093 ^ k[1] * 19349663 ^ k[2] * 83492791);
        }
    };
    Key key(Vec3d position) const
    {
        return {std::llround(std::floor(position.x / cell_)), std::llround(std::floor(position.y / cell_)),
                std::llround(std::floor(position.z / cell_))};
    }

    std::span<const Vec3d> rest_;
    double cell_, tolerance_;
    std::unordered_map<Key, std::vector<std::int32_t>, Hash> first_in_;
};

/// The old particle that moves most like a new one: where it comes from, or the nearest that carries its position.
std::vector<std::int32_t> nearest_origins(const TopologyChange& change, const Embedding& of_new)
{
    std::vector<std::int32_t> nearest = change.origin;
    std::size_t k = 0;
    for (std::int32_t& origin : nearest) {
        if (origin != TopologyChange::kNew) continue;
        const auto weights = of_new.weights_of(k);
        const auto most = std::max_element(weights.begin(), weights.end()) - weights.begin();
        origin = of_new.particles_of(k++)[std::size_t(most)];
    }
    return nearest;
}

}  // namespace

bool is_identity(const TopologyChange& change)
{
    if (change.added + change.gone + change.split > 0) return false;
    for (std::size_t i = 0; i < change.origin.size(); ++i)
        if (change.origin[i] != std::int32_t(i)) return false;
    return true;
}

Result<TopologyChange> topology_change(std::vector<std::int32_t> origin, std::size_t before)
{
    std::vector<std::size_t> heirs(before, 0);
    TopologyChange change;
    for (std::size_t i = 0; i < origin.size(); ++i) {
        if (origin[i] < TopologyChange::kNew || (origin[i] >= 0 && std::size_t(origin[i]) >= before))
            return Error{"particle " + std::to_string(i),
                         "comes from particle " + std::to_string(origin[i]) + " of " + std::to_string(before)};
        if (origin[i] == TopologyChange::kNew)
            ++change.added;
        else
            ++heirs[std::size_t(origin[i])];
    }
    for (const std::size_t count : heirs) ++(count == 0 ? change.gone : count == 1 ? change.kept : change.split);
    change.origin = std::move(origin);
    return change;
}

TopologyChange compare_topology(const BodyModel& before, const BodyModel& after)
{
    const RestPositions positions(before);
    std::vector<std::int32_t> origin;
    origin.reserve(after.particle_count());
    const bool same_number = before.particle_count() == after.particle_count();
    for (const Vec3d& position : after.rest_positions()) {
        const std::size_t i = origin.size();  // most often nothing but a number changed
        origin.push_back(same_number && before.rest_positions()[i] == position ? std::int32_t(i)
                                                                               : positions.at(position));
    }
    return *topology_change(std::move(origin), before.particle_count());
}

/// The other body where the old one is, turned and moving as it does on the whole.
BodyState carry_rigidly(const BodyModel& before, const BodyState& state, const BodyModel& after)
{
    const std::span<const Vec3d> rest = before.rest_positions();
    const std::span<const double> masses = before.masses();
    double mass = 0;
    Vec3d rest_center, center, momentum;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        mass += masses[i];
        rest_center += rest[i] * masses[i];
        center += state.positions[i].as<double>() * masses[i];
        momentum += state.velocities[i].as<double>() * masses[i];
    }
    rest_center = rest_center / mass, center = center / mass;
    Mat3d moments = Mat3d::zero();
    for (std::size_t i = 0; i < rest.size(); ++i)
        moments = moments + outer((state.positions[i].as<double>() - center) * masses[i], rest[i] - rest_center);
    const Mat3d turn = to_matrix(closest_rotation(moments, {}));
    return initial_state(after, {turn, center - turn * rest_center}, momentum / mass);
}

BodyState carry_state(const BodyModel& before, const BodyState& state, const BodyModel& after,
                      const TopologyChange& change)
{
    BodyState next = initial_state(after);
    std::vector<Vec3d> new_places;
    for (std::size_t i = 0; i < change.origin.size(); ++i)
        if (change.origin[i] == TopologyChange::kNew) new_places.push_back(after.rest_positions()[i]);
    const Embedding of_new =
        std::visit([&](const auto& domain) { return Embedding(domain, new_places); }, before.domain());
    // Far outside, the old deformation says nothing: a body that was made longer would be torn along with it.
    if (of_new.outside_distance() > 2 * before.spacing()) return carry_rigidly(before, state, after);
    const auto carry = [&](const std::vector<Vec3>& from, std::vector<Vec3>& to) {
        std::vector<Vec3> of_places(new_places.size());
        of_new.apply(std::span<const Vec3>(from), std::span(of_places));
        std::size_t k = 0;
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i] = change.origin[i] == TopologyChange::kNew ? of_places[k++] : from[std::size_t(change.origin[i])];
    };
    carry(state.positions, next.positions);
    carry(state.velocities, next.velocities);

    if (is_identity(change)) next.still = state.still;
    if (&kind_of(before) == &kind_of(after))
        kind_of(after).carry(before.data(), state, after.data(), change, nearest_origins(change, of_new), next);
    return next;
}

std::vector<std::int32_t> carry_particles(std::span<const std::int32_t> particles, const TopologyChange& change,
                                          std::vector<std::size_t>* from)
{
    std::unordered_map<std::int32_t, std::vector<std::int32_t>> become;
    for (std::size_t i = 0; i < change.origin.size(); ++i)
        if (change.origin[i] != TopologyChange::kNew) become[change.origin[i]].push_back(std::int32_t(i));
    std::vector<std::int32_t> now;
    for (std::size_t k = 0; k < particles.size(); ++k)
        if (const auto found = become.find(particles[k]); found != become.end())
            for (const std::int32_t i : found->second) {
                now.push_back(i);
                if (from) from->push_back(k);
            }
    return now;
}

Grip carry_grip(const Grip& grip, const TopologyChange& change)
{
    std::vector<std::size_t> entries;
    Grip next;
    next.particles = carry_particles(grip.particles, change, &entries);
    next.stiffness = grip.stiffness;
    for (const std::size_t k : entries) {
        if (k < grip.targets.size()) next.targets.push_back(grip.targets[k]);
        if (k < grip.target_velocities.size()) next.target_velocities.push_back(grip.target_velocities[k]);
    }
    return next;
}

Push carry_push(const Push& push, const TopologyChange& change)
{
    Push next = push;
    next.particles = carry_particles(push.particles, change);
    // An empty list means all particles: one that none has stands for those that are gone.
    if (next.particles.empty() && !push.particles.empty()) next.particles = {TopologyChange::kNew};
    return next;
}

}  // namespace yawara
