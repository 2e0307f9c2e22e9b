#include "bullet_pile.h"

#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <set>
#include <utility>
#include <vector>

namespace yawara::bench {

struct BulletPile::Data {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> walls;
    std::vector<std::unique_ptr<btSoftBody>> bodies;

    ~Data()
    {
        for (const auto& body : bodies) world.removeSoftBody(body.get());
        for (const auto& wall : walls) world.removeRigidBody(wall.get());
    }

    void add_wall(btVector3 normal, btScalar offset)
    {
        shapes.push_back(std::make_unique<btStaticPlaneShape>(normal, offset));
        walls.push_back(std::make_unique<btRigidBody>(0, nullptr, shapes.back().get()));
        world.addRigidBody(walls.back().get());
    }

    void add_body(const TetMesh& mesh, const TriMesh& surface, const std::vector<std::int32_t>& vertex_of,
                  const Placement& place)
    {
        std::vector<btVector3> x;
        for (const Vec3d& v : mesh.vertices) {
            const Vec3d p = place(v);
            x.emplace_back(btScalar(p.x), btScalar(p.y), btScalar(p.z));
        }
        auto body = std::make_unique<btSoftBody>(&world.getWorldInfo(), int(x.size()), x.data(), nullptr);
        std::set<std::pair<int, int>> links;
        for (const Int4& t : mesh.tets)
            for (const int a : t)
                for (const int b : t)
                    if (a < b && links.emplace(a, b).second) body->appendLink(a, b);
        for (const Int3& t : surface.triangles)
            body->appendFace(vertex_of[std::size_t(t[0])], vertex_of[std::size_t(t[1])], vertex_of[std::size_t(t[2])]);
        body->setTotalMass(btScalar(1000 * volume(mesh)));
        body->m_cfg.collisions = btSoftBody::fCollision::SDF_RS | btSoftBody::fCollision::VF_SS;
        body->m_cfg.kDF = btScalar(0.5);
        body->m_cfg.piterations = 4;
        body->m_cfg.kMT = btScalar(0.1);
        body->setPose(false, true);
        world.addSoftBody(body.get());
        bodies.push_back(std::move(body));
    }
};

BulletPile::BulletPile(const Pile& pile) : data_(std::make_unique<Data>())
{
    btSoftBodyWorldInfo& info = data_->world.getWorldInfo();
    info.m_dispatcher = &data_->dispatcher;
    info.m_broadphase = &data_->broadphase;
    info.m_gravity = btVector3(0, btScalar(-9.8), 0);
    info.m_sparsesdf.Initialize();
    data_->world.setGravity(info.m_gravity);
    data_->add_wall(btVector3(0, 1, 0), 0);
    const auto w = btScalar(-pile.half_width);
    for (const btVector3& n : {btVector3(1, 0, 0), btVector3(-1, 0, 0), btVector3(0, 0, 1), btVector3(0, 0, -1)})
        data_->add_wall(n, w);
    std::vector<std::int32_t> vertex_of;
    const TriMesh surface = boundary_surface(pile.mesh, &vertex_of);
    for (const Placement& place : pile.places) data_->add_body(pile.mesh, surface, vertex_of, place);
}

BulletPile::~BulletPile() = default;

void BulletPile::step()
{
    data_->world.stepSimulation(btScalar(kPileStep), 1, btScalar(kPileStep));
}

}  // namespace yawara::bench
