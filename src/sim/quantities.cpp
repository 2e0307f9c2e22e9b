// Speed, displacement, stretch and the like; the stretch comes from the deformation gradient of each tet.
#include "yawara/quantities.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numbers>

#include "contact/touch_gauge.h"
#include "sim/body_model.h"
#include "sim/solid_kind.h"
#include "sim/spread_tets.h"
#include "yawara/active.h"

namespace yawara {

namespace {

Mat3d inverse(const Mat3d& m)
{
    const double d = determinant(m);
    return transpose(Mat3d{cross(m.c1, m.c2) / d, cross(m.c2, m.c0) / d, cross(m.c0, m.c1) / d});
}

Mat3d edges(const auto& points, const Int4& tet)
{
    const auto at = [&](int k) { return points[static_cast<std::size_t>(tet[static_cast<std::size_t>(k)])]; };
    return {(at(1) - at(0)).template as<double>(), (at(2) - at(0)).template as<double>(),
            (at(3) - at(0)).template as<double>()};
}

/// Eigenvalues of a symmetric matrix by the cosine formula for the cubic.
std::array<double, 3> eigenvalues(const Mat3d& m)
{
    const double mean = (m.c0.x + m.c1.y + m.c2.z) / 3;
    const Mat3d d = m - Mat3d{} * mean;
    const double spread = std::sqrt((dot(d.c0, d.c0) + dot(d.c1, d.c1) + dot(d.c2, d.c2)) / 6);
    if (spread <= 1e-14 * std::abs(mean)) return {mean, mean, mean};
    const double angle = std::acos(std::clamp(determinant(d * (1 / spread)) / 2, -1.0, 1.0)) / 3;
    const double third = 2 * std::numbers::pi / 3;
    return {mean + 2 * spread * std::cos(angle), mean + 2 * spread * std::cos(angle + third),
            mean + 2 * spread * std::cos(angle - third)};
}

}  // namespace

double principal_stretch(const Mat3d& F)
{
    double farthest = 0;
    for (const double square : eigenvalues(transpose(F) * F)) {
        const double deviation = std::sqrt(std::max(0.0, square)) - 1;
        if (std::abs(deviation) > std::abs(farthest)) farthest = deviation;
    }
    return farthest;
}

StretchGauge::StretchGauge(const TetMesh& rest) : totals_(rest.vertices.size(), 0.0f)
{
    for (const Int4& tet : rest.tets) {
        const Mat3d E = edges(rest.vertices, tet);
        const double volume = determinant(E) / 6;
        if (!(std::abs(volume) > 0)) continue;
        tets_.push_back(tet);
        inverse_edges_.push_back(inverse(E).as<float>());
        shares_.push_back(static_cast<float>(std::abs(volume)));
        for (const std::int32_t particle : tet) totals_[static_cast<std::size_t>(particle)] += shares_.back();
    }
    for (float& total : totals_)
        if (total == 0) total = 1;
}

void StretchGauge::measure(std::span<const Vec3> positions, std::span<float> out) const
{
    std::ranges::fill(out, 0.0f);
    for (std::size_t t = 0; t < tets_.size(); ++t) {
        const Mat3d F = edges(positions, tets_[t]) * inverse_edges_[t].as<double>();
        const float stretch = static_cast<float>(principal_stretch(F)) * shares_[t];
        for (const std::int32_t particle : tets_[t]) out[static_cast<std::size_t>(particle)] += stretch;
    }
    for (std::size_t k = 0; k < out.size(); ++k) out[k] /= totals_[k];
}

void StretchGauge::measure_along(std::span<const Vec3> directions, std::span<const Vec3> positions,
                                 std::span<float> out) const
{
    std::vector<Vec3> sums(out.size());
    for (std::size_t t = 0; t < tets_.size(); ++t) {
        const Mat3 F = (edges(positions, tets_[t]) * inverse_edges_[t].as<double>()).as<float>();
        for (const std::int32_t particle : tets_[t]) {
            const auto i = static_cast<std::size_t>(particle);
            sums[i] += F * directions[i] * shares_[t];
        }
    }
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = length(sums[k]) / totals_[k] - 1;
}

namespace {

/// Which particles touch something; prepared when it is first asked, and again for other bodies.
class Touching {
public:
    void measure(Scene& scene, BodyId body, std::span<float> out)
    {
        if (!is_prepared(scene)) prepare(scene);
        std::vector<contact::ContactBody> bodies(surfaces_.size());
        std::size_t asked = 0;
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            const BodyId id = scene.bodies()[k];
            if (id == body) asked = k;
            bodies[k].surface = surfaces_[k].get();
            bodies[k].positions = scene.state(id).positions;
            bodies[k].positions_before = bodies[k].positions;
            bodies[k].settings = scene.body_settings(id).contact;
        }
        gauge_.measure(bodies, asked, scene.colliders(), out);
    }

private:
    bool is_prepared(const Scene& scene) const
    {
        return std::ranges::equal(scene.bodies(), revisions_, {},
                                  [&](BodyId id) { return scene.model(id).revision(); });
    }

    void prepare(const Scene& scene)
    {
        gauge_ = {};
        revisions_.clear();
        surfaces_.clear();
        for (const BodyId id : scene.bodies()) {
            const BodyModel& model = scene.model(id);
            const auto twin = std::ranges::find(revisions_, model.revision());  // bodies of one model have one surface
            auto surface = twin != revisions_.end()
                               ? surfaces_[std::size_t(twin - revisions_.begin())]
                               : std::make_shared<const contact::BodySurface>(
                                     contact::make_body_surface(model.domain(), model.rest_positions()));
            gauge_.add(*surface);
            surfaces_.push_back(std::move(surface));
            revisions_.push_back(model.revision());
        }
    }

    std::vector<std::uint64_t> revisions_;                               ///< of the models, per body
    std::vector<std::shared_ptr<const contact::BodySurface>> surfaces_;  ///< per body
    contact::TouchGauge gauge_;
};

/// What a quantity may look at.
struct Place {
    Scene& scene;
    BodyId body;
    const BodyModel& model;
    const BodyState& state;
    std::span<const Vec3> start;
    Touching& touching;

    double dt() const { return scene.settings().dt / std::max(scene.settings().substeps, 1); }
};

struct Measure {
    Quantity quantity;
    bool (*applies)(const BodyModel& model);
    void (*measure)(const Place& place, std::span<float> out);
};

bool always(const BodyModel&)
{
    return true;
}

const TetMesh& mesh_of(const BodyModel& model)
{
    return std::get<TetMesh>(model.domain());
}

/// The groups of a body, if it has several: of regions with weights of their own, of tets by their labels, or the
/// parts that nothing connects.
std::vector<float> groups_of(const BodyModel& body)
{
    const BodyModel::Data& model = body.data();
    std::vector<float> groups(body.particle_count(), 0.0f);
    if (model.examples && !model.examples->each_region() && model.examples->group_count() > 1) {
        for (std::size_t lane = 0; lane < model.regions.block_count() * matching::kLanes; ++lane)
            if (const std::int32_t region = model.regions.region_in(lane); region >= 0)
                groups[std::size_t(region)] = static_cast<float>(model.examples->group_of(lane));
        return groups;
    }
    const auto* mesh = std::get_if<TetMesh>(&model.domain);
    if (mesh && !mesh->materials.empty() &&
        std::ranges::adjacent_find(mesh->materials, std::not_equal_to()) != mesh->materials.end()) {
        spread_tets(*mesh, groups, [&](std::size_t t) { return mesh->materials[t]; });
        return groups;
    }
    for (std::size_t part = 0; part < model.parts.size(); ++part)
        for (const std::int32_t i : model.parts[part]) groups[std::size_t(i)] = static_cast<float>(part);
    if (model.parts.size() < 2) groups.clear();
    return groups;
}

/// Every quantity but stretch, which needs a gauge of its own.
const std::vector<Measure>& measures()
{
    static const std::vector<Measure> all{
        {{"speed", "speed (m/s)", false, "How fast every particle moves."},
         always,
         [](const Place& place, std::span<float> out) {
             std::ranges::transform(place.state.velocities, out.begin(), [](Vec3 v) { return length(v); });
         }},
        {{"displacement", "displacement (m)", false, "How far every particle is from where it started."},
         always,
         [](const Place& place, std::span<float> out) {
             std::ranges::transform(place.state.positions, place.start, out.begin(),
                                    [](Vec3 a, Vec3 b) { return length(a - b); });
         }},
        {{"contact", "contact", false, "1 where the body touches an obstacle, another body or a fold of its own."},
         always, [](const Place& place, std::span<float> out) { place.touching.measure(place.scene, place.body, out); }},
        {{"stiffness", "stiffness", false,
          "Finite elements: Young's modulus, Pa. Lattices with a stiffness map: its value, from 0 to 1."},
         [](const BodyModel& model) { return !kind_of(model).stiffness(model.data(), {}).empty(); },
         [](const Place& place, std::span<float> out) {
             std::ranges::fill(out, 0.0f);
             std::ranges::copy(kind_of(place.model).stiffness(place.model.data(), place.state), out.begin());
         }},
        {{"level", "level", false, "Finite elements: the finest level active around every particle.", true},
         [](const BodyModel& model) { return model.is_fem(); },
         [](const Place& place, std::span<float> out) {
             std::ranges::fill(out, 0.0f);
             const std::vector<std::int32_t> levels = active_levels(place.model, place.state);
             if (!levels.empty()) spread_tets(mesh_of(place.model), out, [&](std::size_t t) { return levels[t]; });
         }},
        {{"plastic", "plastic strain", false, "Finite elements: size of the strain that has become the rest shape."},
         [](const BodyModel& model) { return model.is_fem() && model.data().fem->plastic; },
         [](const Place& place, std::span<float> out) {
             std::ranges::fill(out, 0.0f);
             const std::vector<float>& strains = place.state.fem.plastic;
             if (strains.empty()) return;
             spread_tets(mesh_of(place.model), out, [&](std::size_t t) {
                 const float* const p = &strains[6 * t];
                 return std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] +
                                  2 * (p[3] * p[3] + p[4] * p[4] + p[5] * p[5])) /
                        2;
             });
         }},
        {{"region_size", "particles in the region", false,
          "How many particles the region around every particle holds: larger regions are stiffer.", true},
         [](const BodyModel& model) { return model.region_count() > 0; },
         [](const Place& place, std::span<float> out) {
             std::ranges::copy(region_sizes(place.model, place.state, place.dt()), out.begin());
         }},
        {{"example", "pull of the examples", false,
          "How far the examples stretch every region now: weight times size of each, added up."},
         [](const BodyModel& model) { return !model.examples().empty(); },
         [](const Place& place, std::span<float> out) {
             std::ranges::copy(example_pull(place.model, place.state), out.begin());
         }},
        {{"group", "group", false,
          "Regions with weights of their own, tets by the labels of their file, or parts that nothing connects.", true},
         [](const BodyModel& model) { return !groups_of(model).empty(); },
         [](const Place& place, std::span<float> out) {
             std::ranges::fill(out, 0.0f);
             std::ranges::copy(groups_of(place.model), out.begin());
         }},
        {{"mass", "mass (kg)", false, "The mass of every particle."},
         always,
         [](const Place& place, std::span<float> out) {
             std::ranges::transform(place.model.masses(), out.begin(), [](double m) { return static_cast<float>(m); });
         }},
    };
    return all;
}

const Quantity& stretch_quantity()
{
    static const Quantity stretch{"stretch", "stretch", true,
                                  "Largest stretch at every particle: red is contraction, blue is elongation."};
    return stretch;
}

/// What only active bodies have.
std::span<const Quantity> active_quantities()
{
    static const std::vector<Quantity> all{
        {"fiber", "stretch along the fibres", true, "Achieved stretch along the first direction: red contracts, blue lengthens."},
        {"asked", "asked stretch along the fibres", true, "What the muscles ask for along the first direction: red contracts, blue lengthens."},
        {"shortfall", "stretch beyond what is asked", true, "Achieved stretch along the fibres against the asked one: red is shorter than asked, blue longer, white as asked."},
        {"depth", "depth", false, "The painted depth: 1 outside, 0 inside."},
        {"amplitude", "amplitude", true, "How strongly every place moves; negative ones the other way."},
        {"phase", "phase", false, "How late every place moves."}};
    return all;
}

void copy_field(const std::vector<double>& field, std::span<float> out)
{
    std::ranges::transform(field, out.begin(), [](double v) { return static_cast<float>(v); });
}

}  // namespace

std::span<const Quantity> common_quantities()
{
    static const std::vector<Quantity> all = [] {
        std::vector<Quantity> list{stretch_quantity()};
        for (const Measure& m : measures()) list.push_back(m.quantity);
        return list;
    }();
    return all;
}

void carry_to_surface(const Embedding& embedding, std::span<const float> particles, std::span<float> surface)
{
    embedding.apply(particles, surface);
    if (particles.empty()) return;
    const auto [low, high] = std::ranges::minmax(particles);
    for (float& value : surface) value = std::clamp(value, low, high);
}

Quantity quantity_named(std::string_view name)
{
    for (const auto list : {common_quantities(), active_quantities()})
        for (const Quantity& known : list)
            if (known.name == name) return known;
    return {std::string(name), std::string(name), false, {}};
}

struct QuantityGauge::Data {
    struct Body {
        BodyModel model;
        std::vector<Vec3> start;
        std::vector<Quantity> quantities;
        std::unique_ptr<StretchGauge> stretch{};  ///< made when it is first asked for
    };
    std::map<BodyId, Body> bodies;
    Touching touching;

    Body& of(const Scene& scene, BodyId id)
    {
        const BodyModel& model = scene.model(id);
        const auto known = bodies.find(id);
        if (known == bodies.end())
            return bodies.emplace(id, Body{model, scene.state(id).positions, quantities_of(model)}).first->second;
        Body& own = known->second;
        if (own.model.revision() != model.revision()) {  // its particles changed: so did those of the start
            BodyState start = initial_state(own.model);
            start.positions = own.start;
            start = carry_state(own.model, start, model, compare_topology(own.model, model));
            own = {model, std::move(start.positions), quantities_of(model)};
        }
        return own;
    }

    const StretchGauge& stretch(Body& own)
    {
        if (!own.stretch) own.stretch = std::make_unique<StretchGauge>(solid_of(own.model.domain()));
        return *own.stretch;
    }

    static std::vector<Quantity> quantities_of(const BodyModel& model)
    {
        std::vector<Quantity> list{stretch_quantity()};
        for (const Measure& m : measures())
            if (m.applies(model)) list.push_back(m.quantity);
        if (active_parts(model)) list.insert(list.end(), active_quantities().begin(), active_quantities().end());
        return list;
    }
};

QuantityGauge::QuantityGauge(const Scene& scene) : data_(std::make_unique<Data>())
{
    for (const BodyId id : scene.bodies()) data_->of(scene, id);
}

QuantityGauge::~QuantityGauge() = default;
QuantityGauge::QuantityGauge(QuantityGauge&&) noexcept = default;
QuantityGauge& QuantityGauge::operator=(QuantityGauge&&) noexcept = default;

std::span<const Quantity> QuantityGauge::quantities(const Scene& scene, BodyId body)
{
    return data_->of(scene, body).quantities;
}

bool QuantityGauge::measure(std::string_view name, Scene& scene, BodyId body, std::span<float> out)
{
    Data::Body& own = data_->of(scene, body);
    const BodyModel& model = own.model;
    const BodyState& state = scene.state(body);
    if (const ActiveParts* active = active_parts(model)) {
        if (name == "depth") return copy_field(active->fields.depth, out), true;
        if (name == "amplitude") return copy_field(active->fields.amplitude, out), true;
        if (name == "phase") return copy_field(active->fields.phase, out), true;
        const bool asks = name == "asked", compares = name == "shortfall";
        if (name == "fiber" || compares) {
            std::vector<Vec3> fibres;
            for (const Mat3d& frame : active->fields.frames) fibres.push_back(frame.c0.as<float>());
            data_->stretch(own).measure_along(fibres, state.positions, out);
        }
        if (asks || compares) {
            const double offset = scene.body_settings(body).matching.time_offset;
            const std::vector<double> asked = asked_along_fibers(scene.model(body), scene.time() + offset);
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = float(asks ? asked[i] - 1 : (1 + double(out[i])) / asked[i] - 1);
        }
        if (name == "fiber" || asks || compares) return true;
    }
    if (name == stretch_quantity().name) {
        data_->stretch(own).measure(state.positions, out);
        return true;
    }
    for (const Measure& m : measures()) {
        if (m.quantity.name != name) continue;
        m.measure({scene, body, model, state, own.start, data_->touching}, out);
        return true;
    }
    return false;
}

}  // namespace yawara
