// Speed, displacement, stretch and the like; the stretch comes from the deformation gradient of each tet.
#include "yawara/quantities.h"

#include <algorithm>
#include <array>
#include <numbers>

#include "sim/body_model.h"
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

TetMesh solid_of(const Domain& domain)
{
    if (const TetMesh* mesh = std::get_if<TetMesh>(&domain)) return *mesh;
    const Lattice& lattice = std::get<Lattice>(domain);
    TetMesh mesh;
    mesh.vertices.reserve(lattice.nodes.size());
    for (std::size_t k = 0; k < lattice.nodes.size(); ++k)
        mesh.vertices.push_back(lattice.position(static_cast<int>(k)));
    // Kuhn's six tets: from corner 0 to corner 7 along the axes in every order; faces of neighbours match.
    mesh.tets.reserve(lattice.cells.size() * 6);
    for (const Int8& cell : lattice.cells) {
        for (int a = 0; a < 3; ++a) {
            for (const int turn : {1, 2}) {
                const int b = (a + turn) % 3;
                Int4 tet{cell[0], cell[std::size_t{1} << a], cell[(std::size_t{1} << a) | (std::size_t{1} << b)],
                         cell[7]};
                if (turn == 2) std::swap(tet[1], tet[2]);
                mesh.tets.push_back(tet);
            }
        }
    }
    return mesh;
}

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

struct Measure {
    Quantity quantity;
    void (*measure)(const BodyModel& model, std::span<const Vec3> start, const BodyState& state, std::span<float> out);
};

/// Every quantity but stretch, which needs a gauge of its own.
const std::vector<Measure>& measures()
{
    static const std::vector<Measure> all{
        {{"speed", "speed (m/s)", false, "How fast every particle moves."},
         [](const BodyModel&, std::span<const Vec3>, const BodyState& state, std::span<float> out) {
             std::ranges::transform(state.velocities, out.begin(), [](Vec3 v) { return length(v); });
         }},
        {{"displacement", "displacement (m)", false, "How far every particle is from where it started."},
         [](const BodyModel&, std::span<const Vec3> start, const BodyState& state, std::span<float> out) {
             std::ranges::transform(state.positions, start, out.begin(), [](Vec3 a, Vec3 b) { return length(a - b); });
         }},
        {{"mass", "mass (kg)", false, "The mass of every particle."},
         [](const BodyModel& model, std::span<const Vec3>, const BodyState&, std::span<float> out) {
             std::ranges::transform(model.masses(), out.begin(), [](double m) { return static_cast<float>(m); });
         }},
        {{"level", "level", false, "Finite elements: the finest level active around every particle."},
         [](const BodyModel& model, std::span<const Vec3>, const BodyState& state, std::span<float> out) {
             std::ranges::fill(out, 0.0f);
             const std::vector<std::int32_t> levels = active_levels(model, state);
             if (levels.empty()) return;
             const TetMesh& mesh = std::get<TetMesh>(model.domain());
             for (std::size_t t = 0; t < levels.size(); ++t)
                 for (const std::int32_t v : mesh.tets[t])
                     out[std::size_t(v)] = std::max(out[std::size_t(v)], static_cast<float>(levels[t]));
         }},
        {{"region_size", "particles in the region", false,
          "How many particles the region around every particle holds: larger regions are stiffer."},
         [](const BodyModel& model, std::span<const Vec3>, const BodyState&, std::span<float> out) {
             const matching::Lists& regions = model.data().regions.lists();
             for (std::size_t k = 0; k < out.size(); ++k)
                 out[k] = k < regions.size() ? static_cast<float>(regions[k].size()) : 0.0f;
         }},
        {{"example", "pull of the examples", false,
          "How far the examples stretch every region now: weight times size of each, added up."},
         [](const BodyModel& model, std::span<const Vec3>, const BodyState& state, std::span<float> out) {
             std::ranges::copy(example_pull(model, state), out.begin());
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

std::string label_of(std::string_view quantity)
{
    for (const auto list : {common_quantities(), active_quantities()})
        for (const Quantity& known : list)
            if (known.name == quantity) return known.label;
    return std::string(quantity);
}

QuantityGauge::QuantityGauge(const BodyModel& model, std::span<const Vec3> start)
    : model_(model),
      start_(start.begin(), start.end()),
      quantities_(common_quantities().begin(), common_quantities().end())
{
    if (active_parts(model))
        quantities_.insert(quantities_.end(), active_quantities().begin(), active_quantities().end());
}

bool QuantityGauge::measure(std::string_view name, const BodyState& state, std::span<float> out)
{
    if (const ActiveParts* active = active_parts(model_)) {
        if (name == "depth") return copy_field(active->fields.depth, out), true;
        if (name == "amplitude") return copy_field(active->fields.amplitude, out), true;
        if (name == "phase") return copy_field(active->fields.phase, out), true;
        if (name == "fiber") {
            if (!stretch_) stretch_ = std::make_unique<StretchGauge>(solid_of(model_.domain()));
            std::vector<Vec3> fibres;
            for (const Mat3d& frame : active->fields.frames) fibres.push_back(frame.c0.as<float>());
            stretch_->measure_along(fibres, state.positions, out);
            return true;
        }
    }
    if (name == stretch_quantity().name) {
        if (!stretch_) stretch_ = std::make_unique<StretchGauge>(solid_of(model_.domain()));
        stretch_->measure(state.positions, out);
        return true;
    }
    for (const Measure& m : measures()) {
        if (m.quantity.name != name) continue;
        m.measure(model_, start_, state, out);
        return true;
    }
    return false;
}

}  // namespace yawara
