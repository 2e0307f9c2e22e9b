// Playing, recording and holding one scene; and what of it is sent to the page.
#include "stream/playback.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "stream/spots.h"
#include "yawara/tessellate.h"

namespace yawara::stream {

namespace {

constexpr std::size_t kSmallPositionsFrom = 50'000;  // vertices: above this, 16 bits a number

/// Tells fronts apart: a hash of what is split.
std::uint64_t hash_of(std::span<const std::int32_t> front)
{
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (const std::int32_t split : front) hash = (hash ^ std::uint64_t(split != 0)) * 1099511628211u;
    return hash;
}

/// Unit vectors as four signed bytes each; 127 is 1.
void pack_normals(std::span<const Vec3> normals, std::span<std::int8_t> out)
{
    for (std::size_t k = 0; k < normals.size(); ++k) {
        const Vec3 n = normals[k] * 127.0f;
        out[4 * k] = static_cast<std::int8_t>(std::lround(n.x));
        out[4 * k + 1] = static_cast<std::int8_t>(std::lround(n.y));
        out[4 * k + 2] = static_cast<std::int8_t>(std::lround(n.z));
        out[4 * k + 3] = 0;
    }
}

}  // namespace

Playback::Playback(LoadedScene loaded, Playback* earlier)
    : newest_(std::make_shared<Stage>(std::move(loaded), earlier ? earlier->newest_.get() : nullptr)), takes_(newest_)
{
}

std::optional<std::size_t> Playback::find(std::string_view identity)
{
    const auto id = loaded().find(identity);
    if (!id) return std::nullopt;
    return std::size_t(std::ranges::find(scene().bodies(), *id) - scene().bodies().begin());
}

// ---- edits ----------------------------------------------------------------------------------------------------------

Result<scene_file::LiveEdit> Playback::edit(const scene_file::Json& document)
{
    using scene_file::Acts;
    auto edit = scene_file::edit_live(newest_->loaded, document);
    if (!edit) return edit;
    if (!edit->waiting.empty() || edit->did(Acts::live) || edit->did(Acts::start)) go_on_here();
    if (edit->did(Acts::start) && frame() == 0) {
        for (const BodyId id : scene().bodies()) scene().state(id) = loaded().start(id);
        takes_.restart();
    }
    return edit;
}

bool Playback::take_over(LoadedScene edited)
{
    return take_over(std::make_shared<Stage>(std::move(edited), newest_.get()));
}

bool Playback::take_over(std::shared_ptr<Stage> edited)
{
    const std::shared_ptr<Stage> shown = takes_.shown().stage, before = newest_;
    edited->share(*before);
    newest_ = std::move(edited);
    Scene& to = newest_->scene();
    to.settings().threads = before->scene().settings().threads;
    const bool exchanged = fit_together(*before, *newest_), fits = exchanged && shown == before;
    const bool at_start = frame() == 0;
    if (!at_start) {
        // The clock counts steps: their number in a frame may have changed, the time has not.
        to.set_clock(frame() * std::max(1, to.settings().substeps), shown->scene().time());
        carry_motion(*shown, *newest_);
    }
    hands_leave(*shown);
    if (exchanged) takes_.exchange(before, newest_);
    if (!fits || at_start)
        takes_.branch(0, newest_);
    else if (is_replaying())
        takes_.branch(shown_ + 1, newest_);
    shown_ = takes_.shown().moments.size() - 1;
    if (!fits) ++stage_number_;
    hands_enter(*shown);
    return fits;
}

// ---- time -----------------------------------------------------------------------------------------------------------

std::span<const StepReport> Playback::step()
{
    if (is_replaying()) {
        show_moment(shown_ + 1);
        return {};
    }
    go_on_here();
    const auto reports = hand_grips_.empty() && !ball_ ? loaded().step() : step_with_hands();
    takes_.record();
    shown_ = takes_.shown().moments.size() - 1;
    return reports;
}

std::span<const StepReport> Playback::step_with_hands()
{
    const int substeps = std::max(1, scene().settings().substeps);
    const double dt = scene().settings().dt / substeps;
    if (ball_) ball_->advance(scene());
    for (int k = 0; k < substeps; ++k) {
        for (auto& [id, hold] : hand_grips_) hold.pull.calm(dt, scene().state(scene().bodies()[number_of(hold.spot)]));
        place_hands();
        const std::span<const StepReport> reports = scene().substep();
        if (k == 0)
            reports_.assign(reports.begin(), reports.end());
        else
            for (std::size_t b = 0; b < reports.size(); ++b) reports_[b].add(reports[b]);
    }
    return reports_;
}

void Playback::go_on_here()
{
    const std::shared_ptr<Stage> before = takes_.shown().stage;
    const bool other_stage = before != newest_;
    if (!is_replaying() && !other_stage) return;
    if (other_stage) {
        newest_->scene().set_clock(frame() * std::max(1, newest_->scene().settings().substeps), before->scene().time());
        carry_motion(*before, *newest_);
        hands_leave(*before);
        ++stage_number_;
    } else {
        scene_file::hold_pins_here(newest_->loaded);
    }
    takes_.branch(other_stage ? 0 : shown_ + 1, newest_);
    shown_ = takes_.shown().moments.size() - 1;
    if (other_stage) hands_enter(*before);
}

void Playback::reset()
{
    const std::shared_ptr<Stage> before = takes_.shown().stage;
    hand_grips_.clear();
    hands_leave(*before);
    scene_file::hold_pins_at_start(newest_->loaded);
    scene_file::beat_from_start(newest_->loaded);
    for (const BodyId id : newest_->scene().bodies()) newest_->scene().state(id) = newest_->loaded.start(id);
    newest_->scene().set_clock(0, 0);
    takes_.branch(0, newest_);
    shown_ = 0;
    if (before != newest_) ++stage_number_;
    hands_enter(*before);
}

void Playback::show_moment(std::size_t moment)
{
    shown_ = moment;
    const Moment& now = *takes_.shown().moments[moment];
    for (std::size_t k = 0; k < body_count(); ++k) scene().state(scene().bodies()[k]) = now.states[k];
    scene().set_clock(now.steps, now.time);
}

bool Playback::seek(std::int64_t frame)
{
    const Take& take = takes_.shown();
    if (frame < take.first() || frame > take.last()) return false;
    show_moment(std::size_t(frame - take.first()));
    return true;
}

Status Playback::show_take(int id)
{
    const std::int64_t now = frame();
    const std::shared_ptr<Stage> before = takes_.shown().stage;
    if (Status shown = takes_.show(id); !shown) return shown;
    if (takes_.shown().stage != before) {
        hand_grips_.clear();
        hands_leave(*before);
        ++stage_number_;
        hands_enter(*before);
    }
    seek_nearest(now);
    return Done{};
}

Status Playback::replay(const Take& take)
{
    if (!fit_together(*newest_, *take.stage)) return Error{"take", "its meshes have changed"};
    takes_.shown().moments = take.moments;
    takes_.shown().recorded = true;
    show_moment(0);
    return Done{};
}

// ---- hands ----------------------------------------------------------------------------------------------------------

bool Playback::is_spot(const Spot& spot)
{
    const auto body = find(spot.body);
    return body && spot.triangle < stage().bodies[*body].surface->triangles().size();
}

Vec3 Playback::position_of(const Spot& spot)
{
    return place_on(scene(), scene().bodies()[number_of(spot)], spot.triangle, spot.weights);
}

std::int32_t Playback::particle_at(const Spot& spot)
{
    return nearest_particle(scene(), scene().bodies()[number_of(spot)], spot.triangle, spot.weights);
}

std::vector<std::int32_t> Playback::particles_within(std::size_t body, Vec3 center, double radius)
{
    std::vector<std::int32_t> found;
    const auto& positions = scene().state(scene().bodies()[body]).positions;
    for (std::size_t i = 0; i < positions.size(); ++i)
        if (length(positions[i] - center) <= float(radius)) found.push_back(std::int32_t(i));
    return found;
}

void Playback::grab(int hold, const Spot& spot, Vec3 target, double radius)
{
    go_on_here();
    if (!is_spot(spot)) return;  // it went on in a scene that has become another
    const std::size_t body = number_of(spot);
    const BodyModel& model = scene().model(scene().bodies()[body]);
    hand_grips_.insert_or_assign(
        hold,
        HandGrip{spot, HandPull(model, patch_around(model, particle_at(spot), radius), stage().edges(body)), target});
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
    for (auto& [number, hold] : hand_grips_) {
        const BodyId id = scene().bodies()[number_of(hold.spot)];
        hold.pull.place(position_of(hold.spot), hold.target, scene().state(id), scene().grips(id));
    }
}

void Playback::hands_leave(Stage& before)
{
    for (const BodyId id : before.scene().bodies()) before.scene().grips(id).clear();
    if (ball_) ball_->remove(before.scene());
}

void Playback::hands_enter(Stage& before)
{
    std::erase_if(hand_grips_, [&](const auto& entry) {  // as long as the particles they hold are there
        const Spot& spot = entry.second.spot;
        const auto old = before.loaded.find(spot.body), now = loaded().find(spot.body);
        return !old || !now || before.scene().model(*old).revision() != scene().model(*now).revision();
    });
    place_hands();
    if (ball_) ball_.emplace(scene(), ball_->wanted());
}

void Playback::throw_body(std::size_t body, Vec3 velocity)
{
    go_on_here();
    if (body >= body_count()) return;  // it went on in a scene that has become another
    BodyState& state = scene().state(scene().bodies()[body]);
    for (Vec3& v : state.velocities) v += velocity;
    state.still = 0;  // it wakes
}

void Playback::set_ball(const std::optional<Sphere>& ball)
{
    if (ball) go_on_here();
    if (!ball && ball_) {
        ball_->remove(scene());
        ball_.reset();
    } else if (ball && ball_) {
        ball_->want(*ball);
    } else if (ball) {
        ball_.emplace(scene(), *ball);
    }
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
    std::vector<float>& values = stage().bodies[body].particle_values;
    values.resize(scene().model(id).particle_count());
    return stage().gauge.measure(quantity, scene(), id, values) ? values[std::size_t(particle)] : 0;
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

void Playback::write_shapes(FrameWriter& out, int run, const std::function<bool(std::size_t)>& wanted)
{
    const auto add = [&](Section what, std::size_t body, const auto& rows) {
        const std::size_t bytes = rows.size() * sizeof(rows[0]);
        std::memcpy(out.add(what, run, body, rows.size(), bytes).data(), rows.data(), bytes);
    };
    for (std::size_t k = 0; k < stage().bodies.size(); ++k) {
        if (wanted && !wanted(k)) continue;
        Stage::Body& body = stage().bodies[k];
        add(Section::triangles, k, body.surface->triangles());
        const BodyModel& model = scene().model(scene().bodies()[k]);
        if (!model.is_fem()) {  // else see write_lines
            add(Section::edges, k, *stage().edges(k));
        }
        if (const auto& skin = loaded().looks()[k].skin; skin && !body.surface->uvs().empty()) {
            add(Section::uvs, k, body.surface->uvs());
            for (std::size_t t = 0; t < skin->textures.size(); ++t) {
                const std::string& bytes = skin->textures[t].bytes;
                std::memcpy(out.add(Section::texture, run, k, t, bytes.size()).data(), bytes.data(), bytes.size());
            }
        }
        const std::vector<Vec3>& colors = model.surface().colors;
        if (colors.empty()) continue;
        std::vector<Vec3> drawn(body.surface->vertex_count());
        body.surface->spread(colors, drawn);
        out.add_vectors(Section::colors, run, k, drawn);
    }
}

std::uint64_t Playback::obstacles_number()
{
    FrameWriter shapes;
    shapes.start(FrameKind::shapes, 0, 0, 0);
    write_obstacles(shapes, 0);
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (const char c : shapes.bytes()) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash >> 22;  // a page's numbers are exact up to 2^53
}

void Playback::write_obstacles(FrameWriter& out, int run)
{
    for (std::size_t k = 0; k < loaded().obstacles().size(); ++k) {
        Collider collider = scene().collider(loaded().obstacles()[k]);
        collider.motion.reset();  // in its own frame: see Section::placement
        if (const auto* plane = std::get_if<Plane>(&collider.shape)) {
            const Vec3 both[2] = {plane->point.as<float>(), plane->normal.as<float>()};
            out.add_vectors(Section::plane, run, k, both);
            continue;
        }
        const TriMesh mesh = tessellate(collider, 1);
        std::vector<Vec3> vertices;
        for (const Vec3d& v : mesh.vertices) vertices.push_back(v.as<float>());
        out.add_vectors(Section::obstacle_vertices, run, k, vertices);
        const std::size_t bytes = mesh.triangles.size() * sizeof mesh.triangles[0];
        std::memcpy(out.add(Section::obstacle_triangles, run, k, mesh.triangles.size(), bytes).data(),
                    mesh.triangles.data(), bytes);
    }
}

bool Playback::write_lines(FrameWriter& out, int run, std::vector<std::uint64_t>& known)
{
    bool any = false;
    known.resize(stage().bodies.size());
    for (std::size_t k = 0; k < stage().bodies.size(); ++k) {
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
    for (std::size_t k = 0; k < stage().bodies.size(); ++k) {
        const BodyId id = scene().bodies()[k];
        Stage::Body& body = stage().bodies[k];
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
        body.normals.resize(count);
        body.faces.resize(body.surface->triangles().size());
        body.surface->normals(body.drawn, body.faces, body.normals);
        pack_normals(body.normals, {reinterpret_cast<std::int8_t*>(room.data()), room.size()});

        bool colored = !view.color.empty();
        if (colored) {
            body.particle_values.resize(state.positions.size());
            colored = stage().gauge.measure(view.color, scene(), id, body.particle_values);
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
            rests_.clear();
            if (!colored && loaded().looks()[k].has_inside())
                for (const Vec3d& p : scene().model(id).rest_positions()) rests_.push_back(p.as<float>());
            cut_tets(body.solid->tets, state.positions,
                     colored ? std::span<const float>(body.particle_values) : std::span<const float>(), *view.cut,
                     section_, rests_);
            out.add_vectors(Section::section_points, run, k, section_.points);
            if (colored) out.add_numbers(Section::section_values, run, k, section_.values);
            if (!section_.rests.empty()) out.add_vectors(Section::section_rests, run, k, section_.rests);
        }
        for (const Grip& grip : scene().scripted_grips(id))
            if (grip.stiffness <= 0)
                for (const std::int32_t i : grip.particles) held.push_back(state.positions[std::size_t(i)]);
    }
    out.add_vectors(Section::held, run, 0, held);
    for (std::size_t k = 0; k < loaded().obstacles().size(); ++k) {
        const Collider& collider = scene().collider(loaded().obstacles()[k]);
        if (const auto& motion = collider.motion) {
            const Mat3 turn = motion->end.turn.as<float>();
            const Vec3 columns[4] = {turn.c0, turn.c1, turn.c2, motion->end.move.as<float>()};
            out.add_vectors(Section::placement, run, k, columns);
        }
        const auto* mesh = std::get_if<MeshDistance>(&collider.shape);
        if (!mesh || !collider.animation) continue;
        std::vector<Vec3> vertices;
        for (const Vec3d& v : mesh->mesh().vertices) vertices.push_back(v.as<float>());
        out.add_vectors(Section::obstacle_shape, run, k, vertices);
    }
    std::vector<float> springs;
    for (const auto& [id, hold] : hand_grips_) {
        const Vec3 from = position_of(hold.spot);
        springs.insert(springs.end(), {float(id), from.x, from.y, from.z, hold.target.x, hold.target.y, hold.target.z});
    }
    out.add_numbers(Section::springs, run, 0, springs);
}

}  // namespace yawara::stream
