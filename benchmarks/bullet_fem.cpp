#include "bullet_fem.h"

#include <BulletSoftBody/btDeformableNeoHookeanForce.h>
#include <BulletSoftBody/btSoftBody.h>

#include <vector>

namespace yawara::bench {

struct BulletFem::Data {
    btSoftBodyWorldInfo world;
    std::unique_ptr<btSoftBody> body;
    btDeformableNeoHookeanForce force;
    btAlignedObjectArray<btVector3> forces;
};

BulletFem::BulletFem(const TetMesh& mesh, float lambda, float mu) : data_(std::make_unique<Data>())
{
    std::vector<btVector3> positions;
    for (const Vec3d& v : mesh.vertices) positions.emplace_back(btScalar(v.x), btScalar(v.y), btScalar(v.z));
    const std::vector<btScalar> masses(positions.size(), 1);
    data_->body = std::make_unique<btSoftBody>(&data_->world, int(positions.size()), positions.data(), masses.data());
    btSoftBody& body = *data_->body;
    for (const Int4& t : mesh.tets) body.appendTetra(t[0], t[1], t[2], t[3], nullptr);
    for (int i = 0; i < body.m_nodes.size(); ++i) body.m_nodes[i].index = i;
    body.m_tetraScratches.resize(body.m_tetras.size());
    body.m_tetraScratchesTn.resize(body.m_tetras.size());
    body.initializeDmInverse();
    data_->force.setLameParameters(mu, lambda);
    data_->force.addSoftBody(&body);
    data_->forces.resize(body.m_nodes.size(), btVector3(0, 0, 0));
}

BulletFem::~BulletFem() = default;

void BulletFem::set_position(std::size_t node, Vec3 p)
{
    data_->body->m_nodes[int(node)].m_q = data_->body->m_nodes[int(node)].m_x = btVector3(p.x, p.y, p.z);
}

void BulletFem::evaluate()
{
    data_->body->advanceDeformation();
    data_->force.addScaledElasticForce(btScalar(1), data_->forces);
}

}  // namespace yawara::bench
