// Pictures of footage: shared by render and demo.
#include "film.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cut_inside.h"
#include "interrupt.h"
#include "outputs.h"
#include "yawara/formula.h"
#include "yawara/quantities.h"
#include "yawara/section.h"
#include "yawara/surface.h"

namespace yawara::cli {

/// One body on the stage: where its surface is and what colour its values give.
class Film::Actor {
public:
    Actor(std::shared_ptr<const ClipBody> body, BodyLook look, std::string show)
        : look_(std::move(look)), show_(std::move(show))
    {
        wear(std::move(body));
    }

    /// Displacements are measured from these positions, of the mesh it has now.
    void start_at(std::span<const Vec3> positions)
    {
        start_body_ = body_;
        start_.assign(positions.begin(), positions.end());
        first_positions_ = start_;
    }

    /// Takes the mesh of a frame.
    void wear(std::shared_ptr<const ClipBody> body)
    {
        if (body == body_) return;
        body_ = std::move(body);
        outer_.clear();
        closed_.reset();
        gauge_.reset();
        inside_map_.reset();
        rest_box_ = {};
        for (const Vec3d& p : body_->surface.vertices) rest_box_.add(p);
        rests_.clear();
        grain_ = outer_grain(look_, look_.finish, rest_box_);
        if (grain_.kind != GrainKind::none)
            for (const Vec3d& p : body_->surface.vertices) rests_.push_back(p.as<float>());
        if (!colored()) return;
        embedding_ = Embedding(body_->solid, body_->surface.vertices);
        if (show_ == "stretch" && !recorded()) gauge_.emplace(body_->solid);
        if (!start_body_) return;
        // Particles began where the mesh of the start had their places at rest.
        first_positions_.resize(body_->solid.vertices.size());
        if (body_ == start_body_)
            first_positions_ = start_;
        else
            Embedding(start_body_->solid, body_->solid.vertices)
                .apply(std::span<const Vec3>(start_), std::span(first_positions_));
    }

    bool colored() const { return !show_.empty() && !body_->solid.tets.empty(); }

    /// Why the wanted quantity cannot be had, if so.
    Status check() const
    {
        if (show_.empty()) return Done{};
        if (body_->solid.tets.empty()) return Error{"--show", "body " + body_->name + " has no tets to carry values"};
        if (show_ == "displacement" || show_ == "stretch" || recorded()) return Done{};
        std::string known = "displacement, stretch, none";
        for (const std::string& name : body_->value_names) known = name + ", " + known;
        return Error{"--show",
                     fmt::format("\"{}\" was not recorded for body {}; there are {}", show_, body_->name, known)};
    }

    /// Values at the surface's vertices.
    std::span<const float> values(const ClipFrame& frame)
    {
        particle_values_.resize(frame.particles.size());
        surface_values_.resize(body_->surface.vertices.size());
        if (const auto k = recorded())
            carry_to_surface(embedding_, frame.values[*k], surface_values_);
        else {
            if (gauge_)
                gauge_->measure(frame.particles, particle_values_);
            else
                std::ranges::transform(frame.particles, first_positions_, particle_values_.begin(),
                                       [](Vec3 a, Vec3 b) { return length(a - b); });
            carry_to_surface(embedding_, particle_values_, surface_values_);
        }
        return surface_values_;
    }

    /// What of the body is behind a plane, and the cut closed: the drawn surface if it encloses something; else the outer
    /// faces of the tets.
    void draw_cut(const ClipFrame& frame, const Plane& plane, std::vector<DrawnMesh>& meshes)
    {
        const DrawnMesh whole = draw(frame);
        if (!closed_) {
            const auto checked = check_surface(body_->surface);
            closed_ = checked && checked->watertight;
        }
        if (*closed_) return draw_fine_cut(whole, frame, plane, meshes);
        if (body_->solid.tets.empty()) return meshes.push_back(whole);
        if (outer_.empty()) {
            std::vector<std::int32_t> particle_of;
            for (const Int3& t : boundary_surface(body_->solid, &particle_of).triangles)
                outer_.push_back(
                    {particle_of[std::size_t(t[0])], particle_of[std::size_t(t[1])], particle_of[std::size_t(t[2])]});
        }
        const Section skin = clip_surface(outer_, frame.particles, plane);
        const Section cap = cut_tets(body_->solid.tets, frame.particles, plane);
        parts_[0] = {skin.values(frame.particles), skin.triangles, {}, {}};
        parts_[1] = {cap.values(frame.particles), cap.triangles, {}, {}};
        if (colored()) {
            const std::span<const float> values = measured(frame);
            parts_[0].values = skin.values(values);
            parts_[1].values = cap.values(values);
        }
        for (const Part& part : parts_) {
            if (part.triangles.empty()) continue;
            DrawnMesh mesh = bare(part, whole);
            mesh.values = part.values;
            if (&part == &parts_[1]) open(mesh, frame, plane);
            meshes.push_back(mesh);
        }
    }

    /// Makes the cap of a cut look like the inside.
    void open(DrawnMesh& cap, const ClipFrame& frame, const Plane& plane)
    {
        cap.color = look_.core_color();
        cap.gloss = 0;
        cap.finish = Finish::plain;
        if (body_->solid.tets.empty() || !cap.values.empty()) return;
        if (!colored() && !look_.has_inside()) return;
        const auto face = std::make_shared<const CutFace>(body_->solid, frame.particles, plane);
        if (colored()) {
            cap.value_at = [face, values = face->values(measured(frame))](Vec3 place) {
                return face->at(place, values, std::numeric_limits<float>::quiet_NaN());
            };
            return;
        }
        const Inside inside = inside_of(look_, rest_box_);
        if (!inside_map_)
            inside_map_ = std::make_shared<const InsideMap>(
                make_inside_map(body_->surface, inside, look_.volume_colors.get()));
        std::vector<Vec3> at_rest;
        for (const Vec3d& p : body_->solid.vertices) at_rest.push_back(p.as<float>());
        cap.color_at = [face, rests = face->values(std::span<const Vec3>(at_rest)), inside, map = inside_map_,
                        core = look_.core_color(), of_volume = look_.core_of_volume()](Vec3 place) {
            const Vec3 rest = face->at(place, rests, place);
            const InsideMap::Value here = map->at(rest);
            return inside_color(inside, of_volume ? here.color : core, rest, here.depth);
        };
    }

    void draw_fine_cut(const DrawnMesh& whole, const ClipFrame& frame, const Plane& plane, std::vector<DrawnMesh>& meshes)
    {
        const Section skin = clip_surface(whole.triangles, whole.positions, plane);
        parts_[0] = {skin.values(whole.positions), skin.triangles, {}, {}};
        if (colored()) parts_[0].values = skin.values(whole.values);
        if (!whole.rests.empty()) parts_[0].rests = skin.values(whole.rests);
        cut_skin_ = {};
        if (!whole.colors.empty()) cut_skin_.colors = skin.values(whole.colors);
        if (whole.skin) cut_skin_of(whole, plane);
        parts_[1] = {cap_of(whole.triangles, whole.positions, plane), {}, {}, {}};
        for (std::int32_t k = 0; k + 2 < std::ssize(parts_[1].positions); k += 3)
            parts_[1].triangles.push_back({k, k + 1, k + 2});
        for (const Part& part : parts_) {
            if (part.triangles.empty()) continue;
            DrawnMesh mesh = bare(part, whole);
            if (&part == &parts_[0]) {
                mesh.values = part.values;
                mesh.rests = part.rests;
                mesh.skin = whole.skin;
                mesh.colors = cut_skin_.colors;
                mesh.material_of = cut_skin_.material_of;
                mesh.corner_uvs = cut_skin_.uvs;
            } else {
                open(mesh, frame, plane);
                mesh.wireframe = false;  // its triangles mean nothing
            }
            meshes.push_back(mesh);
        }
    }

    /// Materials and places in their pictures of what is left of each triangle. Corners are cut by themselves, so that
    /// it is known whose they are; triangles come in the order of clip_surface.
    void cut_skin_of(const DrawnMesh& whole, const Plane& plane)
    {
        std::vector<Vec3> corners, places;
        std::vector<Int3> triangles;
        for (std::size_t t = 0; t < whole.triangles.size(); ++t) {
            const auto first = std::int32_t(corners.size());
            triangles.push_back({first, first + 1, first + 2});
            for (std::size_t k = 0; k < 3; ++k) {
                corners.push_back(whole.positions[std::size_t(whole.triangles[t][k])]);
                const Vec2 uv = whole.corner_uvs.empty() ? Vec2{} : whole.corner_uvs[t][k];
                places.push_back({uv.x, uv.y, 0});
            }
        }
        const Section cut = clip_surface(triangles, corners, plane);
        const std::vector<Vec3> uvs = cut.values(std::span<const Vec3>(places));
        for (const Int3& t : cut.triangles) {
            const auto uv = [&](std::size_t k) { return Vec2{uvs[std::size_t(t[k])].x, uvs[std::size_t(t[k])].y}; };
            cut_skin_.material_of.push_back(whole.material_of[std::size_t(cut.vertices[std::size_t(t[0])].a / 3)]);
            if (!whole.corner_uvs.empty()) cut_skin_.uvs.push_back({uv(0), uv(1), uv(2)});
        }
    }

    DrawnMesh draw(const ClipFrame& frame)
    {
        DrawnMesh mesh;
        mesh.lines = frame.lines;
        mesh.positions = frame.surface;
        mesh.triangles = body_->surface.triangles;
        mesh.color = look_.color;
        mesh.colors = body_->surface.colors;
        mesh.skin = look_.worn(mesh.triangles.size());
        if (mesh.skin) mesh.material_of = mesh.skin->material_of;
        mesh.corner_uvs = body_->surface.corner_uvs;
        if (colored()) mesh.values = values(frame);
        mesh.finish = look_.finish;
        mesh.gloss = look_.gloss;
        mesh.wireframe = look_.wireframe;
        mesh.grain = grain_;
        mesh.rests = rests_;
        return mesh;
    }

private:
    /// Of the particles, once draw() has looked at them.
    std::span<const float> measured(const ClipFrame& frame) const
    {
        const auto k = recorded();
        return k ? frame.values[*k] : std::span<const float>(particle_values_);
    }

    std::optional<std::size_t> recorded() const
    {
        const auto found = std::ranges::find(body_->value_names, show_);
        if (found == body_->value_names.end()) return std::nullopt;
        return static_cast<std::size_t>(found - body_->value_names.begin());
    }

    std::shared_ptr<const ClipBody> body_, start_body_;
    std::vector<Vec3> start_, first_positions_;  ///< of the particles of start_body_; of those of body_
    BodyLook look_;
    std::string show_;
    Embedding embedding_;
    std::optional<StretchGauge> gauge_;
    std::vector<float> particle_values_, surface_values_;
    struct Part {
        std::vector<Vec3> positions;
        std::vector<Int3> triangles;
        std::vector<float> values;
        std::vector<Vec3> rests;
    };
    /// A part in the plain colour of the whole, with nothing that belongs to the triangles of that.
    static DrawnMesh bare(const Part& part, const DrawnMesh& whole)
    {
        DrawnMesh mesh = whole;
        mesh.positions = part.positions;
        mesh.triangles = part.triangles;
        mesh.colors = {};
        mesh.lines = {};
        mesh.skin = nullptr;
        mesh.corner_uvs = {};
        mesh.values = {};
        mesh.rests = {};
        return mesh;
    }
    Part parts_[2];  ///< skin and cap of a cut
    struct {
        std::vector<Vec3> colors;
        std::vector<std::int32_t> material_of;
        std::vector<std::array<Vec2, 3>> uvs;
    } cut_skin_;                  ///< of parts_[0]
    Box3 rest_box_;
    Grain grain_;                 ///< of its outside; without: none
    std::vector<Vec3> rests_;     ///< of the surface, where the grain is looked up; else empty
    std::vector<Int3> outer_;     ///< outer faces of the solid, by particles
    std::shared_ptr<const InsideMap> inside_map_;  ///< of body_; made when it is first cut
    std::optional<bool> closed_;  ///< the drawn surface encloses something; none: not looked at yet
};

namespace {

/// Smallest round number that is not below x.
float round_up(float x)
{
    if (!(x > 0) || !std::isfinite(x)) return 1;
    const float decade = std::pow(10.0f, std::floor(std::log10(x)));
    for (const float step : {1.0f, 1.2f, 1.5f, 2.0f, 2.5f, 3.0f, 4.0f, 5.0f, 6.0f, 8.0f})
        if (step * decade >= x * 0.9999f) return step * decade;
    return 10 * decade;
}

/// The values that 0.5 % are below and above: single sparks do not dim the whole.
std::pair<float, float> bulk(std::span<const float> values)
{
    std::vector<float> sorted(values.begin(), values.end());
    const std::size_t cut = sorted.size() / 200;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(cut), sorted.end());
    const float low = sorted[cut];
    std::nth_element(sorted.begin(), sorted.end() - static_cast<std::ptrdiff_t>(cut) - 1, sorted.end());
    return {low, sorted[sorted.size() - cut - 1]};
}

ColorScale scale_for(const std::string& show, std::pair<float, float> seen)
{
    const Quantity quantity = quantity_named(show);
    ColorScale scale;
    scale.label = quantity.label;
    scale.whole = quantity.counts;
    if (quantity.is_signed) {
        scale.map = "coolwarm";
        scale.high = round_up(std::max(-seen.first, seen.second));
        scale.low = -scale.high;
    } else {
        scale.low = seen.first < 0 ? -round_up(-seen.first) : 0;
        scale.high = round_up(seen.second);
    }
    return scale;
}

/// The box that holds another however it is turned about the vertical through its middle.
Box3 turned_all_around(const Box3& box)
{
    const Vec3d c = box.center(), half = box.size() * 0.5;
    const double radius = std::hypot(half.x, half.z);
    return {{c.x - radius, box.low.y, c.z - radius}, {c.x + radius, box.high.y, c.z + radius}};
}

}  // namespace

Result<Footage> open_footage(const std::filesystem::path& ywc)
{
    auto opened = ClipReader::open(ywc);
    if (!opened) return opened.error();
    const auto reader = std::make_shared<ClipReader>(*std::move(opened));
    return Footage{reader->info(), [reader](std::size_t k) { return reader->frame(k); },
                   [reader](std::size_t body, std::size_t k) { return reader->body(body, k); },
                   [reader](std::size_t k) { return reader->time(k); }};
}

Footage still_footage(const std::string& name, TriMesh mesh)
{
    const auto positions = std::make_shared<std::vector<Vec3>>();
    for (const Vec3d& p : mesh.vertices) positions->push_back(p.as<float>());
    const auto frame = std::make_shared<ClipFrame>();
    frame->surface = *positions;
    Footage footage;
    footage.info.frames = 1;
    const auto body = std::make_shared<const ClipBody>(
        ClipBody{.name = name, .surface = std::move(mesh), .solid = {}, .value_names = {}});
    footage.info.bodies.push_back(*body);
    footage.body = [body](std::size_t, std::size_t) -> Result<std::shared_ptr<const ClipBody>> { return body; };
    footage.frame = [positions, frame](std::size_t) -> Result<std::span<const ClipFrame>> {
        return std::span<const ClipFrame>(frame.get(), 1);
    };
    return footage;
}

Stage stage_of(const ClipInfo& info)
{
    if (info.stage) return {*info.stage};
    Stage stage;
    stage.ground_below = true;
    for (const ClipBody& body : info.bodies) {
        BodyLook look;
        look.color = body.color;
        stage.looks.push_back(look);
    }
    return stage;
}

std::vector<std::size_t> real_time_frames(std::size_t first, std::size_t last, double frame_time, double fps)
{
    const double stride = std::max(1.0, 1.0 / (fps * frame_time));
    std::vector<std::size_t> frames;
    for (std::size_t k = 0;; ++k) {
        const std::size_t frame = first + static_cast<std::size_t>(std::lround(static_cast<double>(k) * stride));
        if (frame > last) return frames;
        frames.push_back(frame);
    }
}

Film::Film(Footage footage, Stage stage, FilmOptions options)
    : footage_(std::move(footage)), stage_(std::move(stage)), options_(std::move(options))
{
    // One picture has one colour scale: the first quantity that a body asks for.
    std::string show = options_.show;
    for (const BodyLook& look : stage_.looks)
        if (show.empty()) show = look.show;
    if (show == "none") show.clear();
    for (std::size_t k = 0; k < footage_.info.bodies.size(); ++k) {
        const bool wanted = !options_.show.empty() || stage_.looks[k].show == show;
        const auto body = footage_.body(k, 0);
        actors_.push_back(
            std::make_shared<Actor>(body ? *body : std::make_shared<const ClipBody>(footage_.info.bodies[k]),
                                    stage_.looks[k], wanted ? show : ""));
    }
    options_.show = show;
}

Result<Film> Film::prepare(Footage footage, Stage stage, FilmOptions options, ProgressBar& bar)
{
    Film film(std::move(footage), std::move(stage), std::move(options));
    for (const auto& actor : film.actors_)
        if (Status possible = actor->check(); !possible) return possible.error();
    if (film.stage_.water && !film.stage_.water->waves.empty()) {
        auto waves = parse_waves(film.stage_.water->waves);
        if (!waves) return Error{"waves of the water", waves.error().what};
        film.waves_ = *std::move(waves);
    }
    if (Status looked = film.look_ahead(bar); !looked) return looked.error();
    return film;
}

Result<std::span<const ClipFrame>> Film::enter(std::size_t frame)
{
    const auto entered = footage_.frame(frame);
    for (std::size_t b = 0; b < actors_.size() && entered; ++b) {
        auto body = footage_.body(b, frame);
        if (!body) return body.error();
        actors_[b]->wear(*std::move(body));
    }
    return entered;
}

namespace {

/// Moves the camera to the right, as the colour scale stands there.
void make_room_for_scale(Camera& camera, float aspect)
{
    const Vec3 forward = camera.target - camera.eye, right = cross(forward, Vec3{0, 1, 0});
    if (!(length(right) > 0)) return;
    const float half =
        length(forward) * aspect * std::tan(0.5f * camera.field_of_view * std::numbers::pi_v<float> / 180);
    const Vec3 move = normalized(right) * (0.14f * half);
    camera.eye += move;
    camera.target += move;
}

}  // namespace

Status Film::look_ahead(ProgressBar& bar)
{
    if (!options_.show.empty()) {
        const auto first = enter(0);
        if (!first) return first.error();
        for (std::size_t k = 0; k < actors_.size(); ++k) actors_[k]->start_at((*first)[k].particles);
    }
    std::vector<Box3> boxes;
    std::vector<Vec3> points;  // of the first picture
    Box3 all;
    std::pair<float, float> seen{0.0f, 0.0f};
    for (std::size_t n = 0; n < options_.frames.size() && !interrupted(); ++n) {
        bar.update(n, options_.frames.size(), "frames");
        const auto frame = enter(options_.frames[n]);
        if (!frame) return frame.error();
        for (std::size_t k = 0; k < actors_.size(); ++k) {
            Box3 box;
            for (const Vec3& p : (*frame)[k].surface) box.add(p.as<double>());
            if (box.empty()) continue;
            all.add(box.low);
            all.add(box.high);
            boxes.push_back(box);
            if (n == 0) points.insert(points.end(), (*frame)[k].surface.begin(), (*frame)[k].surface.end());
            if (!actors_[k]->colored() || options_.range) continue;
            const auto [low, high] = bulk(actors_[k]->values((*frame)[k]));
            seen = {std::min(seen.first, low), std::max(seen.second, high)};
        }
    }
    if (boxes.empty()) return Error{"", "there is nothing to draw: no body has a surface"};

    if (options_.turntable) boxes.assign(1, turned_all_around(all));
    Look& look = stage_.look;
    const float aspect = static_cast<float>(look.width) / static_cast<float>(look.height);
    if (!stage_.camera) stage_.camera = frame_action(boxes, aspect);
    if (options_.near) {
        stage_.camera = close_up(*stage_.camera, points, aspect);
        if (!options_.show.empty()) make_room_for_scale(*stage_.camera, aspect);
    }
    if (stage_.ground_below) look.ground_height = static_cast<float>(all.low.y);
    if (options_.show.empty()) {
        look.scale.reset();
    } else {
        // What the scene says of this quantity counts, unless the command line says otherwise.
        ColorScale scale = scale_for(options_.show, seen);
        if (look.scale && look.scale->label == scale.label) {
            scale.map = look.scale->map;
            if (look.scale->low < look.scale->high)
                std::tie(scale.low, scale.high) = std::pair(look.scale->low, look.scale->high);
        }
        look.scale = scale;
        if (!options_.map.empty()) look.scale->map = options_.map;
        if (options_.range) std::tie(look.scale->low, look.scale->high) = *options_.range;
    }
    return Done{};
}

namespace {

/// A place on a path of cameras, share in 0..1: Catmull-Rom curves that pass through all of them.
Camera on_path(const std::vector<Camera>& path, float share)
{
    const auto last = static_cast<std::ptrdiff_t>(path.size()) - 1;
    const float place = share * static_cast<float>(last);
    const auto i = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(place), 0, std::max<std::ptrdiff_t>(last - 1, 0));
    const float u = place - static_cast<float>(i);
    const auto at = [&](std::ptrdiff_t k) -> const Camera& { return path[std::size_t(std::clamp<std::ptrdiff_t>(k, 0, last))]; };
    const auto between = [&](auto of) {
        const auto a = of(at(i - 1)), b = of(at(i)), c = of(at(i + 1)), d = of(at(i + 2));
        return b + ((c - a) + (a * 2.0f - b * 5.0f + c * 4.0f - d + ((b - c) * 3.0f + d - a) * u) * u) * (0.5f * u);
    };
    return {between([](const Camera& c) { return c.eye; }), between([](const Camera& c) { return c.target; }),
            between([](const Camera& c) { return c.field_of_view; })};
}

}  // namespace

Result<std::vector<std::vector<Vec3>>> Film::closing_shutter(std::size_t k)
{
    std::vector<std::vector<Vec3>> later;
    const std::vector<std::size_t>& frames = options_.frames;
    if (!(options_.shutter > 0) || frames.size() < 2) return later;
    // The last one is exposed as long as the one before it.
    const std::size_t own = std::min(k, frames.size() - 2);
    const double end = double(frames[k]) + options_.shutter * (double(frames[own + 1]) - double(frames[own]));
    const auto before = std::min(std::size_t(end), footage_.info.frames - 1);
    const auto after = std::min(before + 1, footage_.info.frames - 1);
    for (const std::size_t moment : {before, after}) {
        const auto frame = footage_.frame(moment);
        if (!frame) return frame.error();
        const float share = moment == before ? 0 : float(end - double(before));
        later.resize(frame->size());
        for (std::size_t b = 0; b < frame->size(); ++b) {
            const std::span<const Vec3> surface = (*frame)[b].surface;
            if (moment == before) later[b].assign(surface.begin(), surface.end());
            if (later[b].size() != surface.size()) continue;  // it has become another mesh
            for (std::size_t v = 0; v < surface.size(); ++v) later[b][v] += (surface[v] - later[b][v]) * share;
        }
    }
    return later;
}

double Film::exposure(std::size_t k) const
{
    const std::vector<std::size_t>& frames = options_.frames;
    const std::size_t own = std::min(k, frames.size() - 2);  // the last one as long as the one before it
    return options_.shutter * (footage_.time(frames[own + 1]) - footage_.time(frames[own]));
}

std::vector<TriMesh> Film::obstacles_at(double time) const
{
    std::vector<TriMesh> obstacles = stage_.obstacles;
    for (std::size_t o = 0; o < stage_.obstacle_animations.size(); ++o)
        if (stage_.obstacle_animations[o]) stage_.obstacle_animations[o]->at(time, obstacles[o].vertices);
    for (std::size_t o = 0; o < stage_.obstacle_paths.size(); ++o)
        if (const Path& path = stage_.obstacle_paths[o]; !path.empty())
            for (Vec3d& vertex : obstacles[o].vertices) vertex = path.at(time)(vertex);
    return obstacles;
}

Result<Image> Film::picture(std::size_t k)
{
    const auto later = closing_shutter(k);  // before the frame: the footage holds one at a time
    if (!later) return later.error();
    const auto frame = enter(options_.frames[k]);
    if (!frame) return frame.error();
    const double time = footage_.time(options_.frames[k]);
    std::vector<Collider> floors;
    for (std::size_t f = 0; f < stage_.floors.size(); ++f) {
        Collider floor{stage_.floors[f]};
        if (f < stage_.floor_paths.size()) floor.motion = ColliderMotion{.end = stage_.floor_paths[f].at(time)};
        floors.push_back(std::move(floor));
    }
    const std::vector<TriMesh> obstacles = obstacles_at(time);
    Picture picture{{}, floors, obstacles, *stage_.camera, stage_.look};
    std::vector<TriMesh> obstacles_later;
    if (!later->empty()) obstacles_later = obstacles_at(time + exposure(k));
    picture.obstacles_later = obstacles_later;
    for (std::size_t b = 0; b < actors_.size(); ++b) {
        if (stage_.look.cut)
            actors_[b]->draw_cut((*frame)[b], *stage_.look.cut, picture.meshes);
        else
            picture.meshes.push_back(actors_[b]->draw((*frame)[b]));
        if (!stage_.look.cut && !later->empty() && (*later)[b].size() == picture.meshes.back().positions.size())
            picture.meshes.back().later = (*later)[b];
    }
    picture.lens = options_.lens;
    if (stage_.water)
        picture.water = DrawnWater{stage_.water->level, stage_.water->box,
                                   waves_ ? [this, time](double x, double z) { return waves_(x, z, time); }
                                          : std::function<double(double, double)>{}};
    if (options_.turntable) {
        const float turn = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / static_cast<float>(size());
        Camera& camera = picture.camera;
        camera.eye = camera.target + rotation(Vec3{0, 1, 0}, turn) * (camera.eye - camera.target);
    }
    if (!options_.path.empty())
        picture.camera = on_path(options_.path, size() > 1 ? static_cast<float>(k) / static_cast<float>(size() - 1) : 0);
    Result<Image> image = render(picture);
    if (image && !options_.caption.empty()) draw_caption(*image, options_.caption);
    return image;
}

Result<std::size_t> Film::shoot(const std::filesystem::path& out, double fps, ProgressBar& bar)
{
    if (Status made = make_folder_of(out); !made) return made.error();
    auto movie = MovieWriter::open(out, fps);
    if (!movie) return movie.error();
    std::size_t done = 0;
    while (done < size() && (done == 0 || !interrupted())) {
        const auto image = picture(done);
        if (!image) return image.error();
        if (Status added = movie->add(*image); !added) return added.error();
        bar.update(++done, size(), "pictures");
    }
    if (Status finished = movie->finish(); !finished) return finished.error();
    return done;
}

Status Film::shoot_still(const std::filesystem::path& out, std::size_t k)
{
    if (Status made = make_folder_of(out); !made) return made.error();
    const auto image = picture(k);
    if (!image) return image.error();
    return save_png(out, *image);
}

}  // namespace yawara::cli
