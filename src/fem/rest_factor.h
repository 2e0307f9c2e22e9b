// The matrix of an implicit step as it is while the body is at rest, factored once: what a body of a front that stays
// the same answers to forces, if it is not deformed much. fem/minimise.cpp comes here.
#pragma once

#include <span>
#include <vector>

#include "core/aligned.h"
#include "fem/implicit_kernels.h"
#include "yawara/math.h"

namespace yawara::fem {

struct Dissection;

/// A = W D W^T in panels of a few rows, with ones on the diagonal of W; factored in double, kept in single precision.
/// Two halves of the body are solved side by side.
class RestFactor {
public:
    /// Of a symmetric, positive definite matrix with rows at these positions, m. Without effect, but that `ready` is
    /// false, if the factor would be too large to be of use, or is not finite.
    void factor(const BlockRows& matrix, std::span<const Vec3d> positions);
    void clear() { order_.clear(); }
    bool ready() const { return !order_.empty(); }

    /// x = turn A^-1 turn^T b, by rows of the matrix: the answer of a body that is turned so.
    void solve(std::span<const Vec3d> b, const Mat3d& turn, std::span<Vec3d> x);

private:
    bool find_panels(const BlockRows& matrix, const Dissection& dissection);
    bool factor_panels(const BlockRows& matrix);
    PanelColumns view() const
    {
        return {first_.data(), offsets_.data(), rows_.data(), values_.data(), numbers_.data()};
    }
    std::size_t panels() const { return first_.size() - 1; }

    std::vector<std::int32_t> order_;           ///< rows of the matrix in the order of elimination
    std::vector<std::int32_t> first_;           ///< of each panel, in that order; and an end
    std::vector<std::int32_t> offsets_, rows_;  ///< of each panel: rows after it that it is coupled with, in that order
    std::vector<std::size_t> values_;           ///< of each panel: where its numbers begin
    AlignedVector<float> numbers_;
    std::size_t ends_[3] = {};  ///< panels of the first half, of both, and of all
    struct Part {
        AlignedVector<float> vector, scratch;
    } parts_[2];
};

}  // namespace yawara::fem
