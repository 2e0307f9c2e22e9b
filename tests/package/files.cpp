// The other library from outside: saves a bar's surface, reads it back, makes a solid of it and draws it.
#include <yawara/io.h>
#include <yawara/render.h>
#include <yawara/scene_file.h>
#include <yawara/solid.h>

#include <cmath>
#include <cstdio>

int main()
{
    namespace yw = yawara;
    const yw::TriMesh skin = yw::boundary_surface(yw::make_bar({1.0, 0.5, 0.5}, {4, 2, 2}));
    yw::save_tri_mesh("bar.obj", skin).value();
    const yw::TriMesh read = yw::load_tri_mesh("bar.obj").value();
    const yw::Solid solid = yw::make_solid(read, {.particles = 500}).value();
    const double volume = yw::volume(solid.mesh);

    std::vector<yw::Vec3> positions;
    for (const yw::Vec3d& vertex : read.vertices) positions.push_back(vertex.as<float>());
    yw::Picture picture;
    picture.meshes.push_back({.positions = positions, .triangles = read.triangles});
    picture.look.width = picture.look.height = 32;
    picture.look.samples = 1;
    const yw::Image image = yw::render(picture).value();
    yw::save_png("bar.png", image).value();

    std::printf("%zu tets of %.4f m^3, a picture of %zu bytes, a schema of %zu\n", solid.mesh.tets.size(), volume,
                image.rgba.size(), yw::scene_schema().size());
    const bool good = read.triangles == skin.triangles && std::abs(volume - 0.25) < 0.02 &&
                      image.rgba.size() == 32 * 32 * 4 && !yw::scene_schema().empty();
    return good ? 0 : 1;
}
