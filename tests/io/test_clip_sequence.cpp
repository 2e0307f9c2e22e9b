// Clips as OBJ and PLY sequences.
#include <doctest/doctest.h>

#include "clip_samples.h"

using namespace clip_samples;

TEST_CASE("sequences have one file a frame with exact positions in the order of the surface")
{
    Sample sample;
    for (const std::string format : {"obj", "ply"}) {
        CAPTURE(format);
        TempFolder folder;
        const auto notes = sample.write(format, folder / "clip", 3);
        REQUIRE(notes);
        CHECK(notes->front().find("bar.00002." + format) != std::string::npos);
        for (int k = 0; k < 3; ++k) {
            sample.frame(k);
            for (const std::size_t b : {0, 1}) {
                const std::string name = sample.info.bodies[b].name + ".0000" + std::to_string(k) + "." + format;
                const TriMesh mesh = load_tri_mesh(folder / ("clip/" + name)).value();
                REQUIRE(mesh.vertices.size() == sample.points[2 * b + 1].size());
                bool exact = true;
                for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
                    exact = exact && mesh.vertices[v].as<float>() == sample.points[2 * b + 1][v];
                }
                CHECK(exact);
                CHECK(mesh.triangles == sample.info.bodies[b].surface.triangles);
                if (format == "obj") CHECK(mesh.corner_uvs == sample.info.bodies[b].surface.corner_uvs);
            }
        }
        CHECK_FALSE(std::filesystem::exists(folder / ("clip/bar.00003." + format)));
    }
}
