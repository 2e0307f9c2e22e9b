#include "body_stats.h"

#include <fmt/format.h>

namespace yawara::cli {

namespace {

constexpr std::size_t kLevels = 6;  // of a forest, at most

}  // namespace

Result<BodyStats> BodyStats::create(const Scene& scene, const std::filesystem::path& folder, bool audited)
{
    auto files = UnfinishedFolder::create(folder, "stats");
    if (!files) return files.error();
    BodyStats stats(*std::move(files), audited);
    std::vector<std::string> names;
    for (const BodyId id : scene.bodies()) names.push_back(scene.model(id).name());
    names = clean_file_names(names);
    for (std::size_t k = 0; k < names.size(); ++k) {
        const BodyModel& model = scene.model(scene.bodies()[k]);
        const std::size_t tets = active_levels(model, scene.state(scene.bodies()[k])).size();
        auto csv = OutFile::create(stats.files_.path() / (names[k] + ".stats.csv"));
        if (!csv) return csv.error();
        csv->write(
            "frame,time,kinetic_energy,elastic_energy,momentum_x,momentum_y,momentum_z,angular_momentum_x,"
            "angular_momentum_y,angular_momentum_z,center_x,center_y,center_z,contacts,inverted");
        if (tets > 0) {
            csv->write(
                ",active_tets,substeps,splits,merges,tolerance,largest_residual,energy_jumps,smallest_volume,"
                "contact_energy,implicit_substeps,newton_rounds,solver_rounds,cut_short,unsolved,energy_taken");
            for (std::size_t level = 0; level < kLevels; ++level) csv->write(fmt::format(",active_on_level_{}", level));
        }
        if (audited) csv->write(",difference_rms,difference_tilt_degrees,difference_energy,difference_shape");
        csv->write("\n");
        Body& body = stats.bodies_.emplace_back(*std::move(csv));
        if (tets == 0) continue;
        auto levels = NpyRows::create(stats.files_.path() / (names[k] + ".levels.npy"), "<i4", {tets});
        if (!levels) return levels.error();
        body.levels.emplace(*std::move(levels));
    }
    return stats;
}

Status BodyStats::frame(const Scene& scene, std::span<const StepReport> reports,
                        std::span<const Difference> differences)
{
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const BodyId id = scene.bodies()[k];
        Body& body = bodies_[k];
        if (body.levels) {
            const std::vector<std::int32_t> levels = active_levels(scene.model(id), scene.state(id));
            if (Status status = body.levels->append(std::span<const std::int32_t>(levels)); !status) return status;
        }
        if (k >= reports.size()) continue;
        const StepReport& r = reports[k];
        std::string row =
            fmt::format("{},{:.9g},{:.9g},{:.9g}", frames_, scene.time(), r.kinetic_energy, r.elastic_energy);
        for (const Vec3d& v : {r.momentum, r.angular_momentum, r.center})
            row += fmt::format(",{:.9g},{:.9g},{:.9g}", v.x, v.y, v.z);
        row += fmt::format(",{},{}", r.contact.contacts, r.inverted);
        if (body.levels) {
            row += fmt::format(",{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.9g}", r.fem.active_tets, r.fem.substeps,
                               r.fem.splits, r.fem.merges, r.fem.tolerance, r.fem.largest_residual, r.fem.energy_jumps,
                               r.fem.smallest_volume, r.fem.contact_energy);
            row += fmt::format(",{},{},{},{},{:.6g},{:.6g}", r.fem.implicit_substeps, r.fem.newton_rounds,
                               r.fem.solver_rounds, r.fem.cut_short, r.fem.unsolved, r.fem.energy_taken);
            for (std::size_t level = 0; level < kLevels; ++level)
                row += fmt::format(",{}", r.fem.active_by_level[level]);
        }
        if (audited_ && k < differences.size())
            row += fmt::format(",{:.6g},{:.6g},{:.6g},{:.6g}", differences[k].rms, differences[k].tilt_degrees,
                               differences[k].energy, differences[k].shape);
        body.csv.write(row + "\n");
        if (Status status = body.csv.flush(); !status) return status;
    }
    ++frames_;
    return Done{};
}

Status BodyStats::finish()
{
    for (Body& body : bodies_)
        if (Status status = body.csv.flush(); !status) return status;
    return files_.put_in_place();
}

}  // namespace yawara::cli
