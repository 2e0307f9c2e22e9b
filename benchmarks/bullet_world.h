// A stack of crates, and rays against a mesh, in Bullet.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::bench {

inline constexpr double kCrate = 0.5;         ///< m, side
inline constexpr double kGapOfCrates = 0.01;  ///< m, between them at the start

class BulletStack {
public:
    explicit BulletStack(int crates);
    ~BulletStack();
    /// One frame of 1/60 s in so many steps.
    void step(int substeps);
    double top() const;  ///< m, height of the middle of the highest crate

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

class BulletRays {
public:
    explicit BulletRays(const TriMesh& mesh);
    ~BulletRays();
    /// How far away the mesh is, m; negative: not met.
    double distance(Vec3d from, Vec3d to) const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace yawara::bench
