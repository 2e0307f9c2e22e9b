#include "audit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "yawara/rotation.h"

namespace yawara::cli {

namespace {

Difference compare(const BodyModel& model, const BodyState& a, const BodyState& b)
{
    Difference difference;
    double mass = 0, squares = 0;
    Vec3d center_a, center_b;
    for (std::size_t i = 0; i < a.positions.size(); ++i) {
        const double m = model.masses()[i];
        const Vec3d way = (a.positions[i] - b.positions[i]).as<double>();
        squares += m * dot(way, way);
        center_a += a.positions[i].as<double>() * m;
        center_b += b.positions[i].as<double>() * m;
        mass += m;
    }
    center_a = center_a / mass;
    center_b = center_b / mass;
    Mat3d A = Mat3d::zero();
    for (std::size_t i = 0; i < a.positions.size(); ++i)
        A = A +
            outer((a.positions[i].as<double>() - center_a) * model.masses()[i], b.positions[i].as<double>() - center_b);
    const Quat turn = closest_rotation(A, {});
    const double sine = std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    difference.tilt_degrees = 2 * std::atan2(sine, std::abs(turn.w)) * 180 / std::numbers::pi;
    const Vec3d size = bounds(model.rest_positions()).size();
    const double largest = std::max({size.x, size.y, size.z});
    difference.rms = std::sqrt(squares / mass) / largest;
    const Mat3d rotation = to_matrix(turn);
    double left = 0;
    for (std::size_t i = 0; i < a.positions.size(); ++i) {
        const Vec3d way = a.positions[i].as<double>() - center_a - rotation * (b.positions[i].as<double>() - center_b);
        left += model.masses()[i] * dot(way, way);
    }
    difference.shape = std::sqrt(left / mass) / largest;
    return difference;
}

}  // namespace

Audit::Audit(LoadedScene full) : full_(std::make_unique<LoadedScene>(std::move(full)))
{
    Scene& scene = full_->scene();
    for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
        BodySettings& settings = scene.body_settings(scene.bodies()[k]);
        settings.fem.refinement = Refinement::full;
        settings.measure = true;
    }
    last_.resize(scene.bodies().size());
    largest_.resize(scene.bodies().size());
}

const std::vector<Difference>& Audit::step(const Scene& adaptive, std::span<const StepReport> reports)
{
    const auto start = std::chrono::steady_clock::now();
    const std::span<const StepReport> full = full_->step();
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const Scene& scene = full_->scene();
    for (std::size_t k = 0; k < last_.size(); ++k) {
        const BodyId id = scene.bodies()[k];
        last_[k] = compare(scene.model(id), adaptive.state(adaptive.bodies()[k]), scene.state(id));
        last_[k].energy =
            reports[k].kinetic_energy + reports[k].elastic_energy - full[k].kinetic_energy - full[k].elastic_energy;
        largest_[k].rms = std::max(largest_[k].rms, last_[k].rms);
        largest_[k].shape = std::max(largest_[k].shape, last_[k].shape);
        largest_[k].tilt_degrees = std::max(largest_[k].tilt_degrees, last_[k].tilt_degrees);
        if (std::abs(last_[k].energy) > std::abs(largest_[k].energy)) largest_[k].energy = last_[k].energy;
    }
    return last_;
}

}  // namespace yawara::cli
