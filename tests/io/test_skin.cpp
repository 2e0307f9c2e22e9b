// Materials and pictures of mesh files: read, kept in clips, and written into a GLB as they came.
#include "io/mesh_files.h"
#include "io/picture_files.h"

using namespace mesh_files;
using namespace picture_files;

namespace {

bool mentions(const std::vector<std::string>& warnings, const std::string& words)
{
    return std::any_of(warnings.begin(), warnings.end(),
                       [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

constexpr const char* kTwoTriangles = R"(mtllib paint.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl wood
f 1/1 2/2 3/3
usemtl stone
f 1/1 3/3 4/4
)";

/// A GLB with a square of one material; `more` are further members of the material.
std::string glb_with(const std::string& picture, const std::string& more)
{
    std::string buffer = square_buffer();
    const std::string from = std::to_string(buffer.size());
    buffer += picture;
    while (buffer.size() % 4 != 0) buffer += '\0';
    std::string json = gltf("", "", R"("indices": 1, "material": 0)",
                            R"(, "materials": [{"name": "paper")" + more +
                                R"(}], "images": [{"name": "print", "mimeType": "image/png", "bufferView": 2}],
                                "samplers": [{"wrapS": 33071, "wrapT": 33648}], "textures": [{"source": 0, "sampler": 0}])");
    const std::size_t views = json.find("\"bufferViews\": [") + 16;
    const std::size_t end = json.find(']', views);
    json.insert(end, R"(, {"buffer": 0, "byteOffset": )" + from + ", \"byteLength\": " +
                         std::to_string(picture.size()) + "}");
    const std::string was = "\"byteLength\": " + std::to_string(square_buffer().size());
    const std::size_t length = json.rfind(was);
    REQUIRE(length != std::string::npos);
    json.replace(length, was.size(), "\"byteLength\": " + std::to_string(buffer.size()));
    return glb(json, buffer);
}

}  // namespace

TEST_CASE("PNG and JPEG are decoded; damaged pictures and others are refused")
{
    const Image four = decode_image(four_colors_png()).value();
    CHECK(four.width == 2);
    CHECK(four.height == 2);
    CHECK(four.rgba == std::vector<std::uint8_t>{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255});
    const Image brown = decode_image(brown_jpeg()).value();
    REQUIRE(brown.rgba.size() == 8 * 8 * 4);
    CHECK(std::abs(brown.rgba[0] - 200) <= 3);
    CHECK(std::abs(brown.rgba[1] - 100) <= 3);
    CHECK(std::abs(brown.rgba[2] - 50) <= 3);
    CHECK(brown.rgba[3] == 255);

    CHECK(decode_image("GIF89a").error().what == "is neither a PNG nor a JPEG");
    for (const std::string& whole : {four_colors_png(), brown_jpeg()})
        for (std::size_t keep = 8; keep + 12 < whole.size(); keep += 7) {
            CAPTURE(keep);
            CHECK_FALSE(decode_image(whole.substr(0, keep)));
        }
    std::string huge = four_colors_png();
    huge[16] = 0x7f;  // its width
    CHECK_FALSE(decode_image(huge));
}

TEST_CASE("an OBJ has the materials of its MTL, triangle by triangle, with their pictures")
{
    TempFolder folder;
    std::filesystem::create_directories(folder / "maps");
    put_bytes(folder / "two.obj", kTwoTriangles);
    put_bytes(folder / "paint.mtl", R"(# two materials
newmtl wood
Kd 0 0 0
Ns 250
map_Kd -clamp on maps/four colors.png
map_Bump -bm 0.5 maps/upright.png
newmtl stone
Kd 0.5 0.25 1
Pr 0.9
map_Kd C:\textures\brown.jpg
)");
    put_bytes(folder / "maps/four colors.png", four_colors_png());
    put_bytes(folder / "maps/upright.png", upright_png());
    put_bytes(folder / "brown.jpg", brown_jpeg());
    const std::shared_ptr<const Skin> skin = load_skin(folder / "two.obj").value();
    REQUIRE(skin);
    CHECK(skin->warnings.empty());
    CHECK(skin->material_of == std::vector<std::int32_t>{0, 1});
    REQUIRE(skin->materials.size() == 2);
    REQUIRE(skin->textures.size() == 3);
    const SkinMaterial &wood = skin->materials[0], &stone = skin->materials[1];
    CHECK(wood.name == "wood");
    CHECK(wood.color == Vec3{1, 1, 1});  // black beside a picture means nothing
    CHECK(wood.roughness == doctest::Approx(0.5));
    CHECK(skin->textures[std::size_t(wood.texture)].bytes == four_colors_png());
    CHECK(skin->textures[std::size_t(wood.texture)].wrap == std::array{Wrap::clamp, Wrap::clamp});
    CHECK(skin->textures[std::size_t(wood.normal_map)].bytes == upright_png());
    CHECK(wood.bump == 0.5f);
    CHECK(stone.color == Vec3{0.5f, 0.25f, 1});
    CHECK(stone.roughness == 0.9f);
    CHECK(skin->textures[std::size_t(stone.texture)].bytes == brown_jpeg());  // found although its path is another's
}

TEST_CASE("pictures that are missing or damaged are told by name, and the rest of the skin is there")
{
    TempFolder folder;
    put_bytes(folder / "two.obj", kTwoTriangles);
    put_bytes(folder / "paint.mtl", "newmtl wood\nKd 1 0 0\nmap_Kd gone.png\nnewmtl stone\nmap_Kd torn.png\nbump brown.jpg\n");
    put_bytes(folder / "torn.png", four_colors_png().substr(0, 40));
    put_bytes(folder / "brown.jpg", brown_jpeg());
    const std::shared_ptr<const Skin> skin = load_skin(folder / "two.obj").value();
    REQUIRE(skin);
    CHECK(mentions(skin->warnings, "\"gone.png\" is not in the folder of paint.mtl"));
    CHECK(mentions(skin->warnings, "\"torn.png\" is a damaged PNG"));
    CHECK(mentions(skin->warnings, "\"brown.jpg\" holds heights"));
    CHECK(skin->textures.empty());
    CHECK(skin->materials[0].color == Vec3{1, 0, 0});

    std::filesystem::remove(folder / "paint.mtl");
    const std::shared_ptr<const Skin> bare = load_skin(folder / "two.obj").value();
    REQUIRE(bare);
    CHECK(mentions(bare->warnings, "\"paint.mtl\" are not in the folder of two.obj"));
    CHECK(bare->material_of == std::vector<std::int32_t>{-1, -1});
    put_bytes(folder / "plain.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    CHECK_FALSE(load_skin(folder / "plain.obj").value());
}

TEST_CASE("a GLB has its materials and pictures; what is outside of its folder is not read")
{
    TempFolder folder;
    put_bytes(folder / "a.glb",
              glb_with(four_colors_png(),
                       R"(, "pbrMetallicRoughness": {"baseColorFactor": [0.214, 1, 0, 1], "roughnessFactor": 0.3,
                           "metallicFactor": 0.5, "baseColorTexture": {"index": 0}}, "normalTexture": {"index": 0, "scale": 2})"));
    const std::shared_ptr<const Skin> skin = load_skin(folder / "a.glb").value();
    REQUIRE(skin);
    CHECK(skin->warnings.empty());
    CHECK(skin->material_of == std::vector<std::int32_t>{0, 0});
    REQUIRE(skin->textures.size() == 1);
    CHECK(skin->textures[0].bytes.substr(0, four_colors_png().size()) == four_colors_png());
    CHECK(skin->textures[0].wrap == std::array{Wrap::clamp, Wrap::mirror});
    const SkinMaterial& paper = skin->materials[0];
    CHECK(paper.color.x == doctest::Approx(0.5).epsilon(0.002));
    CHECK(paper.color.y == 1);
    CHECK(paper.roughness == 0.3f);
    CHECK(paper.metallic == 0.5f);
    CHECK(paper.normal_map == 0);
    CHECK(paper.bump == 2);

    std::filesystem::create_directories(folder / "inner");
    put_bytes(folder / "secret.png", four_colors_png());
    put_bytes(folder / "inner/b.gltf",
              gltf(data_uri(square_buffer()), "", R"("indices": 1, "material": 0)",
                   R"(, "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
                       "textures": [{"source": 0}], "images": [{"uri": "../secret.png"}])"));
    const std::shared_ptr<const Skin> outside = load_skin(folder / "inner/b.gltf").value();
    REQUIRE(outside);
    CHECK(outside->textures.empty());
    CHECK(mentions(outside->warnings, "secret.png"));
}

TEST_CASE("a skin goes through a recording and a GLB with its pictures, seams and order as they were")
{
    TempFolder folder;
    clip_samples::Sample sample;
    auto skin = std::make_shared<Skin>();
    skin->textures = {{"four", four_colors_png(), {Wrap::repeat, Wrap::clamp}, decode_image(four_colors_png()).value()},
                      {"brown", brown_jpeg(), {}, decode_image(brown_jpeg()).value()}};
    skin->materials = {{"one", {0.5f, 1, 0.25f}, 0.25f, 0.5f, 0, -1, 1, -1}, {"two", {1, 1, 1}, 1, 0, 1, 0, 0.5f, 1}};
    const std::size_t triangles = sample.info.bodies[0].surface.triangles.size();
    for (std::size_t t = 0; t < triangles; ++t) skin->material_of.push_back(t < triangles / 3 ? 0 : 1);
    ClipStage stage;
    stage.looks.resize(2);
    stage.looks[0].skin = skin;
    stage.looks[1].own_color = true;
    sample.info.stage = stage;
    for (const char* format : {"ywc", "glb"}) {
        auto writer = make_clip_writer(format, folder / ("clip." + std::string(format)), sample.info).value();
        for (int k = 0; k < 5; ++k) REQUIRE(writer->frame(sample.time(k), sample.frame(k)));
        REQUIRE(writer->finish());
    }

    const ClipReader reader = ClipReader::open(folder / "clip.ywc").value();
    const std::vector<BodyLook>& looks = reader.info().stage->looks;
    REQUIRE(looks[0].skin);
    CHECK_FALSE(looks[1].skin);
    CHECK(looks[1].own_color);
    CHECK(looks[0].skin->materials == skin->materials);
    CHECK(looks[0].skin->material_of == skin->material_of);
    CHECK(looks[0].skin->textures[1].bytes == brown_jpeg());
    CHECK(looks[0].skin->textures[0].image.rgba == skin->textures[0].image.rgba);

    const TriMesh mesh = load_tri_mesh(folder / "clip.glb").value();
    const std::shared_ptr<const Skin> read = load_skin(folder / "clip.glb").value();
    REQUIRE(read);
    const TriMesh& was = sample.info.bodies[0].surface;
    REQUIRE(mesh.corner_uvs.size() >= triangles);
    for (std::size_t t = 0; t < triangles; ++t) {
        CAPTURE(t);
        CHECK(read->material_of[t] == skin->material_of[t]);
        for (std::size_t k = 0; k < 3; ++k) {
            CHECK(mesh.corner_uvs[t][k].x == was.corner_uvs[t][k].x);
            CHECK(mesh.corner_uvs[t][k].y == doctest::Approx(was.corner_uvs[t][k].y));
        }
    }
    for (std::size_t m = 0; m < 2; ++m) {
        const SkinMaterial &before = skin->materials[m], &after = read->materials[m];
        CHECK(after.name == before.name);
        for (int k = 0; k < 3; ++k) CHECK(after.color[k] == doctest::Approx(before.color[k]));
        CHECK(after.roughness == before.roughness);
        CHECK(after.bump == before.bump);
        CHECK(read->textures[std::size_t(after.texture)].bytes == skin->textures[std::size_t(before.texture)].bytes);
    }
    CHECK(read->textures[std::size_t(read->materials[0].texture)].wrap == std::array{Wrap::repeat, Wrap::clamp});
}
