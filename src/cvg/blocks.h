// A tree evaluated block by block: blocks that miss everything cost nothing, uniform ones are asked once.
#pragma once

#include <vector>

#include "cvg/program.h"

namespace yawara::cvg {

constexpr int kBlock = 8;  ///< voxels along the side of the smallest blocks

/// A block of voxels with one value, or with one each, z fastest. Voxel i has its centre at (i + 1/2) voxel.
struct Piece {
    Int3 origin;
    int size;
    Sample value;
    std::vector<Sample> voxels;
};

/// Appends all of a block that has opacity; its size is kBlock times a power of two.
void evaluate_block(const Program& program, Int3 origin, int size, double voxel, std::vector<Piece>& out);

/// The multiple of `step` at or below.
int round_down(double v, int step);

}  // namespace yawara::cvg
