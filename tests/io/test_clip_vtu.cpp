// Clips as .vtu series for ParaView.
#include <doctest/doctest.h>

#include "clip_samples.h"

using namespace clip_samples;

TEST_CASE("vtu series hold the tets and their materials with the particles of the frame")
{
    Sample sample;
    TempFolder folder;
    REQUIRE(sample.write("vtu", folder / "clip", 3));
    const TetMesh mesh = load_tet_mesh(folder / "clip/bar.00002.vtu").value();
    sample.frame(2);
    REQUIRE(mesh.vertices.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) CHECK(mesh.vertices[i].as<float>() == sample.points[0][i]);
    CHECK(mesh.tets == sample.info.bodies[0].solid.tets);
}

TEST_CASE("names of values are escaped, and bodies without tets become points")
{
    Sample sample;
    TempFolder folder;
    REQUIRE(sample.write("vtu", folder / "clip", 1));
    const std::string bar = bytes_of(folder / "clip/bar.00000.vtu");
    CHECK(bar.find("Name=\"height &amp; &lt;more&gt;\"") != std::string::npos);
    CHECK(bar.find("Name=\"speed\"") != std::string::npos);
    const std::string cloud = bytes_of(folder / "clip/cloud.00000.vtu");
    CHECK(cloud.find("NumberOfPoints=\"3\" NumberOfCells=\"3\"") != std::string::npos);
}

TEST_CASE("the list of a vtu series is whole after every frame")
{
    Sample sample;
    TempFolder folder;
    auto writer = make_clip_writer("vtu", folder / "clip", sample.info).value();
    for (int k = 0; k < 3; ++k) {
        REQUIRE(writer->frame(sample.time(k), sample.frame(k)));
        const std::string list = bytes_of(folder / "clip/unfinished_vtu/clip.pvd");
        CHECK(list.ends_with("  </Collection>\n</VTKFile>\n"));
        CHECK(list.find("file=\"cloud.0000" + std::to_string(k) + ".vtu\"") != std::string::npos);
        CHECK(list.find("</Collection>") == list.rfind("</Collection>"));
    }
}
