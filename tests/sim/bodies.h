// Bodies and scenes that the tests of this folder share.
#pragma once

#include "yawara/yawara.h"

namespace yawara::test {

inline BodyModel bar(Vec3d size = {0.5, 1.4, 0.5}, Int3 cells = {3, 8, 3}, Masses masses = Masses::lumped)
{
    BodySpec spec;
    spec.name = "bar";
    spec.solid = Matching{make_bar(size, cells)};
    spec.masses = masses;
    return build(std::move(spec)).value();
}

/// A scene with one step a frame, without gravity.
inline SceneSettings weightless(double dt = 1.0 / 300)
{
    SceneSettings settings;
    settings.dt = dt;
    settings.substeps = 1;
    settings.gravity = {};
    return settings;
}

/// The first body of a scene, for checks that name none.
inline BodyId first_body(const Scene& scene)
{
    return scene.bodies()[0];
}

inline Vec3d center_of_mass(const Scene& scene, BodyId body)
{
    Vec3d sum;
    double mass = 0;
    const auto masses = scene.model(body).masses();
    for (std::size_t i = 0; i < masses.size(); ++i) {
        sum += scene.state(body).positions[i].as<double>() * masses[i];
        mass += masses[i];
    }
    return sum / mass;
}
inline Vec3d center_of_mass(const Scene& scene)
{
    return center_of_mass(scene, first_body(scene));
}

inline Vec3d angular_momentum(const Scene& scene, BodyId body)
{
    const Vec3d center = center_of_mass(scene, body);
    Vec3d sum;
    const auto masses = scene.model(body).masses();
    for (std::size_t i = 0; i < masses.size(); ++i)
        sum += cross(scene.state(body).positions[i].as<double>() - center,
                     scene.state(body).velocities[i].as<double>()) * masses[i];
    return sum;
}
inline Vec3d angular_momentum(const Scene& scene)
{
    return angular_momentum(scene, first_body(scene));
}

inline double fastest(const Scene& scene, BodyId body)
{
    double speed = 0;
    for (const Vec3& v : scene.state(body).velocities) speed = std::max(speed, double(length(v)));
    return speed;
}
inline double fastest(const Scene& scene)
{
    return fastest(scene, first_body(scene));
}

/// Root mean square of the change of all distances between linked particles' positions: zero for rigid motion.
inline double shape_error(const Scene& scene, BodyId body)
{
    const auto rest = scene.model(body).rest_positions();
    double sum = 0;
    int count = 0;
    for (const Int4& tet : std::get<TetMesh>(scene.model(body).domain()).tets)
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < a; ++b) {
                const auto i = std::size_t(tet[std::size_t(a)]), j = std::size_t(tet[std::size_t(b)]);
                const double now = length((scene.state(body).positions[i] - scene.state(body).positions[j]).as<double>());
                const double d = now - length(rest[i] - rest[j]);
                sum += d * d;
                ++count;
            }
    return std::sqrt(sum / count);
}
inline double shape_error(const Scene& scene)
{
    return shape_error(scene, first_body(scene));
}

inline int inverted_tets(const Scene& scene, BodyId body)
{
    TetMesh now = std::get<TetMesh>(scene.model(body).domain());
    for (std::size_t i = 0; i < now.vertices.size(); ++i)
        now.vertices[i] = scene.state(body).positions[i].as<double>();
    int count = 0;
    for (const Int4& tet : now.tets) count += signed_volume(now, tet) <= 0;
    return count;
}
inline int inverted_tets(const Scene& scene)
{
    return inverted_tets(scene, first_body(scene));
}

}  // namespace yawara::test
