// What is constant about examples: their stretch in every region, the rows of the projection and its Gram matrices,
// [Examples] 5, in double.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "matching/examples.h"
#include "matching/region_sums.h"
#include "yawara/rotation.h"

namespace yawara::matching {
namespace {

constexpr double kCoarse = 0.1;        ///< share of its energy that makes a body too coarse for an example
using Packed = std::array<double, 6>;  ///< xx, yy, zz, yz, xz, xy

Packed pack(const Mat3d& m)
{
    return {m.c0.x, m.c1.y, m.c2.z, (m.c1.z + m.c2.y) / 2, (m.c0.z + m.c2.x) / 2, (m.c0.y + m.c1.x) / 2};
}

/// Members of a region about their centre of mass.
std::vector<Vec3d> about_center(const Regions& regions, std::size_t r, std::span<const Vec3d> positions,
                                std::span<const double> masses)
{
    std::vector<Vec3d> points;
    double mass = 0;
    Vec3d center;
    for (const std::int32_t member : regions.lists()[r]) {
        const auto i = std::size_t(member);
        const double m = masses[i] / double(regions.holders()[i].size());
        points.push_back(positions[i]);
        mass += m;
        center += positions[i] * m;
    }
    for (Vec3d& p : points) p -= center / mass;
    return points;
}

/// Inverse of a covariance, or nothing if the points lie in a plane.
std::optional<Mat3d> inverse_of(const Mat3d& m)
{
    Eigen::Matrix3d e;
    e << m.c0.x, m.c1.x, m.c2.x, m.c0.y, m.c1.y, m.c2.y, m.c0.z, m.c1.z, m.c2.z;
    const Eigen::Vector3d values =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(e, Eigen::EigenvaluesOnly).eigenvalues();
    if (!(values[0] > 1e-9 * values[2])) return std::nullopt;
    const Eigen::Matrix3d i = e.inverse();
    return Mat3d{{i(0, 0), i(1, 0), i(2, 0)}, {i(0, 1), i(1, 1), i(2, 1)}, {i(0, 2), i(1, 2), i(2, 2)}};
}

/// What is constant about the regions at rest.
struct RestShapes {
    std::vector<Mat3d> spread;                   ///< A_qq
    std::vector<std::optional<Mat3d>> inverses;  ///< nothing if the region lies in a plane
};

RestShapes rest_shapes(const RegionSums& sums, std::span<const Vec3d> rest)
{
    RestShapes shapes{sums.covariances(rest, rest), {}};
    for (const Mat3d& spread : shapes.spread) shapes.inverses.push_back(inverse_of(spread));
    return shapes;
}

AlignedVector<RegionTensor> packed_spread(const Regions& regions, const RestShapes& shapes, double mass_unit)
{
    AlignedVector<RegionTensor> spread(regions.block_count());
    for (std::size_t place = 0; place < spread.size() * kLanes; ++place) {
        const std::int32_t region = regions.region_in(place);
        if (region < 0 || !shapes.inverses[std::size_t(region)]) continue;
        const Packed K = pack(*shapes.inverses[std::size_t(region)] * mass_unit);
        for (std::size_t e = 0; e < 6; ++e) spread[place / kLanes].K[e][place % kLanes] = float(K[e]);
    }
    return spread;
}

/// A = R S of a region, the linear fit of a pose; S = I for one that lies in a plane.
struct LinearFit {
    Mat3d A, R, S;
    LinearFit(const Mat3d& A_pq, const std::optional<Mat3d>& inverse)
        : A(inverse ? A_pq * *inverse : A_pq), R(to_matrix(closest_rotation(A, {})))
    {
        const Mat3d B = transpose(R) * A;
        if (inverse) S = (B + transpose(B)) * 0.5;
    }
};

/// An example, region by region.
struct Pose {
    std::vector<Packed> shape, row;  ///< S - I, and the same by the metric
    std::vector<double> square;      ///< its length squared by the metric
    double unit = 0;                 ///< that of a shape twice as large in all directions, in the largest region
    std::vector<LinearFit> fits;
    int inverted = 0;
    double left = 0, whole = 0;  ///< energies in the pose: affine goals, plain matching
};

Packed by_metric(ExampleMetric metric, const Packed& shape, const Mat3d& spread)
{
    Packed row = shape;
    if (metric == ExampleMetric::energy) {
        const Mat3d m{{shape[0], shape[5], shape[4]}, {shape[5], shape[1], shape[3]}, {shape[4], shape[3], shape[2]}};
        row = pack(m * spread);  // pack takes the symmetric part
    }
    for (int k = 3; k < 6; ++k) row[std::size_t(k)] *= metric == ExampleMetric::plain6 ? 1 : 2;
    return row;
}

double dot6(const Packed& a, const Packed& b)
{
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double trace(const Mat3d& m)
{
    return m.c0.x + m.c1.y + m.c2.z;
}

Pose measure_pose(ExampleMetric metric, std::span<const Vec3d> positions, const RegionSums& sums,
                  const RestShapes& shapes, std::span<const Vec3d> rest)
{
    const std::vector<Mat3d> covariances = sums.covariances(positions, rest);
    const std::vector<double> squares = sums.squares(positions);
    const std::size_t n = covariances.size();
    Pose pose;
    pose.shape.resize(n), pose.row.resize(n), pose.square.resize(n);
    double size = 0;
    for (std::size_t r = 0; r < n; ++r) {
        const Mat3d &A_qq = shapes.spread[r], &A_pq = covariances[r];
        const LinearFit& fit = pose.fits.emplace_back(A_pq, shapes.inverses[r]);
        const double weight = sums.weight(r);
        if (shapes.inverses[r]) {
            pose.inverted += determinant(fit.A) <= 0;
            pose.shape[r] = pack(fit.S - Mat3d{});
            pose.row[r] = by_metric(metric, pose.shape[r], A_qq * weight);
            pose.square[r] = dot6(pose.shape[r], pose.row[r]);
            const Packed twice{1, 1, 1, 0, 0, 0};
            pose.unit = std::max(pose.unit, dot6(twice, by_metric(metric, twice, A_qq * weight)));
        }
        // sum m |R^T p - S q|^2 and sum m |p - R q|^2
        const Mat3d plain = to_matrix(closest_rotation(A_pq, {}));
        pose.left += weight * (squares[r] - 2 * trace(fit.S * transpose(fit.R) * A_pq) + trace(fit.S * fit.S * A_qq));
        pose.whole += weight * (squares[r] - 2 * trace(transpose(plain) * A_pq) + trace(A_qq));
        size += weight * squares[r];
    }
    if (pose.whole < 1e-12 * size) pose.whole = 0;  // the rest shape, moved or turned
    return pose;
}

/// R^T p - S q of every member of every region.
std::vector<Vec3d> details_of(const Pose& pose, std::span<const Vec3d> positions, const Regions& regions,
                              std::span<const Vec3d> rest, std::span<const double> masses)
{
    std::vector<Vec3d> details;
    details.reserve(regions.lists().values.size());
    for (std::size_t r = 0; r < regions.region_count(); ++r) {
        const std::vector<Vec3d> q = about_center(regions, r, rest, masses),
                                 p = about_center(regions, r, positions, masses);
        for (std::size_t k = 0; k < q.size(); ++k)
            details.push_back(transpose(pose.fits[r].R) * p[k] - pose.fits[r].S * q[k]);
    }
    return details;
}

/// sum m a b over the members of a region.
double product_of_details(const Regions& regions, std::size_t r, std::span<const double> masses,
                          const std::vector<Vec3d>& a, const std::vector<Vec3d>& b)
{
    double sum = 0;
    for (auto k = std::size_t(regions.lists().offsets[r]); k < std::size_t(regions.lists().offsets[r + 1]); ++k) {
        const auto i = std::size_t(regions.lists().values[k]);
        sum += masses[i] / double(regions.holders()[i].size()) * dot(a[k], b[k]);
    }
    return sum;
}

/// What Kernels::hull wants to know about the faces of one region's hull.
std::vector<double> face_constants(const GramMatrix& gram)
{
    constexpr double kArea = 1e-6;  // of a face, relative: flatter ones are no more than their edges
    const int n = int(gram.rows());
    const auto at = [&](int j, int k) { return j == n || k == n ? 0.0 : gram(j, k); };
    std::vector<double> constants;
    for_each_face(n, [&](int base, int count, const int* others) {
        if (count == 0) {
            constants.push_back(at(base, base));
            return;
        }
        if (base != n)
            for (int j = 0; j < count; ++j) constants.push_back(at(others[j], base) - at(base, base));
        Eigen::MatrixXd M(count, count);
        for (int j = 0; j < count; ++j)
            for (int k = 0; k < count; ++k)
                M(j, k) = at(others[j], others[k]) - at(others[j], base) - at(base, others[k]) + at(base, base);
        const double largest = M.diagonal().maxCoeff();
        const bool has_area = largest > 0 && M.determinant() > kArea * std::pow(largest, count);
        const Eigen::MatrixXd inverse = has_area ? Eigen::MatrixXd(M.inverse()) : Eigen::MatrixXd::Zero(count, count);
        for (int j = 0; j < count; ++j)
            for (int k = j; k < count; ++k) constants.push_back(inverse(j, k));
    });
    return constants;
}

/// All in a plane, on a line or in a point.
bool is_flat(std::span<const Vec3d> points)
{
    Vec3d center;
    for (const Vec3d& p : points) center += p / double(points.size());
    Mat3d sum = Mat3d::zero();
    for (const Vec3d& p : points) sum = sum + outer(p - center, p - center);
    return determinant(sum) <= 1e-13 * std::pow(trace(sum), 3);
}

Status check(const ExampleCue& cue, const ExampleSet& set)
{
    if (std::ranges::find(set.poses, cue.pose, &ExamplePose::name) == set.poses.end())
        return Error{"pose", "there is no pose \"" + cue.pose + "\""};
    for (const double value : {cue.low, cue.high, cue.fade, cue.strength})
        if (!std::isfinite(value)) return Error{"numbers", "one of them is not finite"};
    if (!(cue.low < cue.high)) return Error{"from", "has to be less than \"to\""};
    if (!(cue.fade >= 0)) return Error{"fade", "is not a time of 0 or more"};
    if (!(cue.fade > 0) && cue.source == CueSource::contact) return Error{"fade", "of contact has to be above 0"};
    if (!(cue.strength > 0)) return Error{"strength", "has to be above 0"};
    if (cue.control.empty() == (cue.source == CueSource::control))
        return Error{"control", cue.control.empty() ? "has no name" : "is named, but it listens to something else"};
    if (cue.group && (set.each_region || *cue.group < 0)) return Error{"group", "there are no such groups"};
    return Done{};
}

Status check(const ExampleSet& set, std::size_t particles)
{
    if (set.poses.size() > std::size_t(kMostExamples))
        return Error{"examples", std::to_string(set.poses.size()) + " poses; at most " + std::to_string(kMostExamples)};
    for (const ExamplePose& pose : set.poses) {
        const std::string where = "example \"" + pose.name + "\"";
        if (pose.positions.size() != particles)
            return Error{where, "has " + std::to_string(pose.positions.size()) + " vertices, the body has " +
                                    std::to_string(particles) + " particles"};
        for (std::size_t i = 0; i < particles; ++i)
            if (!is_finite(pose.positions[i])) return Error{where, "vertex " + std::to_string(i) + " is not finite"};
    }
    if (set.rotation == ExampleRotation::joint &&
        (set.metric != ExampleMetric::energy || set.weights != ExampleWeights::exact))
        return Error{"examples", "joint rotations need the energy metric and exact weights"};
    if (set.each_region && set.groups)
        return Error{"groups", "are given, though every region is to be a group of its own"};
    if (!(set.border >= 0) || !std::isfinite(set.border)) return Error{"border", "is not a distance of 0 or more"};
    if (set.border > 0 && !set.groups) return Error{"border", "there are no groups that it could lie between"};
    if (set.border > 0 && set.weights != ExampleWeights::exact) return Error{"border", "soft borders need exact weights"};
    for (std::size_t c = 0; c < set.cues.size(); ++c)
        if (const Status ok = check(set.cues[c], set); !ok)
            return Error{"cue " + std::to_string(c) + ", " + ok.error().where, ok.error().what};
    if (set.plasticity) {
        const ExamplePlasticity& law = *set.plasticity;
        for (const double value : {law.yield, law.rate, law.recovery})
            if (!(value >= 0) || !std::isfinite(value))
                return Error{"plasticity", "yield, rate and recovery have to be 0 or more"};
        if (!(law.bound >= 0 && law.bound <= 1)) return Error{"plasticity", "the bound is not between 0 and 1"};
        if (set.rotation == ExampleRotation::joint)
            return Error{"plasticity", "cannot be combined with joint rotations, whose energy has one rest shape"};
    }
    return Done{};
}

}  // namespace

AlignedVector<RegionTensor> region_spread(const Regions& regions, const RegionSums& sums, std::span<const Vec3d> rest)
{
    return packed_spread(regions, rest_shapes(sums, rest), sums.mass_unit());
}

std::vector<Mat3d> region_stretches(const Regions& regions, std::span<const Vec3d> rest, std::span<const double> masses,
                                    std::span<const Vec3d> positions)
{
    const RegionSums sums(regions, masses);
    const RestShapes shapes = rest_shapes(sums, rest);
    std::vector<Mat3d> stretches = sums.covariances(positions, rest);
    for (std::size_t r = 0; r < stretches.size(); ++r) stretches[r] = LinearFit(stretches[r], shapes.inverses[r]).S;
    return stretches;
}

/// Fills Examples step by step.
class ExampleBuilder {
public:
    ExampleBuilder(std::shared_ptr<const ExampleSet> set, std::shared_ptr<const SoftGroups> soft,
                   const Regions& regions, const RegionSums& sums, std::span<const Vec3d> rest,
                   std::span<const double> masses)
        : set_(*set), regions_(regions), sums_(sums), rest_(rest), masses_(masses), at_rest_(rest_shapes(sums, rest))
    {
        out_.set_ = std::move(set);
        out_.soft_ = std::move(soft);
        out_.regions_ = regions.region_count();
        out_.blocks_ = regions.block_count();
        out_.used_lanes_ = regions.used_lanes();
        out_.each_region_ = set_.each_region;
        out_.exact_ = set_.weights == ExampleWeights::exact;
        out_.turning_ =
            set_.rotation == ExampleRotation::fitted ? RotationSource::fit_linear : RotationSource::fit_stretched;
        for (std::size_t lane = 0; lane < out_.blocks_ * kLanes; ++lane)
            out_.region_in_.push_back(regions.region_in(lane));
    }

    Examples build()
    {
        measure_poses();
        for (std::size_t k = 0; k < poses_.size(); ++k) report(k, drop_next_to_nothing(poses_[k]));
        if (wants_offsets()) add_offsets();
        pack_shapes();
        if (set_.rotation == ExampleRotation::joint) prepare_variational();
        make_cues();
        make_groups();
        return std::move(out_);
    }

private:
    void measure_poses();
    bool drop_next_to_nothing(Pose& pose) const;
    void report(std::size_t example, bool moves);
    bool wants_offsets() const;
    void add_offsets();
    void pack_shapes();
    void prepare_variational();
    void make_cues();
    void add_to_gram(GramMatrix& gram, std::size_t region, double share = 1) const;
    void add_cues(GramMatrix& gram, std::int32_t label);
    void make_soft_grams();
    void make_lane_faces();
    void make_groups();
    GramMatrix empty_gram() const { return GramMatrix::Zero(Eigen::Index(poses_.size()), Eigen::Index(poses_.size())); }

    const ExampleSet& set_;
    const Regions& regions_;
    const RegionSums& sums_;
    std::span<const Vec3d> rest_;
    std::span<const double> masses_;
    RestShapes at_rest_;
    std::vector<Pose> poses_;
    double largest_ = 0;                       ///< Pose::square of any region
    std::vector<std::vector<Vec3d>> details_;  ///< with offsets: per example, membership
    Examples out_;
};

void ExampleBuilder::measure_poses()
{
    for (const ExamplePose& example : set_.poses) {
        poses_.push_back(measure_pose(set_.metric, example.positions, sums_, at_rest_, rest_));
        largest_ = std::max(largest_, *std::ranges::max_element(poses_.back().square));
        if (const int inverted = poses_.back().inverted; inverted > 0)
            out_.warnings_.push_back("example \"" + example.name + "\": " + std::to_string(inverted) + " of " +
                                     std::to_string(out_.regions_) + " regions are inside out");
    }
}

/// What is next to nothing for the whole is nothing, [Examples] 7. False: that is all of it.
bool ExampleBuilder::drop_next_to_nothing(Pose& pose) const
{
    bool moves = false;
    for (std::size_t r = 0; r < out_.regions_; ++r) {
        if (pose.square[r] > std::max(1e-14 * largest_, 1e-12 * pose.unit)) {
            moves = true;
            continue;
        }
        pose.shape[r] = pose.row[r] = {};
        pose.square[r] = 0;
    }
    return moves;
}

void ExampleBuilder::report(std::size_t example, bool moves)
{
    const std::string& name = set_.poses[example].name;
    const Pose& pose = poses_[example];
    if (!moves)
        out_.warnings_.push_back("example \"" + name + "\" is the rest shape, moved or turned: it has no effect");
    ExampleReport report{name, pose.inverted, 0, 0};
    report.size = std::sqrt(std::accumulate(pose.square.begin(), pose.square.end(), 0.0));
    report.energy_left = pose.whole > 0 ? std::max(pose.left / pose.whole, 0.0) : 0;
    out_.reports_.push_back(report);
    if (!regions_.has_lists() && set_.goal == ExampleGoal::automatic && report.energy_left > kCoarse)
        out_.warnings_.push_back(
            "example \"" + name + "\" keeps " + std::to_string(std::lround(100 * report.energy_left)) +
            " % of its energy: the goal \"offsets\" would make it a place of rest, with regions of one width");
}

bool ExampleBuilder::wants_offsets() const
{
    const auto coarse = [](const ExampleReport& r) { return r.energy_left > kCoarse; };
    return regions_.has_lists() && (set_.goal == ExampleGoal::offsets || (set_.goal == ExampleGoal::automatic &&
                                                                          std::ranges::any_of(out_.reports_, coarse)));
}

void ExampleBuilder::add_offsets()
{
    for (std::size_t k = 0; k < poses_.size(); ++k)
        details_.push_back(details_of(poses_[k], set_.poses[k].positions, regions_, rest_, masses_));
    out_.offsets_.emplace(regions_, details_);
}

/// Eight regions at a time; spare lanes stay zero.
void ExampleBuilder::pack_shapes()
{
    out_.spread_ = packed_spread(regions_, at_rest_, sums_.mass_unit());
    out_.shapes_.resize(poses_.size() * out_.blocks_);
    out_.rows_.resize(out_.shapes_.size());
    out_.for_each_region(0, out_.blocks_, [&](std::size_t place, std::size_t r) {
        const std::size_t block = place / kLanes, lane = place % kLanes;
        for (std::size_t k = 0; k < poses_.size(); ++k)
            for (std::size_t e = 0; e < 6; ++e) {
                out_.shapes_[k * out_.blocks_ + block].T[e][lane] = float(poses_[k].shape[r][e]);
                out_.rows_[k * out_.blocks_ + block].T[e][lane] = float(poses_[k].row[r][e]);
            }
    });
}

void ExampleBuilder::prepare_variational()
{
    out_.mass_unit_ = sums_.mass_unit();
    out_.inertia_.resize(out_.blocks_);
    out_.largest_sizes_.assign(poses_.size(), 0.0f);
    out_.for_each_region(0, out_.blocks_, [&](std::size_t lane, std::size_t r) {
        const Packed inertia = pack(at_rest_.spread[r] * (1 / out_.mass_unit_));
        for (std::size_t e = 0; e < 6; ++e) out_.inertia_[lane / kLanes].K[e][lane % kLanes] = float(inertia[e]);
        for (std::size_t k = 0; k < poses_.size(); ++k)
            out_.largest_sizes_[k] = std::max(out_.largest_sizes_[k], out_.size(k, lane));
    });
    out_.turned_rows_ = out_.shapes_;
    for (RegionStretch& row : out_.turned_rows_)
        for (int e = 0; e < 6; ++e)
            for (float& v : row.T[e]) v *= float(out_.mass_unit_) * (e < 3 ? 1.0f : 2.0f);
}

void ExampleBuilder::add_to_gram(GramMatrix& gram, std::size_t region, double share) const
{
    const bool with_details = set_.rotation == ExampleRotation::joint && !details_.empty();
    for (std::size_t j = 0; j < poses_.size(); ++j)
        for (std::size_t k = 0; k < poses_.size(); ++k) {
            double& sum = gram(Eigen::Index(j), Eigen::Index(k));
            sum += share * dot6(poses_[j].row[region], poses_[k].shape[region]);
            if (with_details) sum += share * product_of_details(regions_, region, masses_, details_[j], details_[k]);
        }
}

/// Names become numbers, and groups and regions learn of each other.
void ExampleBuilder::make_cues()
{
    if (set_.groups) out_.label_of_region_ = *set_.groups->array();
    if (set_.each_region) {
        out_.lane_of_region_.resize(out_.regions_);
        out_.for_each_region(0, out_.blocks_, [&](std::size_t lane, std::size_t r) { out_.lane_of_region_[r] = lane; });
    }
    for (const ExampleCue& cue : set_.cues) {
        const auto pose = std::ranges::find(set_.poses, cue.pose, &ExamplePose::name) - set_.poses.begin();
        auto control = std::ranges::find(out_.controls_, cue.control);
        if (cue.source == CueSource::control && control == out_.controls_.end()) {
            out_.controls_.push_back(cue.control);
            control = out_.controls_.end() - 1;
        }
        out_.cues_.push_back({std::size_t(pose), std::size_t(control - out_.controls_.begin()), {}});
    }
    for (std::size_t i = 0; i < masses_.size() && !set_.cues.empty(); ++i) {
        const std::size_t group = out_.group_of_region(i);
        out_.group_masses_.resize(std::max(out_.group_masses_.size(), group + 1), 0.0);
        out_.group_masses_[group] += masses_[i];
    }
}

/// The rows of the cues in the next group or, for each_region, lane.
void ExampleBuilder::add_cues(GramMatrix& gram, std::int32_t label)
{
    const GramMatrix shape = gram;
    for (std::size_t c = 0; c < set_.cues.size(); ++c) {
        const ExampleCue& cue = set_.cues[c];
        const auto k = Eigen::Index(out_.cues_[c].pose);
        const double strength = cue.group && *cue.group != label ? 0 : cue.strength * shape(k, k);
        out_.cues_[c].strengths.push_back(strength);
        gram(k, k) += strength;
    }
}

/// Of groups that reach into each other: sums over the regions of the products of their shares.
void ExampleBuilder::make_soft_grams()
{
    const std::size_t groups = out_.grams_.size();
    std::map<std::pair<std::size_t, std::size_t>, GramMatrix> products;
    for (std::size_t r = 0; r < out_.regions_; ++r)
        for (const SoftGroups::Share& a : (*out_.soft_)[r])
            for (const SoftGroups::Share& b : (*out_.soft_)[r]) {
                const auto place =
                    products.try_emplace({std::size_t(a.group), std::size_t(b.group)}, empty_gram()).first;
                add_to_gram(place->second, r, a.share * b.share);
            }
    out_.grams_.assign(groups, empty_gram());
    out_.overlaps_.resize(groups);
    for (const auto& [pair, gram] : products) {
        if (pair.first == pair.second)
            out_.grams_[pair.first] = gram;
        else
            out_.overlaps_[pair.first].emplace_back(pair.second, gram);
    }
}

/// Of regions that are groups of their own, with few examples.
void ExampleBuilder::make_lane_faces()
{
    for (std::size_t block = 0; block < out_.blocks_; ++block) {
        std::vector<std::vector<double>> constants;  // per lane
        for (std::size_t lane = block * kLanes; lane < (block + 1) * kLanes; ++lane) {
            GramMatrix gram = empty_gram();
            if (out_.region_in_[lane] >= 0) add_to_gram(gram, std::size_t(out_.region_in_[lane]));
            add_cues(gram, -1);
            constants.push_back(face_constants(gram));
        }
        for (std::size_t k = 0; k < hull_constants(int(poses_.size())); ++k)
            for (const std::vector<double>& lane : constants) out_.lane_faces_.push_back(float(lane[k]));
    }
}

void ExampleBuilder::make_groups()
{
    GramMatrix whole = empty_gram();
    for (std::size_t r = 0; r < out_.regions_; ++r) add_to_gram(whole, r);
    // Singular values of L below 1e-7 of the largest count as zero.
    const double least = 1e-14 * (poses_.empty() ? 0 : whole.trace());
    out_.whole_inverse_ = pseudo_inverse(whole, least);
    out_.group_of_.assign(out_.region_in_.size(), 0);
    if (set_.each_region && out_.exact_ && poses_.size() <= 3) return make_lane_faces();
    std::int32_t groups = 1;
    out_.for_each_region(0, out_.blocks_, [&](std::size_t lane, std::size_t r) {
        if (set_.each_region)
            out_.group_of_[lane] = std::int32_t(lane);
        else if (set_.groups)
            out_.group_of_[lane] = (*set_.groups->array())[r];  // sampled by build()
        groups = std::max(groups, out_.group_of_[lane] + 1);
    });
    out_.grams_.assign(std::size_t(groups), empty_gram());
    out_.for_each_region(0, out_.blocks_, [&](std::size_t lane, std::size_t r) {
        add_to_gram(out_.grams_[std::size_t(out_.group_of_[lane])], r);
    });
    const std::vector<GramMatrix> up_to_borders = out_.soft_ ? out_.grams_ : std::vector<GramMatrix>();
    if (out_.soft_) make_soft_grams();
    for (std::size_t g = 0; g < out_.grams_.size(); ++g) {
        add_cues(out_.grams_[g], std::int32_t(g));
        out_.inverses_.push_back(pseudo_inverse(out_.soft_ ? up_to_borders[g] : out_.grams_[g], least));
    }
}

Result<Examples> Examples::make(ExampleSet set, const Regions& regions, std::span<const Vec3d> rest,
                                std::span<const double> masses, std::shared_ptr<const SoftGroups> soft)
{
    if (const Status ok = check(set, rest.size()); !ok) return ok.error();
    for (const ExamplePose& pose : set.poses) {
        const std::string where = "example \"" + pose.name + "\"";
        if (is_flat(pose.positions) && !is_flat(rest)) return Error{where, "is flat: no part of it has a volume"};
        if (!(length(bounds(pose.positions).size()) < 1e4 * length(bounds(rest).size())))
            return Error{where, "is more than 10,000 times as large as the rest shape: is it in other units?"};
    }
    Examples out = measure(std::make_shared<const ExampleSet>(std::move(set)), std::move(soft), regions,
                           RegionSums(regions, masses), rest, masses);
    for (std::size_t c = 0; c < out.cues_.size(); ++c)
        if (const auto& group = out.set_->cues[c].group; group && std::size_t(*group) >= out.group_count())
            return Error{"cue " + std::to_string(c) + ", group", "there is no group " + std::to_string(*group) + ": there are " +
                                                                     std::to_string(out.group_count())};
    for (const ExampleReport& report : out.reports_)
        if (std::size_t(report.inverted_regions) == out.regions_)
            return Error{"example \"" + report.name + "\"", "is mirrored: every part of it is inside out"};
    return out;
}

Examples Examples::measure(std::shared_ptr<const ExampleSet> set, std::shared_ptr<const SoftGroups> soft,
                           const Regions& regions, const RegionSums& sums, std::span<const Vec3d> rest,
                           std::span<const double> masses)
{
    return ExampleBuilder(std::move(set), std::move(soft), regions, sums, rest, masses).build();
}

}  // namespace yawara::matching

namespace yawara {
namespace {

/// What build() recognises: the fused kernels of src/matching do the work.
class ExampleLayer final : public StretchLayer {
public:
    explicit ExampleLayer(ExampleSet set) : set_(std::move(set)) {}
    const ExampleSet& set() const { return set_; }

private:
    ExampleSet set_;
};

}  // namespace

std::shared_ptr<const StretchLayer> examples(ExampleSet set)
{
    return std::make_shared<const ExampleLayer>(std::move(set));
}

const ExampleSet* example_set(const StretchLayer& layer)
{
    const auto* const examples = dynamic_cast<const ExampleLayer*>(&layer);
    return examples ? &examples->set() : nullptr;
}

}  // namespace yawara
