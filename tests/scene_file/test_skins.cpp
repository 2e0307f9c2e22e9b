// The look of a body's file: taken over, overridden by a colour, and doubted where a picture cannot be read.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "io/picture_files.h"
#include "yawara/io.h"
#include "yawara/recorder.h"
#include "yawara/scene_file.h"

using namespace yawara;

namespace {

struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("yawara_skins_" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    void put(const char* name, const std::string& bytes) const { std::ofstream(path / name, std::ios::binary) << bytes; }
};

/// A cube of eight vertices whose faces are two triangles each, all with the whole picture.
std::string cube_obj()
{
    std::string text = "mtllib cube.mtl\n";
    for (int i = 0; i < 8; ++i)
        text += "v " + std::to_string(i & 1) + " " + std::to_string((i >> 1) & 1) + " " + std::to_string((i >> 2) & 1) + "\n";
    text += "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
    const int faces[6][4] = {{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5}, {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
    text += "usemtl print\n";
    for (const auto& face : faces) {
        text += "f";
        for (int k = 0; k < 4; ++k) text += " " + std::to_string(face[k]) + "/" + std::to_string(k + 1);
        text += "\n";
    }
    return text;
}

std::string scene(const std::string& look)
{
    return R"({"yawara": 1, "bodies": [{"name": "cube", "solid": {"from": "cube.obj", "particles": 60})" + look + "}]}";
}

}  // namespace

TEST_CASE("a body looks as its file says, unless the scene names a colour, and is exported so")
{
    const Folder folder;
    folder.put("cube.obj", cube_obj());
    folder.put("cube.mtl", "newmtl print\nmap_Kd four.png\n");
    folder.put("four.png", picture_files::four_colors_png());
    LoadedScene loaded = LoadedScene::from_text(scene(""), folder.path).value();
    const TriMesh surface = loaded.scene().model(loaded.scene().bodies()[0]).surface();
    const Skin* const skin = loaded.looks()[0].worn(surface.triangles.size());
    REQUIRE(skin);
    CHECK(skin->textures[0].bytes == picture_files::four_colors_png());

    const ClipInfo info = describe_clip(loaded, 1, {}, false);
    auto writer = make_clip_writer("glb", folder.path / "out.glb", info).value();
    std::vector<Vec3> drawn(loaded.scene().surface(loaded.scene().bodies()[0]).begin(),
                            loaded.scene().surface(loaded.scene().bodies()[0]).end());
    ClipFrame frame;
    frame.surface = drawn;
    const std::vector<Vec3> particles(info.bodies[0].solid.vertices.size());
    frame.particles = particles;
    const std::vector<float> values(particles.size());
    frame.values.assign(info.bodies[0].value_names.size(), std::span<const float>(values));
    REQUIRE(writer->frame(0, {&frame, 1}));
    REQUIRE(writer->finish());
    const TriMesh exported = load_tri_mesh(folder.path / "out.glb").value();
    CHECK(exported.corner_uvs == surface.corner_uvs);
    CHECK(load_skin(folder.path / "out.glb").value()->textures[0].bytes == picture_files::four_colors_png());

    LoadedScene red = LoadedScene::from_text(scene(R"(, "look": {"color": [1, 0, 0]})"), folder.path).value();
    CHECK_FALSE(red.looks()[0].worn(surface.triangles.size()));
    CHECK(red.looks()[0].color == Vec3{1, 0, 0});
}

TEST_CASE("a picture that cannot be read leaves the body as it is, with a warning that names the file")
{
    const Folder folder;
    folder.put("cube.obj", cube_obj());
    folder.put("cube.mtl", "newmtl print\nKd 0 1 0\nmap_Kd torn.png\n");
    folder.put("torn.png", "no picture");
    const LoadedScene loaded = LoadedScene::from_text(scene(""), folder.path).value();
    CHECK(std::ranges::any_of(loaded.warnings(), [](const std::string& warning) {
        return warning.starts_with("bodies[0].solid") && warning.find("\"torn.png\" is neither a PNG nor a JPEG") != std::string::npos;
    }));
    CHECK(loaded.looks()[0].skin->textures.empty());
    CHECK(loaded.looks()[0].skin->materials[0].color == Vec3{0, 1, 0});
}
