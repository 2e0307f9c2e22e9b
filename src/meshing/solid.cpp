// "I have a mesh, make it soft": surface check -> level set -> isosurface stuffing -> report, with the cell chosen to
// meet a wanted number of particles and the zero level shifted a little so that the volume is right.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <optional>

#include "meshing/solid_report.h"
#include "meshing/strands.h"
#include "meshing/stuffing.h"
#include "meshing/words.h"

namespace yawara {
namespace {

using namespace meshing;

constexpr double kVoxelsPerCell = 4;      ///< fine enough that the level set's error is small against a cell
constexpr int kFinest = 16;               ///< times finer than that, for what is thin all over
constexpr double kCountTolerance = 0.04;  ///< the search for a cell ends within this of the wanted particles
constexpr double kVolumeTolerance = 0.003;
constexpr double kMostVolumeError = 0.02;
constexpr double kMostCapped = 0.5;  ///< an open half ball has 0.33, a sheet that bends a little more than 0.5
constexpr Vec3d kOffCenter{0.5, 0.3,
                           0.7};  ///< cells: moves the lattice off the middle where symmetry makes counts jump
constexpr double kLargestShift =
    0.2;  ///< cells: the zero level moves no farther, so the surface stays within half a cell

constexpr double kMuchVolume = 0.05;   ///< share of the volume: more than this is gaps filled or walls lost
constexpr double kFineVoxels = 250;    ///< along the diagonal of what has strands
constexpr double kReached = 0.3;       ///< cells: what lies farther out is reached by moving vertices there
constexpr double kMostLeftOut = 0.75;  ///< cells: corners are cut by less, what is farther out is a limb or a tip

/// Area and volume are all that is needed to guess how many particles a cell gives.
struct Measure {
    double area = 0, volume = 0;
};

Measure measure(std::span<const Vec3d> vertices, std::span<const Int3> triangles, Vec3d middle)
{
    Measure m;
    for (const Int3& t : triangles) {
        const Vec3d a = vertices[static_cast<std::size_t>(t[0])] - middle;
        const Vec3d b = vertices[static_cast<std::size_t>(t[1])] - middle;
        const Vec3d c = vertices[static_cast<std::size_t>(t[2])] - middle;
        m.area += 0.5 * length(cross(b - a, c - a));
        m.volume += dot(a, cross(b, c)) / 6;
    }
    return m;
}

/// Two lattice points per cube and, as measured on balls and tori, 1.35 more vertices per cell squared of surface.
double guessed_particles(const Measure& m, double cell)
{
    return 2 * m.volume / (cell * cell * cell) + 1.35 * m.area / (cell * cell);
}

double guessed_cell(const Measure& m, double particles)
{
    double low = 0, high = 2 * std::cbrt(2 * m.volume / particles) + 2 * std::sqrt(1.35 * m.area / particles);
    for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        (guessed_particles(m, middle) > particles ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// Thickness of the thinnest slab that the vertices nearly fill, over the size of the surface.
double flatness(const Surface& surface)
{
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (const Vec3d& v : surface.vertices) mean += Eigen::Vector3d(v.x, v.y, v.z);
    mean /= static_cast<double>(surface.vertices.size());
    for (const Vec3d& v : surface.vertices) {
        const Eigen::Vector3d d = (Eigen::Vector3d(v.x, v.y, v.z) - mean) / surface.box.diagonal();
        spread += d * d.transpose();
    }
    const double smallest = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvalues()[0];
    return std::sqrt(std::max(smallest, 0.0) / static_cast<double>(surface.vertices.size()));
}

Error encloses_nothing(const Surface& surface)
{
    std::string why;
    if (flatness(surface) < 1e-6) {
        why = "it is flat, all its vertices lie in one plane";
    } else if (surface.one_sided > 0.5) {
        why = "it has only one side, like a Moebius strip";
    } else if (surface.border_edges > 0) {
        why = "it is an open sheet with " + counted(surface.border_edges, "border edge", "border edges");
    } else {
        why = "front and back lie on one another";
    }
    return {"surface", "encloses no volume: " + why + "; give it a thickness before making it solid"};
}

class SolidMaker {
public:
    SolidMaker(const Surface& surface, const SolidOptions& options)
        : surface_(surface), options_(options), tree_(surface.vertices, surface.triangles)
    {
    }

    Result<Solid> run()
    {
        if (Status status = measure_input(); !status) return status.error();
        if (Status status = choose(); !status) return status.error();
        // Thickening is for a few ears and legs. Where it costs too much volume or joins parts, try without.
        if (thickening_ && !best_.mesh.tets.empty() && badness(best_) > 0) {
            Candidate thickened = std::move(best_);
            best_ = {};
            thickening_.reset();
            may_thicken_ = false;
            off_center_ = {};
            if (Status status = choose(); !status) return status.error();
            if (badness(thickened) <= badness(best_)) best_ = std::move(thickened);
        }
        if (Status status = keep_limbs(); !status) return status.error();
        if (options_.progress && !options_.progress("report", 0.0)) return Error{"", "cancelled"};
        Solid solid;
        solid.report =
            make_report({surface_, tree_, *level_set_, notes_, best_.cell, target_volume(), wanted_parts_, best_.crumbs,
                         best_.thickened, best_.strands ? best_.strands->count() : 0, best_.strand_excess},
                        best_.mesh);
        solid.mesh = std::move(best_.mesh);
        if (options_.cell <= 0) tell_about_count(solid);
        if (options_.progress) options_.progress("report", 1.0);
        return solid;
    }

private:
    /// Volume and area, exactly if the surface is closed, else from a coarse level set that is refined once before the
    /// surface is refused.
    Status measure_input()
    {
        if (surface_.watertight) {
            measure_ = measure(surface_.vertices, surface_.triangles, surface_.box.center());
        } else {
            for (const double resolution : {64.0, 200.0}) {
                const Result<LevelSet> rough = LevelSetBuilder::from_surface(
                    surface_, tree_, surface_.box.diagonal() / resolution, &notes_, options_.progress);
                if (!rough && rough.error().what == "cancelled") return rough.error();
                if (!rough) continue;
                const TriMesh outside = rough->surface();
                measure_ = measure(outside.vertices, outside.triangles, surface_.box.center());
                break;
            }
            // What is sealed off is solid however ragged its walls; else too little surface means a sheet.
            const bool sheet = !notes_.flooded && notes_.capped > kMostCapped;
            if (sheet || surface_.one_sided > 0.5) return encloses_nothing(surface_);
        }
        const double thickness = measure_.area > 0 ? measure_.volume / measure_.area : 0.0;
        if (thickness < 1e-6 * surface_.box.diagonal()) return encloses_nothing(surface_);
        return Done{};
    }

    /// A third of the cell, or coarser where memory would not suffice; coarser than a cell is of no use.
    Result<double> voxel_for(double cell) const
    {
        const Vec3d size = surface_.box.size();
        const double margin = 12 * cell / kVoxelsPerCell;
        const double dense = std::cbrt((size.x + margin) * (size.y + margin) * (size.z + margin) / 45e6);
        const double finest = surface_.watertight ? std::sqrt(6 * measure_.area / 90e6) : dense;
        if (finest > cell) {
            return Error{"cell", number(cell) + " is too small for this surface; the smallest possible is about " +
                                     number(finest)};
        }
        return std::max(cell / kVoxelsPerCell, finest);
    }

    Status prepare_level_set(double cell)
    {
        const Result<double> voxel = voxel_for(cell);
        if (!voxel) return voxel.error();
        if (level_set_ && level_set_->voxel() < 1.25 * *voxel && level_set_->voxel() > 0.7 * *voxel) return Done{};
        Result<LevelSet> made = LevelSetBuilder::from_surface(surface_, tree_, *voxel, &notes_, options_.progress);
        for (int finer = 2; !made && finer <= kFinest; finer *= 2) {  // all of it may be thinner than a voxel
            if (options_.progress && !options_.progress("distance", 0.0)) return made.error();
            made = LevelSetBuilder::from_surface(surface_, tree_, *voxel / finer, &notes_, options_.progress);
        }
        if (!made) return made.error();
        level_set_ = *std::move(made);
        wanted_parts_ = solid_part_volumes(*level_set_, std::pow(*voxel, 3)).size();
        thickening_.reset();
        if (may_thicken_) thickening_ = LevelSetBuilder::thickening(*level_set_, cell);
        return Done{};
    }

    /// A tet mesh for one choice of cell and level.
    struct Candidate {
        TetMesh mesh;
        double cell = 0, shift = 0;        ///< shift: the zero level is moved outwards by this many cells
        int crumbs = 0;                    ///< loose bits that were dropped
        bool thickened = false;            ///< features too thin for the cell were thickened
        std::optional<Strands> strands{};  ///< parts of the surface that the lattice would lose
        double strand_excess = 0;          ///< how far these reach beyond the surface
        bool fitted = false;               ///< the strands have been squeezed
    };

    /// Without tets, but no error, if nothing is inside.
    Result<Candidate> candidate(double cell, double shift)
    {
        if (Status status = prepare_level_set(cell); !status) return status.error();
        Box3 box = level_set_->bounds();
        const double outwards = shift * cell, margin = level_set_->voxel() + std::max(outwards, 0.0);
        box.low = box.low - Vec3d{margin, margin, margin};
        box.high = box.high + Vec3d{margin, margin, margin} + off_center_ * cell;
        const LevelSet& level_set = *level_set_;
        std::function<double(Vec3d)> field = [&](Vec3d p) { return level_set(p) - outwards; };
        if (thickening_) {
            box.add(thickening_->bounds().low);
            box.add(thickening_->bounds().high);
            field = [&](Vec3d p) { return std::min(level_set(p) - outwards, (*thickening_)(p)); };
        }
        Result<TetMesh> mesh = stuff_if_any(field, box, cell, options_.progress);
        if (!mesh) return mesh.error();
        Candidate made{*std::move(mesh), cell, shift, 0, thickening_.has_value()};
        made.crumbs = drop_crumbs(made.mesh, wanted_parts_);
        if (with_strands_) {
            if (Status status = add_strands(field, box, made); !status) return status.error();
        }
        return made;
    }

    /// Stuffs the field once more, together with strands where the candidate leaves parts of the surface out.
    Status add_strands(const std::function<double(Vec3d)>& field, Box3 box, Candidate& made) const
    {
        const double cell = made.cell;
        const SurfaceSamples samples = sample_surface(surface_, kSampleSpacing * cell);
        drop_crumbs(made.mesh, static_cast<std::size_t>(surface_.parts), 1);  // what came off needs a strand to hold it
        const std::vector<double> left_out = distances_outside(samples.points, made.mesh, 0.25 * cell);
        Strands strands(samples, left_out, tree_, surface_.watertight, cell);
        if (strands.empty()) return Done{};
        for (bool complete = false; !complete;) {
            box.add(strands.bounds().low);
            box.add(strands.bounds().high);
            Result<TetMesh> mesh =
                stuff_if_any([&](Vec3d p) { return std::min(field(p), strands(p)); }, box, cell, options_.progress);
            if (!mesh) return mesh.error();
            made.mesh = *std::move(mesh);
            complete = !strands.grow_near(missed(samples, made.mesh, cell));
        }
        TetMesh cleared = made.mesh;
        clear_gaps(
            cleared, tree_, [&](Vec3d p) { return inside(p); }, cell);
        if (connected_parts(cleared.tets, cleared.vertices.size()) <=
            connected_parts(made.mesh.tets, made.mesh.vertices.size())) {
            made.mesh = std::move(cleared);
        }
        made.crumbs = 0;
        made.strands = std::move(strands);
        return Done{};
    }

    bool inside(Vec3d p) const { return surface_.watertight ? tree_.winding(p) > 0.5 : (*level_set_)(p) < 0; }

    /// Brings what was thickened back to the surface. Particles stay as many as they are.
    void fit(Candidate& made) const
    {
        if (!made.strands || made.fitted) return;
        made.strand_excess = made.strands->squeeze(made.mesh, tree_, [&](Vec3d p) { return inside(p); });
        reach_out(made.mesh, sample_surface(surface_, kSampleSpacing * made.cell), kReached * made.cell);
        if (std::abs(volume(made.mesh) / target_volume() - 1) > kMuchVolume)
            swell(made.mesh, target_volume(), kLargestShift * made.cell);
        made.fitted = true;
    }

    /// Samples that are left out although strands were laid, and where the mesh fell apart.
    std::vector<Vec3d> missed(const SurfaceSamples& samples, const TetMesh& mesh, double cell) const
    {
        std::vector<Vec3d> points;
        const std::vector<double> left_out = distances_outside(samples.points, mesh, 0.25 * cell);
        for (std::size_t i = 0; i < left_out.size(); ++i) {
            if (left_out[i] > Strands::kLeftOut * cell) points.push_back(samples.points[i]);
        }
        const std::vector<Vec3d> torn = torn_off(mesh, samples, cell);
        points.insert(points.end(), torn.begin(), torn.end());
        return points;
    }

    double farthest_left_out(const Candidate& c) const
    {
        const SurfaceSamples samples = sample_surface(surface_, kSampleSpacing * c.cell);
        const std::vector<double> left_out = distances_outside(samples.points, c.mesh, 0.25 * c.cell);
        return *std::max_element(left_out.begin(), left_out.end());
    }

    /// Where the lattice loses limbs, sheets or tips, or closes the gaps between them, everything is chosen again with
    /// strands that hold them.
    Status keep_limbs()
    {
        const auto left_out_cells = [&](const Candidate& c) {
            return c.mesh.tets.empty() ? 1e9 : farthest_left_out(c) / c.cell;
        };
        const auto volume_error = [&](const Candidate& c) {
            return c.mesh.tets.empty() ? 1.0 : std::abs(volume(c.mesh) / target_volume() - 1);
        };
        const double left_out = left_out_cells(best_), off = volume_error(best_);
        if (left_out <= kMostLeftOut && off <= kMuchVolume) return Done{};
        if (options_.cell > surface_.box.diagonal()) return nothing_inside(options_.cell);
        Candidate without = std::move(best_);
        best_ = {};
        thickening_.reset();
        may_thicken_ = false;
        with_strands_ = true;
        measure_finely();
        off_center_ = {};
        first_cell_ = without.cell;
        if (Status status = choose(); !status) return status.error();
        const bool better = left_out > kMostLeftOut
                                ? left_out_cells(best_) < left_out
                                : left_out_cells(best_) <= kMostLeftOut && volume_error(best_) < off;
        if (!better) best_ = std::move(without);
        return best_.mesh.tets.empty() ? Status(nothing_inside(best_.cell)) : Done{};
    }

    Status choose() { return options_.cell > 0 ? use_cell() : meet_particles(); }

    Status use_cell()
    {
        Result<Candidate> made = candidate(options_.cell, 0.0);
        if (!made) return made.error();
        best_ = *std::move(made);
        fit(best_);
        return correct_volume();
    }

    Status meet_particles()
    {
        const double first = first_cell_ > 0 ? first_cell_ : guessed_cell(measure_, options_.particles);
        if (Status status = search_cell(first); !status) return status;
        if (count_error(best_) > 2 * kCountTolerance &&
            !with_strands_) {  // symmetric shapes gain whole layers of particles at once
            const double centered_error = count_error(best_);
            off_center_ = kOffCenter;
            if (Status status = search_cell(guessed_cell(measure_, options_.particles)); !status) return status;
            if (count_error(best_) == centered_error) off_center_ = {};
        }
        if (Status status = correct_volume(); !status) return status;
        if (count_error(best_) < 2 * kCountTolerance || with_strands_) return Done{};
        // The new level changed the count: search once more with it.
        if (Status status = search_cell(best_.cell); !status) return status;
        return correct_volume();
    }

    double count_error(const Candidate& c) const
    {
        return std::abs(static_cast<double>(c.mesh.vertices.size()) / options_.particles - 1);
    }

    /// The count falls about as the third power of the cell; a few steps on logarithms meet the target. Keeps the best.
    Status search_cell(double cell)
    {
        const double wanted = options_.particles, shift = best_.shift;
        double too_few = 0, too_many = 0;             // cells that gave too few or too many particles
        const int attempts = with_strands_ ? 8 : 10;  // with strands each takes longer, and counts do not jump
        for (int attempt = 0; attempt < attempts; ++attempt) {
            Result<Candidate> made = candidate(cell, shift);
            if (!made) return made.error();
            const auto count = static_cast<double>(made->mesh.vertices.size());
            const double error = count_error(*made);
            if (count > 0 && error < count_error(best_)) best_ = *std::move(made);
            if (error < (with_strands_ ? 2 : 1) * kCountTolerance) break;
            (count < wanted ? too_few : too_many) = cell;
            cell *= count > 0 ? std::clamp(std::pow(count / wanted, 1 / 2.7), 0.5, 2.0) : 0.6;
            if (too_few > 0 && too_many > 0 && (cell >= too_few || cell <= too_many || attempt > 5)) {
                cell = std::sqrt(too_few * too_many);
            }
        }
        if (best_.cell == 0) return Done{};
        Status status = prepare_level_set(best_.cell);  // that of the best cell again
        if (status) fit(best_);
        return status;
    }

    /// Overlaps count once, which only the level set knows; else the surface itself is exact.
    double target_volume() const
    {
        if (surface_.watertight && !notes_.overlapping) return measure_.volume;
        return fine_volume_ > 0 ? fine_volume_ : level_set_->volume();
    }

    /// What is thin in a surface that runs through itself, voxels of a quarter of a cell do not measure well enough.
    void measure_finely()
    {
        if (surface_.watertight && !notes_.overlapping) return;
        LevelSetNotes notes;
        const double voxel = std::min(level_set_->voxel(), surface_.box.diagonal() / kFineVoxels);
        const Result<LevelSet> fine = LevelSetBuilder::from_surface(surface_, tree_, voxel, &notes, options_.progress);
        if (fine) fine_volume_ = fine->volume();
    }

    int parts_off(const Candidate& c) const
    {
        // Voxels do not tell of how many parts thin things are: strands only must not be torn.
        if (with_strands_) return connected_parts(c.mesh.tets, c.mesh.vertices.size());
        return std::abs(connected_parts(c.mesh.tets, c.mesh.vertices.size()) - static_cast<int>(wanted_parts_));
    }

    /// Parts too many or too few; a tenth of the volume too much or too little weighs as much as one.
    double badness(const Candidate& c) const
    {
        return parts_off(c) + 10 * std::max(std::abs(volume(c.mesh) / target_volume() - 1) - kMostVolumeError, 0.0);
    }

    /// Flat facets cut off a little of everything round and of every edge; a slightly larger level gives it back.
    Status correct_volume()
    {
        if (best_.mesh.tets.empty()) return Done{};  // the lattice missed all of it
        const double target = target_volume();
        double excess = volume(best_.mesh) - target;
        const TriMesh outside = boundary_surface(best_.mesh);
        double slope = measure(outside.vertices, outside.triangles, surface_.box.center()).area * best_.cell;
        for (int attempt = 0; attempt < 3 && std::abs(excess) > kVolumeTolerance * target; ++attempt) {
            const double shift = std::clamp(best_.shift - excess / slope, -kLargestShift, kLargestShift);
            if (shift == best_.shift) break;
            Result<Candidate> next = candidate(best_.cell, shift);
            if (!next) return next.error();
            fit(*next);
            const double next_excess = volume(next->mesh) - target;
            if (std::abs(next_excess) >= std::abs(excess) || parts_off(*next) > parts_off(best_)) break;
            const double measured = (next_excess - excess) / (shift - best_.shift);
            if (measured > 0.2 * slope) slope = measured;
            best_ = *std::move(next);
            excess = next_excess;
        }
        return Done{};
    }

    void tell_about_count(Solid& solid) const
    {
        if (std::abs(static_cast<double>(solid.mesh.vertices.size()) / options_.particles - 1) <= 0.1) return;
        solid.report.warnings.push_back(counted(solid.mesh.vertices.size(), "particle", "particles") + " instead of " +
                                        std::to_string(options_.particles) +
                                        ": no lattice that holds the shape gives the wanted count.");
    }

    const Surface& surface_;
    const SolidOptions& options_;
    TriangleTree tree_;
    Measure measure_;
    std::optional<LevelSet> level_set_;
    std::optional<LevelSet> thickening_;  ///< of what is too thin for the lattice
    bool may_thicken_ = true, with_strands_ = false;
    LevelSetNotes notes_;
    std::size_t wanted_parts_ = 1;
    Vec3d off_center_;
    double fine_volume_ = 0;  ///< of what is thin; 0: not measured
    double first_cell_ = 0;   ///< where the search for a cell begins; 0: at a guess
    Candidate best_;
};

}  // namespace

Result<Solid> make_solid(const TriMesh& surface, const SolidOptions& options)
{
    if (!std::isfinite(options.cell) || options.cell < 0) {
        return Error{"cell", number(options.cell) + " is not a length; expected a positive number, or 0 to choose it"};
    }
    if (options.cell == 0 && options.particles < 8) {
        return Error{"particles", std::to_string(options.particles) + " are too few; expected at least 8"};
    }
    if (options.progress && !options.progress("surface", 0.0)) return Error{"", "cancelled"};
    const Result<Surface> checked = check_surface(surface);
    if (!checked) return checked.error();
    return SolidMaker(*checked, options).run();
}

}  // namespace yawara
