#include "yawara/domain.h"

namespace yawara {

std::vector<Vec3d> rest_positions(const Domain& domain)
{
    if (const auto* mesh = std::get_if<TetMesh>(&domain)) return mesh->vertices;
    const Lattice& lattice = std::get<Lattice>(domain);
    std::vector<Vec3d> rest(lattice.nodes.size());
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = lattice.position(int(i));
    return rest;
}

TetMesh solid_of(const Domain& domain)
{
    if (const TetMesh* mesh = std::get_if<TetMesh>(&domain)) return *mesh;
    const Lattice& lattice = std::get<Lattice>(domain);
    TetMesh mesh;
    mesh.vertices.reserve(lattice.nodes.size());
    for (std::size_t k = 0; k < lattice.nodes.size(); ++k)
        mesh.vertices.push_back(lattice.position(static_cast<int>(k)));
    // Kuhn's six tets: from corner 0 to corner 7 along the axes in every order; faces of neighbours match.
    mesh.tets.reserve(lattice.cells.size() * 6);
    for (const Int8& cell : lattice.cells) {
        for (int a = 0; a < 3; ++a) {
            for (const int turn : {1, 2}) {
                const int b = (a + turn) % 3;
                Int4 tet{cell[0], cell[std::size_t{1} << a], cell[(std::size_t{1} << a) | (std::size_t{1} << b)],
                         cell[7]};
                if (turn == 2) std::swap(tet[1], tet[2]);
                mesh.tets.push_back(tet);
            }
        }
    }
    return mesh;
}

}  // namespace yawara
