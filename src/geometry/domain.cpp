#include "yawara/body.h"

namespace yawara {

std::vector<Vec3d> rest_positions(const Domain& domain)
{
    if (const auto* mesh = std::get_if<TetMesh>(&domain)) return mesh->vertices;
    const Lattice& lattice = std::get<Lattice>(domain);
    std::vector<Vec3d> rest(lattice.nodes.size());
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = lattice.position(int(i));
    return rest;
}

}  // namespace yawara
