#include "fem_bar.h"

#include <cmath>

namespace yawara::bench {
namespace {

fem::FemModel model_of(const TetMesh& mesh, const Elasticity& elasticity)
{
    Fem spec;
    spec.mesh = mesh;
    spec.material = [&](const MaterialPlace&) { return FemMaterial{elasticity, {}, 1000}; };
    std::vector<std::string> warnings;
    return std::move(fem::build_fem(spec, 1000, warnings).value().model);
}

}  // namespace

Vec3 bent(Vec3d p, const Box3& box)
{
    const double s = (p.z - box.low.z) / box.size().z;
    return Vec3d{p.x + 0.1 * std::sin(3 * s), p.y * (1 + 0.05 * s), p.z + 0.05 * p.x * s}.as<float>();
}

Elasticity wood_across()
{
    const Elasticity wood = orthotropic({{3000, 1000, 700}, {0.3, 0.25, 0.2}, {600, 500, 400}}).value();
    return turned(wood, rotation(Vec3d{1, 2, 3}, 0.8));
}

FemBar::FemBar(const TetMesh& mesh, const Elasticity& elasticity) : model(model_of(mesh, elasticity)), front(model)
{
    front.rebuild(model, {}, false);
    x.resize(4 * front.used.size());
    f.resize(x.size());
    const Box3 box = bounds(mesh.vertices);
    for (std::size_t k = 0; k < front.used.size(); ++k)
        fem::put(x, k, bent(mesh.vertices[std::size_t(front.used[k])], box));
}

}  // namespace yawara::bench
