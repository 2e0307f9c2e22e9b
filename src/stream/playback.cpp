// Playing, recording and holding one scene; and what of it is sent to the page.
#include "stream/playback.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numbers>

#include "yawara/tessellate.h"

namespace yawara::stream {

namespace {

constexpr std::size_t kRecordBytes = std::size_t{400} << 20;  // of recorded motion; the oldest is forgotten
constexpr std::size_t kMostMoments = 36'000;                  // ten minutes at 60 frames a second
constexpr std::size_t kSmallPositionsFrom = 50'000;           // vertices: above this, 16 bits a number
constexpr std::size_t kMostEdges = 400'000;
constexpr double kHandFrequency = 5;   // Hz, of a body that hangs on a hand
constexpr float kHandDamping = 0.75f;  // of the held particles' velocity, kept per frame

std::size_t bytes_of(const BodyState& state)
{
    return sizeof state + state.positions.size() * 24 +
           4 * (state.matching.rotations.size() + state.matching.stiffness.size() + state.fem.front.size() +
                state.fem.plastic.size() + 3 * state.fem.accelerations.size());
}

/// Tells fronts apart: a hash of what is split.
std::uint64_t hash_of(std::span<const std::int32_t> front)
{
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (const std::int32_t split : front) hash = (hash ^ std::uint64_t(split != 0)) * 1099511628211u;
    return hash;
}

}  // namespace

std::vector<std::array<std::uint32_t, 2>> edges_of(const Domain& domain)
{
    std::vector<std::array<std::uint32_t, 2>> edges;
    const auto add = [&](std::int32_t a, std::int32_t b) {
        edges.push_back({static_cast<std::uint32_t>(std::min(a, b)), static_cast<std::uint32_t>(std::max(a, b))});
    };
    if (const auto* lattice = std::get_if<Lattice>(&domain)) {
        for (const Int8& cell : lattice->cells)
            for (std::size_t k = 0; k < 8; ++k)
                for (const std::size_t bit : {1u, 2u, 4u})
                    if (!(k & bit)) add(cell[k], cell[k | bit]);
    } else {
        const auto& mesh = std::get<TetMesh>(domain);
        if (mesh.tets.size() > kMostEdges) {
            std::vector<std::int32_t> vertex_of;
            for (const Int3& t : boundary_surface(mesh, &vertex_of).triangles)
                for (std::size_t k = 0; k < 3; ++k)
                    add(vertex_of[std::size_t(t[k])], vertex_of[std::size_t(t[(k + 1) % 3])]);
        } else {
            for (const Int4& tet : mesh.tets)
                for (std::size_t a = 0; a < 4; ++a)
                    for (std::size_t b = a + 1; b < 4; ++b) add(tet[a], tet[b]);
        }
    }
    std::ranges::sort(edges);
    const auto repeated = std::ranges::unique(edges);
    edges.erase(repeated.begin(), repeated.end());
    return edges;
}

Playback::Playback(LoadedScene loaded, Playback* earlier) : loaded_(std::move(loaded)), gauge_(scene())
{
    Scene& s = scene();
    for (const BodyId id : s.bodies()) {
        const BodyModel& model = s.model(id);
        Body body;
        start_.push_back(s.state(id));
        moment_bytes_ += bytes_of(start_.back());
        for (std::size_t j = 0; earlier && j < earlier->bodies_.size(); ++j) {
            if (earlier->scene().model(earlier->scene().bodies()[j]).revision() != model.revision()) continue;
            body.surface = earlier->bodies_[j].surface;
            body.solid = earlier->bodies_[j].solid;
        }
        if (!body.surface) body.surface = std::make_shared<DrawnSurface>(model.surface());
        bodies_.push_back(std::move(body));
    }
    obstacle_count_ = s.colliders().size();
    history_.push_back(now());
}

std::optional<std::size_t> Playback::find(std::string_view identity)
{
    const auto id = loaded_.find(identity);
    if (!id) return std::nullopt;
    return std::size_t(std::ranges::find(scene().bodies(), *id) - scene().bodies().begin());
}

bool Playback::take_over(LoadedScene edited)
{
    Playback next(std::move(edited), this);
    Scene& from = scene();
    Scene& to = next.scene();
    to.settings().threads = from.settings().threads;
    const bool at_start = frame() == 0;
    bool all_same = from.bodies().size() == to.bodies().size();
    for (std::size_t k = 0; k < to.bodies().size(); ++k) {
        const BodyId id = to.bodies()[k];
        const auto old = loaded_.find(next.loaded_.identity(id));
        const bool same_model = old && from.model(*old).revision() == to.model(id).revision();
        all_same = all_same && same_model && *old == from.bodies()[k];
        if (!old || at_start) continue;
        const BodyModel &before = from.model(*old), &after = to.model(id);
        to.state(id) = same_model ? from.state(*old)
                                  : carry_state(before, from.state(*old), after, compare_topology(before, after));
    }
    if (!at_start) {
        // The clock counts steps: their number in a frame may have changed, the time has not.
        to.set_clock(frame() * std::max(1, to.settings().substeps), from.time());
        Moment current = next.now();
        if (all_same) {
            history_.resize(shown_);
            next.history_ = std::move(history_);
        } else {
            next.history_.clear();
        }
        next.history_.push_back(std::move(current));
        next.shown_ = next.history_.size() - 1;
    }
    for (auto& [number, hold] : hand_grips_) {  // as long as the particles they hold are there
        const auto body = next.find(hold.spot.body);
        if (body && next.bodies_[*body].surface == bodies_[number_of(hold.spot)].surface)
            next.hand_grips_[number] = std::move(hold);
    }
    const std::optional<Sphere> ball = ball_;
    *this = std::move(next);
    place_hands();
    set_ball(ball);
    return all_same;
}

// ---- time -----------------------------------------------------------------------------------------------------------

Playback::Moment Playback::now()
{
    Moment moment;
    moment.frame = loaded_.frame();
    moment.steps = scene().step_count();
    moment.time = scene().time();
    for (std::size_t k = 0; k < body_count(); ++k) moment.states.push_back(scene().state(scene().bodies()[k]));
    return moment;
}

std::span<const StepReport> Playback::step()
{
    for (const auto& [id, hold] : hand_grips_) {
        BodyState& state = scene().state(scene().bodies()[number_of(hold.spot)]);
        for (const std::int32_t i : hold.grip.particles) state.velocities[std::size_t(i)] *= kHandDamping;
    }
    const auto reports = loaded_.step();
    history_.resize(shown_ + 1);
    history_.push_back(now());
    while (history_.size() > 2 && (history_.size() > kMostMoments || history_.size() * moment_bytes_ > kRecordBytes))
        history_.pop_front();
    shown_ = history_.size() - 1;
    return reports;
}

void Playback::reset()
{
    for (std::size_t k = 0; k < body_count(); ++k) scene().state(scene().bodies()[k]) = start_[k];
    scene().set_clock(0, 0);
    history_.clear();
    history_.push_back(now());
    shown_ = 0;
    hand_grips_.clear();
    place_hands();
}

bool Playback::seek(std::int64_t frame)
{
    const auto found = std::ranges::find(history_, frame, &Moment::frame);
    if (found == history_.end()) return false;
    shown_ = static_cast<std::size_t>(found - history_.begin());
    for (std::size_t k = 0; k < body_count(); ++k) scene().state(scene().bodies()[k]) = found->states[k];
    scene().set_clock(found->steps, found->time);
    return true;
}

// ---- hands ----------------------------------------------------------------------------------------------------------

bool Playback::is_spot(const Spot& spot)
{
    const auto body = find(spot.body);
    return body && spot.triangle < bodies_[*body].surface->triangles().size();
}

Vec3 Playback::position_of(const Spot& spot)
{
    const BodyId id = scene().bodies()[number_of(spot)];
    const std::span<const Vec3> surface = scene().surface(id);
    const Int3& corners = scene().model(id).surface().triangles[spot.triangle];
    Vec3 place;
    for (std::size_t k = 0; k < 3; ++k) place += surface[std::size_t(corners[k])] * spot.weights[k];
    return place;
}

std::int32_t Playback::particle_at(const Spot& spot)
{
    const BodyId id = scene().bodies()[number_of(spot)];
    const Vec3 place = position_of(spot);
    const Embedding& embedding = scene().model(id).embedding();
    std::int32_t nearest = 0;
    float least = std::numeric_limits<float>::max();
    for (const std::int32_t corner : scene().model(id).surface().triangles[spot.triangle])
        for (const std::int32_t i : embedding.particles_of(std::size_t(corner))) {
            const float distance = length(scene().state(id).positions[std::size_t(i)] - place);
            if (distance < least) least = distance, nearest = i;
        }
    return nearest;
}

std::vector<std::int32_t> Playback::particles_within(std::size_t body, Vec3 center, double radius)
{
    std::vector<std::int32_t> found;
    const auto& positions = scene().state(scene().bodies()[body]).positions;
    for (std::size_t i = 0; i < positions.size(); ++i)
        if (length(positions[i] - center) <= float(radius)) found.push_back(std::int32_t(i));
    return found;
}

void Playback::grab(int hold, const Spot& spot, Vec3 target)
{
    const BodyId id = scene().bodies()[number_of(spot)];
    const BodyModel& model = scene().model(id);
    const auto& positions = scene().state(id).positions;
    const std::int32_t nearest = particle_at(spot);
    HandGrip held{spot, {}, {}, target};
    held.grip.particles = particles_within(number_of(spot), positions[std::size_t(nearest)], 1.3 * model.spacing());
    if (held.grip.particles.size() > 64 || held.grip.particles.empty()) held.grip.particles = {nearest};
    const Vec3 place = position_of(spot);
    for (const std::int32_t i : held.grip.particles) held.offsets.push_back(positions[std::size_t(i)] - place);
    // As stiff as lets the whole body swing on the hand at kHandFrequency.
    double mass = 0;
    for (const double m : model.masses()) mass += m;
    const double omega = 2 * std::numbers::pi * kHandFrequency;
    held.grip.stiffness = float(mass * omega * omega / double(held.grip.particles.size()));
    hand_grips_[hold] = std::move(held);
    place_hands();
}

void Playback::drag(int hold, Vec3 target)
{
    const auto found = hand_grips_.find(hold);
    if (found == hand_grips_.end()) return;
    found->second.target = target;
    place_hands();
}

void Playback::release(int hold)
{
    hand_grips_.erase(hold);
    place_hands();
}

std::vector<int> Playback::holds() const
{
    std::vector<int> ids;
    for (const auto& [id, hold] : hand_grips_) ids.push_back(id);
    return ids;
}

float Playback::pull()
{
    float longest = 0;
    for (const auto& [id, hold] : hand_grips_)
        longest = std::max(longest, length(hold.target - position_of(hold.spot)));
    return longest;
}

void Playback::place_hands()
{
    for (const BodyId id : scene().bodies()) scene().grips(id).clear();
    for (auto& [id, hold] : hand_grips_) {
        hold.grip.targets.clear();
        for (const Vec3& offset : hold.offsets) hold.grip.targets.push_back(hold.target + offset);
        scene().grips(scene().bodies()[number_of(hold.spot)]).push_back(hold.grip);
    }
}

void Playback::throw_body(std::size_t body, Vec3 velocity)
{
    BodyState& state = scene().state(scene().bodies()[body]);
    for (Vec3& v : state.velocities) v += velocity;
    state.still = 0;  // it wakes
}

void Playback::set_ball(const std::optional<Sphere>& ball)
{
    if (!ball && ball_id_) {
        (void)scene().remove(*ball_id_);
        ball_id_.reset();
    } else if (ball) {
        Collider collider{*ball, 0.3f, 0.0f};
        if (ball_id_)
            (void)scene().replace(*ball_id_, std::move(collider));
        else
            ball_id_ = scene().add(std::move(collider));
    }
    ball_ = ball;
}

std::vector<std::int32_t> Playback::region_of(std::size_t body, std::int32_t particle)
{
    const SceneSettings& settings = scene().settings();
    const BodyId id = scene().bodies()[body];
    return region_members(scene().model(id), scene().state(id), settings.dt / std::max(settings.substeps, 1),
                          std::size_t(particle));
}

float Playback::measure(std::size_t body, const std::string& quantity, std::int32_t particle)
{
    const BodyId id = scene().bodies()[body];
    std::vector<float>& values = bodies_[body].particle_values;
    values.resize(scene().model(id).particle_count());
    return gauge_.measure(quantity, scene(), id, values) ? values[std::size_t(particle)] : 0;
}

Vec3 Playback::start_of(std::size_t body, std::int32_t particle) const
{
    return start_[body].positions[std::size_t(particle)];
}

std::optional<std::size_t> Playback::held_by(std::size_t body, std::int32_t particle)
{
    const std::span<const Grip> grips = scene().scripted_grips(scene().bodies()[body]);
    for (std::size_t k = 0; k < grips.size(); ++k)
        if (grips[k].stiffness <= 0 && std::ranges::find(grips[k].particles, particle) != grips[k].particles.end())
            return k;
    return std::nullopt;
}

// ---- what is sent ---------------------------------------------------------------------------------------------------

void Playback::write_shapes(FrameWriter& out, int run)
{
    const auto add = [&](Section what, std::size_t body, const auto& rows) {
        const std::size_t bytes = rows.size() * sizeof(rows[0]);
        std::memcpy(out.add(what, run, body, rows.size(), bytes).data(), rows.data(), bytes);
    };
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        add(Section::triangles, k, bodies_[k].surface->triangles());
        const BodyModel& model = scene().model(scene().bodies()[k]);
        if (!model.is_fem()) add(Section::edges, k, edges_of(model.domain()));  // else see write_lines
        const std::vector<Vec3>& colors = model.surface().colors;
        if (colors.empty()) continue;
        std::vector<Vec3> drawn(bodies_[k].surface->vertex_count());
        bodies_[k].surface->spread(colors, drawn);
        out.add_vectors(Section::colors, run, k, drawn);
    }
    const std::span<const Collider> colliders = scene().colliders();
    for (std::size_t k = 0; k < obstacle_count_; ++k) {
        if (const auto* plane = std::get_if<Plane>(&colliders[k].shape)) {
            const Vec3 both[2] = {plane->point.as<float>(), plane->normal.as<float>()};
            out.add_vectors(Section::plane, run, k, both);
            continue;
        }
        const TriMesh mesh = tessellate(colliders[k], 1);
        std::vector<Vec3> vertices;
        for (const Vec3d& v : mesh.vertices) vertices.push_back(v.as<float>());
        out.add_vectors(Section::obstacle_vertices, run, k, vertices);
        add(Section::obstacle_triangles, k, mesh.triangles);
    }
}

bool Playback::write_lines(FrameWriter& out, int run, std::vector<std::uint64_t>& known)
{
    bool any = false;
    known.resize(bodies_.size());
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const BodyId id = scene().bodies()[k];
        const BodyModel& model = scene().model(id);
        const std::uint64_t front = hash_of(scene().state(id).fem.front);
        if (!model.is_fem() || known[k] == front) continue;
        known[k] = front;
        any = true;
        const auto& finest = std::get<TetMesh>(model.domain());
        const auto edges = edges_of(TetMesh{finest.vertices, active_tets(model, scene().state(id)), {}});
        const std::size_t bytes = edges.size() * sizeof edges[0];
        std::memcpy(out.add(Section::edges, run, k, edges.size(), bytes).data(), edges.data(), bytes);
    }
    return any;
}

void Playback::write_frame(FrameWriter& out, int run, const View& view)
{
    std::vector<Vec3> held;
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const BodyId id = scene().bodies()[k];
        Body& body = bodies_[k];
        const BodyState& state = scene().state(id);
        const std::span<const Vec3> vertices = scene().surface(id);
        const std::size_t count = body.surface->vertex_count();
        body.drawn.resize(count);
        body.surface->spread(vertices, body.drawn);
        if (count > kSmallPositionsFrom)
            quantise(body.drawn, out.add(Section::small_positions, run, k, count, quantised_bytes(count)));
        else
            out.add_vectors(Section::positions, run, k, body.drawn);
        const auto room = out.add(Section::normals, run, k, count, 4 * count);
        body.surface->normals(vertices, {reinterpret_cast<std::int8_t*>(room.data()), room.size()});

        bool colored = !view.color.empty();
        if (colored) {
            body.particle_values.resize(state.positions.size());
            colored = gauge_.measure(view.color, scene(), id, body.particle_values);
        }
        if (colored) {
            body.surface_values.resize(vertices.size());
            body.drawn_values.resize(count);
            carry_to_surface(scene().model(id).embedding(), body.particle_values, body.surface_values);
            body.surface->spread(body.surface_values, body.drawn_values);
            out.add_numbers(Section::values, run, k, body.drawn_values);
        }
        if (view.solid) {
            out.add_vectors(Section::particles, run, k, state.positions);
            if (colored) out.add_numbers(Section::particle_values, run, k, body.particle_values);
        }
        if (view.cut) {
            if (!body.solid) body.solid = std::make_shared<const TetMesh>(solid_of(scene().model(id).domain()));
            cut_tets(body.solid->tets, state.positions,
                     colored ? std::span<const float>(body.particle_values) : std::span<const float>(), *view.cut,
                     section_);
            out.add_vectors(Section::section_points, run, k, section_.points);
            if (colored) out.add_numbers(Section::section_values, run, k, section_.values);
        }
        for (const Grip& grip : scene().scripted_grips(id))
            if (grip.stiffness <= 0)
                for (const std::int32_t i : grip.particles) held.push_back(state.positions[std::size_t(i)]);
    }
    out.add_vectors(Section::held, run, 0, held);
    std::vector<float> springs;
    for (const auto& [id, hold] : hand_grips_) {
        const Vec3 from = position_of(hold.spot);
        springs.insert(springs.end(), {float(id), from.x, from.y, from.z, hold.target.x, hold.target.y, hold.target.z});
    }
    out.add_numbers(Section::springs, run, 0, springs);
}

}  // namespace yawara::stream
