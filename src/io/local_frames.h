// Frames of a recorded surface, seen from the rigid motion of their body: what is left is change of shape.
// Used by clip_shapes.cpp and shape_basis.cpp.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "io/clip_output.h"
#include "yawara/mesh.h"

namespace yawara::io {

/// Where a body is in every frame.
struct RigidMotion {
    std::vector<Vec3> translations;
    std::vector<std::array<float, 4>> rotations;  // unit quaternions x y z w, neighbours on the same side
};

/// A frame or a shape a row; columns are x y z of vertex after vertex.
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::RowVectorXf;
using RowsInDouble = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The frames are in a file, 12 bytes a vertex; few of them are in memory at a time.
class LocalFrames {
public:
    LocalFrames(OutFile& file, const RigidMotion& motion, std::size_t vertices)
        : file_(file), motion_(motion), vertices_(vertices)
    {
    }

    std::size_t count() const { return motion_.rotations.size(); }
    std::size_t vertices() const { return vertices_; }

    /// Vertices first .. first + count of frame f, in the turning and moving coordinates of the body.
    template <class Out>
    void read(std::size_t f, std::size_t first, std::size_t count, Out* out)
    {
        world_.resize(count);
        file_.read_at(sizeof(Vec3) * (f * vertices_ + first), world_.data(), sizeof(Vec3) * count);
        const auto& q = motion_.rotations[f];
        const Eigen::Matrix3d back =
            Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized().toRotationMatrix().transpose();
        const Vec3d move = motion_.translations[f].as<double>();
        for (std::size_t v = 0; v < count; ++v) {
            const Vec3d off = world_[v].as<double>() - move;
            const Eigen::Vector3d local = back * Eigen::Vector3d(off.x, off.y, off.z);
            for (int i = 0; i < 3; ++i) out[3 * v + i] = static_cast<Out>(local[i]);
        }
    }
    template <class Out>
    void read(std::size_t f, Out* out)
    {
        read(f, 0, vertices_, out);
    }

    /// Some vertices at a time, frames `which` minus frame 0: work(first column, block).
    template <class Work>
    void for_each_block(std::span<const std::size_t> which, Work&& work)
    {
        constexpr std::size_t kNumbers = 1 << 21;  // of a block
        const std::size_t most = std::clamp<std::size_t>(kNumbers / (3 * which.size()), 1, vertices_);
        RowsInDouble block;
        Eigen::RowVectorXd start;
        for (std::size_t first = 0; first < vertices_; first += most) {
            const std::size_t count = std::min(most, vertices_ - first);
            const auto columns = static_cast<Eigen::Index>(3 * count);
            start.resize(columns);
            read(0, first, count, start.data());
            block.resize(static_cast<Eigen::Index>(which.size()), columns);
            for (std::size_t row = 0; row < which.size(); ++row)
                read(which[row], first, count, block.row(static_cast<Eigen::Index>(row)).data());
            block.rowwise() -= start;
            work(static_cast<Eigen::Index>(3 * first), block);
        }
    }

private:
    OutFile& file_;
    const RigidMotion& motion_;
    std::size_t vertices_;
    std::vector<Vec3> world_;
};

}  // namespace yawara::io
