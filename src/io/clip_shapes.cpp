// Principal shapes of a recorded surface: rigid motion is taken out (Kabsch), the rest is a principal component
// analysis by the small matrix of frames x frames ("method of snapshots", Sirovich 1987), in double.
#include "io/clip_shapes.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace yawara::io {
namespace {

using Frames = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // a frame a row
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;     // a shape a row
using Row = Eigen::RowVectorXf;

constexpr std::size_t kMostTraining = 400;      // frames the shapes are made from; more are only fitted by them
constexpr int kMostRounds = 4;                  // of finding shapes
constexpr std::size_t kBlockNumbers = 1 << 21;  // of a block of training frames in memory

Eigen::Vector3d eigen(Vec3d v)
{
    return {v.x, v.y, v.z};
}

Vec3 at(const Row& row, std::size_t vertex)
{
    const auto i = static_cast<Eigen::Index>(3 * vertex);
    return {row[i], row[i + 1], row[i + 2]};
}

double largest_length(const Row& row)
{
    float largest = 0.0f;
    for (Eigen::Index i = 0; i < row.size(); i += 3) {
        largest = std::max(largest, row[i] * row[i] + row[i + 1] * row[i + 1] + row[i + 2] * row[i + 2]);
    }
    return std::sqrt(static_cast<double>(largest));
}

/// Normals of the vertices: of their triangles, by area. A vertex without area gets the y axis.
template <class T>
std::vector<Vec3> vertex_normals(std::span<const Vec3T<T>> vertices, std::span<const Int3> triangles)
{
    std::vector<Vec3T<T>> sums(vertices.size());
    for (const Int3& t : triangles) {
        const Vec3T<T> area = cross(vertices[t[1]] - vertices[t[0]], vertices[t[2]] - vertices[t[0]]);
        for (const std::int32_t v : t) sums[v] += area;
    }
    std::vector<Vec3> normals;
    for (const Vec3T<T>& sum : sums) {
        const double size = length(sum.template as<double>());
        normals.push_back(size > 1e-30 ? (sum.template as<double>() / size).template as<float>() : Vec3{0, 1, 0});
    }
    return normals;
}

/// Frames of a recording seen from their own rigid motion: what is left is change of shape.
class LocalFrames {
public:
    LocalFrames(OutFile& file, const PrincipalShapes& motion, std::size_t vertices)
        : file_(file), motion_(motion), vertices_(vertices)
    {
    }

    std::size_t count() const { return motion_.rotations.size(); }

    /// Vertices first .. first + count of frame f, in the turning and moving coordinates of the body.
    template <class Out>
    void read(std::size_t f, std::size_t first, std::size_t count, Out* out)
    {
        world_.resize(count);
        file_.read_at(12 * (f * vertices_ + first), world_.data(), 12 * count);
        const Eigen::Matrix3d back = rotation(f).transpose();
        const Eigen::Vector3d move = eigen(motion_.translations[f].as<double>());
        for (std::size_t v = 0; v < count; ++v) {
            const Eigen::Vector3d local = back * (eigen(world_[v].as<double>()) - move);
            for (int i = 0; i < 3; ++i) out[3 * v + i] = static_cast<Out>(local[i]);
        }
    }
    void read(std::size_t f, Row& out)
    {
        out.resize(static_cast<Eigen::Index>(3 * vertices_));
        read(f, 0, vertices_, out.data());
    }

    Eigen::Matrix3d rotation(std::size_t f) const
    {
        const auto& q = motion_.rotations[f];
        return Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized().toRotationMatrix();
    }

private:
    OutFile& file_;
    const PrincipalShapes& motion_;
    std::size_t vertices_;
    std::vector<Vec3> world_;
};

/// The frames that shapes are made from, and how alike they are.
struct Training {
    std::vector<std::size_t> frames;
    Row mean;
    Eigen::MatrixXd gram;  // products of every two frames about the mean; lower half
};

/// Training frames about their mean, some vertices at a time: work(first column, mean of the block, block).
template <class Work>
void for_each_block(LocalFrames& frames, std::span<const std::size_t> training, std::size_t vertices, Work&& work)
{
    const std::size_t most = std::clamp<std::size_t>(kBlockNumbers / (3 * training.size()), 1, vertices);
    Frames block;
    for (std::size_t first = 0; first < vertices; first += most) {
        const std::size_t count = std::min(most, vertices - first);
        block.resize(static_cast<Eigen::Index>(training.size()), static_cast<Eigen::Index>(3 * count));
        for (std::size_t t = 0; t < training.size(); ++t) {
            frames.read(training[t], first, count, block.row(static_cast<Eigen::Index>(t)).data());
        }
        const Eigen::RowVectorXd mean = block.colwise().mean();
        block.rowwise() -= mean;
        work(static_cast<Eigen::Index>(3 * first), mean, block);
    }
}

Training choose_training(LocalFrames& frames, std::size_t vertices)
{
    Training training;
    const std::size_t count = std::min(frames.count(), kMostTraining);
    for (std::size_t t = 0; t < count; ++t) training.frames.push_back(t * frames.count() / count);
    training.mean.resize(static_cast<Eigen::Index>(3 * vertices));
    training.gram = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count));
    for_each_block(frames, training.frames, vertices,
                   [&](Eigen::Index first, const Eigen::RowVectorXd& mean, const Frames& block) {
                       training.mean.segment(first, mean.size()) = mean.cast<float>();
                       training.gram.selfadjointView<Eigen::Lower>().rankUpdate(block);
                   });
    return training;
}

/// At most `most` orthogonal shapes of unit length, most important first; `emphasis` says how much each training frame
/// counts.
Rows find_shapes(LocalFrames& frames, const Training& training, const Eigen::VectorXd& emphasis, std::size_t most)
{
    const Eigen::MatrixXd weighted = emphasis.asDiagonal() * training.gram * emphasis.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(weighted);
    const Eigen::VectorXd values = solver.eigenvalues().reverse();
    const auto limit = std::min(static_cast<Eigen::Index>(most), values.size());
    Eigen::Index count = 0;
    while (count < limit && values[count] > 1e-13 * values[0] && values[count] > 0.0) ++count;

    const Eigen::MatrixXd combine = values.head(count).cwiseSqrt().cwiseInverse().asDiagonal() *
                                    solver.eigenvectors().rowwise().reverse().leftCols(count).transpose() *
                                    emphasis.asDiagonal();
    Rows shapes(count, training.mean.size());
    for_each_block(frames, training.frames, static_cast<std::size_t>(training.mean.size()) / 3,
                   [&](Eigen::Index first, const Eigen::RowVectorXd& mean, const Frames& block) {
                       shapes.middleCols(first, mean.size()) = (combine * block).cast<float>();
                   });
    return shapes;
}

/// Shapes and how well all frames are made of them.
struct Fit {
    Rows shapes;
    Rows weights;  // a frame a row
    std::vector<double>
        worst;  // largest error of any vertex in any frame, if only the first 0, 1, 2, ... shapes are used
    Eigen::VectorXd of_frame;  // the same for every frame, with all shapes
};

Fit fit_frames(LocalFrames& frames, const Training& training, Rows shapes)
{
    Fit fit;
    fit.weights.resize(static_cast<Eigen::Index>(frames.count()), shapes.rows());
    fit.worst.assign(static_cast<std::size_t>(shapes.rows()) + 1, 0.0);
    fit.of_frame.resize(static_cast<Eigen::Index>(frames.count()));
    Row rest;
    for (Eigen::Index f = 0; f < fit.weights.rows(); ++f) {
        frames.read(static_cast<std::size_t>(f), rest);
        rest -= training.mean;
        double error = largest_length(rest);
        fit.worst[0] = std::max(fit.worst[0], error);
        for (Eigen::Index k = 0; k < shapes.rows(); ++k) {
            const float weight = rest.dot(shapes.row(k));
            fit.weights(f, k) = weight;
            rest -= weight * shapes.row(k);
            error = largest_length(rest);
            fit.worst[k + 1] = std::max(fit.worst[k + 1], error);
        }
        fit.of_frame[f] = error;
    }
    fit.shapes = std::move(shapes);
    return fit;
}

/// Principal shapes make the sum of squares small; what is seen is the worst vertex. So if the shapes are not good
/// enough, frames with large errors count more in another round (0.5 % off became 0.3 % or so); the best round wins.
Fit find_fit(LocalFrames& frames, const Training& training, std::size_t most, double wanted)
{
    Eigen::VectorXd emphasis = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(training.frames.size()));
    Fit best = fit_frames(frames, training, find_shapes(frames, training, emphasis, most));
    Eigen::VectorXd errors = best.of_frame;
    for (int round = 1; round < kMostRounds && best.worst.back() > wanted; ++round) {
        const double mean = errors.mean();
        for (std::size_t t = 0; t < training.frames.size(); ++t) {
            const double error = errors[static_cast<Eigen::Index>(training.frames[t])];
            emphasis[static_cast<Eigen::Index>(t)] *= std::sqrt(error / mean + 0.05);
        }
        emphasis /= emphasis.mean();
        Fit next = fit_frames(frames, training, find_shapes(frames, training, emphasis, most));
        errors = next.of_frame;
        if (next.worst.back() < best.worst.back()) best = std::move(next);
    }
    return best;
}

std::vector<Vec3> vectors(const Row& row)
{
    std::vector<Vec3> result(static_cast<std::size_t>(row.size()) / 3);
    for (std::size_t v = 0; v < result.size(); ++v) result[v] = at(row, v);
    return result;
}

Row row_of(std::span<const Vec3> points)
{
    return Eigen::Map<const Row>(&points.data()->x, static_cast<Eigen::Index>(3 * points.size()));
}

/// Targets with weights in 0..1 from the first `count` shapes: the smallest weight of each goes into the offset.
void make_targets(PrincipalShapes& result, const Row& mean, const Fit& fit, Eigen::Index count)
{
    Row offset = mean - row_of(result.base);
    const Row low = fit.weights.colwise().minCoeff();
    const Row range = fit.weights.colwise().maxCoeff() - low;
    for (Eigen::Index k = 0; k < count; ++k) offset += low[k] * fit.shapes.row(k);
    if (count == 0 && largest_length(offset) < 1e-6 * result.size) return;  // rigid: motion says it all

    result.targets.push_back({vectors(offset), {}});
    for (Eigen::Index k = 0; k < count; ++k) result.targets.push_back({vectors(range[k] * fit.shapes.row(k)), {}});
    for (Eigen::Index f = 0; f < fit.weights.rows(); ++f) {
        result.weights.push_back(1.0f);
        for (Eigen::Index k = 0; k < count; ++k) {
            const float weight = range[k] > 0.0f ? (fit.weights(f, k) - low[k]) / range[k] : 0.0f;
            result.weights.push_back(std::clamp(weight, 0.0f, 1.0f));
        }
    }
}

/// Normals of the targets: by least squares over the training frames, so that base and targets add up to the normals of
/// the moving surface (in direction; players make them unit length).
void fit_normals(PrincipalShapes& result, LocalFrames& frames, const Training& training,
                 std::span<const Int3> triangles)
{
    const auto count = static_cast<Eigen::Index>(result.targets.size());
    if (count == 0) return;
    const Row base = row_of(result.base_normals);
    Eigen::MatrixXd products = Eigen::MatrixXd::Zero(count, count);
    Rows sums = Rows::Zero(count, base.size());
    Row local;
    for (const std::size_t f : training.frames) {
        frames.read(f, local);
        const std::vector<Vec3> points = vectors(local);
        const Row off = row_of(vertex_normals(std::span<const Vec3>(points), triangles)) - base;
        const Eigen::Map<const Eigen::VectorXf> weights(result.weights.data() + static_cast<Eigen::Index>(f) * count,
                                                        count);
        products += weights.cast<double>() * weights.cast<double>().transpose();
        for (Eigen::Index t = 0; t < count; ++t) sums.row(t) += weights[t] * off;
    }
    const Eigen::MatrixXf solve = products.completeOrthogonalDecomposition().pseudoInverse().cast<float>();
    const Rows normals = solve * sums;
    for (Eigen::Index t = 0; t < count; ++t)
        result.targets[static_cast<std::size_t>(t)].normals = vectors(normals.row(t));
}

/// The error a player of the file sees: its own float numbers put together, against the recording.
double measure_error(LocalFrames& frames, const PrincipalShapes& result)
{
    double worst = 0.0;
    Row recorded;
    std::vector<Row> targets;
    for (const auto& target : result.targets) targets.push_back(row_of(target.positions));
    const Row base = row_of(result.base);
    for (std::size_t f = 0; f < frames.count(); ++f) {
        frames.read(f, recorded);
        recorded -= base;
        for (std::size_t t = 0; t < targets.size(); ++t)
            recorded -= result.weights[f * targets.size() + t] * targets[t];
        worst = std::max(worst, largest_length(recorded));
    }
    return worst;
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
    result_.size = box.diagonal();
    for (const Vec3d& v : rest.vertices) {
        rest_.push_back(v - centre);
        result_.base.push_back((v - centre).as<float>());
    }
    result_.base_normals = vertex_normals(std::span<const Vec3d>(rest_), triangles_);
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
    if (!result_.rotations.empty()) {
        const auto& last = result_.rotations.back();
        if (q.dot(Eigen::Quaterniond(last[3], last[0], last[1], last[2])) < 0.0) q.coeffs() *= -1.0;
    }
    const Eigen::Vector4f rounded = q.coeffs().cast<float>();
    result_.rotations.push_back({rounded[0], rounded[1], rounded[2], rounded[3]});
    result_.translations.push_back(centre.as<float>());
    return frames_.flush();
}

Result<PrincipalShapes> ShapeRecorder::shapes(std::size_t most_targets, double wanted_error)
{
    if (result_.rotations.empty()) return result_;
    LocalFrames frames(frames_, result_, rest_.size());
    const double wanted = 0.9 * wanted_error * result_.size;  // leaves room for rounding
    const Training training = choose_training(frames, rest_.size());
    const Fit fit = find_fit(frames, training, most_targets - 1, wanted);
    if (Status status = frames_.flush(); !status) return status.error();

    const auto enough = std::ranges::find_if(fit.worst, [&](double error) { return error <= wanted; });
    make_targets(result_, training.mean, fit,
                 enough == fit.worst.end() ? fit.shapes.rows() : enough - fit.worst.begin());
    fit_normals(result_, frames, training, triangles_);
    result_.worst_error = measure_error(frames, result_);
    if (Status status = frames_.flush(); !status) return status.error();
    return result_;
}

}  // namespace yawara::io
