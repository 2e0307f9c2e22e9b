#include "bullet_matching.h"

#include <BulletSoftBody/btSoftBody.h>

#include <set>
#include <vector>

namespace yawara::bench {

struct BulletMatching::Data {
    btSoftBodyWorldInfo world;
    std::unique_ptr<btSoftBody> body;
    btAlignedObjectArray<btSoftBody::Cluster> clusters;
};

BulletMatching::BulletMatching(const TetMesh& mesh) : data_(std::make_unique<Data>())
{
    std::vector<btVector3> positions;
    for (const Vec3d& v : mesh.vertices) positions.emplace_back(btScalar(v.x), btScalar(v.y), btScalar(v.z));
    const std::vector<btScalar> masses(positions.size(), 1);
    data_->body = std::make_unique<btSoftBody>(&data_->world, int(positions.size()), positions.data(), masses.data());
    btSoftBody& body = *data_->body;

    std::vector<std::set<int>> rings(mesh.vertices.size());
    for (const Int4& tet : mesh.tets)
        for (const int a : tet)
            for (const int b : tet) rings[std::size_t(a)].insert(b);
    data_->clusters.resize(int(rings.size()));
    for (int r = 0; r < int(rings.size()); ++r) {
        btSoftBody::Cluster& cluster = data_->clusters[r];
        for (const int i : rings[std::size_t(r)]) cluster.m_nodes.push_back(&body.m_nodes[i]);
        cluster.m_collide = false;
        body.m_clusters.push_back(&cluster);
    }
    body.initializeClusters();
    for (int r = 0; r < body.m_clusters.size(); ++r) body.m_clusters[r]->m_matching = btScalar(0.1);
}

BulletMatching::~BulletMatching()
{
    data_->body->m_clusters.clear();  // ours, not allocated by Bullet
}

void BulletMatching::set_velocity(std::size_t particle, Vec3 v)
{
    data_->body->m_nodes[int(particle)].m_v = btVector3(v.x, v.y, v.z);
}

void BulletMatching::step(float dt)
{
    btSoftBody& body = *data_->body;
    body.updateClusters();
    for (int i = 0; i < body.m_nodes.size(); ++i) body.m_nodes[i].m_x += body.m_nodes[i].m_v * dt;
}

}  // namespace yawara::bench
