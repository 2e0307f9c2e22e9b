// Candidates are the principal components of the frames by the small matrix of frames x frames ("method of snapshots",
// Sirovich 1987), in double. Those make the sum of squares small, but what is seen is the worst vertex of the worst
// frame: so frames with large errors count more in round after round (as in boosting), which needs an eighth to a fifth
// fewer.
#include "io/shape_basis.h"

#include <cmath>

#include "math/dense.h"

namespace yawara::io {
namespace {

constexpr std::size_t kMostTraining = 400;  // frames to start from
constexpr std::size_t kMoreTraining = 200;  // added where those are not enough
constexpr int kRounds = 8;
constexpr std::size_t kSampledVertices = 400;  // to start with
constexpr double kPeak = 30.0;                 // error of the worst vertex by that of all, in candidates left out

/// Largest length of the vertices of every row.
Eigen::VectorXf largest_lengths(const Rows& rows)
{
    Eigen::VectorXf largest(rows.rows());
    for (Eigen::Index r = 0; r < rows.rows(); ++r) {
        const float* x = rows.row(r).data();
        float square = 0.0f;
        for (Eigen::Index i = 0; i < rows.cols(); i += 3)
            square = std::max(square, x[i] * x[i] + x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2]);
        largest[r] = std::sqrt(square);
    }
    return largest;
}

}  // namespace

BasisFinder::BasisFinder(LocalFrames& frames, double tolerance) : frames_(frames)
{
    const std::size_t count = std::min(frames.count(), kMostTraining);
    for (std::size_t t = 0; t < count; ++t) training_.push_back(t * frames.count() / count);
    choose_candidates(tolerance);
    const std::size_t samples = std::min(frames.vertices(), kSampledVertices);
    std::vector<std::size_t> vertices;
    for (std::size_t s = 0; s < samples; ++s) vertices.push_back(s * frames.vertices() / samples);
    sample(vertices);
}

void BasisFinder::choose_candidates(double tolerance)
{
    const auto trained = static_cast<Eigen::Index>(training_.size());
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(trained, trained);
    frames_.for_each_block(training_, [&](Eigen::Index, const RowsInDouble& block) {
        gram.selfadjointView<Eigen::Lower>().rankUpdate(block);
    });
    const SymmetricEigen eigen = symmetric_eigen(gram);
    const Eigen::VectorXd values = eigen.values.reverse().cwiseMax(0.0);
    const Eigen::MatrixXd vectors = eigen.vectors.rowwise().reverse();

    // As many as leave no frame with more than the root mean square allowed.
    const double allowed = std::pow(tolerance / kPeak, 2) * static_cast<double>(frames_.vertices());
    Eigen::VectorXd left = gram.diagonal();
    Eigen::Index count = 0;
    while (count < values.size() && values[count] > 1e-14 * values[0] && left.maxCoeff() > allowed) {
        left -= values[count] * vectors.col(count).cwiseAbs2();
        ++count;
    }
    const Eigen::VectorXd lengths = values.head(count).cwiseSqrt();
    combine_ = lengths.cwiseInverse().asDiagonal() * vectors.leftCols(count).transpose();
    coordinates_.resize(static_cast<Eigen::Index>(frames_.count()), count);
    for (Eigen::Index t = 0; t < trained; ++t)
        coordinates_.row(static_cast<Eigen::Index>(training_[static_cast<std::size_t>(t)])) =
            vectors.row(t).head(count).cwiseProduct(lengths.transpose());
    if (training_.size() == frames_.count()) return;

    std::vector<std::size_t> all(frames_.count());
    std::iota(all.begin(), all.end(), std::size_t{0});
    Eigen::MatrixXd fitted = Eigen::MatrixXd::Zero(coordinates_.rows(), count);
    Eigen::VectorXd squares = Eigen::VectorXd::Zero(coordinates_.rows());
    frames_.for_each_block(all, [&](Eigen::Index, const RowsInDouble& block) {
        RowsInDouble taught(trained, block.cols());
        for (Eigen::Index t = 0; t < trained; ++t)
            taught.row(t) = block.row(static_cast<Eigen::Index>(training_[static_cast<std::size_t>(t)]));
        fitted += block * (combine_ * taught).transpose();
        squares += block.rowwise().squaredNorm();
    });
    coordinates_ = fitted;
    const Eigen::VectorXd strange = squares - fitted.rowwise().squaredNorm();
    if (training_.size() > kMostTraining) return;
    std::vector<std::size_t> worst;
    for (std::size_t f = 0; f < all.size(); ++f)
        if (strange[static_cast<Eigen::Index>(f)] > allowed && !std::ranges::binary_search(training_, f))
            worst.push_back(f);
    if (worst.empty()) return;
    std::ranges::sort(worst, std::greater{}, [&](std::size_t f) { return strange[static_cast<Eigen::Index>(f)]; });
    worst.resize(std::min(worst.size(), kMoreTraining));
    training_.insert(training_.end(), worst.begin(), worst.end());
    std::ranges::sort(training_);
    choose_candidates(tolerance);
}

void BasisFinder::sample(std::span<const std::size_t> vertices)
{
    std::vector<double> local(3 * frames_.vertices()), start(local.size());
    frames_.read(0, start.data());
    RowsInDouble taught(static_cast<Eigen::Index>(training_.size()), static_cast<Eigen::Index>(3 * vertices.size()));
    for (std::size_t t = 0; t < training_.size(); ++t) {
        frames_.read(training_[t], local.data());
        for (std::size_t s = 0; s < vertices.size(); ++s)
            for (std::size_t i = 0; i < 3; ++i)
                taught(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(3 * s + i)) =
                    local[3 * vertices[s] + i] - start[3 * vertices[s] + i];
    }
    Rows grown(combine_.rows(), candidates_at_sampled_.cols() + taught.cols());
    if (!sampled_.empty()) grown.leftCols(candidates_at_sampled_.cols()) = candidates_at_sampled_;
    grown.rightCols(taught.cols()) = (combine_ * taught).cast<float>();
    candidates_at_sampled_ = std::move(grown);
    sampled_.insert(sampled_.end(), vertices.begin(), vertices.end());
}

void BasisFinder::look_at(std::vector<std::size_t> vertices)
{
    std::ranges::sort(vertices);
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    std::erase_if(vertices, [&](std::size_t v) { return std::ranges::find(sampled_, v) != sampled_.end(); });
    if (!vertices.empty()) sample(vertices);
}

/// Candidates x shapes: how the fewest shapes found are mixed from the candidates.
Eigen::MatrixXd BasisFinder::fewest(double tolerance) const
{
    const Eigen::Index frames = coordinates_.rows(), candidates = coordinates_.cols();
    const Rows whole = coordinates_.cast<float>() * candidates_at_sampled_;
    Eigen::MatrixXd best = Eigen::MatrixXd::Identity(candidates, candidates);
    if (largest_lengths(whole).maxCoeff() <= tolerance) return best.leftCols(0);

    Eigen::VectorXd emphasis = Eigen::VectorXd::Ones(frames);
    for (int round = 0; round < kRounds; ++round) {
        const Eigen::MatrixXd moments = coordinates_.transpose() * emphasis.cwiseAbs2().asDiagonal() * coordinates_;
        const Eigen::MatrixXd mix = symmetric_eigen(moments).vectors.rowwise().reverse();
        const Eigen::MatrixXf weights = (coordinates_ * mix).cast<float>();
        const Rows shapes = mix.transpose().cast<float>() * candidates_at_sampled_;
        Rows left = whole;
        std::vector<Eigen::VectorXf> errors;  // of every frame, after every shape
        while (static_cast<Eigen::Index>(errors.size()) < best.cols()) {
            const auto k = static_cast<Eigen::Index>(errors.size());
            left.noalias() -= weights.col(k) * shapes.row(k);
            errors.push_back(largest_lengths(left));
            if (errors.back().maxCoeff() <= tolerance) break;
        }
        const auto count = static_cast<Eigen::Index>(errors.size());
        if (count < best.cols()) best = mix.leftCols(count);
        const Eigen::VectorXd with_fewer = errors[9 * errors.size() / 10].cast<double>();
        if (count <= 1) break;
        emphasis.array() *= (with_fewer.array() / with_fewer.maxCoeff() + 0.02).sqrt();
        emphasis /= emphasis.mean();
    }
    return best;
}

ShapeBasis BasisFinder::find(double tolerance)
{
    const Eigen::MatrixXd mix = fewest(tolerance);
    ShapeBasis basis;
    basis.weights = coordinates_ * mix;
    basis.shapes.resize(mix.cols(), static_cast<Eigen::Index>(3 * frames_.vertices()));
    if (mix.cols() == 0) return basis;
    const Eigen::MatrixXd combine = mix.transpose() * combine_;
    frames_.for_each_block(training_, [&](Eigen::Index first, const RowsInDouble& block) {
        basis.shapes.middleCols(first, block.cols()) = (combine * block).cast<float>();
    });
    return basis;
}

}  // namespace yawara::io
