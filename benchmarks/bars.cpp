#include "bars.h"

namespace yawara::bench {

TetMesh six_tet_bar(Int3 n)
{
    TetMesh mesh;
    for (int z = 0; z < n[2]; ++z)
        for (int y = 0; y < n[1]; ++y)
            for (int x = 0; x < n[0]; ++x) mesh.vertices.push_back({double(x), double(y), double(z)});
    const int step[3] = {1, n[0], n[0] * n[1]};
    // Six ways from one corner of a cube to the opposite one, along its edges; odd ones are turned to be positive.
    constexpr int kPaths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int z = 0; z + 1 < n[2]; ++z)
        for (int y = 0; y + 1 < n[1]; ++y)
            for (int x = 0; x + 1 < n[0]; ++x)
                for (int p = 0; p < 6; ++p) {
                    const int a = x + y * step[1] + z * step[2];
                    const int b = a + step[kPaths[p][0]], c = b + step[kPaths[p][1]], d = c + step[kPaths[p][2]];
                    mesh.tets.push_back(p < 3 ? Int4{a, b, c, d} : Int4{a, c, b, d});
                }
    return mesh;
}

Vec3 lively_velocity(Vec3d p, const Box3& box)
{
    const Vec3d c = p - box.center();
    const double along = c.z / box.size().z;
    const Vec3d spin{0.3, 0.2, 6.0 * along};
    const Vec3d bend{0.0, 4.0 * along * along, 0.0};
    return (cross(spin, c) + bend).as<float>();
}

}  // namespace yawara::bench
