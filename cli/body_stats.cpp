#include "body_stats.h"

#include <fmt/format.h>

namespace yawara::cli {

namespace {

constexpr std::size_t kLevels = 6;  // of a forest, at most

}  // namespace

BodyStats::BodyStats(const Scene& scene, const std::filesystem::path& folder, bool audited)
    : folder_(folder), audited_(audited)
{
    for (std::size_t k = 0; k < scene.bodies().size(); ++k) {
        const BodyModel& model = scene.model(scene.bodies()[k]);
        Body& body = bodies_.emplace_back();
        body.name = model.name();
        body.csv.open(folder / (body.name + ".stats.csv"));
        body.csv << "frame,time,kinetic_energy,elastic_energy,momentum_x,momentum_y,momentum_z,angular_momentum_x,"
                    "angular_momentum_y,angular_momentum_z,center_x,center_y,center_z,contacts,inverted";
        if (model.is_fem()) {
            body.csv << ",active_tets,substeps,splits,merges,tolerance,largest_residual,energy_jumps,smallest_volume,"
                        "contact_energy,implicit_substeps,newton_rounds,solver_rounds,cut_short,unsolved,energy_taken";
            for (std::size_t level = 0; level < kLevels; ++level) body.csv << ",active_on_level_" << level;
        }
        if (audited) body.csv << ",difference_rms,difference_tilt_degrees,difference_energy,difference_shape";
        body.csv << "\n";
    }
}

void BodyStats::frame(const Scene& scene, std::span<const StepReport> reports, std::span<const Difference> differences)
{
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const BodyId id = scene.bodies()[k];
        Body& body = bodies_[k];
        const std::vector<std::int32_t> levels = active_levels(scene.model(id), scene.state(id));
        body.tets = levels.size();
        body.levels.insert(body.levels.end(), levels.begin(), levels.end());
        if (k >= reports.size()) continue;
        const StepReport& r = reports[k];
        body.csv << fmt::format("{},{:.9g},{:.9g},{:.9g}", frames_, scene.time(), r.kinetic_energy, r.elastic_energy);
        for (const Vec3d& v : {r.momentum, r.angular_momentum, r.center})
            body.csv << fmt::format(",{:.9g},{:.9g},{:.9g}", v.x, v.y, v.z);
        body.csv << fmt::format(",{},{}", r.contact.contacts, r.inverted);
        if (body.tets > 0) {
            body.csv << fmt::format(",{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.9g}", r.fem.active_tets,
                                    r.fem.substeps, r.fem.splits, r.fem.merges, r.fem.tolerance, r.fem.largest_residual,
                                    r.fem.energy_jumps, r.fem.smallest_volume, r.fem.contact_energy);
            body.csv << fmt::format(",{},{},{},{},{:.6g},{:.6g}", r.fem.implicit_substeps, r.fem.newton_rounds,
                                    r.fem.solver_rounds, r.fem.cut_short, r.fem.unsolved, r.fem.energy_taken);
            for (std::size_t level = 0; level < kLevels; ++level) body.csv << "," << r.fem.active_by_level[level];
        }
        if (audited_ && k < differences.size())
            body.csv << fmt::format(",{:.6g},{:.6g},{:.6g},{:.6g}", differences[k].rms, differences[k].tilt_degrees,
                                    differences[k].energy, differences[k].shape);
        body.csv << "\n";
    }
    ++frames_;
}

Status BodyStats::finish()
{
    for (Body& body : bodies_) {
        const auto csv = folder_ / (body.name + ".stats.csv");
        if (!body.csv.flush()) return Error{csv.string(), "cannot be written"};
        if (body.tets == 0) continue;
        const std::array shape{frames_, body.tets};
        if (Status s =
                save_npy(folder_ / (body.name + ".levels.npy"), shape, std::span<const std::int32_t>(body.levels));
            !s)
            return s;
    }
    return Done{};
}

}  // namespace yawara::cli
