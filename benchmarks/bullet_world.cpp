#include "bullet_world.h"

#include <btBulletDynamicsCommon.h>

#include <algorithm>

namespace yawara::bench {

namespace {

btVector3 vector_of(Vec3d v)
{
    return {btScalar(v.x), btScalar(v.y), btScalar(v.z)};
}

}  // namespace

struct BulletStack::Data {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btStaticPlaneShape plane{btVector3(0, 1, 0), 0};
    btBoxShape box{btVector3(1, 1, 1) * btScalar(kCrate / 2)};
    std::vector<std::unique_ptr<btRigidBody>> bodies;

    ~Data()
    {
        for (const auto& body : bodies) world.removeRigidBody(body.get());
    }
    void add(btScalar mass, btCollisionShape& shape, btVector3 at)
    {
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shape.calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, &shape, inertia);
        info.m_startWorldTransform.setOrigin(at);
        info.m_friction = btScalar(0.6);
        bodies.push_back(std::make_unique<btRigidBody>(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
    }
};

BulletStack::BulletStack(int crates) : data_(std::make_unique<Data>())
{
    data_->world.setGravity(btVector3(0, btScalar(-9.8), 0));
    data_->add(0, data_->plane, btVector3(0, 0, 0));
    for (int k = 0; k < crates; ++k)
        data_->add(btScalar(500 * kCrate * kCrate * kCrate), data_->box,
                   vector_of({0, kCrate / 2 + (kCrate + kGapOfCrates) * k, 0}));
}

BulletStack::~BulletStack() = default;

void BulletStack::step(int substeps)
{
    for (int k = 0; k < substeps; ++k) data_->world.stepSimulation(btScalar(1.0 / 60 / substeps), 0);
}

double BulletStack::top() const
{
    return double(data_->bodies.back()->getWorldTransform().getOrigin().y());
}

struct BulletRays::Data {
    btTriangleMesh mesh;
    std::unique_ptr<btBvhTriangleMeshShape> shape;
    btCollisionObject object;
    btTransform here = btTransform::getIdentity();
};

BulletRays::BulletRays(const TriMesh& mesh) : data_(std::make_unique<Data>())
{
    for (const Int3& t : mesh.triangles)
        data_->mesh.addTriangle(vector_of(mesh.vertices[std::size_t(t[0])]),
                                vector_of(mesh.vertices[std::size_t(t[1])]),
                                vector_of(mesh.vertices[std::size_t(t[2])]));
    data_->shape = std::make_unique<btBvhTriangleMeshShape>(&data_->mesh, true);
    data_->object.setCollisionShape(data_->shape.get());
}

BulletRays::~BulletRays() = default;

double BulletRays::distance(Vec3d from, Vec3d to) const
{
    const btVector3 a = vector_of(from), b = vector_of(to);
    btCollisionWorld::ClosestRayResultCallback found(a, b);
    btTransform start = data_->here, end = data_->here;
    start.setOrigin(a);
    end.setOrigin(b);
    btCollisionWorld::rayTestSingle(start, end, &data_->object, data_->shape.get(), data_->here, found);
    return found.hasHit() ? double(found.m_closestHitFraction) * length(to - from) : -1;
}

}  // namespace yawara::bench
