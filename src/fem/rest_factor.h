// The matrix of an implicit step as it is while the body is at rest, factored once: what a small body of a front that
// stays the same answers to forces, if it is not deformed much. fem/minimise.cpp comes here.
#pragma once

#include <span>
#include <vector>

#include "core/aligned.h"
#include "fem/implicit_kernels.h"
#include "yawara/math.h"

namespace yawara::fem {

/// A = L L^T in panels of kPanel unknowns, ordered so that all that is not zero is near the diagonal. Factored in
/// double, kept in single precision.
class RestFactor {
public:
    /// Of a symmetric, positive definite matrix. Without effect, but that `ready` is false, if the factor would be too
    /// large to be of use, or is not finite.
    void factor(const BlockRows& matrix, std::size_t rows);
    void clear() { rows_ = 0; }
    bool ready() const { return rows_ > 0; }

    /// x = turn A^-1 turn^T b, by rows of the matrix: the answer of a body that is turned so.
    void solve(std::span<const Vec3d> b, const Mat3d& turn, std::span<Vec3d> x);

private:
    void order(const BlockRows& matrix, std::size_t rows);
    bool find_panels(const BlockRows& matrix);
    void fill(const BlockRows& matrix);
    bool factor_blocks();
    void keep(std::size_t panels);

    /// Lower triangle in double while it is made: of each panel, the blocks from its first column on.
    struct Block {
        double at[kPanel * kPanel];  ///< by columns
    };
    std::size_t rows_ = 0;
    std::vector<std::int32_t> order_, place_;  ///< rows of the matrix in the order of elimination, and back
    std::vector<std::int32_t> first_,
        offset_;  ///< of each panel: its first column of blocks, and where its blocks begin
    AlignedVector<Block> blocks_;
    AlignedVector<Block> inverse_;  ///< of the diagonal blocks of L

    struct Kept {
        std::vector<std::int32_t> offsets, panels;
        AlignedVector<float> values, diagonal;
        PanelRows view() const { return {offsets.data(), panels.data(), values.data(), diagonal.data()}; }
    } forward_, backward_;
    AlignedVector<float> vector_;
};

}  // namespace yawara::fem
