#include "bullet_implicit.h"

#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableGravityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btDeformableNeoHookeanForce.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

#include <vector>

namespace yawara::bench {

struct BulletImplicit::Data {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btDeformableBodySolver deformable;
    btDeformableMultiBodyConstraintSolver solver;
    std::unique_ptr<btDeformableMultiBodyDynamicsWorld> world;
    std::unique_ptr<btSoftBody> body;
    std::unique_ptr<btDeformableLagrangianForce> elastic, weight;

    ~Data()
    {
        if (body) world->removeSoftBody(body.get());
    }
};

BulletImplicit::BulletImplicit(const TetMesh& mesh, std::span<const double> masses, float lambda, float mu,
                               Vec3 gravity, std::span<const std::int32_t> held)
    : data_(std::make_unique<Data>())
{
    Data& d = *data_;
    d.solver.setDeformableSolver(&d.deformable);
    d.world = std::make_unique<btDeformableMultiBodyDynamicsWorld>(&d.dispatcher, &d.broadphase, &d.solver,
                                                                   &d.configuration, &d.deformable);
    const btVector3 down(gravity.x, gravity.y, gravity.z);
    d.world->setGravity(down);
    d.world->getWorldInfo().m_gravity = down;
    d.world->setImplicit(true);
    d.world->setLineSearch(false);
    std::vector<btVector3> positions;
    std::vector<btScalar> weights(masses.begin(), masses.end());
    for (const Vec3d& v : mesh.vertices) positions.emplace_back(btScalar(v.x), btScalar(v.y), btScalar(v.z));
    for (const std::int32_t n : held) weights[std::size_t(n)] = 0;
    d.body =
        std::make_unique<btSoftBody>(&d.world->getWorldInfo(), int(positions.size()), positions.data(), weights.data());
    for (const Int4& t : mesh.tets) d.body->appendTetra(t[0], t[1], t[2], t[3], nullptr);
    for (int i = 0; i < d.body->m_nodes.size(); ++i) {
        d.body->m_nodes[i].index = i;
        d.body->m_nodes[i].m_im = weights[std::size_t(i)] > 0 ? 1 / weights[std::size_t(i)] : 0;
    }
    d.body->m_tetraScratches.resize(d.body->m_tetras.size());
    d.body->m_tetraScratchesTn.resize(d.body->m_tetras.size());
    d.body->initializeDmInverse();
    d.body->m_cfg.collisions = 0;
    d.body->m_sleepingThreshold = 0;
    d.world->addSoftBody(d.body.get());
    d.elastic = std::make_unique<btDeformableNeoHookeanForce>(mu, lambda, btScalar(0));
    d.weight = std::make_unique<btDeformableGravityForce>(down);
    d.world->addForce(d.body.get(), d.elastic.get());
    d.world->addForce(d.body.get(), d.weight.get());
}

BulletImplicit::~BulletImplicit() = default;

void BulletImplicit::step(double dt)
{
    data_->world->stepSimulation(btScalar(dt), 1, btScalar(dt));
}

Vec3 BulletImplicit::position(std::size_t node) const
{
    const btVector3& x = data_->body->m_nodes[int(node)].m_x;
    return {x.x(), x.y(), x.z()};
}

}  // namespace yawara::bench
