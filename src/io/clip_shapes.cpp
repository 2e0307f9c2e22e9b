// Rigid motion is taken out (Kabsch); the rest is a sum of shapes, see shape_basis.h, in whole numbers of one unit for
// a body: shapes of small movements then fit into a byte a coordinate and pack well.
#include "io/clip_shapes.h"

#include <cmath>

#include "io/shape_basis.h"
#include "math/dense.h"

namespace yawara::io {
namespace {

constexpr int kMostAttempts = 6;
constexpr double kUnitsPerTolerance = 6.0;  // 4 and 8 gave files of about the same size
constexpr std::size_t kNormalFrames = 100;  // that normals are fitted to
constexpr double kNormalError = 0.025;      // wanted, root mean square: 1.4 degrees

Eigen::Vector3d eigen(Vec3d v)
{
    return {v.x, v.y, v.z};
}

std::vector<Vec3> vectors(const Row& row)
{
    std::vector<Vec3> result(static_cast<std::size_t>(row.size()) / 3);
    for (std::size_t v = 0; v < result.size(); ++v) {
        const auto i = static_cast<Eigen::Index>(3 * v);
        result[v] = {row[i], row[i + 1], row[i + 2]};
    }
    return result;
}

Row row_of(std::span<const Vec3> points)
{
    return Eigen::Map<const Row>(&points.data()->x, static_cast<Eigen::Index>(3 * points.size()));
}

/// Normals of the vertices, of unit length: of their triangles, by area. A vertex without area gets the y axis.
Row vertex_normals(const Row& vertices, std::span<const Int3> triangles)
{
    std::vector<Vec3d> sums(static_cast<std::size_t>(vertices.size()) / 3);
    const auto at = [&](std::int32_t v) { return Vec3d{vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]}; };
    for (const Int3& t : triangles) {
        const Vec3d area = cross(at(t[1]) - at(t[0]), at(t[2]) - at(t[0]));
        for (const std::int32_t v : t) sums[static_cast<std::size_t>(v)] += area;
    }
    Row normals(vertices.size());
    for (std::size_t v = 0; v < sums.size(); ++v) {
        const double size = length(sums[v]);
        const Vec3d normal = size > 1e-30 ? sums[v] / size : Vec3d{0, 1, 0};
        for (int i = 0; i < 3; ++i) normals[static_cast<Eigen::Index>(3 * v) + i] = static_cast<float>(normal[i]);
    }
    return normals;
}

/// Weights as the file has them: frames x targets, with the weight 1 of the offset first.
Rows weights_of(const ShapeClip& clip)
{
    const auto targets = static_cast<Eigen::Index>(clip.targets.size());
    const Eigen::Map<const Eigen::Matrix<std::uint16_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> whole(
        clip.weights.data(), targets > 0 ? static_cast<Eigen::Index>(clip.weights.size()) / targets : 0, targets);
    return whole.cast<float>() / 65535.0f;
}

/// Targets and weights of a basis. The smallest weight of each shape goes into the offset, so that none is negative.
void make_targets(ShapeClip& clip, ShapeBasis basis, const Row& first_frame)
{
    clip.targets.clear();
    clip.weights.clear();
    clip.base = vectors(first_frame / static_cast<float>(clip.unit));
    if (basis.shapes.rows() == 0) return;

    const auto in_units = static_cast<float>(1.0 / clip.unit);
    const Eigen::RowVectorXd low = basis.weights.colwise().minCoeff();
    const Eigen::RowVectorXd range = basis.weights.colwise().maxCoeff() - low;
    clip.targets.push_back({vectors((low.cast<float>() * basis.shapes * in_units).array().round().matrix()), {}});
    for (Eigen::Index k = 0; k < basis.shapes.rows(); ++k)
        clip.targets.push_back(
            {vectors((basis.shapes.row(k) * (static_cast<float>(range[k]) * in_units)).array().round().matrix()), {}});
    for (Eigen::Index f = 0; f < basis.weights.rows(); ++f) {
        clip.weights.push_back(65535);
        for (Eigen::Index k = 0; k < basis.weights.cols(); ++k) {
            const double part = range[k] > 0.0 ? (basis.weights(f, k) - low[k]) / range[k] : 0.0;
            clip.weights.push_back(static_cast<std::uint16_t>(std::lround(65535.0 * std::clamp(part, 0.0, 1.0))));
        }
    }
    // What rounding and shapes left out would do to frame 0 goes into the base.
    for (std::size_t v = 0; v < clip.base.size(); ++v) {
        Vec3d sum;
        for (std::size_t t = 0; t < clip.targets.size(); ++t)
            sum += (clip.weights[t] / 65535.0) * clip.targets[t].positions[v].as<double>();
        const auto i = static_cast<Eigen::Index>(3 * v);
        const Vec3d exact{first_frame[i] / clip.unit, first_frame[i + 1] / clip.unit, first_frame[i + 2] / clip.unit};
        clip.base[v] = (exact - sum).as<float>();
    }
}

/// How far a player of the file is off, with its own float numbers: the error and the vertex that has it, per frame.
struct Deviations {
    std::vector<double> errors;
    std::vector<std::size_t> vertices;
};
Deviations measure(LocalFrames& frames, const ShapeClip& clip)
{
    constexpr std::size_t kTogether = 16;  // frames
    Deviations found;
    const Row base = row_of(clip.base);
    const Rows weights = weights_of(clip);
    Rows targets(static_cast<Eigen::Index>(clip.targets.size()), base.size());
    for (std::size_t t = 0; t < clip.targets.size(); ++t)
        targets.row(static_cast<Eigen::Index>(t)) = row_of(clip.targets[t].positions);
    Row recorded(base.size());
    Rows played;
    for (std::size_t first = 0; first < frames.count(); first += kTogether) {
        const std::size_t count = std::min(kTogether, frames.count() - first);
        played = base.replicate(static_cast<Eigen::Index>(count), 1);
        if (targets.rows() > 0)
            played.noalias() +=
                weights.middleRows(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(count)) * targets;
        for (std::size_t f = 0; f < count; ++f) {
            frames.read(first + f, recorded.data());
            recorded -= static_cast<float>(clip.unit) * played.row(static_cast<Eigen::Index>(f));
            Eigen::Index worst = 0;
            const float square = Eigen::Map<const Eigen::Matrix3Xf>(recorded.data(), 3, recorded.size() / 3)
                                     .colwise()
                                     .squaredNorm()
                                     .maxCoeff(&worst);
            found.errors.push_back(std::sqrt(static_cast<double>(square)));
            found.vertices.push_back(static_cast<std::size_t>(worst));
        }
    }
    return found;
}

/// Normals of the targets by least squares, so that base and targets add up to the normals of the moving surface (in
/// direction; players make them unit length). Only the first targets have them, as many as change normals visibly.
void fit_normals(ShapeClip& clip, LocalFrames& frames, std::span<const Int3> triangles)
{
    const Row base = row_of(clip.base_normals);
    const Rows all_weights = weights_of(clip);
    const std::size_t used = std::min(frames.count(), kNormalFrames);
    const auto rows = static_cast<Eigen::Index>(used);
    Eigen::MatrixXd weights(rows, all_weights.cols());
    Rows off(rows, base.size());
    Row local(base.size());
    for (std::size_t n = 0; n < used; ++n) {
        const std::size_t f = n * frames.count() / used;
        frames.read(f, local.data());
        off.row(static_cast<Eigen::Index>(n)) = vertex_normals(local, triangles) - base;
        weights.row(static_cast<Eigen::Index>(n)) = all_weights.row(static_cast<Eigen::Index>(f)).cast<double>();
    }

    // Projecting on one column of weights after another says how many are needed.
    const double enough = kNormalError * kNormalError * static_cast<double>(rows * base.size() / 3);
    const Eigen::MatrixXd gram = (off * off.transpose()).cast<double>();
    double left = gram.trace();
    Eigen::MatrixXd directions(rows, weights.cols());
    Eigen::Index count = 0;
    while (count < weights.cols() && left > enough) {
        Eigen::VectorXd direction = weights.col(count);
        for (int twice = 0; twice < 2; ++twice)
            direction -= directions.leftCols(count) * (directions.leftCols(count).transpose() * direction);
        const double size = direction.norm();
        directions.col(count) = size > 1e-6 ? Eigen::VectorXd(direction / size) : Eigen::VectorXd::Zero(rows);
        left -= directions.col(count).dot(gram * directions.col(count));
        ++count;
    }
    if (count == 0) return;
    const Eigen::MatrixXf solve =
        least_squares(weights.leftCols(count), Eigen::MatrixXd::Identity(rows, rows)).cast<float>();
    for (Eigen::Index t = 0; t < count; ++t)
        clip.targets[static_cast<std::size_t>(t)].normals =
            vectors((solve.row(t) * off).cwiseMax(-1.0f).cwiseMin(1.0f));
}

}  // namespace

ShapeRecorder::ShapeRecorder(OutFile frames, const TriMesh& rest)
    : frames_(std::move(frames)), triangles_(rest.triangles)
{
    Vec3d centre;
    Box3 box;
    for (const Vec3d& v : rest.vertices) {
        centre += v / static_cast<double>(rest.vertices.size());
        box.add(v);
    }
    size_ = box.diagonal();
    for (const Vec3d& v : rest.vertices) rest_.push_back(v - centre);
}

Result<ShapeRecorder> ShapeRecorder::create(const std::filesystem::path& beside, const TriMesh& rest)
{
    auto frames = OutFile::create_scratch(beside);
    if (!frames) return frames.error();
    return ShapeRecorder(std::move(*frames), rest);
}

Status ShapeRecorder::add(std::span<const Vec3> surface)
{
    frames_.write(surface);
    Vec3d centre;
    for (const Vec3& p : surface) centre += p.as<double>();
    centre = centre / static_cast<double>(surface.size());
    Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();  // rest is about its centre, so that of the frame drops out
    for (std::size_t v = 0; v < surface.size(); ++v) {
        moments += eigen(surface[v].as<double>() - centre) * eigen(rest_[v]).transpose();
    }
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(moments, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Eigen::Matrix3d turn = svd.matrixU();
    if ((svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0) turn.col(2) *= -1.0;  // never a mirror image
    Eigen::Quaterniond q(Eigen::Matrix3d(turn * svd.matrixV().transpose()));
    q.normalize();
    if (!motion_.rotations.empty()) {
        const auto& last = motion_.rotations.back();
        if (q.dot(Eigen::Quaterniond(last[3], last[0], last[1], last[2])) < 0.0) q.coeffs() *= -1.0;
    }
    const Eigen::Vector4f rounded = q.coeffs().cast<float>();
    motion_.rotations.push_back({rounded[0], rounded[1], rounded[2], rounded[3]});
    motion_.translations.push_back(centre.as<float>());
    return frames_.flush();
}

Result<ShapeClip> ShapeRecorder::shapes(double tolerance)
{
    ShapeClip best;
    best.motion = motion_;
    best.size = size_;
    Row first_frame(static_cast<Eigen::Index>(3 * rest_.size()));
    for (std::size_t v = 0; v < rest_.size(); ++v)
        for (int i = 0; i < 3; ++i) first_frame[static_cast<Eigen::Index>(3 * v) + i] = static_cast<float>(rest_[v][i]);
    LocalFrames frames(frames_, motion_, rest_.size());
    if (frames.count() > 0) frames.read(0, first_frame.data());
    best.base = vectors(first_frame);
    best.base_normals = vectors(vertex_normals(first_frame, triangles_));
    if (frames.count() == 0) return best;

    // Floats of a body at rest are off by so much.
    const double wanted = std::max(tolerance * size_, 1e-6 * static_cast<double>(first_frame.cwiseAbs().maxCoeff()));
    double share = 0.95;  // of the tolerance, for the shapes that are left out
    BasisFinder finder(frames, share * wanted);
    best.worst_error = std::numeric_limits<double>::infinity();
    for (int attempt = 0; attempt < kMostAttempts && best.worst_error > wanted; ++attempt) {
        ShapeBasis basis = finder.find(share * wanted);
        ShapeClip clip = best;
        clip.unit = basis.shapes.rows() > 0 ? wanted / kUnitsPerTolerance : 1.0;
        make_targets(clip, std::move(basis), first_frame);
        const Deviations found = measure(frames, clip);
        if (Status status = frames_.flush(); !status) return status.error();
        clip.worst_error = std::ranges::max(found.errors);
        if (clip.worst_error < best.worst_error) best = std::move(clip);
        std::vector<std::size_t> worse;
        for (std::size_t f = 0; f < found.errors.size(); ++f)
            if (found.errors[f] > 0.9 * wanted) worse.push_back(found.vertices[f]);
        finder.look_at(std::move(worse));
        share *= 0.94;
    }
    if (!best.targets.empty()) fit_normals(best, frames, triangles_);
    if (Status status = frames_.flush(); !status) return status.error();
    return best;
}

}  // namespace yawara::io
