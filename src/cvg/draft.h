// A model while a person shapes it: evaluated into a dense grid, after an edit only inside the box that changed, and drawn
// from there at once.
#pragma once

#include "cvg/program.h"

namespace yawara::cvg {

struct DraftSurface {
    std::vector<Vec3> points;
    std::vector<Vec3> colors;      ///< of the model beneath each point
    std::vector<float> stiffness;  ///< the same
    std::vector<std::array<std::uint32_t, 3>> triangles;
};

class Draft {
public:
    /// Voxels along the longest side, about.
    explicit Draft(int across) : across_(across) {}

    /// Shows another tree. Refuses one that encloses nothing, and goes on showing the last one.
    Status show(Tree tree);
    /// Of what is at least this stiff.
    DraftSurface surface(double stiffness_from = 0) const;

    double voxel() const { return voxel_; }
    /// Of all voxels of the grid, those that the last show() evaluated.
    double evaluated() const { return evaluated_; }

private:
    struct Grid {
        Int3 low{}, high{};  ///< voxels, multiples of a block; the last not included
        std::vector<Sample> voxels;
        std::size_t index(int x, int y, int z) const
        {
            return (std::size_t(x - low[0]) * std::size_t(high[1] - low[1]) + std::size_t(y - low[1])) *
                       std::size_t(high[2] - low[2]) +
                   std::size_t(z - low[2]);
        }
    };
    static double fitting_voxel(const Box3& box, int across);
    static Grid around(const Box3& box, double voxel);
    static void evaluate(const Program& program, const Box3& box, double voxel, Grid& grid, std::size_t& count);

    int across_;
    double voxel_ = 0, evaluated_ = 0;
    Tree tree_;
    Grid grid_;
};

/// Where a plane cuts a model: strips of one colour and stiffness each, two triangles per strip.
struct DraftCut {
    std::vector<Vec3> points;  ///< four of each strip
    std::vector<Vec3> colors;  ///< of each strip
    std::vector<float> stiffness;
};
DraftCut cut_of(const Tree& tree, Vec3d point, Vec3d normal, int rows);

}  // namespace yawara::cvg
