// Frames are due by the clock, or were asked for by number; both come one at a time, so that messages are heard
// between.
#include "stream/player.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace yawara::stream {

namespace {

constexpr double kMostOwed = 3;  // frames: a machine that is too slow plays in slow motion instead of catching up
constexpr auto kLongestTurn = std::chrono::milliseconds(12);  // of frames that were asked for by number
constexpr std::size_t kMostMeasured = 36'000;                 // rows

/// Runs of triangles of one material are one group.
messages::Skin skin_message(const Skin& skin)
{
    messages::Skin message;
    const auto number = [](Wrap wrap) { return std::int64_t(wrap); };
    for (const SkinMaterial& m : skin.materials) {
        message.materials.push_back(
            {m.color, m.roughness, m.metallic, m.texture, m.normal_map, m.bump, m.roughness_map});
    }
    for (const Texture& texture : skin.textures) {
        message.wraps.push_back(number(texture.wrap[0]));
        message.wraps.push_back(number(texture.wrap[1]));
    }
    for (std::size_t t = 0; t < skin.material_of.size(); ++t) {
        if (t == 0 || skin.material_of[t] != skin.material_of[t - 1])
            message.groups.insert(message.groups.end(), {std::int64_t(t), 0, skin.material_of[t]});
        ++message.groups[message.groups.size() - 2];
    }
    return message;
}

messages::Grain grain_message(const Grain& grain)
{
    return {kGrainNames[std::size_t(grain.kind)], grain.color, grain.width, grain.axis, grain.through};
}

messages::Inside inside_message(const BodyLook& look, const Box3& rest)
{
    const Inside inside = inside_of(look, rest);
    messages::Inside message;
    message.color = look.core_color();
    message.of_volume = look.core_of_volume();
    for (const InsideLayer& layer : inside.layers) message.layers.push_back({layer.thickness, layer.color});
    message.grain = grain_message(inside.grain);
    return message;
}

/// What is in the zones that only report, and what touches bodies that do.
std::vector<messages::Sensed> sensed_by(Playback& run)
{
    std::vector<messages::Sensed> sensed;
    if (run.is_replaying()) return sensed;
    Scene& scene = run.scene();
    for (const TouchEvent& touch : scene.touches()) {
        if (!touch.sensor || touch.phase == TouchEvent::Phase::ended) continue;
        const std::string& body = run.loaded().identity(touch.body);
        std::string other;
        if (const auto* obstacle = std::get_if<ColliderId>(&touch.other)) {
            const std::span<const ColliderId> known = run.loaded().obstacles();
            if (std::ranges::find(known, *obstacle) == known.end()) continue;  // the ball in a person's hand
            other = run.loaded().identity(*obstacle);
        } else {
            other = run.loaded().identity(std::get<BodyId>(touch.other));
        }
        const bool itself = scene.body_settings(touch.body).contact.filter.sensor;
        sensed.push_back(itself ? messages::Sensed{body, other} : messages::Sensed{other, body});
    }
    return sensed;
}

messages::Body body_message(Playback& run, std::size_t k)
{
    const BodyId id = run.scene().bodies()[k];
    const BodyModel& model = run.scene().model(id);
    const BodyLook& look = run.loaded().looks()[k];
    const auto* tets = std::get_if<TetMesh>(&model.domain());
    const Vec3d size = bounds(model.rest_positions()).size();
    messages::Body body;
    body.id = run.loaded().identity(id);
    body.shape = static_cast<std::int64_t>(model.revision());
    body.name = model.name();
    body.color = look.color;
    body.finish = kFinishNames[std::size_t(look.finish)];
    body.gloss = look.gloss;
    body.wireframe = look.wireframe;
    if (const Skin* skin = look.worn(run.surface(k).triangles().size())) body.skin = skin_message(*skin);
    Box3 rest;
    for (const Vec3d& p : model.surface().vertices) rest.add(p);
    if (look.has_inside()) body.inside = inside_message(look, rest);
    body.wood = grain_message(outer_grain(look, Finish::wood, rest));
    body.cloth = grain_message(outer_grain(look, Finish::cloth, rest));
    body.particles = std::ssize(model.rest_positions());
    body.elements = tets ? std::ssize(tets->tets) : std::ssize(std::get<Lattice>(model.domain()).cells);
    body.element = tets ? "tets" : "cells";
    body.vertices = static_cast<std::int64_t>(run.surface(k).vertex_count());
    body.triangles = std::ssize(run.surface(k).triangles());
    body.closed = run.surface(k).is_closed();
    body.size = std::max({size.x, size.y, size.z});
    body.spacing = model.spacing();
    for (const double m : model.masses()) body.mass += m;
    for (const Quantity& q : run.quantities(k))
        body.quantities.push_back({q.name, q.label, q.is_signed, q.counts, q.about});
    return body;
}

}  // namespace

// ---- scenes ---------------------------------------------------------------------------------------------------------

void Player::open(LoadedScene loaded)
{
    loaded.scene().settings().threads = threads_;
    runs_[1].reset();
    runs_[0] = std::make_unique<Playback>(std::move(loaded));
    repaired_ = 0;
    repair_told_ = false;
    shapes_told_.clear();
    steps_left_ = 0;
    takes_told_.clear();
    forget_measures();
    play(true);
}

void Player::take_over(std::shared_ptr<Stage> edited)
{
    const auto measures_of = [this] {
        std::vector<std::string> names;
        for (const MeasureInfo& info : run().newest().measures().infos()) names.push_back(info.name);
        return names;
    };
    const auto before = measures_of();
    run().take_over(std::move(edited));
    if (measures_of() != before) forget_measures();
    follow_take();
}

void Player::compare_with(LoadedScene loaded)
{
    end_comparison();
    loaded.scene().settings().threads = threads_;
    runs_[1] = std::make_unique<Playback>(std::move(loaded), runs_[0].get());
    reset();
}

Status Player::compare_with_take(int id, LoadedScene loaded)
{
    const Take* take = run().takes().find(id);
    if (!take) return Error{"take", "there is no such take any more"};
    auto beside = std::make_unique<Playback>(std::move(loaded), runs_[0].get());
    if (Status shown = beside->replay(*take); !shown) return shown;
    runs_[1] = std::move(beside);
    run().takes().set_beside(id);
    runs_[1]->seek_nearest(run().frame());
    return Done{};
}

void Player::end_comparison()
{
    runs_[1].reset();
    run().takes().set_beside(0);
}

void Player::set_threads(int threads)
{
    threads_ = threads;
    each([&](Playback& run, int) { run.scene().settings().threads = threads; });
}

// ---- time -----------------------------------------------------------------------------------------------------------

void Player::play(bool playing)
{
    playing_ = playing;
    steps_left_ = 0;
    owed_ = 0;
    last_tick_ = Clock::now();
}

void Player::step(int frames)
{
    playing_ = false;
    steps_left_ = frames;
}

bool Player::cancel_steps()
{
    return std::exchange(steps_left_, 0) > 0;
}

void Player::reset()
{
    steps_left_ = 0;
    each_moving([](Playback& run) { run.reset(); });
    repaired_ = 0;
    repair_told_ = false;
    shapes_told_.clear();
    follow_take();
}

Status Player::seek(std::int64_t frame)
{
    playing_ = false;
    steps_left_ = 0;
    if (!run().seek(frame)) return Error{"frame", fmt::format("frame {} is not recorded", frame)};
    if (runs_[1]) runs_[1]->seek_nearest(frame);
    return Done{};
}

void Player::go_on()
{
    each_moving([](Playback& run) { run.go_on_here(); });
    follow_take();
    play(true);
}

Status Player::change_take(const messages::ClientTake& message)
{
    const int id = static_cast<int>(message.take);
    if (message.action == "keep" || message.action == "release")
        return run().takes().keep(id, message.action == "keep");
    if (message.action == "rename") return run().takes().rename(id, message.name.value_or(""));
    if (message.action == "remove") return run().takes().remove(id);
    playing_ = false;
    steps_left_ = 0;
    const Status shown = run().show_take(id);
    if (take_beside()) runs_[1]->seek_nearest(run().frame());
    follow_take();
    return shown;
}

/// Time waits for somebody to look, and for the first body of an empty scene.
bool Player::is_moving(bool watched)
{
    return playing_ && watched && run().body_count() > 0;
}

std::chrono::milliseconds Player::until_due(bool watched)
{
    if (steps_left_ > 0) return std::chrono::milliseconds(0);
    if (!is_moving(watched)) return std::chrono::milliseconds(100);
    const double passed = std::chrono::duration<double>(Clock::now() - last_tick_).count();
    const double dt = run().scene().settings().dt;
    const double seconds = std::max(0.0, 1 - owed_ - passed * speed_ / dt) * dt / speed_;
    return std::chrono::milliseconds(std::clamp<long>(std::lround(1000 * seconds), 0, 50));
}

bool Player::advance(bool watched)
{
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - last_tick_).count();
    last_tick_ = now;
    if (steps_left_ > 0) {
        do {
            step_once();
        } while (--steps_left_ > 0 && Clock::now() - now < kLongestTurn);
        return true;
    }
    if (!is_moving(watched)) {
        owed_ = 0;
        return false;
    }
    owed_ = std::min(owed_ + passed * speed_ / run().scene().settings().dt, kMostOwed);
    bool moved = false;
    // One frame at a time, so that messages are heard between them; more only if time is to pass faster than drawn.
    for (int k = 0; owed_ >= 1 && k < std::max(1, int(std::ceil(speed_))); ++k) {
        step_once();
        owed_ -= 1;
        moved = true;
    }
    return moved;
}

void Player::step_once()
{
    const auto start = Clock::now();
    const bool recorded = run().is_replaying();
    std::span<const StepReport> reports;
    each_moving([&](Playback& each) {
        const auto of_this = each.step();
        if (&each == &run()) reports = of_this;
    });
    if (recorded) return;
    numbers_.step_seconds += std::chrono::duration<double>(Clock::now() - start).count();
    ++numbers_.frames;
    numbers_.contacts = numbers_.inverted = 0;
    for (const StepReport& report : reports) {
        for (std::size_t p = 0; p < numbers_.seconds.size(); ++p) numbers_.seconds[p] += report.seconds[p];
        numbers_.contacts += report.contact.contacts;
        numbers_.inverted += report.inverted;
        repaired_ += report.repaired_particles;
    }
    look_at_shapes(reports);
    follow_take();
    measure();
}

void Player::look_at_shapes(std::span<const StepReport> reports)
{
    for (std::size_t k = 0; k < reports.size(); ++k) {
        const ShapeReport& shape = reports[k].shape;
        if (!shape.has_grown() && !shape.has_collapsed()) continue;
        const std::string& name = run().scene().model(run().scene().bodies()[k]).name();
        if (!shapes_told_.insert(name).second) continue;
        lost_shape_ = shape.has_grown()
                          ? fmt::format("\u201c{}\u201d grew to {:.2g} times its size.", name, shape.size)
                          : fmt::format("\u201c{}\u201d has lost its volume: it may be too soft for its size.", name);
    }
}

bool Player::was_repaired()
{
    return repaired_ > 0 && !std::exchange(repair_told_, true);
}

// ---- measures -------------------------------------------------------------------------------------------------------

void Player::forget_measures()
{
    measured_.clear();
    measured_take_ = run().takes().shown().id;
    measures_restart_ = true;
    measures_told_ = 0;
}

/// A take that went on from another shares what was measured up to there.
void Player::follow_take()
{
    const int take = run().takes().shown().id;
    if (take == measured_take_) return;
    if (!measured_.contains(take)) {
        std::vector<Row> shared = measured_[measured_take_];
        std::erase_if(shared, [now = run().scene().time()](const Row& row) { return *row[0] > now; });
        measured_[take] = std::move(shared);
        std::erase_if(measured_, [listed = run().takes().list()](const auto& entry) {
            return std::ranges::find(listed, entry.first, &TakeInfo::id) == listed.end();
        });
    }
    measured_take_ = take;
    measures_restart_ = true;
    measures_told_ = 0;
}

void Player::measure()
{
    Measures& measures = run().loaded().measures();
    if (measures.infos().empty()) return;
    Row row{run().scene().time()};
    for (const double value : measures.values(run().scene()))
        row.push_back(std::isfinite(value) ? std::optional(value) : std::nullopt);
    std::vector<Row>& rows = measured_[measured_take_];
    rows.push_back(std::move(row));
    if (rows.size() <= kMostMeasured) return;
    rows.erase(rows.begin(), rows.begin() + kMostMeasured / 4);
    measures_restart_ = true;
}

messages::ServerMeasures Player::measures_message(bool restart)
{
    messages::ServerMeasures message;
    message.restart = restart;
    for (const MeasureInfo& info : run().loaded().measures().infos()) message.names.push_back({info.name, info.label});
    const std::vector<Row>& rows = measured_[measured_take_];
    message.rows.assign(rows.begin() + std::ptrdiff_t(restart ? 0 : measures_told_), rows.end());
    return message;
}

std::optional<messages::ServerMeasures> Player::take_measures()
{
    const bool restart = std::exchange(measures_restart_, false);
    const std::size_t known = measured_[measured_take_].size();
    if (!restart && measures_told_ == known) return std::nullopt;
    messages::ServerMeasures message = measures_message(restart);
    measures_told_ = known;
    return message;
}

messages::ServerMeasures Player::all_measures()
{
    return measures_message(true);
}

std::optional<messages::ServerMeasures> Player::measures_beside()
{
    if (!take_beside()) return std::nullopt;
    messages::ServerMeasures message;
    message.run = 1;
    message.restart = true;
    for (const MeasureInfo& info : runs_[1]->loaded().measures().infos())
        message.names.push_back({info.name, info.label});
    message.rows = measured_[take_beside()];
    return message;
}

// ---- takes ----------------------------------------------------------------------------------------------------------

messages::ServerTakes Player::all_takes()
{
    messages::ServerTakes message;
    for (const TakeInfo& take : run().takes().list())
        message.takes.push_back(
            {take.id, take.name, take.first, take.last, static_cast<std::int64_t>(take.bytes), take.kept, take.shown});
    return message;
}

std::optional<messages::ServerTakes> Player::take_takes()
{
    std::vector<TakeInfo> now = run().takes().list();
    if (now == takes_told_) return std::nullopt;
    takes_told_ = std::move(now);
    return all_takes();
}

std::vector<std::string> Player::news()
{
    return run().takes().news();
}

// ---- messages -------------------------------------------------------------------------------------------------------

messages::ServerStatus Player::status(std::size_t pages)
{
    messages::ServerStatus message;
    message.playing = playing_;
    message.speed = speed_;
    message.frame = run().frame();
    message.first = run().first_frame();
    message.last = run().last_frame();
    message.time = run().scene().time();
    message.frame_time = run().scene().settings().dt;
    message.comparing = is_comparing();
    if (take_beside()) message.beside = take_beside();
    message.threads = threads_;
    for (const int hold : run().holds()) message.hold.push_back(hold);
    message.take = run().takes().shown().id;
    message.replaying = run().is_replaying();
    message.pages = static_cast<std::int64_t>(pages);
    return message;
}

messages::ServerStats Player::take_stats()
{
    const double passed = std::chrono::duration<double>(Clock::now() - last_stats_).count();
    last_stats_ = Clock::now();
    const double frames = std::max(1, numbers_.frames);
    messages::ServerStats message;
    for (std::size_t p = 0; p < numbers_.seconds.size(); ++p)
        message.phases.push_back({std::string(to_string(static_cast<Phase>(p))), 1000 * numbers_.seconds[p] / frames});
    message.frame_ms = 1000 * numbers_.step_seconds / frames;
    message.rate = numbers_.frames / passed;
    for (const BodyId body : run().scene().bodies())
        message.particles += static_cast<std::int64_t>(run().scene().model(body).particle_count());
    message.contacts = numbers_.contacts;
    message.inverted = numbers_.inverted;
    message.repaired = repaired_;
    message.pull = run().pull();
    message.sensed = sensed_by(run());
    const int contacts = numbers_.contacts, inverted = numbers_.inverted;
    numbers_ = {};
    if (!playing_) numbers_.contacts = contacts, numbers_.inverted = inverted;
    return message;
}

messages::ServerScene Player::scene_message(int index, bool fresh)
{
    Playback& shown = *runs_[std::size_t(index)];
    const LoadedScene& loaded = shown.loaded();
    messages::ServerScene message;
    message.run = index;
    message.fresh = fresh;
    for (std::size_t k = 0; k < shown.body_count(); ++k) {
        message.bodies.push_back(body_message(shown, k));
        if (message.show.empty()) message.show = loaded.looks()[k].show;
    }
    message.obstacles = static_cast<std::int64_t>(shown.obstacles_number());
    if (const auto& c = loaded.camera()) {
        message.camera["field_of_view"] = c->field_of_view;
        messages::write(message.camera["eye"], c->eye);
        messages::write(message.camera["target"], c->target);
    }
    const Look& look = loaded.look();
    message.background = look.background;
    if (look.ground) message.ground = look.ground_height;
    if (look.scale && look.scale->low < look.scale->high) message.range = {look.scale->low, look.scale->high};
    if (look.scale) message.map = look.scale->map;
    return message;
}

}  // namespace yawara::stream
